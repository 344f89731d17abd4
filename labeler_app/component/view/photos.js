// A screen of the first kind: a class, and photos of which each shows it or not.

import { el } from "./dom.js";
import { nameOf } from "../keys.js";
import { actsAt, choicesOf, creditOf, drawChoice, flagOf, headOf, pictureButton, sizeOf } from "./parts.js";

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
      this.rowOf(photo, place, loaded.shift(), verdicts, act),
    );
    const reference = referenceOf(screen, loaded);
    const remark = screen.training ? "Training: it does not count" : sheet.revised && "Labeled before";
    this.content = this.contentOf(headOf(screen, remark), reference);
  }

  /** A photo's element. */
  rowOf(photo, place, picture, verdicts, act) {
    return cardOf(photo, place, picture, verdicts, act);
  }

  /** The screen's parts: the class, the photos, and what to compare them with. */
  contentOf(head, reference) {
    return [head, el("div", { class: "photos" }, ...this.rows, reference)];
  }

  /** What has to be in sight of each row. */
  get sights() {
    return this.rows.map((card) => card.querySelector(".picture"));
  }

  /** Draw what is decided. */
  draw(sheet) {
    const { items } = sheet;
    items.forEach((photo, place) => {
      const verdict = sheet.verdict(photo);
      const label = `Photo ${place + 1} of ${items.length}: ${nameOf(verdict)}`;
      drawChoice(this.rows[place], verdict, label, sheet.commentOn(photo));
    });
  }
}

function cardOf(photo, place, picture, verdicts, act) {
  const name = `Photo ${place + 1}`;
  const at = actsAt(place, act);
  const shown = pictureButton(picture, {
    name,
    label: `${name}: see it large`,
    broken: "Mark it broken.",
    click: at({ name: "zoom" }),
  });
  return el(
    "div",
    { class: "card", role: "group", click: at({ name: "at" }) },
    el("span", { class: "number", "aria-hidden": "true" }, String(place + 1)),
    flagOf(name, at),
    el("span", { class: "badge", "aria-hidden": "true" }),
    shown,
    el("div", { class: "choices", role: "group", "aria-label": name }, ...choicesOf(verdicts, at)),
    creditOf(photo),
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
  const strip = (title, figures) =>
    figures.length > 0 ? [el("h2", {}, title), el("div", { class: "strip" }, ...figures)] : [];
  return el(
    "aside",
    { class: "reference", "aria-label": "To compare" },
    ...strip("Called correct", examples),
    ...strip("Not to be confused with", others),
  );
}
