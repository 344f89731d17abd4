// What must outlive this page: unsent submissions, what was refused, drafts, and the way back. Each
// thing stands under a key of its own, so that two tabs never write over each other, and each key
// begins with the workspace and the labeler: several of both may share a browser.

import { Items } from "./items.js";

// No request lasts so long: an answer that is older than this comes no more.
const A_MINUTE = 60_000;

export class Storage {
  #items;
  #owner;
  #prefix;
  #clock;

  /**
   * @param {string} owner the workspace and the labeler whose things these are, without spaces
   * @param {object} environment `items` and `clock` of it are used
   */
  constructor(owner, { items, clock }) {
    this.#items = new Items(items);
    this.#owner = owner;
    this.#prefix = `genset ${owner} `;
    this.#clock = clock;
  }

  /** Whether the browser does not keep all of it: what it did not take goes with the page. */
  get failing() {
    return this.#items.failing;
  }

  /** What was kept of a half-decided screen; null where there is nothing. */
  draft(screen) {
    return this.#read(`draft ${screen}`);
  }

  keepDraft(screen, draft) {
    this.#write(`draft ${screen}`, draft);
  }

  dropDraft(screen) {
    this.#remove(`draft ${screen}`);
  }

  /** Unsent submissions of all tabs, in the order in which they were given. */
  outbox(prefix = this.#prefix) {
    return this.#all("outbox", prefix).sort((a, b) => a.place - b.place);
  }

  /** Whoever else labeled in this browser, here or in another workspace, and has unsent submissions. */
  others() {
    const [here] = this.#owner.split("/");
    const all = this.#items.keys().map((key) => /^genset (\S+) outbox /.exec(key)?.[1]);
    const owners = new Set(all.filter((owner) => owner && owner !== this.#owner));
    return [...owners].map((owner) => {
      const [workspace, labeler] = owner.split("/");
      const outbox = () => this.outbox(`genset ${owner} `);
      return { labeler: decodeURIComponent(labeler), isHere: workspace === here, outbox };
    });
  }

  /** After all that waits, by a count: a clock may be set back. */
  send(submission) {
    const last = this.outbox().at(-1)?.place ?? 0;
    this.#write(`outbox ${submission.id}`, { place: last + 1, ...submission });
  }

  /**
   * The server has answered for all of a submission. Of its labels it refused these:
   * `[{id, photo, verdict, reason, ...}]`.
   */
  settle(submission, refused) {
    const { id, screen, name } = submission;
    for (const label of refused) this.#write(`refused ${label.id}`, { name, ...label });
    const none = refused.length === entriesOf(submission).length;
    this.#write(`sent ${screen}`, { screen, none, at: this.#clock() });
    this.#remove(`outbox ${id}`); // last: whatever ends the page before, it is sent again
    this.#items.retry();
  }

  /** Labels that the server refused, the oldest first, until the labeler dismisses them. */
  refused() {
    return this.#all("refused").sort((a, b) => a.decided_at - b.decided_at);
  }

  dismiss(label) {
    this.#remove(`refused ${label}`);
  }

  /** Every screen that was submitted here and that the server may still call open. */
  submitted() {
    const waiting = this.#all("outbox").map(({ screen }) => screen);
    return new Set([...waiting, ...this.#all("sent").map(({ screen }) => screen)]);
  }

  /** The screens whose labels were answered for, as they are known now. */
  sent() {
    return this.#all("sent");
  }

  /**
   * The server was asked for the open screens when `sent` was known, and listed these. One that is
   * not listed any more need not be remembered, once no older answer can come, in any tab. Of one
   * that is listed though nothing on it was stored, the server does want the labels.
   */
  listed(screens, sent) {
    for (const { screen, none, at } of sent) {
      const done = !screens.has(screen) && this.#clock() - at > A_MINUTE;
      if (done || (screens.has(screen) && none)) this.#remove(`sent ${screen}`);
    }
  }

  /** The screens that were submitted here of late, the newest last. */
  history() {
    return this.#read("history") ?? [];
  }

  keepHistory(history) {
    this.#write("history", history.slice(-8));
  }

  /** How far the labeler is, as the tab that heard it last from the server knows it. */
  progress() {
    return this.#read("progress");
  }

  keepProgress(progress) {
    this.#write("progress", progress);
  }

  /** Whether a storage event, which comes from another tab, is about these things. */
  concerns(event) {
    return event.key === null || event.key.startsWith(this.#prefix);
  }

  #all(kind, prefix = this.#prefix) {
    const first = `${prefix}${kind} `;
    const keys = this.#items.keys().filter((key) => key.startsWith(first));
    return keys.map((key) => parsed(this.#items.get(key))).filter(Boolean);
  }

  #read(name) {
    return parsed(this.#items.get(this.#prefix + name));
  }

  #write(name, value) {
    this.#items.set(this.#prefix + name, JSON.stringify(value));
  }

  #remove(name) {
    this.#items.remove(this.#prefix + name);
  }
}

/** All that the server has to answer for: the labels, and the classes that were added. */
export function entriesOf({ labels, added = [] }) {
  return [...labels, ...added];
}

/** What a text says; null for somebody else's, or half written: as good as nothing. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
