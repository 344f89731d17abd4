// What opens over the page: the help, and what was not stored. A photo as large as the window: zoom.js.

import { nameOf } from "../keys.js";
import { el, link, words } from "./dom.js";
import { signedOf } from "./parts.js";

/** What the verdicts mean and which keys give them, for the kind of screen that is on display. */
export class HelpDialog {
  #rows = el("tbody", {});
  #page;

  /** @param {object} page with `photos_help`, `questions_help` and `task` */
  constructor(page) {
    this.#page = page;
    const table = el("table", {}, this.#rows);
    const attributes = { class: "help", "aria-label": "Help" };
    this.dialog = el("dialog", attributes, table, ...taskOf(page.task), closing());
  }

  set isOfOne(isOfOne) {
    const { meanings, touch, keys } = isOfOne ? this.#page.questions_help : this.#page.photos_help;
    const row = (shown, meaning) =>
      el("tr", {}, el("th", { scope: "row" }, ...shown), el("td", {}, meaning));
    const keyOf = (key) => (/^[–+]$/.test(key) ? ` ${key} ` : el("kbd", {}, key));
    const named = ([word, meaning]) => row([el("b", {}, word)], meaning);
    const ways = matchMedia("(pointer: coarse)").matches
      ? touch.map(named)
      : keys.map(([all, meaning]) => row(all.split(" ").map(keyOf), meaning));
    this.#rows.replaceChildren(...meanings.map(named), ...ways);
  }
}

/** What a study's labeler agreed to, in the researchers' words. */
function taskOf(task) {
  const parts = [task?.pay && `Pay: ${task.pay}`, task?.consent].filter(Boolean);
  return parts.map((text) => el("p", { class: "task" }, text));
}

const closing = () => el("form", { method: "dialog" }, el("button", { autofocus: "" }, "Close"));

/** The labels that the server refused, each with its reason, until they are dismissed. */
export class RefusedDialog {
  #list = el("ul", {});
  #dismiss;

  /** @param {(label: string) => void} dismiss forgets the label with this id */
  constructor(dismiss) {
    this.#dismiss = dismiss;
    this.dialog = el(
      "dialog",
      { class: "unstored", "aria-label": "Not stored" },
      el("h2", {}, "Not stored"),
      el("p", {}, "The server has not taken these labels. They are kept in this browser only."),
      this.#list,
      closing(),
    );
  }

  show(refused) {
    this.#list.replaceChildren(...refused.map((label) => this.#item(label)));
    if (refused.length === 0) this.dialog.close();
    else if (!this.dialog.open) this.dialog.showModal();
  }

  #item({ id, name, photo, verdict, reason }) {
    const about = `${name ?? "a photo"}: ${signedOf(verdict)}`;
    const dismiss = { type: "button", "aria-label": `Dismiss ${about}`, click: () => this.#dismiss(id) };
    return itemOf(photo, about, reason, el("button", dismiss, "Dismiss"));
  }
}

/** A photo in a list, with what is said of it. */
function itemOf(photo, about, text, button = null) {
  const image = el("img", { src: `/genset/picture/${encodeURIComponent(photo)}?w=350`, alt: "" });
  image.addEventListener("error", () => (image.style.visibility = "hidden"));
  return el("li", {}, image, el("p", {}, el("b", {}, about), el("br"), words(text)), button);
}

/** The answers to a training screen, with how they are known. */
export class TaughtDialog {
  #title = el("h2", {});
  #list = el("ul", {});
  #taught = [];

  constructor() {
    const attributes = { class: "unstored training", "aria-label": "Training" };
    this.dialog = el("dialog", attributes, this.#title, this.#list, closing());
  }

  show(more) {
    const taught = this.dialog.open ? [...this.#taught, ...more] : more;
    this.#taught = taught;
    const isRight = ({ verdict, expected }) =>
      verdict === expected || (verdict === "broken" && expected === "incorrect");
    const right = taught.filter(isRight).length;
    this.#title.textContent = `Training: ${right} of ${taught.length} right`;
    const items = taught.map((label) => {
      const { name, photo, verdict, expected, reason } = label;
      const answer = isRight(label) ? "Right, it is" : `You said ${nameOf(verdict).toLowerCase()}. It is`;
      return itemOf(photo, name, `${answer} ${expected}${reason ? `: ${reason}` : "."}`);
    });
    this.#list.replaceChildren(...items);
    if (!this.dialog.open) this.dialog.showModal();
  }
}

/** A flag on a photo or question, with a few words if the labeler likes. */
export class CommentDialog {
  #title = el("h2", {});
  #text = el("textarea", { maxlength: 500, rows: 4, autofocus: "", "aria-label": "Comment" });
  #off = el("button", { value: "off" }, "Take the flag off");

  /** @param {(text: string | null) => void} done takes the comment; null: no flag any more */
  constructor(done) {
    const buttons = [el("button", { type: "button", click: () => this.dialog.close() }, "Cancel"), this.#off];
    const flag = el("button", { value: "flag", class: "primary" }, "Flag");
    const submit = ({ submitter }) => done(submitter === this.#off ? null : this.#text.value.trim());
    const hint = el("p", {}, "Whoever runs this reads it. You may leave it empty.");
    const form = el("form", { method: "dialog", submit }, this.#text, hint, ...buttons, flag);
    const key = (event) => event.code === "Enter" && !event.shiftKey && this.#send(event, form, flag);
    this.#text.addEventListener("keydown", key);
    this.dialog = el("dialog", { class: "unstored comment", "aria-label": "Flag" }, this.#title, form);
  }

  #send(event, form, flag) {
    event.preventDefault();
    if (!event.repeat && !event.isComposing) form.requestSubmit(flag);
  }

  show(what, text) {
    this.#title.textContent = `Flag: ${what}`;
    this.#text.value = text ?? "";
    this.#off.hidden = text === null;
    this.dialog.showModal();
  }
}

/** The end of a study's visit: its code, to be copied, and the way back. */
export function endOf({ code, return_url }) {
  if (!code) return [];
  const shown = el("code", { class: "code" }, code);
  const copied = el("span", { role: "status" });
  const copy = async () => {
    copied.textContent = (await copies(shown)) ? "Copied." : "Select it, and copy it by hand.";
  };
  const button = el("button", { type: "button", class: "copy", click: copy }, "Copy the code");
  const back = return_url ? el("p", {}, link("Back to Prolific", return_url)) : null;
  return [el("p", {}, shown), el("p", {}, button, " ", copied), back];
}

/** Put an element's text on the clipboard; whether that went well. */
async function copies(element) {
  try {
    await navigator.clipboard.writeText(element.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(element); // plain http has no other way
    return document.execCommand("copy");
  }
}
