// What must outlive this page: unsent submissions, drafts, and the way back. All in localStorage,
// each thing under a key of its own, so that two tabs never write over each other.

export class Storage {
  #prefix;
  #items = localItems();

  /** @param {string} labeler whose things these are: several may share a browser */
  constructor(labeler) {
    this.#prefix = `genset ${labeler} `;
  }

  /** What was kept of a half-decided screen; null where there is nothing. */
  draft(screen) {
    return this.#read(`draft ${screen}`);
  }

  keepDraft(screen, draft) {
    this.#write(`draft ${screen}`, draft);
  }

  dropDraft(screen) {
    this.#items.removeItem(`${this.#prefix}draft ${screen}`);
  }

  /** Unsent submissions of all tabs, in the order in which they were given. */
  outbox() {
    const first = `${this.#prefix}outbox `;
    const found = [];
    for (let place = 0; place < this.#items.length; place += 1) {
      const key = this.#items.key(place);
      if (key.startsWith(first)) found.push(this.#read(key.slice(this.#prefix.length)));
    }
    return found.filter(Boolean).sort((a, b) => a.put_at - b.put_at);
  }

  /** In order by this machine's clock, which all tabs share; the server's is only estimated. */
  send(submission) {
    this.#write(`outbox ${submission.id}`, { ...submission, put_at: Date.now() });
  }

  sent(submission) {
    this.#items.removeItem(`${this.#prefix}outbox ${submission.id}`);
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

  #read(name) {
    try {
      return JSON.parse(this.#items.getItem(this.#prefix + name));
    } catch {
      return null; // somebody else's, or half written: as good as nothing
    }
  }

  #write(name, value) {
    this.#items.setItem(this.#prefix + name, JSON.stringify(value));
  }
}

/** localStorage; in a browser that forbids it, a stand-in that lasts as long as the page. */
function localItems() {
  try {
    localStorage.setItem("genset", "");
    localStorage.removeItem("genset");
    return localStorage;
  } catch {
    const items = new Map();
    return {
      get length() {
        return items.size;
      },
      key: (place) => [...items.keys()][place],
      getItem: (key) => items.get(key) ?? null,
      setItem: (key, value) => items.set(key, value),
      removeItem: (key) => items.delete(key),
    };
  }
}
