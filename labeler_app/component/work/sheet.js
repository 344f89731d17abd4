// One screen and what a labeler has decided on it: verdicts, when each was given, and the way back.

/** What a screen asks about: the photos of a class, or the classes of a photo; undefined if loaded before. */
export function itemsOf({ photos, questions }) {
  return questions ?? photos;
}

/** Whether it shows one photo, and asks which further classes are in it. */
export function asksOfOne({ kind }) {
  return kind === "also";
}

export const MOST_ADDED = 4; // classes that a labeler may add to a screen

const A_LOOK = 300; // milliseconds: what scrolls past in less was not seen
const ADDED = "added "; // before the wnid, in the key of a class that was added

export class Sheet {
  #decided; // an item's id, or the key of an added class -> {verdict, at, seen}
  #sights; // an item's id -> what `seen` was when the item came into sight
  #comments; // an item's id -> what is remarked on it: "" flags it alone, null takes that back
  #steps; // what each step back restores: [[id, decision or null], ...]

  /**
   * @param {object} screen as the server sent it; one that was submitted before has verdicts
   * @param {object | null} draft what `draft` returned before a reload
   */
  constructor(screen, draft) {
    this.screen = screen;
    this.seen = draft?.seen ?? 0; // milliseconds for which it was looked at
    this.#decided = new Map(draft?.decided ?? []);
    this.#sights = new Map(draft?.sights ?? []);
    this.#comments = new Map(draft?.comments ?? []);
    this.#steps = draft?.steps ?? [];
  }

  /** Whether it was submitted before, so that what is decided now replaces labels. */
  get revised() {
    return this.screen.submitted;
  }

  get items() {
    return itemsOf(this.screen);
  }

  /** The classes that were added and are not sent yet, in the order in which they were. */
  get added() {
    const added = [...this.#decided].filter(([id]) => id.startsWith(ADDED));
    return added.map(([id, { cls }]) => ({ id, ...cls }));
  }

  /** Classes that were added when it was submitted, as long as the server has not named them. */
  get sent() {
    return this.screen.added ?? [];
  }

  /** What can be gone to: the items, and the added classes after them. */
  get rows() {
    return [...this.items, ...this.sent, ...this.added];
  }

  verdict(item) {
    return this.#decided.get(item.id)?.verdict ?? item.verdict;
  }

  get undecided() {
    return this.items.filter((item) => this.verdict(item) === null);
  }

  /** The place of the next item that is undecided, from the beginning after the end; -1: none. */
  next(place) {
    const isOpen = (item) => this.verdict(item) === null;
    const after = this.items.findIndex((item, index) => index > place && isOpen(item));
    return after >= 0 ? after : this.items.findIndex(isOpen);
  }

  get draft() {
    const [decided, sights, comments] = [this.#decided, this.#sights, this.#comments].map(
      (map) => [...map],
    );
    return { seen: this.seen, decided, sights, comments, steps: this.#steps };
  }

  /** An item came into sight, or went out of it. */
  sight({ id }, inSight) {
    const since = this.#sights.get(id);
    if (inSight && since === undefined) this.#sights.set(id, this.seen);
    if (!inSight && this.seen - since < A_LOOK) this.#sights.delete(id);
  }

  /** Whether an item was in sight: else nobody can have meant it. */
  wasSeen({ id }) {
    return this.#sights.has(id);
  }

  /** How much is decided here and not submitted. */
  get decided() {
    return this.#decided.size;
  }

  /** Whether there is nothing on it that a reload could lose. */
  get untouched() {
    return this.#decided.size + this.#comments.size === 0;
  }

  /** What is remarked on an item; null for nothing. */
  commentOn(item) {
    return this.#comments.has(item.id) ? this.#comments.get(item.id) : (item.comment ?? null);
  }

  comment({ id }, text) {
    this.#comments.set(id, text);
  }

  mark(items, verdict, at) {
    const changed = items.filter((item) => this.verdict(item) !== verdict);
    if (changed.length === 0) return;
    this.#step(changed.map(({ id }) => id));
    for (const { id } of changed) this.#decided.set(id, { verdict, ...this.#when(id, at) });
  }

  /** Say that this class is there too; one that is on the screen already is left as it is. */
  add(cls, at) {
    const { wnid, name, also, definition } = cls;
    const id = ADDED + wnid;
    if (this.#decided.has(id)) return;
    this.#step([id]);
    const known = { wnid, name, also, definition };
    this.#decided.set(id, { verdict: "correct", ...this.#when(id, at), cls: known });
  }

  /** Take an added class off again. */
  takeOff({ id }) {
    if (!id.startsWith(ADDED) || !this.#decided.has(id)) return;
    this.#step([id]);
    this.#decided.delete(id);
  }

  /** Take the last step back; the ids that it was about, none where there is none. */
  undo() {
    const step = this.#steps.pop() ?? [];
    for (const [id, before] of step) {
      if (before === null) this.#decided.delete(id);
      else this.#decided.set(id, before);
    }
    return step.map(([id]) => id);
  }

  #step(ids) {
    this.#steps.push(ids.map((id) => [id, this.#decided.get(id) ?? null]));
  }

  #when(id, at) {
    return { at, seen: Math.round(this.seen - (this.#sights.get(id) ?? 0)) };
  }

  /**
   * What to store: `labels` of every item at first, later of those whose verdict changed, and
   * `added`, the classes that the labeler added, and `comments` that changed. Shown is when the item came into sight: counted
   * back from decided by the time for which the page was looked at since.
   *
   * @param {() => string} uuid makes an id for each
   */
  answers(uuid) {
    const changed = this.items.filter(
      (item) => this.#decided.has(item.id) && this.verdict(item) !== item.verdict,
    );
    const rows = [...changed, ...this.added].map((row) => ({ row, ...this.#decided.get(row.id) }));
    const order = [...rows].sort((a, b) => a.at - b.at);
    const all = rows.map((entry) => ({
      row: entry.row,
      id: uuid(),
      verdict: entry.verdict,
      shown_at: entry.at - entry.seen,
      decided_at: entry.at,
      order: order.indexOf(entry) + 1,
    }));
    const labels = all.slice(0, changed.length).map(({ row, ...label }) => ({
      ...label,
      photo: row.id,
      name: row.name, // of the class that a question is about: what a refusal is told by
      supersedes: row.label_id,
    }));
    const added = all.slice(changed.length).map(({ row, ...label }) => ({
      ...label,
      wnid: row.wnid,
      name: row.name,
      photo: this.items[0].id,
    }));
    const remarked = this.items.filter((item) => this.commentOn(item) !== (item.comment ?? null));
    const comments = remarked.map((item) => ({ photo: item.id, text: this.commentOn(item) }));
    return { labels, added, comments };
  }

  /** The screen as it is once these labels and added classes are stored. */
  after({ labels, added }) {
    const items = this.items.map((item) => {
      const label = labels.find((entry) => entry.photo === item.id);
      const known = { ...item, comment: this.commentOn(item) };
      return label ? { ...known, verdict: label.verdict, label_id: label.id } : known;
    });
    if (!asksOfOne(this.screen)) return { ...this.screen, photos: items, submitted: true };
    const classes = this.added.map((cls, place) => {
      return { ...cls, verdict: "correct", label_id: added[place].id };
    });
    const sent = [...this.sent, ...classes];
    return { ...this.screen, questions: items, added: sent, submitted: true };
  }
}
