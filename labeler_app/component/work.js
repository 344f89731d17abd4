// A labeler's work: which screen is on display, which come next, and what happens to a verdict.
// It knows nothing of the page; `told` is called after every change and says what to draw.

import { Claims } from "./claims.js";
import { Outbox } from "./outbox.js";
import { Patience, Refused } from "./server.js";
import { Sheet, uuid } from "./sheet.js";
import { Storage } from "./storage.js";

const AHEAD = 4; // the screen on display and three more
const CLAIMED = 2; // the next one is this tab's before it is needed
const A_MINUTE = 60_000;
// The next screen is painted first: what is sent at the same time slows it down.
const PAINTING = 40;

export class Work {
  sheet = null; // on display; null before the first and after the last
  progress = null; // as the server counts
  refused = null; // why this labeler gets no screens any more
  #open = []; // screens to label, oldest first, without those on their way to the server
  #left = null; // where to go on after a look back
  #wanted = false; // somebody asked for screens since they were last fetched
  #filling = false;
  #settled = 0; // how often what is stored has changed, as far as is known here
  #closed = false;

  /** @param {(event: {what: string, text?: string}) => void} told */
  constructor(labeler, server, told) {
    this.server = server;
    this.told = told;
    this.storage = new Storage(labeler);
    this.claims = new Claims(labeler);
    const turn = `genset ${labeler} outbox`;
    this.outbox = new Outbox(server, this.storage, turn, (...answer) => this.#answered(...answer));
    this.heart = setInterval(() => this.beat(), A_MINUTE);
  }

  /** Send what waits, and have screens to show. */
  start() {
    this.outbox.flush();
    this.fill();
  }

  close() {
    this.#closed = true;
    clearInterval(this.heart);
    this.outbox.close();
    this.claims.releaseAll();
  }

  /** The screens that may come next, to be loaded ahead. */
  get next() {
    const on = this.sheet?.screen.id;
    return this.#open.filter((screen) => screen.id !== on).slice(0, AHEAD - 1);
  }

  mark(photos, verdict) {
    this.sheet.mark(photos, verdict, this.server.now());
    this.keep();
    this.told({ what: "verdicts" });
  }

  /** Write down what is decided so far, and for how long it was looked at. */
  keep() {
    const { sheet } = this;
    if (sheet && !sheet.untouched) this.storage.keepDraft(sheet.screen.id, sheet.draft);
  }

  /** Take the last mark back; where there is none here, go back a screen. */
  async undo() {
    const photos = this.sheet?.undo() ?? [];
    if (photos.length === 0) return this.#back();
    if (this.sheet.untouched) this.storage.dropDraft(this.sheet.screen.id);
    this.keep();
    this.told({ what: "verdicts", photos });
    return undefined;
  }

  /** Hand in a sheet on which all is decided, and go on to the next. */
  submit() {
    const { sheet } = this;
    const labels = sheet.labels();
    const screen = sheet.after(labels);
    if (labels.length > 0) {
      this.storage.keepHistory([
        ...this.storage.history().filter((each) => each.id !== screen.id),
        screen,
      ]);
      const [submitted_at, shown_at] = [this.server.now(), labels[0].shown_at];
      this.outbox.put({ id: uuid(), screen: screen.id, shown_at, submitted_at, labels });
    }
    this.storage.dropDraft(screen.id);
    if (sheet.revised) this.#show(this.#left);
    else {
      this.#drop(screen.id);
      this.#show(null);
    }
    setTimeout(() => this.start(), PAINTING);
  }

  /** Have the open screens, and one on display. Returns when that is so, or nothing is left. */
  async fill() {
    this.#wanted = true;
    if (this.#filling) return;
    this.#filling = true;
    const patience = new Patience();
    while (this.#wanted && !this.#closed) {
      this.#wanted = false;
      await this.#claimAhead(); // needs no server: what was loaded ahead lasts for a while
      try {
        await this.#fetchScreens();
        if (this.sheet || this.progress.done) continue;
      } catch (error) {
        if (error instanceof Refused) {
          this.refused = error.message;
          this.#show(null);
          break;
        }
        this.told({ what: "status" });
      }
      this.#wanted = true;
      await patience.wait();
    }
    this.#filling = false;
  }

  /** Another tab has changed something. */
  elsewhere() {
    this.#settled += 1;
    this.progress = this.storage.progress() ?? this.progress;
    const done = this.#done();
    this.#open = this.#open.filter((screen) => !done.has(screen.id));
    const on = this.sheet;
    if (on && !on.revised && done.has(on.screen.id)) {
      this.storage.dropDraft(on.screen.id);
      this.#show(null);
      this.fill();
    }
    this.told({ what: "status" });
  }

  async #fetchScreens() {
    const settled = this.#settled;
    const away = this.outbox.screens.length + (await this.claims.elsewhere());
    const held = this.#open.map((screen) => screen.id);
    const answer = await this.server.screens(held, Math.min(12, AHEAD + away));
    const known = new Map(this.#open.map((screen) => [screen.id, screen]));
    // The answer may be older than what was submitted meanwhile.
    const done = this.#done();
    this.#open = answer.screens
      .filter((screen) => !screen.submitted && !done.has(screen.id))
      .map((screen) => known.get(screen.id) ?? screen);
    // So may its count: then the screens are asked for once more.
    if (settled === this.#settled || !this.progress) this.#count(answer.progress);
    else this.#wanted = true;
    const on = this.sheet;
    const lost = on && !on.revised && !this.#open.some(({ id }) => id === on.screen.id);
    if (lost) this.#lose([on.screen.id]);
    await this.#claimAhead();
    this.told({ what: "status" });
  }

  #count(progress) {
    this.progress = progress;
    this.storage.keepProgress(progress);
  }

  /** The screens that were submitted of late, in any tab. */
  #done() {
    return new Set([...this.outbox.screens, ...this.storage.history().map(({ id }) => id)]);
  }

  /** Make sure that the next screen is this tab's, and show it where there is none. */
  async #claimAhead() {
    let claimed = 0;
    for (const { id } of this.#open) {
      if (claimed === CLAIMED) break;
      if (await this.claims.claim(id)) claimed += 1;
    }
    if (claimed > 0 && !this.sheet) this.#show(null);
  }

