// What stands there when there is nothing to label: why, and at the end how it ended.

import { endOf } from "./view/dialogs.js";
import { el } from "./view/dom.js";
import { ofBrowser } from "./work/environment.js";
import { Patience } from "./work/patience.js";

export class Ending {
  #work;
  #view;
  #handIn;
  #drawn = null; // what is on display

  /** @param {{action: string, assignment: string} | null} to where the task is handed in, if it is */
  constructor(work, view, to) {
    this.#work = work;
    this.#view = view;
    this.#handIn = to;
  }

  /** There is a screen again. */
  forget() {
    this.#drawn = null;
  }

  draw() {
    const { progress, outbox, refused, server, inOtherPages, leaseMinutes } = this.#work;
    const message = (title, text, isBack = false) => {
      if (this.#drawn === title + text) return; // a button there stays the same
      this.#drawn = title + text;
      const back = isBack ? [el("p", {}, this.#view.undo())] : [];
      this.#view.message(title, el("p", {}, text), ...back);
    };
    if (refused) return message("You cannot go on", refused);
    if (!server.reachable && !progress?.done) {
      const waits = "All that was loaded is labeled. This page goes on by itself when it is back.";
      return message("Waiting for the server", waits, true);
    }
    if (!progress?.done) {
      const screens = inOtherPages === 1 ? "1 screen is" : `${inOtherPages} screens are`;
      const free = `free again ${leaseMinutes} minutes after work there ends`;
      const text = `${inOtherPages > 0 ? `${screens} open elsewhere, ${free}. ` : ""}Looking again…`;
      return message("No photos for you right now", text, true);
    }
    if (outbox.labels > 0) return message("All done. Thank you!", "Wait until all is saved.");
    return this.#end(progress.done);
  }

  /** All is done and stored: said once, and then left as it is. */
  #end(done) {
    const end = JSON.stringify(done);
    if (this.#drawn === end) return;
    this.#drawn = end;
    if (this.#handIn) {
      this.#post(done);
      return;
    }
    const title = done.outcome === "nothing" ? "No photos are left for you" : "All done. Thank you!";
    // A visit that has ended with a code takes no more.
    const back = done.code || done.outcome === "nothing" ? [] : [el("p", {}, this.#view.undo())];
    this.#view.message(title, ...endOf(done), ...back);
  }

  /**
   * Hand the task in to Mechanical Turk, by a form that leaves the frame to the platform. The server
   * remembers that it was posted: in a foreign frame the browser may keep nothing.
   */
  async #post(done) {
    const show = (title, text, ...parts) => this.#view.message(title, el("p", {}, text), ...parts);
    if (done.code === null) {
      const text = "Nothing was left to label. Return the task on Mechanical Turk, please.";
      show("No photos are left for you", text);
      return;
    }
    show("All done. Thank you!", "Handing in…");
    const isFirst = await this.#isFirst();
    const form = formOf(this.#handIn, done);
    const text = "If Mechanical Turk still waits for this task, hand it in again.";
    show("Handed in. Thank you!", text, form);
    if (isFirst) form.submit();
  }

  /** Whether this is the first page that hands the task in: asked until the server says so. */
  async #isFirst() {
    const patience = new Patience(ofBrowser());
    for (;;) {
      try {
        return await this.#work.server.handIn();
      } catch {
        await patience.wait();
      }
    }
  }
}

function formOf({ action, assignment }, { outcome, code }) {
  const fields = Object.entries({ assignmentId: assignment, outcome, code });
  return el(
    "form",
    { method: "post", action, class: "hand-in" },
    ...fields.map(([name, value]) => el("input", { type: "hidden", name, value })),
    el("button", { type: "submit" }, "Hand in again"),
  );
}
