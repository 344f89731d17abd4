// localStorage, which may be full, forbidden or missing. What it does not take is kept in memory,
// as long as the page lasts, and offered to it again.

export class Items {
  #open;
  #memory = new Map(); // key -> text that was not taken; null: could not be removed

  /** @param {() => Storage} open returns the browser's storage, or throws */
  constructor(open) {
    this.#open = open;
    this.#try((items) => {
      items.setItem("genset", "");
      items.removeItem("genset");
    }, () => this.#memory.set("genset", null));
  }

  /** Whether something is kept in memory only, and goes with the page. */
  get failing() {
    return this.#memory.size > 0;
  }

  /** Every key that is there; others than ours too. */
  keys() {
    const stored = this.#try((items) => {
      const found = [];
      for (let place = 0; place < items.length; place += 1) found.push(items.key(place));
      return found;
    }, () => []);
    const gone = (key) => this.#memory.get(key) === null;
    return [...new Set([...stored, ...this.#memory.keys()])].filter((key) => !gone(key));
  }

  get(key) {
    if (this.#memory.has(key)) return this.#memory.get(key);
    return this.#try((items) => items.getItem(key), () => null);
  }

  set(key, text) {
    this.#try((items) => {
      items.setItem(key, text);
      this.#memory.delete(key);
    }, () => this.#memory.set(key, text));
  }

  remove(key) {
    this.#try((items) => {
      items.removeItem(key);
      this.#memory.delete(key);
    }, () => this.#memory.set(key, null));
  }

  /** Offer what was not taken once more. */
  retry() {
    for (const [key, text] of [...this.#memory]) {
      if (text === null) this.remove(key);
      else this.set(key, text);
    }
  }

  #try(action, otherwise) {
    try {
      return action(this.#open());
    } catch {
      return otherwise();
    }
  }
}
