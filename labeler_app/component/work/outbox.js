// Sends what was submitted, in order, until the server has said of every label what became of it.

import { Patience } from "./patience.js";
import { Broken, Refused } from "./server.js";
import { entriesOf } from "./storage.js";

const MOST = 12; // submissions in a request: the server takes no more

export class Outbox {
  #server;
  #storage;
  #inTurn;
  #asking;
  #answered;
  #patience;
  #sending = null;
  #closed = false;

  /**
   * @param {(send: () => Promise) => Promise} inTurn does it while no other tab sends
   * @param {() => Promise<{request}>} asking which screens to ask for in the same request (null: none)
   * @param {(answer, settled, inquiry) => Promise} answered told of every answer (null: none came), of
   *   the submissions that it settles (`[{submission, refused, taught}]`), and of what `asking` returned
   */
  constructor(server, storage, environment, inTurn, asking, answered) {
    this.#server = server;
    this.#storage = storage;
    this.#inTurn = inTurn;
    this.#asking = asking;
    this.#answered = answered;
    this.#patience = new Patience(environment);
  }

  /** Labels that wait to be sent, in all tabs. */
  get labels() {
    return this.#waiting().length;
  }

  /**
   * Photos with a label that waits: `first` of which it is the first one, `changed` the others. A
   * question about a photo counts as one, a class that was added too.
   */
  get photos() {
    const first = new Set();
    const changed = new Set();
    for (const { wnid, photo, supersedes } of this.#waiting()) {
      if (wnid) first.add(`${photo} ${wnid}`);
      else if (supersedes === null) first.add(photo);
      else if (!first.has(photo)) changed.add(photo);
    }
    return { first: first.size, changed: changed.size };
  }

  /** The screens whose labels wait to be sent. */
  get screens() {
    return this.#storage.outbox().map((submission) => submission.screen);
  }

  #waiting() {
    return this.#storage.outbox().flatMap(entriesOf);
  }

  /** From here on it is safe; `flush` sends it. */
  put(submission) {
    this.#storage.send(submission);
  }

  /** Send until nothing waits; where it is at it already, it does not wait to try again. */
  flush() {
    this.#patience.wake();
    this.#sending ??= this.#flush().finally(() => (this.#sending = null));
    return this.#sending;
  }

  async #flush() {
    this.#patience.reset();
    while (!this.#closed && this.#storage.outbox().length > 0) {
      const before = new Set(this.#storage.outbox().map(({ id }) => id));
      await this.#inTurn(() => this.#sendAll());
      const stuck = this.#storage.outbox().some(({ id }) => before.has(id));
      if (!stuck) this.#patience.reset();
      else await this.#patience.wait();
    }
  }

  close() {
    this.#closed = true;
    this.#patience.wake();
  }

  /** Send what waits until something does not go through. */
  async #sendAll() {
    // One turn is for what waited at its beginning: what comes later has the next.
    const waiting = this.#storage.outbox();
    try {
      for (let first = 0; first < waiting.length && !this.#closed; first += MOST) {
        const inquiry = first + MOST < waiting.length ? null : await this.#asking();
        await this.#send(waiting.slice(first, first + MOST), inquiry);
      }
    } catch {
      await this.#answered(null, []); // it stays where it is, and is sent again later
    }
  }

  /** Send these in one request; one by one where one of them may be to blame. */
  async #send(submissions, inquiry = null) {
    let answer;
    try {
      answer = await this.#server.submit(submissions.map(asSent), inquiry?.request);
    } catch (error) {
      if (!(error instanceof Refused || error instanceof Broken)) throw error;
      if (submissions.length > 1) {
        for (const submission of submissions) await this.#send([submission]);
      } else if (error instanceof Refused) {
        const all = submissions.flatMap(entriesOf);
        const receipts = all.map(({ id }) => ({ id, ok: false, reason: error.message }));
        await this.#settle(submissions, { receipts, progress: null });
      } else {
        await this.#answered(null, []); // the others need not wait for it
      }
      return;
    }
    await this.#settle(submissions, answer, inquiry);
  }

  /** Put away those of which every label was answered. */
  #settle(submissions, answer, inquiry = null) {
    const receipts = new Map(answer.receipts.map((receipt) => [receipt.id, receipt]));
    const isAnswered = (submission) => entriesOf(submission).every(({ id }) => receipts.has(id));
    const results = submissions.filter(isAnswered).map((submission) => {
      const refused = entriesOf(submission)
        .filter(({ id }) => !receipts.get(id).ok)
        .map((label) => ({ ...label, reason: receipts.get(label.id).reason }));
      this.#storage.settle(submission, refused);
      const { name } = submission; // of the class
      const known = (label) => ({ name, ...label, ...receipts.get(label.id) });
      const taught = submission.labels.map(known).filter(({ expected }) => expected);
      return { submission, refused, taught };
    });
    return this.#answered(answer, results, inquiry);
  }
}

/** What the server is sent of what is kept. */
export function asSent({ screen, shown_at, submitted_at, labels, added = [], comments = [] }) {
  const all = { screen, shown_at, submitted_at, labels: labels.map(labelSent) };
  if (added.length > 0) all.added = added.map(addedSent);
  return comments.length > 0 ? { ...all, comments } : all;
}

const labelSent = ({ id, photo, verdict, shown_at, decided_at, order, supersedes }) => {
  return { id, photo, verdict, shown_at, decided_at, order, supersedes };
};

const addedSent = ({ id, wnid, shown_at, decided_at, order }) => {
  return { id, wnid, shown_at, decided_at, order };
};
