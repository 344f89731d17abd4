// A screen of the first kind: a class, and photos of which each shows it or not.

import { el } from "./dom.js";
import { VERDICTS } from "../keys.js";
import { alsoOf, creditOf, definitionOf, kindOf, labeledBefore, pictureButton, sign, sizeOf } from "./parts.js";

export class PhotosScreen {
  rows; // the photos' elements, in their order

  /**
   * @param {object} sheet what is decided on it
   * @param {object[]} pictures of its photos, then of the examples and the others
   * @param {object[]} verdicts in the order of their keys
   * @param {(action: object) => void} act does what a click or tap asks for
   */
  constructor(sheet, pictures, verdicts, act) {
    const { screen } = sheet;
    const loaded = [...pictures];
    this.rows = screen.photos.map((photo, place) =>
      cardOf(photo, place, loaded.shift(), verdicts, act),
    );
    const reference = referenceOf(screen, loaded);
    const photos = el("div", { class: "photos" }, ...this.rows, reference);
    this.content = [classOf(screen, sheet.revised), photos];
  }

  /** Draw what is decided. */
  draw(sheet) {
    sheet.items.forEach((photo, place) => {
      const verdict = sheet.verdict(photo);
      const card = this.rows[place];
      card.dataset.verdict = verdict ?? "";
      const word = VERDICTS.find((each) => each.verdict === verdict)?.word ?? "undecided";
      card.setAttribute("aria-label", `Photo ${place + 1} of ${sheet.items.length}: ${word}`);
      for (const choice of card.querySelectorAll("[data-choice]")) {
        choice.setAttribute("aria-pressed", String(choice.dataset.choice === verdict));
      }
    });
  }

  /** The place of the photo that lies in a direction: the same where there is none. */
  beside(place, by) {
    const boxes = this.rows.map((card) => card.getBoundingClientRect());
    const columns = boxes.filter((box) => box.top === boxes[0].top).length;
    const step = { left: -1, right: 1, up: -columns, down: columns }[by];
    const there = place + step;
    if (there >= 0 && there < boxes.length) return there;
    // Below the last column there may be none, and yet a row.
    const last = boxes.length - 1;
    return by === "down" && boxes[last].top > boxes[place].top ? last : place;
  }
}

function cardOf(photo, place, picture, verdicts, tell) {
  const name = `Photo ${place + 1}`;
  const act = (action) => () => tell({ place, ...action });
  const shown = pictureButton(picture, {
    name,
    label: `${name}: see it large`,
    broken: "Mark it broken.",
    click: act({ name: "zoom" }),
  });
  const choices = verdicts.map(({ verdict, word, symbol }) =>
    el(
      "button",
      { type: "button", "data-choice": verdict, click: act({ name: "mark", verdict }) },
      sign(symbol),
      word,
    ),
  );
  return el(
    "div",
    { class: "card", role: "group", click: act({ name: "at" }) },
    el("span", { class: "number", "aria-hidden": "true" }, String(place + 1)),
    el("span", { class: "badge", "aria-hidden": "true" }),
    shown,
    el("div", { class: "choices", role: "group", "aria-label": name }, ...choices),
    creditOf(photo),
  );
}

function classOf(screen, revised) {
  return el(
    "div",
    { class: "class" },
    el(
      "h1",
      { class: sizeOf(screen) },
      el("span", { dir: "auto" }, screen.name),
      revised ? labeledBefore() : null,
      alsoOf(screen),
    ),
    definitionOf(screen),
    kindOf(screen),
  );
}

function referenceOf(screen, pictures) {
  const small = (caption) => {
    const { image } = pictures.shift();
    image.alt = caption;
    return image;
  };
  const examples = screen.examples.map((shown) =>
    el("figure", { class: "example" }, small(`${screen.name}, to compare`), creditOf(shown)),
  );
  const others = screen.confusable.map(({ name, definition, photo }) =>
    el(
      "figure",
      { title: sizeOf({ name }) ? `${name}: ${definition}` : definition, class: photo ? "" : "unseen" },
      el("figcaption", { dir: "auto" }, name),
      photo ? small(name) : null,
      photo ? creditOf(photo) : null,
      photo || !definition ? null : el("p", { class: "meaning", dir: "auto" }, definition),
    ),
  );
  return el(
    "aside",
    { class: "reference", "aria-label": "To compare" },
    examples.length > 0 ? el("h2", {}, "Known to be right") : null,
    examples.length > 0 ? el("div", { class: "strip" }, ...examples) : null,
    others.length > 0 ? el("h2", {}, "Not to be confused with") : null,
    others.length > 0 ? el("div", { class: "strip" }, ...others) : null,
  );
}
