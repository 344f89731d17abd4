// What the tabs of one browser share by its locks: which tab shows which screen, and whose turn it is
// to send. A lock is let go by itself when its tab closes or dies. Plain http from another machine
// has none, and some frames forbid them: then every tab does as if it were the only one, the first to
// submit wins, the other is told by a storage event, and the server counts nothing twice.

export class Claims {
  #of;
  #owner;
  #release = new Map(); // screen -> what lets its lock go
  #requests = new Map(); // screen -> whether it will be this tab's
  inOtherTabs = []; // screens that other tabs of this labeler hold, as far as was seen

  /**
   * @param {string} owner the workspace and the labeler whose tabs these are
   * @param {() => LockManager | undefined} of returns the browser's locks, or throws
   */
  constructor(owner, of) {
    this.#owner = `genset ${owner} `;
    this.#of = of;
  }

  /** Do something while no other tab does it. */
  async inTurn(action) {
    let begun = false;
    try {
      return await this.#of().request(`${this.#owner}outbox`, () => {
        begun = true;
        return action();
      });
    } catch (error) {
      if (begun) throw error;
      return action();
    }
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
    const release = await new Promise((resolve) => {
      const taken = (lock) => {
        if (lock === null) return resolve(null);
        return new Promise((letGo) => resolve(letGo));
      };
      const without = () => resolve(() => {});
      try {
        this.#of().request(this.#nameOf(screen), { ifAvailable: true }, taken).catch(without);
      } catch {
        without();
      }
    });
    this.#requests.delete(screen);
    if (release !== null) this.#release.set(screen, release);
    return release !== null;
  }

  #nameOf(screen) {
    return `${this.#owner}screen ${screen}`;
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
    const prefix = this.#nameOf("");
    const { held } = await this.#query();
    const all = held.map(({ name }) => name).filter((name) => name.startsWith(prefix));
    const screens = all.map((name) => name.slice(prefix.length));
    this.inOtherTabs = screens.filter((screen) => !this.has(screen));
    return this.inOtherTabs.length;
  }

  async #query() {
    try {
      return await this.#of().query();
    } catch {
      return { held: [] };
    }
  }
}
