// Where it all comes together: keys and clicks become actions, actions change the work, and what
// has changed is drawn. Streamlit calls `mount` when the page is drawn, and again whenever the
// session or the theme changes.

import { Ending } from "./ending.js";
import { Hand } from "./hand.js";
import { actionOf, questionActionOf } from "./keys.js";
import { Pictures } from "./view/pictures.js";
import { Sight } from "./view/sight.js";
import { UnsavedDialog } from "./view/unsaved.js";
import { View } from "./view/view.js";
import { Classes } from "./work/classes.js";
import { ofBrowser } from "./work/environment.js";
import { Server } from "./work/server.js";
import { asksOfOne } from "./work/sheet.js";
import { Work } from "./work/work.js";

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
  #shown = []; // the pictures of the sheet on display: its photos' first
  #painted = false;
  #pointed = null; // the button that mouse or finger pressed last
  #since = null; // when the sheet was last seen to be looked at

  constructor(parent, page, ask) {
    this.page = page;
    this.#ask = ask;
    const environment = ofBrowser();
    this.server = new Server(page.session, environment, () => this.#expired());
    this.work = new Work(page, this.server, environment, (change) => this.#draw(change));
    this.pictures = new Pictures(environment);
    this.classes = new Classes(this.server);
    // Wide enough for a third of the window, which is what a photo gets (half of it where there is
    // one), or all of a phone's.
    const width = (share) => (innerWidth / share) * devicePixelRatio > 800 ? 1400 : 700;
    this.width = innerWidth < 700 ? width(1) : width(3);
    if (page.grid) this.width = (innerWidth / 9) * devicePixelRatio > 400 ? 700 : 350;
    this.wide = innerWidth < 700 ? width(1) : width(1.8);
    this.view = new View(page, this.classes, (action) => this.#act(action));
    this.hand = new Hand(this.work, this.view, {
      ...page,
      looked: () => this.#time(),
      pictures: (place, example) => this.#picturesAt(place, example),
      painted,
    });
    this.sight = new Sight();
    this.ending = new Ending(this.work, this.view, page.hand_in);
    const point = ({ target }) => {
      // A dialog that closes gives the focus back to what was pressed before.
      if (!target.closest("dialog")) this.#pointed = target.closest("button, a");
    };
    this.view.root.addEventListener("pointerdown", point);
    parent.append(this.view.root);
    this.gone = new AbortController();
    const { signal } = this.gone;
    addEventListener("keydown", (event) => this.#key(event), { signal, capture: true });
    addEventListener("storage", (event) => this.#refresh(event), { signal });
    addEventListener("resize", () => this.#resized(), { signal });
    this.unsaved = new UnsavedDialog(this.work, page.labeler, signal);
    this.view.root.append(this.unsaved.dialog);
    // Back to the photos: Enter is about them, not about the button that opened it.
    this.unsaved.dialog.addEventListener("close", () => this.work.sheet && this.hand.go(this.hand.place));
    addEventListener("pagehide", () => this.work.leave(), { signal });
    addEventListener("pageshow", ({ persisted }) => persisted && this.work.beat(), { signal });
    document.addEventListener("visibilitychange", () => this.#turned(), { signal });
    this.#fit();
    this.#drawStatus();
    this.work.start();
  }

  /** Whether it is the page of this labeler in this workspace. */
  is({ workspace, labeler }) {
    return this.page.workspace === workspace && this.page.labeler === labeler;
  }

  renew({ session, notices }, ask) {
    this.#ask = ask;
    this.server.session = session;
    this.view.notices = notices;
    this.work.outbox.flush(); // what waited for a session that holds
  }

  close() {
    this.gone.abort();
    this.work.close();
    this.sight.close();
    this.view.root.remove();
  }

  #expired() {
    const now = Date.now();
    if (now - (this.askedAt ?? 0) < 5000) return;
    this.askedAt = now;
    this.#ask("expired", true);
  }

  #key(event) {
    const action = this.#isOfOne
      ? questionActionOf(event, this.#pointed)
      : actionOf(event, this.page, this.#pointed);
    if (event.code === "Tab") this.#pointed = null;
    const { refused, search, comment, taught, help } = this.view;
    if (action === null || [refused, search, comment, taught, this.unsaved].some(({ dialog }) => dialog.open)) return;
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
      this.hand.do(action);
    }
  }

  /** The photo at a place, or the one that all questions are about; or the example to a question. */
  #picturesAt(place, example) {
    const { screen, items } = this.work.sheet;
    const ofOne = example ? items[place]?.photo : screen.photo;
    const { src } = this.#isOfOne ? ofOne : items[place];
    const width = this.#isOfOne ? this.wide : this.width;
    return { small: this.pictures.get(src, example ? 350 : width), large: this.pictures.get(src, 1400) };
  }

  #draw({ what, text, taught, ids = [] }) {
    if (what === "taught") this.view.taught.show(taught);
    if (what === "sheet") this.#drawSheet();
    if (what === "notice") this.view.bar.say(text);
    if (what === "verdicts") {
      this.view.verdicts(this.work.sheet);
      if (ids.length > 0) this.hand.goBack(ids);
    }
    this.view.ready(this.#painted && this.work.sheet?.undecided.length === 0);
    if (what === "status" && !this.work.sheet) this.ending.draw();
    if (what === "status" && this.#painted) this.#loadAhead();
    this.#drawStatus();
  }

  #drawStatus() {
    const { progress, outbox, storage } = this.work;
    this.view.bar.show({
      progress,
      waiting: { photos: outbox.photos, labels: outbox.labels },
      refused: storage.refused().length,
      reachable: this.server.reachable,
      storage,
    });
    this.unsaved.draw();
  }

  async #drawSheet() {
    const { sheet } = this.work;
    this.#painted = false;
    this.#since = null;
    this.ending.forget();
    for (const { dialog } of [this.view.search, this.view.comment]) dialog.close(); // on the one before
    if (sheet === null) {
      if (this.work.refused || !this.server.reachable) this.ending.draw();
      else this.view.message("One moment…"); // more is asked for
      return;
    }
    this.#shown = this.#picturesOf(sheet.screen);
    this.view.sheet(sheet, this.#shown);
    this.hand.go(Math.max(0, sheet.next(-1)), { scroll: false });
    const large = this.#isOfOne ? 1 : sheet.items.length;
    await Promise.all(this.#shown.slice(0, large).map(({ ready }) => ready));
    if (this.work.sheet === sheet) await this.#watch();
    await painted();
    if (this.work.sheet !== sheet) return;
    this.#painted = true;
    this.view.painted();
    this.#fit();
    this.#look();
    this.view.ready(sheet.undecided.length === 0);
    this.view.tell(announcement(sheet.screen));
    this.#loadAhead();
    // So that the search works offline too; where this fails, the search asks again.
    if (this.#isOfOne) this.classes.load().catch(() => {});
  }

  /** Know what is in sight of the sheet on display. */
  async #watch() {
    const { sheet } = this.work;
    await this.sight.watch(...this.view.sights, (place, inSight) => {
      if (this.work.sheet !== sheet) return;
      this.#time();
      sheet.sight(sheet.items[place], inSight);
      this.view.sighted(sheet);
    });
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

  #refresh(event) {
    if (this.work.storage.concerns(event)) this.work.refresh();
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

  #resized() {
    this.#fit();
    this.view.fit();
    if (this.work.sheet) this.#watch();
  }

  /** Tell the style sheet where the component begins, so that a screen fills the window. */
  #fit() {
    const top = this.view.root.getBoundingClientRect().top + scrollY;
    this.view.root.style.setProperty("--above", `${Math.max(0, Math.round(top))}px`);
  }
}

const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));

async function painted() {
  await frame();
  await frame(); // the one before has been painted
}

/** What a screen reader says of a screen that has come. */
function announcement(screen) {
  if (!asksOfOne(screen)) return `${screen.name}: ${screen.definition}`;
  const count = screen.questions.length;
  const questions = count === 1 ? "1 question" : `${count} questions`;
  return `This photo shows: ${screen.home.name}. ${questions}: what is also in it?`;
}
