// A screen of the second kind: one photo, what it shows, and further classes of which each is in it
// too or not. Who proposed a class is not known here.

import { el } from "./dom.js";
import { ANSWERS, answerOf } from "../keys.js";
import {
  actsAt,
  alsoOf,
  button,
  choicesOf,
  creditOf,
  drawChoice,
  flagOf,
  headOf,
  pictureButton,
  shortened,
  sign,
  unfolding,
} from "./parts.js";

const SHORT = 66; // characters of a definition that stand there at once

export class QuestionsScreen {
  rows = []; // of the questions, then of the classes that were added
  #questions;
  #act;
  #list;
  #added = el("div", { class: "list further", hidden: "" }); // beside the button that adds
  #examples; // the pictures of known examples, by question's id

  /**
   * @param {object} sheet what is decided on it
   * @param {object[]} pictures the photo's, then those of the examples
   * @param {(action: object) => void} act does what a click or tap asks for
   */
  constructor(sheet, [whole, ...pictures], act) {
    this.#act = act;
    const { home, photo, questions } = sheet.screen;
    const examples = questions.filter((question) => question.photo);
    this.#examples = new Map(examples.map(({ id }, place) => [id, pictures[place]]));
    this.#questions = questions.map((question, place) => this.#row(question, place));
    this.#list = el("div", { class: "list" });
    const shown = pictureButton(whole, {
      name: `The photo: ${home.name}`,
      label: "The photo: see it large",
      broken: "Answer maybe to what is undecided.",
      click: () => act({ name: "zoom" }),
    });
    const search = () => act({ name: "search" });
    const other = button(["Something else of the classes"], "/", search, "other");
    const also = el("h2", { id: "also" }, "Which of these are also in this photo?");
    const hint = el("p", { class: "hint" }, "Large or small, whole or in part.", keysOf());
    const side = el(
      "div",
      { class: "side", role: "group", "aria-labelledby": "also" },
      also,
      hint,
      this.#list,
      this.#added,
      other,
    );
    const photoBox = el("div", { class: "seen" }, shown, creditOf(photo));
    const shows = el("span", { class: "shows" }, "This photo shows: ");
    const parts = el("div", { class: "questions" }, photoBox, side);
    this.content = [headOf(home, sheet.revised && "Labeled before", shows), parts];
    this.draw(sheet);
  }

  get sights() {
    return this.#questions;
  }

  /** Draw what is decided, and which classes were added. */
  draw(sheet) {
    const further = sheet.rows.slice(sheet.items.length);
    const added = further.map((cls, index) => this.#further(cls, sheet.items.length + index));
    const rows = [...this.#questions, ...added];
    const same = (row, place) => row.dataset.id === this.rows[place]?.dataset.id;
    if (rows.length !== this.rows.length || !rows.every(same)) {
      this.rows = rows;
      this.#list.replaceChildren(...this.#questions);
      this.#added.replaceChildren(...added);
      this.#added.hidden = added.length === 0;
    }
    const all = sheet.items.length;
    sheet.rows.forEach((item, place) => {
      const verdict = sheet.verdict(item);
      const which = place < all ? `Question ${place + 1} of ${all}` : "Added by you";
      const label = `${which}: ${item.name}: ${answerOf(verdict)}`;
      drawChoice(this.rows[place], verdict, label, sheet.commentOn(item));
    });
  }

  #row(question, place) {
    const at = actsAt(place, this.#act);
    return el(
      "div",
      rowOf("question", question, place, at({ name: "at" })),
      this.#sample(question, at({ name: "zoom", example: true })),
      wordsOf(question, place, question.photo ? creditOf(question.photo) : null),
      el(
        "div",
        { class: "answers", role: "group", "aria-label": question.name },
        ...choicesOf(ANSWERS, at),
        flagOf(question.name, at),
      ),
    );
  }

  #sample(question, click) {
    const picture = this.#examples.get(question.id);
    if (picture === undefined) return el("span", { class: "sample none" }, "no example");
    const name = `A known ${question.name}`;
    const shown = pictureButton(picture, { name, label: `${name}: see it large`, broken: "", click });
    shown.classList.add("sample");
    return shown;
  }

  #further(cls, place) {
    const at = actsAt(place, this.#act);
    const label = `Take ${cls.name} off again`;
    const attributes = { type: "button", "aria-label": label, "aria-keyshortcuts": "N" };
    const off = el("button", { ...attributes, click: at({ name: "off" }) }, "Take off");
    return el(
      "div",
      rowOf("question added", cls, place, at({ name: "at" })),
      el("span", { class: "sample none" }, "added by you"),
      wordsOf(cls, place, null),
      el("div", { class: "answers" }, el("span", { class: "yes" }, sign("✓"), "Yes"), cls.label_id ? null : off),
    );
  }
}

/** The keys of the answers, for eyes: a screen reader is told by the buttons. */
function keysOf() {
  const keys = ANSWERS.flatMap(({ word, key }) => [el("kbd", {}, key), ` ${word.toLowerCase()}  `]);
  return el("span", { class: "keys", "aria-hidden": "true" }, ...keys);
}

const rowOf = (kind, { id }, place, click) => {
  return { class: kind, role: "group", "data-id": id, "aria-describedby": `meaning-${place}`, click };
};

/** A class's names and what it means: short, and the whole of it for who asks. */
function wordsOf(cls, place, credit) {
  const { definition } = cls;
  const short = shortened(definition, SHORT);
  const id = `meaning-${place}`;
  const meaning =
    short === definition
      ? el("p", { class: "meaning", dir: "auto", id }, definition)
      : unfolding("meaning", short, definition, { id });
  const name = el("h3", {}, el("span", { dir: "auto" }, cls.name), alsoOf(cls));
  return el("div", { class: "about" }, name, meaning, credit);
}
