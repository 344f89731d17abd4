// The page: one screen, its photos, and what is around them. It draws, and hands every click on as
// an action; it decides nothing.

import { Bar } from "./bar.js";
import { RefusedDialog, ZoomDialog, helpDialog } from "./dialogs.js";
import { el, link, words } from "./dom.js";
import { VERDICTS, inOrder } from "./keys.js";

export class View {
  #act;
  #verdicts; // in the order of their keys
  #cards = [];

  /**
   * @param {object} told what the page knows of labeler and workspace: `label_photos` lists it
   * @param {(action: object) => void} act does what a click or tap asks for
   */
  constructor(told, act) {
    this.#act = act;
    this.#verdicts = inOrder(told.one_key);
    this.notices = told.notices;
    this.live = el("p", { class: "heard", "aria-live": "polite" });
    this.main = el("div", { class: "screen" }, el("p", { class: "message" }, "Loading…"));
    this.decided = el("span", { class: "decided" });
    this.submit = button(["Submit"], "Enter", () => act({ name: "submit" }), "primary");
    this.below = el("small", { class: "notices" });
    const rest = this.#verdicts.slice(0, 2).map(({ verdict, word, symbol }, place) => {
      const content = [
        "Rest ",
        el("span", { class: "word" }, word.toLowerCase()),
        el("span", { class: "symbol", "aria-hidden": "true" }, symbol),
      ];
      return button(content, ["A", "Shift+A"][place], () => act({ name: "rest", verdict }), "rest");
    });
    this.actions = el(
      "div",
      { class: "actions" },
      button(["Undo"], "Backspace", () => act({ name: "undo" })),
      ...rest,
      this.below,
      this.decided,
      this.submit,
    );
    this.help = helpDialog(told);
    this.zoom = new ZoomDialog((name) => act({ name }));
    this.refused = new RefusedDialog((label) => act({ name: "dismiss", label }));
    this.bar = new Bar(told, button(["Help"], "H", () => act({ name: "help" })), act);
    const kind = told.task === null ? "genset" : "genset study";
    this.root = el("section", { class: kind, "aria-label": "Labeling" });
    this.root.append(this.bar.top, this.bar.notice, this.main, this.actions, this.live);
    this.root.append(this.help, this.zoom.dialog, this.refused.dialog);
  }

  /** Draw a sheet; `pictures` are those of its photos, then of the examples and the others. */
  sheet(sheet, pictures) {
    const { screen } = sheet;
    const loaded = [...pictures];
    this.#cards = screen.photos.map((photo, place) => this.#card(photo, place, loaded.shift()));
    const reference = referenceOf(screen, loaded);
    const photos = el("div", { class: "photos" }, ...this.#cards, reference);
    // The same for every screen, whatever its photos are. In the line below, or, where that line is
    // short, at the end of the screen.
    const notices = this.notices.join(" ");
    this.#replace(classOf(screen, sheet.revised), photos, el("small", { class: "notices" }, notices));
    this.actions.hidden = false;
    this.below.textContent = notices;
    this.verdicts(sheet);
    if (this.root.getBoundingClientRect().top < 0) this.root.scrollIntoView();
  }

  /** Draw what is decided. */
  verdicts(sheet) {
    sheet.photos.forEach((photo, place) => {
      const verdict = sheet.verdict(photo);
      const card = this.#cards[place];
      card.dataset.verdict = verdict ?? "";
      const word = VERDICTS.find((each) => each.verdict === verdict)?.word ?? "undecided";
      card.setAttribute("aria-label", `Photo ${place + 1} of ${sheet.photos.length}: ${word}`);
      for (const choice of card.querySelectorAll("[data-choice]")) {
        choice.setAttribute("aria-pressed", String(choice.dataset.choice === verdict));
      }
    });
    const all = sheet.photos.length;
    const done = all - sheet.undecided.length;
    const word = el("span", { class: "word" }, " decided");
    this.decided.replaceChildren(`${done} of ${all}`, word);
    this.zoom.verdict(sheet);
  }

  /** What was drawn can be seen; said to whoever measures. */
  painted() {
    this.main.dataset.state = "painted";
  }

  /** Whether Enter would do something. */
  ready(ready) {
    this.submit.disabled = !ready;
  }

  /** The photo that keys without a number are about. */
  current(place, { focus = true, scroll = true } = {}) {
    this.#cards.forEach((card, each) => card.classList.toggle("current", each === place));
    this.#cards.forEach((card, each) => card.setAttribute("tabindex", each === place ? 0 : -1));
    const card = this.#cards[place];
    if (!focus || !card || this.zoom.dialog.open || card.matches(":focus-within")) return;
    card.focus({ preventScroll: true });
    if (scroll) card.scrollIntoView({ block: "nearest" });
  }

  /** The place of the photo that lies in a direction: the same where there is none. */
  beside(place, by) {
    const boxes = this.#cards.map((card) => card.getBoundingClientRect());
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

  /** There is nothing to show now: no photos yet, or the end. */
  message(title, ...content) {
    this.#cards = [];
    this.#replace(el("div", { class: "message" }, el("h1", {}, title), ...content));
    this.actions.hidden = true;
  }

  #replace(...content) {
    const screen = el("div", { class: "screen" }, ...content);
    this.main.replaceWith(screen);
    this.main = screen;
  }

  #card(photo, place, picture) {
    const name = `Photo ${place + 1}`;
    const act = (action) => () => this.#act({ place, ...action });
    const shown = el("button", {
      class: "picture",
      type: "button",
      "aria-label": `${name}: see it large`,
      click: act({ name: "zoom" }),
    });
    picture.image.alt = name;
    shown.append(picture.image);
    picture.ready.then(() => picture.broken && shown.replaceChildren(brokenPicture()));
    const choices = this.#verdicts.map(({ verdict, word, symbol }) =>
      el(
        "button",
        { type: "button", "data-choice": verdict, click: act({ name: "mark", verdict }) },
        el("span", { class: "symbol", "aria-hidden": "true" }, symbol),
        word,
      ),
    );
    return el(
      "div",
      { class: "card", role: "group", click: () => this.#act({ name: "at", place }) },
      el("span", { class: "number", "aria-hidden": "true" }, String(place + 1)),
      el("span", { class: "badge", "aria-hidden": "true" }),
      shown,
      el("div", { class: "choices", role: "group", "aria-label": name }, ...choices),
      creditOf(photo),
    );
  }
}

