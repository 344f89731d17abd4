// One screen and what a labeler has decided on it: verdicts, when each was given, and the way back.

export class Sheet {
  #decided; // photo id -> {verdict, at, seen}
  #steps; // what each step back restores: [[photo id, decision or null], ...]

  /**
   * @param {object} screen as the server sent it; one that was submitted before has verdicts
   * @param {object | null} draft what `draft` returned before a reload
   */
  constructor(screen, draft) {
    this.screen = screen;
    this.seen = draft?.seen ?? 0; // milliseconds for which it was looked at
    this.#decided = new Map(draft?.decided ?? []);
    this.#steps = draft?.steps ?? [];
  }

  /** Whether it was submitted before, so that what is decided now replaces labels. */
  get revised() {
    return this.screen.submitted;
  }

  get photos() {
    return this.screen.photos;
  }

  verdict(photo) {
    return this.#decided.get(photo.id)?.verdict ?? photo.verdict;
  }

  get undecided() {
    return this.photos.filter((photo) => this.verdict(photo) === null);
  }

  get draft() {
    return { seen: this.seen, decided: [...this.#decided], steps: this.#steps };
  }

  /** Whether there is nothing on it that a reload could lose. */
  get untouched() {
    return this.#decided.size === 0;
  }

  mark(photos, verdict, at) {
    const changed = photos.filter((photo) => this.verdict(photo) !== verdict);
    if (changed.length === 0) return;
    this.#steps.push(changed.map((photo) => [photo.id, this.#decided.get(photo.id) ?? null]));
    for (const photo of changed) {
      this.#decided.set(photo.id, { verdict, at, seen: Math.round(this.seen) });
    }
  }

  /** Take the last mark back; the photos that it was on, none where there is none. */
  undo() {
    const step = this.#steps.pop() ?? [];
    for (const [id, before] of step) {
      if (before === null) this.#decided.delete(id);
      else this.#decided.set(id, before);
    }
    return this.photos.filter((photo) => step.some(([id]) => id === photo.id));
  }

  /**
   * The labels to store: of every photo at first, later of those whose verdict changed. Shown is
   * counted back from decided by the time that the page was looked at.
   *
   * @param {() => string} uuid makes an id for each
   */
  labels(uuid) {
    const given = this.photos
      .filter((photo) => this.#decided.has(photo.id) && this.verdict(photo) !== photo.verdict)
      .map((photo) => ({ photo, ...this.#decided.get(photo.id) }));
    const order = [...given].sort((a, b) => a.at - b.at);
    return given.map((each) => ({
      id: uuid(),
      photo: each.photo.id,
      verdict: each.verdict,
      shown_at: each.at - each.seen,
      decided_at: each.at,
      order: order.indexOf(each) + 1,
      supersedes: each.photo.label_id,
    }));
  }

  /** The screen as it is once these labels are stored. */
  after(labels) {
    const photos = this.photos.map((photo) => {
      const label = labels.find((each) => each.photo === photo.id);
      return label ? { ...photo, verdict: label.verdict, label_id: label.id } : photo;
    });
    return { ...this.screen, photos, submitted: true };
  }
}
