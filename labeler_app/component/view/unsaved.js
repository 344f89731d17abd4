// Labels that are not saved yet: said before anybody leaves, and where they are found again.

import { el, words } from "./dom.js";
import { asSent } from "../work/outbox.js";
import { asksOfOne } from "../work/sheet.js";
import { entriesOf } from "../work/storage.js";

const countOf = (count, noun = "label") => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
const are = (count) => (count === 1 ? "is" : "are");
const notSaved = (labels) => `${are(labels)} not saved yet`;

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

const OF_DECIDED =
  "If you go, they stay in this browser for when you label in it again, unless others get the photos first.";
const SIGN_OUT = ".st-key-sign-out button"; // Streamlit's, below the component

/** Asks whoever closes the page while labels wait, or signs out before all is submitted and saved. */
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
    this.submit = el("button", { type: "button", click: () => work.submit() }, "Submit");
    this.download = downloading(labeler, () => work.storage.outbox());
    this.dialog = el(
      "dialog",
      { class: "unstored", "aria-label": "Not saved yet" },
      this.#title,
      this.#where,
      el(
        "form",
        { method: "dialog" },
        el("button", { autofocus: "" }, "Stay"),
        this.download,
        this.submit,
        this.leave,
      ),
    );
    this.dialog.addEventListener("close", () => (this.#leaves = false));
    addEventListener("beforeunload", (event) => this.#ask(event, false), { signal });
    const click = (event) => event.target.closest?.(SIGN_OUT) && this.#ask(event, true);
    addEventListener("click", click, { signal, capture: true });
  }

  #ask(event, isSigningOut) {
    this.#isSigningOut = isSigningOut;
    if (this.#leaves || this.#work.outbox.labels + this.#decided === 0) return;
    event.preventDefault();
    event.stopPropagation();
    this.leave.hidden = !isSigningOut;
    if (!this.dialog.open) this.dialog.showModal();
    this.draw();
  }

  /** What is decided and not submitted: nothing of it is lost where the page is closed. */
  get #decided() {
    return this.#isSigningOut ? (this.#work.sheet?.decided ?? 0) : 0;
  }

  /** Say how many wait; when none does any more, go on with what was begun. */
  draw() {
    if (!this.dialog.open) return;
    const { sheet } = this.#work;
    const { labels } = this.#work.outbox;
    const decided = this.#decided;
    if (labels + decided === 0) {
      this.dialog.close();
      if (this.#isSigningOut) document.querySelector(SIGN_OUT)?.click();
      return;
    }
    this.download.hidden = labels === 0;
    this.submit.hidden = decided === 0 || sheet.undecided.length > 0;
    const waiting = labels > 0 ? `${countOf(labels)} ${notSaved(labels)}` : null;
    const noun = sheet && asksOfOne(sheet.screen) ? "question" : "photo";
    const open = decided > 0 ? `${countOf(decided, noun)} ${are(decided)} decided, not submitted` : null;
    this.#title.textContent = [waiting, open].filter(Boolean).join("; ");
    if (this.#leaves) {
      this.#where.textContent = "If the server is out of reach, you are signed out when it is back.";
      return;
    }
    this.#where.textContent = labels > 0 ? this.#ofLabels() : OF_DECIDED;
  }

  #ofLabels() {
    const wait = this.#isSigningOut ? "you are signed out when they are" : "they are sent by themselves";
    const later = this.#work.storage.failing
      ? "If you go, they are lost: this browser can keep nothing more."
      : "If you go, they stay in this browser, and are sent when you label in it again.";
    const file = "Or download them: whoever sent you here can import the file.";
    return `Wait here, and ${wait}. ${later} ${file}`;
  }
}
