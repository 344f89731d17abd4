// What screens of both kinds are made of.

import { el, link, words } from "./dom.js";
import { VERDICTS } from "../keys.js";

const LONG_NAME = 40; // characters; ImageNet's longest has 30

/** A button with its key ("Shift+A"), which is said to a screen reader as well. */
export function button(content, key, click, kind = "") {
  const keys = key.split("+").map((part) => el("kbd", { "aria-hidden": "true" }, part));
  const attributes = { type: "button", class: kind, click, "aria-keyshortcuts": key };
  return el("button", attributes, ...content, ...keys);
}

/** A sign that only eyes need: the word beside it says the same. */
export const sign = (text) => el("span", { class: "symbol", "aria-hidden": "true" }, text);

/** A verdict with its sign. */
export function signedOf(verdict) {
  const found = VERDICTS.find((row) => row.verdict === verdict);
  return found ? `${found.symbol} ${found.word}` : "undecided";
}

/** A class's further names. */
export function alsoOf({ also }) {
  return also.length > 0 ? el("span", { class: "also", dir: "auto" }, also.join(", ")) : null;
}

/** How large a class's name stands there: null, or "long". All of it is to be read. */
export const sizeOf = ({ name }) => (name.length > LONG_NAME ? "long" : null);

/** A text that shows its beginning, and all of it when it is clicked. */
export function unfolding(kind, short, whole, attributes = {}) {
  const text = el("span", {}, `${short} `);
  const more = el("span", { class: "more" }, "more");
  const toggle = (event) => {
    event.stopPropagation();
    const open = shown.getAttribute("aria-expanded") === "true";
    shown.setAttribute("aria-expanded", String(!open));
    text.textContent = open ? `${short} ` : `${whole} `;
    more.textContent = open ? "more" : "less";
  };
  const all = { ...attributes, type: "button", class: kind, dir: "auto", "aria-expanded": "false", click: toggle };
  const shown = el("button", all, text, more);
  return shown;
}

/** The beginning of a text: as many words as have room. A script without blanks is cut anywhere. */
export function shortened(text, most) {
  const letters = Array.from(text);
  if (letters.length <= most) return text;
  const cut = letters.slice(0, most).join("");
  const end = cut.lastIndexOf(" ");
  return `${(end > 0 ? cut.slice(0, end) : cut).replace(/[;,]$/, "")} …`;
}

/** Where a class belongs, and where to read more of it. */
function kindOf({ hypernyms, wikipedia }) {
  const kinds = hypernyms.flatMap((name, place) => [place > 0 ? " › " : "a kind of ", el("bdi", {}, name)]);
  const pages = wikipedia.map(({ title, url }) =>
    el("span", {}, link(el("span", {}, "Wikipedia: ", words(title)), url), " · "),
  );
  return el("p", { class: "kind" }, ...pages, ...kinds);
}

/** Who took it, and under which licence; a long name is cut, never what comes after it. */
export function creditOf({ owner, license, license_url, page_url, source }) {
  if (!owner && !license) return el("p", { class: "credit" }, "Given as an example");
  const page = source === "flickr" || /\bflickr\.com\//.test(page_url) ? "Flickr" : "photo page";
  const rest = license ? [link(words(license), license_url)] : [];
  if (page_url) rest.push(rest.length > 0 ? " · " : "", link(page, page_url));
  return el(
    "p",
    { class: "credit" },
    owner ? el("span", { class: "owner" }, "by ", words(owner)) : null,
    el("span", { class: "rest" }, ...rest),
  );
}

/** A photo as a button that shows it large; what it is instead once it is known to be broken. */
export function pictureButton(picture, { name, label, broken, click }) {
  const shown = el("button", { class: "picture", type: "button", "aria-label": label, click });
  picture.image.alt = name;
  shown.append(picture.image);
  const instead = () => el("span", { class: "broken" }, "This photo cannot be shown.", el("br"), broken);
  picture.ready.then(() => picture.broken && shown.replaceChildren(instead()));
  return shown;
}

/** What a screen is about: the class's names after `before`, what it means, where it belongs. */
export function headOf(cls, remark, before = "") {
  const name = el("span", {}, before, el("bdi", {}, cls.name));
  const again = remark ? el("span", { class: "again" }, remark) : null;
  return el(
    "div",
    { class: "class" },
    el("h1", { class: sizeOf(cls) }, name, again, alsoOf(cls)),
    // What is so long scrolls, by keys too.
    el("p", { class: "definition", dir: "auto", tabindex: cls.definition.length > 250 ? 0 : null }, cls.definition),
    kindOf(cls),
  );
}

/** Makes listeners of a row: they act on it directly, and what is around them hears nothing. */
export const actsAt = (place, act) => (action) => (event) => {
  event.stopPropagation();
  act({ place, direct: true, ...action });
};

/** Flags a row, which may have a comment. */
export const flagOf = (name, at) =>
  el(
    "button",
    { type: "button", class: "flag", "aria-label": `Flag ${name}`, "aria-keyshortcuts": "F", click: at({ name: "flag" }) },
    "⚑",
  );

/** A button for every choice of a row; `click` makes its listener. */
export function choicesOf(choices, click) {
  return choices.map(({ verdict, word, symbol, key = null }) => {
    const listener = click({ name: "mark", verdict });
    const attributes = { "data-choice": verdict, "aria-keyshortcuts": key, click: listener };
    return el("button", { type: "button", ...attributes }, sign(symbol), word);
  });
}

/** Draw what was chosen in a row, with what a screen reader calls it. */
export function drawChoice(row, verdict, label, comment = null) {
  row.dataset.verdict = verdict ?? "";
  row.querySelector(".flag")?.setAttribute("aria-pressed", String(comment !== null));
  row.setAttribute("aria-label", label);
  for (const choice of row.querySelectorAll("[data-choice]")) {
    choice.setAttribute("aria-pressed", String(choice.dataset.choice === verdict));
  }
}
