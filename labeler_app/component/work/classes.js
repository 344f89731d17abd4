// All classes by name, for the search for one that is not among the questions.

const SHOWN = 40; // nobody reads a longer list: a longer word makes it shorter

export class Classes {
  #server;
  #all = null; // [{cls, words}], words folded
  #request = null;

  constructor(server) {
    this.#server = server;
  }

  /** Have them: asked for once, and kept in memory. Throws while the server is out of reach. */
  async load() {
    if (this.#all !== null) return;
    this.#request ??= this.#server.classes();
    try {
      const classes = await this.#request;
      this.#all = classes.map((cls) => ({ cls, words: wordsOf(cls) }));
    } finally {
      this.#request = null;
    }
  }

  get loaded() {
    return this.#all !== null;
  }

  /**
   * The classes that a text may mean, the likeliest first: by name, other names or wnid, whole, from
   * the beginning, from the beginning of a word, or anywhere within. None for an empty text.
   */
  find(text) {
    const query = folded(text);
    if (query === "" || this.#all === null) return [];
    const found = [];
    for (const { cls, words } of this.#all) {
      const ranks = words.map((word, place) => rank(word, query) * 2 + Math.min(place, 1));
      const best = Math.min(...ranks);
      if (best < NOT * 2) found.push({ cls, best });
    }
    found.sort((a, b) => a.best - b.best || a.cls.name.length - b.cls.name.length);
    return found.slice(0, SHOWN).map(({ cls }) => cls);
  }
}

const NOT = 4;

/** How well a word fits: 0 is the same word, `NOT` not at all. */
function rank(word, query) {
  if (word === query) return 0;
  const at = word.indexOf(query);
  if (at <= 0) return at === 0 ? 1 : NOT;
  return word.includes(` ${query}`) ? 2 : 3;
}

const wordsOf = ({ wnid, name, also }) => [name, ...also, wnid].map(folded);

/** Without case, accents, and signs between words. */
function folded(text) {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}
