// One photo as large as the window, under it the class. Wheel and pinch magnify it.

import { el } from "./dom.js";
import { answerOf } from "../keys.js";
import { choicesOf, drawChoice, flagOf, signedOf } from "./parts.js";
import { asksOfOne } from "../work/sheet.js";

export class ZoomDialog {
  #picture = el("div", { class: "large", tabindex: -1, autofocus: "" });
  #magnifier = new Magnifier(this.#picture);
  #title = el("p", { class: "title" });
  #verdict = el("p", { class: "verdict" });
  #choices;
  place = 0;
  isExample = false; // of a class, to compare with; no photo that is asked about

  /**
   * @param {object[]} verdicts in the order of their keys
   * @param {(action: object) => void} act does what a click or tap asks for
   */
  constructor(verdicts, act) {
    this.#picture.addEventListener("click", () => this.#magnifier.moved || this.dialog.close());
    const does = (action) => () => act(action);
    this.#choices = el("div", { class: "choices", role: "group" }, ...choicesOf(verdicts, does), flagOf("it", does));
    const done = el("button", { type: "button", click: does({ name: "zoom" }) }, "Close");
    const under = el("div", { class: "under" }, this.#title, this.#magnifier.by, this.#verdict, this.#choices, done);
    const attributes = { class: "zoom", "aria-label": "The photo, large" };
    this.dialog = el("dialog", attributes, this.#picture, under);
  }

  /** Show a photo: what is there of it at once, and sharper as soon as that is loaded. */
  show(place, small, large, isExample = false) {
    this.place = place;
    this.isExample = isExample;
    const image = el("img", { src: small.image.src, alt: small.image.alt, draggable: "false" });
    this.#picture.replaceChildren(image);
    this.#magnifier.reset();
    large.ready.then(() => {
      if (!large.broken && image.isConnected) image.src = large.image.src;
    });
    if (!this.dialog.open) this.dialog.showModal();
  }

  verdict(sheet) {
    const item = sheet.rows[this.place] ?? sheet.rows[0];
    const verdict = sheet.verdict(item);
    const isOfOne = asksOfOne(sheet.screen);
    const { name, definition } = isOfOne ? item : sheet.screen;
    this.dialog.dataset.verdict = (isOfOne ? null : verdict) ?? "";
    const meaning = el("span", { class: "meaning", dir: "auto" }, definition);
    this.#title.replaceChildren(el("b", { dir: "auto" }, name), " ", meaning);
    const answer = isOfOne ? answerOf(verdict) : `Photo ${this.place + 1}: ${signedOf(verdict)}`;
    this.#verdict.textContent = this.isExample ? "known to show it" : answer;
    this.#choices.hidden = isOfOne || this.isExample;
    drawChoice(this.#choices, verdict, answer, isOfOne ? null : sheet.commentOn(item));
  }
}

const LARGEST = 8;
const A_PRESS = 5; // pixels that a finger or mouse may move while it presses

/** Magnifies the picture in a box, where the wheel turns or two fingers are, and moves it about. */
class Magnifier {
  moved = false; // since the last press began: then that is no click
  by = el("span", { class: "scale" }); // how much it magnifies
  #box;
  #scale;
  #at; // where the picture's middle is: from the box's middle, in shares of the box
  #pointers = new Map(); // id -> {x, y}

  constructor(box) {
    this.#box = box;
    this.reset();
    box.addEventListener("wheel", (event) => this.#turn(event));
    box.addEventListener("pointerdown", (event) => this.#press(event));
    box.addEventListener("pointermove", (event) => this.#move(event));
    for (const end of ["pointerup", "pointercancel"]) {
      box.addEventListener(end, ({ pointerId }) => this.#pointers.delete(pointerId));
    }
  }

  reset() {
    this.#scale = 1;
    this.#at = { x: 0, y: 0 };
    this.#pointers.clear();
    this.#draw();
  }

  #turn(event) {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 30 : 1;
    const speed = event.ctrlKey ? 0.01 : 0.002; // a pinch on a touchpad comes as small turns
    const place = this.#placeOf(event);
    this.#magnify(Math.exp(-event.deltaY * lines * speed), place, place);
  }

  #press(event) {
    this.moved = this.#pointers.size > 0;
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.#box.setPointerCapture(event.pointerId);
  }

  #move({ pointerId, clientX: x, clientY: y }) {
    const before = [...this.#pointers.values()];
    const from = this.#pointers.get(pointerId);
    if (from === undefined) return;
    if (!this.moved && Math.hypot(x - from.x, y - from.y) < A_PRESS) return;
    this.moved = true;
    this.#pointers.set(pointerId, { x, y });
    const after = [...this.#pointers.values()];
    const by = spreadOf(before) > 0 ? spreadOf(after) / spreadOf(before) : 1;
    this.#magnify(by, this.#middleOf(before), this.#middleOf(after));
  }

  /** Magnify so that what was at one place is at another afterwards. */
  #magnify(by, before, after) {
    const scale = Math.min(LARGEST, Math.max(1, this.#scale * by));
    const most = (scale - 1) / 2;
    const moved = (axis) => after[axis] - ((before[axis] - this.#at[axis]) * scale) / this.#scale;
    const within = (axis) => Math.min(most, Math.max(-most, moved(axis)));
    this.#at = { x: within("x"), y: within("y") };
    this.#scale = scale;
    this.#draw();
  }

  #middleOf(points) {
    const sum = (axis) => points.reduce((all, point) => all + point[axis], 0) / points.length;
    return this.#placeOf({ clientX: sum("x"), clientY: sum("y") });
  }

  /** In shares of the box, from its middle: whatever the page itself is magnified by. */
  #placeOf({ clientX, clientY }) {
    const { left, top, width, height } = this.#box.getBoundingClientRect();
    return { x: (clientX - left) / width - 0.5, y: (clientY - top) / height - 0.5 };
  }

  #draw() {
    const { x, y } = this.#at;
    const [image] = this.#box.children;
    if (image) image.style.transform = `translate(${x * 100}%, ${y * 100}%) scale(${this.#scale})`;
    this.#box.classList.toggle("magnified", this.#scale > 1);
    this.by.textContent = this.#scale > 1 ? `${this.#scale.toFixed(1)}×` : "";
  }
}

const spreadOf = ([one, two]) => (two ? Math.hypot(one.x - two.x, one.y - two.y) : 0);
