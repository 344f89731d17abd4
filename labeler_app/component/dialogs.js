// What opens over the page: the list of keys, and one photo as large as the window.

import { el } from "./dom.js";
import { HELP, VERDICTS } from "./keys.js";

export function helpDialog() {
  const rows = HELP.map(([keys, meaning]) => {
    const shown = keys.map((key) => (/^[–+]$/.test(key) ? ` ${key} ` : el("kbd", {}, key)));
    return el("tr", {}, el("th", { scope: "row" }, ...shown), el("td", {}, meaning));
  });
  return el(
    "dialog",
    { class: "help", "aria-label": "Help" },
    el(
      "p",
      {},
      "A photo is ",
      el("b", {}, "correct"),
      " if it shows at least one such thing, whatever else it shows, and ",
      el("b", {}, "incorrect"),
      " if it shows none. Say ",
      el("b", {}, "unsure"),
      " where you cannot tell.",
    ),
    el("table", {}, el("tbody", {}, ...rows)),
    el("form", { method: "dialog" }, el("button", { autofocus: "" }, "Close")),
  );
}

export class ZoomDialog {
  #picture = el("div", { class: "large", tabindex: -1, autofocus: "" });
  #title = el("p", { class: "title" });
  place = 0;

  constructor(act) {
    const close = () => this.dialog.close();
    this.#picture.addEventListener("click", close);
    this.dialog = el("dialog", { class: "zoom", "aria-label": "The photo, large" });
    const done = el("button", { type: "button", click: () => act("zoom") }, "Close");
    this.dialog.append(this.#picture, el("div", { class: "under" }, this.#title, done));
  }

  /** Show a photo: what is there of it at once, and sharper as soon as that is loaded. */
  show(place, small, large) {
    this.place = place;
    const image = el("img", { src: small.image.src, alt: `Photo ${place + 1}` });
    this.#picture.replaceChildren(image);
    large.ready.then(() => {
      if (!large.broken && image.isConnected) image.src = large.image.src;
    });
    if (!this.dialog.open) this.dialog.showModal();
  }

  verdict(sheet) {
    const verdict = sheet.verdict(sheet.photos[this.place] ?? sheet.photos[0]);
    const { symbol, word } = VERDICTS.find((each) => each.verdict === verdict) ?? {};
    this.dialog.dataset.verdict = verdict ?? "";
    const said = symbol ? `${symbol} ${word}` : "undecided";
    this.#title.textContent = `Photo ${this.place + 1}: ${said}`;
  }
}
