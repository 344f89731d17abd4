// Locks between the tabs of one browser. Plain http from another machine has none, and some frames
// forbid them: then every tab does as if it were the only one, and the server counts nothing twice.

export class Locks {
  #of;

  /** @param {() => LockManager | undefined} of returns the browser's locks, or throws */
  constructor(of) {
    this.#of = of;
  }

  /** Do something while no other tab holds this lock. */
  async inTurn(name, action) {
    let begun = false;
    try {
      return await this.#of().request(name, () => {
        begun = true;
        return action();
      });
    } catch (error) {
      if (begun) throw error;
      return action();
    }
  }

  /** Take a lock and keep it: what lets it go; null where another tab has it. */
  hold(name) {
    return new Promise((resolve) => {
      const taken = (lock) => {
        if (lock === null) return resolve(null);
        return new Promise((release) => resolve(release));
      };
      const without = () => resolve(() => {});
      try {
        this.#of().request(name, { ifAvailable: true }, taken).catch(without);
      } catch {
        without();
      }
    });
  }

  /** The locks whose names begin so, in all tabs: what comes after that. */
  async names(prefix) {
    try {
      const { held } = await this.#of().query();
      const names = held.map(({ name }) => name).filter((name) => name.startsWith(prefix));
      return names.map((name) => name.slice(prefix.length));
    } catch {
      return [];
    }
  }
}
