// Sends what was submitted, in order, until the server has said of every label what became of it.

import { Patience, Refused } from "./server.js";

export class Outbox {
  #server;
  #storage;
  #lock;
  #answered;
  #sending = false;
  #closed = false;

  /**
   * @param {string} lock the name under which the tabs of one labeler take turns
   * @param {(submission, answer) => void} answered told of each submission that is settled;
   *   `answer` is `{receipts, progress}`
   */
  constructor(server, storage, lock, answered) {
    this.#server = server;
    this.#storage = storage;
    this.#lock = lock;
    this.#answered = answered;
    this.offline = false;
  }

  /** Labels that wait to be sent, in all tabs. */
  get labels() {
    return this.#storage.outbox().reduce((sum, each) => sum + each.labels.length, 0);
  }

  /** The screens whose labels wait to be sent. */
  get screens() {
    return this.#storage.outbox().map((submission) => submission.screen);
  }

  /** From here on it is safe; `flush` sends it. */
  put(submission) {
    this.#storage.send(submission);
  }

  /** Send until nothing waits; returns at once where it is at it already. */
  async flush() {
    if (this.#sending) return;
    this.#sending = true;
    const patience = new Patience();
    while (!this.#closed && this.#storage.outbox().length > 0) {
      const before = this.#storage.outbox().length;
      await this.#inTurn(() => this.#sendAll());
      if (this.#storage.outbox().length < before) patience.reset();
      else await patience.wait();
    }
    this.#sending = false;
  }

  close() {
    this.#closed = true;
  }

  /** The lock is held only while something is on its way: a tab that waits blocks no other. */
  #inTurn(send) {
    return navigator.locks ? navigator.locks.request(this.#lock, send) : send();
  }

  /** Send what waits until one thing does not go through. */
  async #sendAll() {
    for (;;) {
      const [submission] = this.#storage.outbox();
      if (submission === undefined || this.#closed) return;
      let answer = null;
      try {
        answer = await this.#sent(submission);
        this.#storage.sent(submission);
      } catch {
        // It stays where it is, and is sent again later.
      }
      this.offline = answer === null;
      this.#answered(submission, answer);
      if (answer === null) return;
    }
  }

  async #sent(submission) {
    try {
      const answer = await this.#server.submit(submission);
      const told = new Set(answer.receipts.map((receipt) => receipt.id));
      if (submission.labels.every((label) => told.has(label.id))) return answer;
      throw new Error("not every label was answered");
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const refused = (label) => ({ id: label.id, ok: false, reason: error.message });
      return { receipts: submission.labels.map(refused), progress: null };
    }
  }
}
