// Where it all comes together: keys and clicks become actions, actions change the work, and what
// has changed is drawn. Streamlit calls `mount` when the page is drawn, and again whenever the
// session or the theme changes.

import { endOf } from "./dialogs.js";
import { el } from "./dom.js";
import { handIn } from "./handin.js";
import { actionOf, answerOf, questionActionOf } from "./keys.js";
import { Pictures } from "./pictures.js";
import { View } from "./view.js";
import { Classes } from "./work/classes.js";
import { ofBrowser } from "./work/environment.js";
import { Patience } from "./work/patience.js";
import { Server } from "./work/server.js";
import { MOST_ADDED, asksOfOne } from "./work/sheet.js";
import { Work } from "./work/work.js";

const A_WHILE = 15_000;

const mounted = new WeakMap();

/** Streamlit's component contract: returns what to call when the component leaves the page. */
export function mount({ parentElement, data, setTriggerValue }) {
  const known = mounted.get(parentElement);
  if (known?.is(data)) {
    known.renew(data, setTriggerValue);
  } else {
    known?.close();
    mounted.set(parentElement, new Page(parentElement, data, setTriggerValue));
  }
  return () => {
    mounted.get(parentElement)?.close();
    mounted.delete(parentElement);
  };
}

class Page {
  #ask; // how to ask Streamlit for something
  #place = 0; // the photo or question that keys without a number are about
  #shown = []; // the pictures of the sheet on display: its photos' first
  #painted = false;
  #pointed = null; // the button that mouse or finger pressed last
  #ended = null; // the end that is on display
  #since = null; // when the sheet was last seen to be looked at

