// The line above the photos: how far the labeler is, what is saved, and what is wrong.

import { el } from "./dom.js";
import { linesOf } from "./unsaved.js";

export class Bar {
  #far = el("span", { class: "progress" });
  #saved = el("span", { class: "saved" });
  #refused;
  #messages = el("div", { role: "alert" });
  #state = el("div", { role: "status" });

  /**
   * @param {HTMLElement} help the button that opens the help
   * @param {(action: object) => void} act does what a click or tap asks for
   */
  constructor(help, act) {
    const show = () => act({ name: "refused" });
    this.#refused = el("button", { type: "button", class: "refused", hidden: "", click: show });
    this.top = el("div", { class: "top" }, this.#far, this.#saved, this.#refused, help);
    this.notice = el("div", { class: "notice", hidden: "" }, this.#messages, this.#state);
  }

  /**
   * @param {object | null} progress as the server counts
   * @param {{photos: {first: number, changed: number}, labels: number}} waiting as the outbox says
   * @param {object} storage what this browser keeps
   */
  show({ progress, waiting, refused, reachable, storage }) {
    if (progress) this.#showFar(progress);
    const { first, changed } = waiting.photos;
    const known = progress?.photos ?? 0;
    this.#saved.textContent = `saved ${number(known - changed)}/${number(known + first)}`;
    this.#saved.classList.toggle("waiting", waiting.labels > 0 && !reachable);
    this.#refused.textContent = `Not stored: ${number(refused)}`;
    this.#refused.hidden = refused === 0;
    this.#showState([...stateOf(waiting.labels, reachable, storage), ...linesOf(storage)]);
  }

  /** Others label the same photos: how many screens are left for one is known in a study alone. */
  #showFar({ screens_done: done, screens_to_do: all, seconds_remaining: seconds }) {
    const time = seconds ? `, ${duration(seconds)} left` : "";
    const far = done < all ? `${number(done)} of ${screens(all)}` : `${screens(done)} done`;
    this.#far.textContent = `${far}${time}`;
  }

  #showState(lines) {
    const text = (all) => all.map((line) => line.textContent).join();
    if (text([...this.#state.children]) !== text(lines)) this.#state.replaceChildren(...lines);
    this.#hide();
  }

  /** Something that must not be missed; it stays until the next screen is submitted. */
  say(text) {
    const known = [...this.#messages.children].some((line) => line.textContent === text);
    if (!known) this.#messages.append(el("p", {}, text));
    this.#hide();
  }

  hush() {
    this.#messages.replaceChildren();
    this.#hide();
  }

  #hide() {
    this.notice.hidden = this.#messages.childElementCount + this.#state.childElementCount === 0;
  }
}

/** What is wrong now, and where the labels are meanwhile. */
function stateOf(labels, reachable, storage) {
  const lines = [];
  if (!reachable) {
    const place = storage.failing ? "on this page" : "in this browser";
    const waiting = labels === 1 ? "1 label is kept" : `${number(labels)} labels are kept`;
    const all = `${waiting} ${place}, and sent when the server is back.`;
    lines.push(`The server is out of reach. ${labels > 0 ? all : "Trying again."}`);
  }
  if (storage.failing) {
    lines.push("This browser can keep nothing more: do not close the page while labels wait.");
  }
  return lines.map((line) => el("p", {}, line));
}

const number = (value) => value.toLocaleString("en");

const screens = (count) => `${number(count)} ${count === 1 ? "screen" : "screens"}`;

function duration(seconds) {
  const minutes = Math.max(1, Math.round(seconds / 60));
  if (minutes < 100) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}
