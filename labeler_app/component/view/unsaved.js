// Labels that are not saved yet: said before anybody leaves, and where they are found again.

import { el, words } from "./dom.js";
import { asSent } from "../work/outbox.js";
import { entriesOf } from "../work/storage.js";

const countOf = (labels) => (labels === 1 ? "1 label" : `${labels.toLocaleString("en")} labels`);
const notSaved = (labels) => `${labels === 1 ? "is" : "are"} not saved yet`;

/** A button that writes submissions to a file, which `genset labels import` reads. */
function downloading(labeler, outbox) {
  const click = () => {
    const text = JSON.stringify({ labeler, submissions: outbox().map(asSent) });
    const href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    el("a", { href, download: `unsaved labels of ${labeler}.json` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60_000);
  };
  return el("button", { type: "button", click }, "Download as a file");
}

/** What is said of each labeler whose labels are in this browser, and who is not here. */
export function linesOf(storage) {
  return storage.others().map(({ labeler, isHere, outbox }) => {
    const labels = outbox().flatMap(entriesOf).length;
    const where = isHere ? "" : " for another workspace";
    const when = `${where} ${notSaved(labels)}. They are sent when `;
    const back = ` labels ${isHere ? "here again" : "there again"}, in this browser. `;
    const text = [`${countOf(labels)} of `, words(labeler), when, words(labeler), back];
    return el("p", {}, ...text, downloading(labeler, outbox));
  });
}

const SIGN_OUT = ".st-key-sign-out button"; // Streamlit's, below the component

/** Asks whoever closes the page or signs out while labels wait. */
export class UnsavedDialog {
  #work;
  #title = el("h2", {});
  #where = el("p", {});
  #isSigningOut = false;
  #leaves = false; // whatever waits

  constructor(work, labeler, signal) {
    this.#work = work;
    const leave = () => {
      this.#leaves = true;
      document.querySelector(SIGN_OUT)?.click();
      this.draw();
    };
    this.leave = el("button", { type: "button", click: leave }, "Sign out now");
    this.dialog = el(
      "dialog",
      { class: "unstored", "aria-label": "Not saved yet" },
      this.#title,
      this.#where,
      el(
        "form",
        { method: "dialog" },
        el("button", { autofocus: "" }, "Stay"),
        downloading(labeler, () => work.storage.outbox()),
        this.leave,
      ),
    );
    this.dialog.addEventListener("close", () => (this.#leaves = false));
    addEventListener("beforeunload", (event) => this.#ask(event, false), { signal });
    const click = (event) => event.target.closest?.(SIGN_OUT) && this.#ask(event, true);
    addEventListener("click", click, { signal, capture: true });
  }

  #ask(event, isSigningOut) {
    if (this.#leaves || this.#work.outbox.labels === 0) return;
    event.preventDefault();
    event.stopPropagation();
    this.#isSigningOut = isSigningOut;
    this.leave.hidden = !isSigningOut;
    if (!this.dialog.open) this.dialog.showModal();
    this.draw();
  }

  /** Say how many wait; when none does any more, go on with what was begun. */
  draw() {
    if (!this.dialog.open) return;
    const { outbox, storage } = this.#work;
    if (outbox.labels === 0) {
      this.dialog.close();
      if (this.#isSigningOut) document.querySelector(SIGN_OUT)?.click();
      return;
    }
    this.#title.textContent = `${countOf(outbox.labels)} ${notSaved(outbox.labels)}`;
    if (this.#leaves) {
      this.#where.textContent = "If the server is out of reach, you are signed out when it is back.";
      return;
    }
    const wait = this.#isSigningOut ? "you are signed out when they are" : "they are sent by themselves";
    const later = storage.failing
      ? "If you go, they are lost: this browser can keep nothing more."
      : "If you go, they stay in this browser, and are sent when you label in it again.";
    const file = "Or download them: whoever sent you here can import the file.";
    this.#where.textContent = `Wait here, and ${wait}. ${later} ${file}`;
  }
}