function classOf(screen, revised) {
  const also = screen.also.length > 0 ? el("span", { class: "also" }, screen.also.join(", ")) : null;
  const kind = screen.hypernyms.length > 0 ? `a kind of ${screen.hypernyms.join(" › ")}` : "";
  const pages = screen.wikipedia.map(({ title, url }) =>
    el("span", {}, link(el("span", {}, "Wikipedia: ", words(title)), url), " · "),
  );
  const again = el("span", { class: "again" }, "Labeled before");
  return el(
    "div",
    { class: "class" },
    el("h1", {}, el("span", {}, screen.name), revised ? again : null, also),
    el("p", { class: "definition" }, screen.definition),
    el("p", { class: "kind" }, ...pages, kind),
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
      { title: definition, class: photo ? "" : "unseen" },
      el("figcaption", {}, name),
      photo ? small(name) : null,
      photo ? creditOf(photo) : el("p", { class: "meaning" }, definition),
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

/** Who took it, and under which licence; a long name is cut, never what comes after it. */
function creditOf({ owner, license, license_url, page_url, source }) {
  const page = source === "flickr" || /\bflickr\.com\//.test(page_url) ? "Flickr" : "photo page";
  const rest = [link(words(license), license_url)];
  if (page_url) rest.push(" · ", link(page, page_url));
  return el(
    "p",
    { class: "credit" },
    el("span", { class: "owner" }, "by ", words(owner)),
    el("span", { class: "rest" }, ...rest),
  );
}

function brokenPicture() {
  return el("span", { class: "broken" }, "This photo cannot be shown.", el("br"), "Mark it broken.");
}

function button(content, key, click, kind = "") {
  const keys = key.split("+").map((each) => el("kbd", { "aria-hidden": "true" }, each));
  const attributes = { type: "button", class: kind, click, "aria-keyshortcuts": key };
  return el("button", attributes, ...content, ...keys);
}
