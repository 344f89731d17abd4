// Where it all comes together: keys and clicks become actions, actions change the work, and what
// has changed is drawn. Streamlit calls `mount` when the page is drawn, and again whenever the
// session or the theme changes.

import { endOf } from "./dialogs.js";
import { el } from "./dom.js";
import { handIn } from "./handin.js";
import { actionOf } from "./keys.js";
import { Pictures } from "./pictures.js";
import { View } from "./view.js";
import { ofBrowser } from "./work/environment.js";
import { Patience } from "./work/patience.js";
import { Server } from "./work/server.js";
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
  #place = 0; // the photo that keys without a number are about
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
    // Wide enough for a third of the window, which is what a photo gets, or all of a phone's.
    const share = innerWidth < 700 ? 1 : 3;
    this.width = (innerWidth / share) * devicePixelRatio > 800 ? 1400 : 700;
    this.view = new View(told, (action) => this.#act(action));
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
    const action = actionOf(event, this.told.one_key, this.#pointed);
    if (event.code === "Tab") this.#pointed = null;
    if (action === null || this.view.refused.dialog.open) return;
    if (this.view.help.open && action.name !== "help") return;
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat) this.#act(action);
  }

  #act(action) {
    const { work, view } = this;
    if (action.name === "help") {
      if (view.help.open) view.help.close();
      else view.help.showModal();
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

  _mark({ place = this.#place, verdict }) {
    const photo = this.work.sheet.photos[place];
    if (photo === undefined) return;
    this.#time();
    this.#go(place);
    this.work.mark([photo], verdict);
    const left = this.work.sheet.undecided.length;
    this.view.tell(`Photo ${place + 1} ${verdict}. ${left ? `${left} left.` : "All decided."}`);
  }

  _rest({ verdict }) {
    this.#time();
    this.work.mark(this.work.sheet.undecided, verdict);
    this.view.tell(`The rest is ${verdict}. All decided.`);
  }

  _move({ by }) {
    this.#go(this.view.beside(this.#place, by));
  }

  _zoom({ place = this.#place }) {
    const { zoom } = this.view;
    if (zoom.dialog.open) zoom.dialog.close();
    else this.#zoomTo(place);
  }

  _submit() {
    const { sheet } = this.work;
    const [undecided] = sheet.undecided;
    if (undecided !== undefined) {
      this.#go(sheet.photos.indexOf(undecided));
      this.view.tell(`Not yet: ${sheet.undecided.length} photos are undecided.`);
      return;
    }
    this.view.bar.hush();
    this.view.zoom.dialog.close();
    this.work.submit();
  }

  #go(place, scroll = true) {
    this.#place = place;
    this.view.current(place, { scroll });
    if (this.view.zoom.dialog.open) this.#zoomTo(place);
  }

  #zoomTo(place) {
    const photo = this.work.sheet.photos[place];
    this.#place = place;
    this.view.current(place, { focus: false });
    this.view.zoom.show(place, this.#shown[place], this.pictures.get(photo.src, 1400));
    this.view.zoom.verdict(this.work.sheet);
  }

  #draw({ what, text, photos = [] }) {
    if (what === "sheet") this.#drawSheet();
    if (what === "notice") this.view.bar.say(text);
    if (what === "verdicts") {
      this.view.verdicts(this.work.sheet);
      if (photos.length > 0) this.#go(this.work.sheet.photos.indexOf(photos[0]));
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
    const first = sheet.photos.findIndex((photo) => sheet.verdict(photo) === null);
    this.#go(Math.max(0, first), false);
    await Promise.all(this.#shown.slice(0, sheet.photos.length).map(({ ready }) => ready));
    await frame();
    await frame(); // the one before has been painted
    if (this.work.sheet !== sheet) return;
    this.#painted = true;
    this.view.painted();
    this.#fit();
    this.#look();
    this.view.ready(sheet.undecided.length === 0);
    this.view.tell(`${sheet.screen.name}: ${sheet.screen.definition}`);
    this.#loadAhead();
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

  #picturesOf(screen) {
    const small = [...screen.examples, ...screen.confusable.map(({ photo }) => photo)];
    return [
      ...screen.photos.map(({ src }) => this.pictures.get(src, this.width)),
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