  /** Put a screen on display; for null the first that is this tab's. */
  #show(screen) {
    const next = this.refused ? null : this.#open.find(({ id }) => this.claims.has(id));
    const shown = screen ?? next ?? null;
    this.#left = null;
    this.sheet = shown && new Sheet(shown, this.storage.draft(shown.id));
    this.told({ what: "sheet" });
  }

  #drop(id) {
    this.#open = this.#open.filter((screen) => screen.id !== id);
    this.claims.release(id);
  }

  async #back() {
    const on = this.sheet?.revised ? this.sheet.screen.id : null;
    const history = this.storage.history();
    const place = on === null ? history.length : history.findIndex((each) => each.id === on);
    let earlier = history[place - 1] ?? null;
    try {
      earlier ??= (await this.server.earlier(on ?? history[0]?.id ?? null)).screen;
    } catch {
      this.told({ what: "notice", text: "The server is out of reach: cannot go back now." });
      return;
    }
    if (earlier === null) {
      this.told({ what: "notice", text: "There is nothing before this." });
      return;
    }
    this.keep();
    const left = this.sheet?.revised ? this.#left : (this.sheet?.screen ?? null);
    this.#show(earlier);
    this.#left = left;
  }

  #answered(submission, answer) {
    if (answer !== null) {
      this.#settled += 1;
      if (answer.progress) this.#count(answer.progress);
      const refused = answer.receipts.filter((receipt) => !receipt.ok);
      if (refused.length > 0) {
        const photos = refused.length === 1 ? "1 label was" : `${refused.length} labels were`;
        this.told({ what: "notice", text: `${photos} not kept: ${refused[0].reason}.` });
        const history = this.storage.history();
        this.storage.keepHistory(history.filter((each) => each.id !== submission.screen));
      }
      if (!this.sheet) this.fill();
    }
    this.told({ what: "status" });
  }

  /** Keep the leases; leave what went to somebody else meanwhile. */
  async beat() {
    if (document.hidden || this.#open.length === 0) return;
    try {
      const { lost } = await this.server.beat(this.#open.map((screen) => screen.id));
      if (lost.length === 0) return;
      this.#lose(lost);
      this.fill();
    } catch {
      // The next beat may go through; the lease outlives several.
    }
  }

  /** These screens are others' now. */
  #lose(ids) {
    for (const id of ids) {
      this.#drop(id);
      this.storage.dropDraft(id);
      if (this.#left?.id === id) this.#left = null;
      if (this.sheet?.screen.id !== id) continue;
      this.#show(null);
      const text = "The class that was here went to another labeler meanwhile.";
      this.told({ what: "notice", text });
    }
  }
}
