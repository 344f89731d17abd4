// The page: one screen, and what is around it. It draws, and hands every click on as an action; it
// decides nothing. What a screen looks like stands beside this file.

import { Bar } from "./bar.js";
import { CommentDialog, HelpDialog, RefusedDialog, TaughtDialog } from "./dialogs.js";
import { el } from "./dom.js";
import { GridScreen } from "./grid.js";
import { inOrder } from "../keys.js";
import { button } from "./parts.js";
import { PhotosScreen } from "./photos.js";
import { QuestionsScreen } from "./questions.js";
import { SearchDialog } from "./search.js";
import { asksOfOne } from "../work/sheet.js";
import { ZoomDialog } from "./zoom.js";

export class View {
  #act;
  #grid; // whether photos are in one
  #verdicts; // in the order of their keys
  #on = null; // the screen on display
  #ofPhotos; // buttons of screens of photos, and of screens of one photo
  #ofQuestions;

  /**
   * @param {object} page what the page knows of labeler and workspace: `label_photos` lists it
   * @param {object} classes all of them, as in work/classes.js
   * @param {(action: object) => void} act does what a click or tap asks for
   */
  constructor(page, classes, act) {
    this.#act = act;
    this.#grid = page.grid;
    this.#verdicts = inOrder(page.one_key);
    this.notices = page.notices;
    this.live = el("p", { class: "heard", "aria-live": "polite" });
    this.main = el("div", { class: "screen" }, el("p", { class: "message" }, "Loading…"));
    this.seen = el("span", { class: "in-sight" });
    this.decided = el("span", { class: "decided" });
    this.submit = button(["Submit"], "Enter", () => act({ name: "submit" }), "primary");
    this.below = el("small", { class: "notices" });
    this.#ofPhotos = this.#verdicts.slice(0, 2).map(({ verdict, word, symbol }, place) => {
      const content = [
        "Rest ",
        el("span", { class: "word" }, word.toLowerCase()),
        el("span", { class: "symbol", "aria-hidden": "true" }, symbol),
      ];
      return button(content, ["A", "Shift+A"][place], () => act({ name: "rest", verdict }), "rest");
    });
    this.#ofQuestions = [button(["None of these"], "0", () => act({ name: "none" }))];
    this.actions = el(
      "div",
      { class: "actions" },
      this.undo(),
      ...this.#ofPhotos,
      ...this.#ofQuestions,
      this.below,
      el("div", { class: "counts" }, this.seen, this.decided),
      this.submit,
    );
    this.help = new HelpDialog(page);
    this.zoom = new ZoomDialog(this.#verdicts, act);
    this.refused = new RefusedDialog((label) => act({ name: "dismiss", label }));
    this.comment = new CommentDialog((text) => act({ name: "comment", text }));
    this.taught = new TaughtDialog();
    this.search = new SearchDialog(classes, (cls) => act({ name: "add", cls }));
    this.bar = new Bar(button(["Help"], "H", () => act({ name: "help" })), act);
    this.root = el("section", { class: "genset", "aria-label": "Labeling" });
    this.root.append(this.bar.top, this.bar.notice, this.main, this.actions, this.live);
    const dialogs = [this.help, this.zoom, this.refused, this.comment, this.search, this.taught];
    this.root.append(...dialogs.map(({ dialog }) => dialog));
  }

  /** Draw a sheet; `pictures` are those of its photos, then the small ones. */
  sheet(sheet, pictures) {
    const isOfOne = asksOfOne(sheet.screen);
    this.#on = isOfOne
      ? new QuestionsScreen(sheet, pictures, this.#act)
      : new (this.#grid ? GridScreen : PhotosScreen)(sheet, pictures, this.#verdicts, this.#act);
    for (const item of this.#ofPhotos) item.hidden = isOfOne;
    for (const item of this.#ofQuestions) item.hidden = !isOfOne;
    this.help.isOfOne = isOfOne;
    // The same for every screen, whatever its photos are. In the line below, or, where that line is
    // short, at the end of the screen.
    const notices = this.notices.join(" ");
    this.#replace(...this.#on.content, el("small", { class: "notices" }, notices));
    this.actions.hidden = false;
    this.below.textContent = notices;
    this.verdicts(sheet);
    this.fit();
    if (this.root.getBoundingClientRect().top < 0) this.root.scrollIntoView();
  }

  /** Make the screen fill the window. */
  fit() {
    this.#on?.fit?.();
  }

  /** Draw what is decided. */
  verdicts(sheet) {
    this.#on.draw(sheet);
    const all = sheet.items.length;
    const done = all - sheet.undecided.length;
    const word = el("span", { class: "word" }, " decided");
    this.decided.replaceChildren(`${done} of ${all}`, word);
    this.zoom.verdict(sheet);
  }

  /** Say how many of a grid were in sight, until all were. */
  sighted(sheet) {
    const unseen = sheet.items.filter((item) => !sheet.wasSeen(item)).length;
    const isSaid = this.#grid && unseen > 0 && !asksOfOne(sheet.screen);
    this.seen.textContent = isSaid ? `${sheet.items.length - unseen} seen` : "";
  }

  /** What has to be in sight of each row, and how much of the window something lies over. */
  get sights() {
    const isSticky = (element) => getComputedStyle(element).position === "sticky";
    const heightOf = (element) => (isSticky(element) ? element.getBoundingClientRect().height : 0);
    const above = [...this.main.querySelectorAll(".seen, .above, .class h1")].map(heightOf);
    return [this.#on.sights, { top: Math.max(...above), bottom: heightOf(this.actions) }];
  }

  /** Whether photos are below each other, and what is next may be out of sight. */
  get isNarrow() {
    return getComputedStyle(this.actions).position === "sticky";
  }

  /** What was drawn can be seen; said to whoever measures. */
  painted() {
    this.main.dataset.state = "painted";
  }

  /** Whether Enter would do something. */
  ready(ready) {
    this.submit.disabled = !ready;
  }

  /** The photo or question that keys without a number are about; `first` of those below it. */
  current(place, { focus = true, scroll = true, first = false } = {}) {
    const rows = this.#on.rows;
    rows.forEach((row, index) => row.classList.toggle("current", index === place));
    rows.forEach((row, index) => row.setAttribute("tabindex", index === place ? 0 : -1));
    const row = rows[place];
    const isCovered = this.zoom.dialog.open || this.search.dialog.open || this.comment.dialog.open;
    if (!focus || !row || isCovered) return;
    const isFocused = row.matches(":focus-within");
    if (!isFocused) row.focus({ preventScroll: true });
    const shown = [first ? rows.at(-1) : null, row, this.#on.sights[place]];
    if (!scroll || (isFocused && !first)) return;
    for (const element of shown) element?.scrollIntoView({ block: "nearest" });
  }

  reveal(place) {
    for (const part of [this.#on.rows[place], this.#on.sights[place]]) part?.scrollIntoView({ block: "nearest" });
  }

  /** The place of what lies in a direction: the same where there is nothing. */
  neighbor(place, by) {
    const boxes = this.#on.rows.map((row) => row.getBoundingClientRect());
    const columns = boxes.filter((box) => box.top === boxes[0].top).length;
    const step = { left: -1, right: 1, up: -columns, down: columns }[by];
    const there = place + step;
    if (there >= 0 && there < boxes.length) return there;
    // Below the last column there may be none, and yet a row.
    const last = boxes.length - 1;
    return by === "down" && boxes[last].top > boxes[place].top ? last : place;
  }

  /** For a screen reader only. */
  tell(text) {
    this.live.textContent = text;
  }

  /** A button that takes back what was done last. */
  undo() {
    return button(["Undo"], "Backspace", () => this.#act({ name: "undo" }));
  }

  /** There is nothing to show now: no photos yet, or the end. */
  message(title, ...content) {
    this.#on = null;
    this.#replace(el("div", { class: "message" }, el("h1", {}, title), ...content));
    this.actions.hidden = true;
  }

  #replace(...content) {
    const screen = el("div", { class: "screen" }, ...content);
    this.main.replaceWith(screen);
    this.main = screen;
  }
}
