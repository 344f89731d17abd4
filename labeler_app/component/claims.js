// Which tab shows which screen. A browser's lock is let go by itself when its tab closes or dies.
// Without locks (plain http on another machine) two tabs may show one screen: then the first to
// submit wins, the other is told by a storage event, and the server counts nothing twice.

export class Claims {
  #prefix;
  #release = new Map();

  constructor(labeler) {
    this.#prefix = `genset ${labeler} screen `;
  }

  has(screen) {
    return this.#release.has(screen);
  }

  /** Take a screen for this tab; false where another tab has it. */
  claim(screen) {
    if (this.has(screen)) return Promise.resolve(true);
    if (!navigator.locks) {
      this.#release.set(screen, () => {});
      return Promise.resolve(true);
    }
    return new Promise((resolve, reject) => {
      const held = (lock) => {
        resolve(lock !== null);
        if (lock === null) return undefined;
        return new Promise((release) => this.#release.set(screen, release));
      };
      navigator.locks
        .request(this.#prefix + screen, { ifAvailable: true }, held)
        .catch(reject);
    });
  }

  release(screen) {
    this.#release.get(screen)?.();
    this.#release.delete(screen);
  }

  releaseAll() {
    for (const screen of [...this.#release.keys()]) this.release(screen);
  }

  /** How many screens other tabs of this labeler hold. */
  async elsewhere() {
    if (!navigator.locks) return 0;
    const { held } = await navigator.locks.query();
    const all = held.filter((lock) => lock.name.startsWith(this.#prefix));
    return all.length - this.#release.size;
  }
}
