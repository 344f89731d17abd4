// Which tab shows which screen. A browser's lock is let go by itself when its tab closes or dies.
// Without locks two tabs may show one screen: then the first to submit wins, the other is told by a
// storage event, and the server counts nothing twice.

export class Claims {
  #locks;
  #prefix;
  #release = new Map();
  #requests = new Map(); // screen -> what its lock will say
  inOtherTabs = []; // screens that other tabs of this labeler hold, as far as was seen

  /** @param {string} owner the workspace and the labeler whose tabs these are */
  constructor(owner, locks) {
    this.#locks = locks;
    this.#prefix = `genset ${owner} screen `;
  }

  has(screen) {
    return this.#release.has(screen);
  }

  /** Take a screen for this tab; false where another tab has it. */
  async claim(screen) {
    if (this.has(screen)) return true;
    if (!this.#requests.has(screen)) this.#requests.set(screen, this.#hold(screen));
    return this.#requests.get(screen);
  }

  async #hold(screen) {
    const release = await this.#locks.hold(this.#prefix + screen);
    this.#requests.delete(screen);
    if (release !== null) this.#release.set(screen, release);
    return release !== null;
  }

  release(screen) {
    this.#release.get(screen)?.();
    this.#release.delete(screen);
  }

  releaseAll() {
    for (const screen of [...this.#release.keys()]) this.release(screen);
  }

  /** How many screens other tabs of this labeler hold. */
  async others() {
    const all = await this.#locks.names(this.#prefix);
    this.inOtherTabs = all.filter((screen) => !this.has(screen));
    return this.inOtherTabs.length;
  }
}