  constructor(parent, told, ask) {
    this.told = told;
    this.#ask = ask;
    const environment = ofBrowser();
    this.server = new Server(told.session, environment, () => this.#expired());
    this.work = new Work(told, this.server, environment, (change) => this.#draw(change));
    this.pictures = new Pictures(environment);
    this.classes = new Classes(this.server);
    // Wide enough for a third of the window, which is what a photo gets (half of it where there is
    // one), or all of a phone's.
    const width = (share) => (innerWidth / share) * devicePixelRatio > 800 ? 1400 : 700;
    this.width = innerWidth < 700 ? width(1) : width(3);
    this.wide = innerWidth < 700 ? width(1) : width(1.8);
    this.view = new View(told, this.classes, (action) => this.#act(action));
    const point = ({ target }) => (this.#pointed = target.closest("button, a"));
    this.view.root.addEventListener("pointerdown", point);
    parent.append(this.view.root);
    this.gone = new AbortController();
    const { signal } = this.gone;
    addEventListener("keydown", (event) => this.#key(event), { signal, capture: true });
    addEventListener("storage", (event) => this.#elsewhere(event), { signal });
    addEventListener("resize", () => this.#fit(), { signal });
    addEventListener("beforeunload", (event) => this.#leave(event), { signal });
    document.addEventListener("visibilitychange", () => this.#turned(), { signal });
    this.clock = setInterval(() => this.#drawStatus(), A_WHILE); // what is left of the lease
    this.#fit();
    this.#drawStatus();
    this.work.start();
  }

  /** Whether it is the page of this labeler in this workspace. */
  is({ workspace, labeler }) {
    return this.told.workspace === workspace && this.told.labeler === labeler;
  }

  renew({ session, notices }, ask) {
    this.#ask = ask;
    this.server.session = session;
    this.view.notices = notices;
  }

  close() {
    this.gone.abort();
    clearInterval(this.clock);
    this.work.close();
    this.view.root.remove();
  }

  #expired() {
    const now = Date.now();
    if (now - (this.asked ?? 0) < 5000) return;
    this.asked = now;
    this.#ask("expired", true);
  }

  #key(event) {
    const action = this.#isOfOne
      ? questionActionOf(event, this.#pointed)
      : actionOf(event, this.told.one_key, this.#pointed);
    if (event.code === "Tab") this.#pointed = null;
    const { refused, search, help } = this.view;
    if (action === null || refused.dialog.open || search.dialog.open) return;
    if (help.dialog.open && action.name !== "help") return;
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat) this.#act(action);
  }

  /** Whether the sheet on display is of one photo, with questions. */
  get #isOfOne() {
    return this.work.sheet !== null && asksOfOne(this.work.sheet.screen);
  }

  #act(action) {
    const { work, view } = this;
    if (action.name === "help") {
      if (view.help.dialog.open) view.help.dialog.close();
      else view.help.dialog.showModal();
    } else if (action.name === "refused") {
      view.refused.show(work.storage.refused());
    } else if (action.name === "dismiss") {
      work.storage.dismiss(action.label);
      view.refused.show(work.storage.refused());
      this.#drawStatus();
    } else if (action.name === "undo") {
      this.#time();
      work.undo();
    } else if (work.sheet && this.#painted) {
      // Before it is painted nobody can have meant this screen.
      this[`_${action.name}`](action);
    }
  }

  _at({ place }) {
    this.#place = place;
    this.view.current(place, { focus: false });
  }

  _mark({ place, verdict }) {
    const { sheet } = this.work;
    const at = place ?? this.#place;
    const item = sheet.rows[at];
    if (item === undefined) return;
    this.#time();
    if (at >= sheet.items.length) return this._answerAdded({ place: at, verdict });
    if (!this.#isOfOne) this.#go(at);
    this.work.mark([item], verdict);
    const left = sheet.undecided.length;
    const said = this.#isOfOne ? `${item.name}: ${answerOf(verdict)}` : `Photo ${at + 1} ${verdict}`;
    this.view.tell(`${said}. ${left ? `${left} left.` : "All decided."}`);
    if (this.#isOfOne) this.#goOn(at, place === undefined);
  }

  /** A class that the labeler added is in the photo; where it is not, it is taken off again. */
  _answerAdded({ place, verdict }) {
    if (verdict === "incorrect") this._off({ place });
    else this.view.tell("You added this one: it counts as yes. N takes it off.");
  }

  _off({ place }) {
    const row = this.work.sheet.rows[place];
    if (row.label_id) {
      this.view.bar.say(`${row.name} is not saved yet. Come back to take it off.`);
      return;
    }
    this.#time();
    this.work.takeOff(row);
    this.view.tell(`${row.name} is taken off.`);
    this.#go(Math.min(place, this.work.sheet.rows.length - 1));
  }

  _rest({ verdict }) {
    this.#time();
    this.work.mark(this.work.sheet.undecided, verdict);
    this.view.tell(`The rest is ${verdict}. All decided.`);
  }

  /** None of what is undecided is in the photo: that is all of it. */
  _none() {
    this.#time();
    this.work.mark(this.work.sheet.undecided, "incorrect");
    this._submit();
  }

  _search() {
    const { sheet } = this.work;
    const added = sheet.rows.slice(sheet.items.length);
    if (added.length >= MOST_ADDED) {
      this.view.bar.say(`Up to ${MOST_ADDED} further classes can be added to a photo.`);
      return;
    }
    const taken = new Map(added.map(({ wnid }) => [wnid, "You added it already."]));
    taken.set(sheet.screen.home.wnid, "The photo is known to show it.");
    this.view.zoom.dialog.close();
    this.view.search.show(taken);
  }

  /** The labeler chose a class in the search: one that is asked about is answered. */
  _add({ cls }) {
    const { sheet } = this.work;
    const asked = sheet.items.findIndex(({ wnid }) => wnid === cls.wnid);
    if (asked >= 0) return this._mark({ place: asked, verdict: "correct" });
    this.#time();
    this.work.add(cls);
    this.view.tell(`${cls.name} is added.`);
    // On to what is undecided: N there must not take off what was added a moment ago.
    this.#goOn(this.#place - 1, true, sheet.rows.length - 1);
  }

  _move({ by }) {
    this.#go(this.view.beside(this.#place, by));
  }

  _zoom({ place = this.#place, example = false }) {
    const { zoom } = this.view;
    if (zoom.dialog.open) zoom.dialog.close();
    else this.#zoomTo(place, example);
  }

  _submit() {
    const { sheet } = this.work;
    const undecided = sheet.next(-1);
    if (undecided >= 0) {
      this.#go(undecided);
      const what = this.#isOfOne ? "questions" : "photos";
      this.view.tell(`Not yet: ${sheet.undecided.length} ${what} are undecided.`);
      return;
    }
    this.view.bar.hush();
    this.view.zoom.dialog.close();
    this.work.submit();
  }

  #go(place, { scroll = true, focus = true } = {}) {
    this.#place = place;
    this.view.current(place, { scroll, focus });
    if (this.view.zoom.dialog.open) this.#zoomTo(place);
  }

  /** To the next question that is undecided, if any; what a finger pressed does not move away. */
  #goOn(place, byKey, otherwise = place) {
    const next = this.work.sheet.next(place);
    this.#go(next < 0 ? otherwise : next, { focus: byKey });
  }

  #zoomTo(place, example = false) {
    const { sheet } = this.work;
    const { zoom } = this.view;
    this.#place = place;
    this.view.current(place, { focus: false });
    const { src, picture } = this.#pictureOf(place, example);
    zoom.show(place, picture, this.pictures.get(src, 1400), example);
    zoom.verdict(sheet);
  }

  /** The photo at a place, or the one that all questions are about; or the example to a question. */
  #pictureOf(place, example) {
    const { screen, items } = this.work.sheet;
    if (!this.#isOfOne) return { src: items[place].src, picture: this.#shown[place] };
    if (!example) return { src: screen.photo.src, picture: this.#shown[0] };
    const examples = screen.questions.filter(({ photo }) => photo);
    const picture = this.#shown[1 + examples.indexOf(items[place])];
    return { src: items[place].photo.src, picture };
  }

  #draw({ what, text, ids = [] }) {
    if (what === "sheet") this.#drawSheet();
    if (what === "notice") this.view.bar.say(text);
    if (what === "verdicts") {
      this.view.verdicts(this.work.sheet);
      const { rows } = this.work.sheet;
      const at = rows.findIndex(({ id }) => ids.includes(id));
      // What was added, and is taken back, is no row any more.
      if (ids.length > 0) this.#go(at >= 0 ? at : Math.min(this.#place, rows.length - 1));
    }
    this.view.ready(this.#painted && this.work.sheet?.undecided.length === 0);
    if (what === "status" && !this.work.sheet) this.#drawNothing();
    if (what === "status" && this.#painted) this.#loadAhead();
    this.#drawStatus();
  }

  #drawStatus() {
    const { progress, outbox, sheet, storage } = this.work;
    this.view.bar.show({
      progress,
      waiting: { photos: outbox.photos, labels: outbox.labels },
      left: sheet && !sheet.revised ? sheet.screen.expires_at - this.server.now() : null,
      refused: storage.refused().length,
      reachable: this.server.reachable,
      failing: storage.failing,
    });
  }

  async #drawSheet() {
    const { sheet } = this.work;
    this.#painted = false;
    this.#since = null;
    this.#ended = null;
    if (sheet === null) {
      if (this.work.refused || !this.server.reachable) this.#drawNothing();
      else this.view.message("One moment…"); // more is asked for
      return;
    }
    this.#shown = this.#picturesOf(sheet.screen);
    this.view.sheet(sheet, this.#shown);
    this.#go(Math.max(0, sheet.next(-1)), { scroll: false });
    const large = this.#isOfOne ? 1 : sheet.items.length;
    await Promise.all(this.#shown.slice(0, large).map(({ ready }) => ready));
    await frame();
    await frame(); // the one before has been painted
    if (this.work.sheet !== sheet) return;
    this.#painted = true;
    this.view.painted();
    this.#fit();
    this.#look();
    this.view.ready(sheet.undecided.length === 0);
    this.view.tell(saidOf(sheet.screen));
    this.#loadAhead();
    // So that the search works offline too; where this fails, the search asks again.
    if (this.#isOfOne) this.classes.load().catch(() => {});
  }

  #drawNothing() {
    const { progress, outbox, refused } = this.work;
    if (refused) return this.view.message("You cannot go on", el("p", {}, refused));
    if (!this.server.reachable && !progress?.done) {
      const waits = "All that was loaded is labeled. This page goes on by itself when it is back.";
      return this.view.message("Waiting for the server", el("p", {}, waits));
    }
    if (!progress?.done) {
      const text = progress?.classes ? "Others are at the rest. Looking again…" : "Nothing yet.";
      return this.view.message("No photos to label", el("p", {}, text));
    }
    if (outbox.labels > 0) {
      const text = el("p", {}, "Wait until all is saved.");
      return this.view.message("All done. Thank you!", text);
    }
    return this.#end(progress.done);
  }

  /** All is done and stored: said once, and then left as it is. */
  #end(done) {
    const end = JSON.stringify(done);
    if (this.#ended === end) return;
    this.#ended = end;
    if (this.told.hand_in) {
      const show = (title, ...parts) => this.view.message(title, ...parts);
      handIn(this.told.hand_in, done, () => this.#isFirst(), show);
      return;
    }
    const title = done.outcome === "nothing" ? "No photos are left for you" : "All done. Thank you!";
    this.view.message(title, ...endOf(done));
  }

  /** Whether this is the first page that hands the task in: asked until the server says so. */
  async #isFirst() {
    const patience = new Patience(ofBrowser());
    for (;;) {
      try {
        return await this.server.handIn();
      } catch {
        await patience.wait();
      }
    }
  }

  #loadAhead() {
    const ahead = this.work.next.flatMap((screen) => this.#picturesOf(screen));
    this.pictures.keep([...this.#shown, ...ahead]);
  }

  /** Those that a screen is painted with, then small ones to compare with. */
  #picturesOf(screen) {
    const isOfOne = asksOfOne(screen);
    const large = isOfOne ? [screen.photo] : screen.photos;
    const small = isOfOne
      ? screen.questions.map(({ photo }) => photo)
      : [...screen.examples, ...screen.confusable.map(({ photo }) => photo)];
    const width = isOfOne ? this.wide : this.width;
    return [
      ...large.map(({ src }) => this.pictures.get(src, width)),
      ...small.filter(Boolean).map(({ src }) => this.pictures.get(src, 350)),
    ];
  }

  #elsewhere(event) {
    if (this.work.storage.concerns(event)) this.work.elsewhere();
  }

  /** Ask before labels go that are on this page only. */
  #leave(event) {
    if (this.work.storage.failing && this.work.outbox.labels > 0) event.preventDefault();
  }

  /** The page came to the front, or left it. */
  #turned() {
    this.#time();
    this.work.keep();
    this.#look();
    if (!document.hidden) this.work.beat();
  }

  /** From now on the sheet is looked at, if the page is. */
  #look() {
    this.#since = this.#painted && !document.hidden ? performance.now() : null;
  }

  /** Count the time for which the sheet was looked at. */
  #time() {
    if (this.#since === null) return;
    const now = performance.now();
    this.work.sheet.seen += now - this.#since;
    this.#since = now;
  }

  /** Tell the style sheet where the component begins, so that a screen fills the window. */
  #fit() {
    const top = this.view.root.getBoundingClientRect().top + scrollY;
    this.view.root.style.setProperty("--above", `${Math.max(0, Math.round(top))}px`);
  }
}

const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));

/** What a screen reader says of a screen that has come. */
function saidOf(screen) {
  if (!asksOfOne(screen)) return `${screen.name}: ${screen.definition}`;
  const count = screen.questions.length;
  const questions = count === 1 ? "1 question" : `${count} questions`;
  return `This photo shows: ${screen.home.name}. ${questions}: what is also in it?`;
}
