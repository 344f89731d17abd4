// What stands there when there is nothing to label: why, and at the end how it ended.

import { endOf } from "./view/dialogs.js";
import { el } from "./view/dom.js";
import { handIn } from "./handin.js";
import { ofBrowser } from "./work/environment.js";
import { Patience } from "./work/patience.js";

export class Ending {
  #work;
  #view;
  #handIn;
  #drawn = null; // the end that is on display

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
    const { progress, outbox, refused, server } = this.#work;
    const message = (title, text) => this.#view.message(title, el("p", {}, text));
    if (refused) return message("You cannot go on", refused);
    if (!server.reachable && !progress?.done) {
      const waits = "All that was loaded is labeled. This page goes on by itself when it is back.";
      return message("Waiting for the server", waits);
    }
    if (!progress?.done) {
      const text = progress?.classes ? "Others are at the rest. Looking again…" : "Nothing yet.";
      return message("No photos to label", text);
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
      const show = (title, ...parts) => this.#view.message(title, ...parts);
      handIn(this.#handIn, done, () => this.#isFirst(), show);
      return;
    }
    const title = done.outcome === "nothing" ? "No photos are left for you" : "All done. Thank you!";
    this.#view.message(title, ...endOf(done));
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
