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
   * The classes that a text may mean by name, other names or wnid, the likeliest first: the whole
   * name, its last word ("Eskimo dog"), another word, its beginning ("dogsled"), a word's beginning,
   * or anywhere within. None for an empty text.
   */
  find(text) {
    const query = folded(text);
    if (query === "" || this.#all === null) return [];
    const found = [];
    for (const { cls, words } of this.#all) {
      const ranks = words.map((word, place) => rank(word, query) * 2 + Math.min(place, 1));
      const fitting = ranks.filter((value) => value >= 0);
      if (fitting.length > 0) found.push({ cls, best: Math.min(...fitting) });
    }
    found.sort((a, b) => a.best - b.best || a.cls.name.length - b.cls.name.length);
    return found.slice(0, SHOWN).map(({ cls }) => cls);
  }
}

const FITS = [
  (name, query) => name === query,
  (name, query) => name.endsWith(` ${query}`),
  (name, query) => ` ${name} `.includes(` ${query} `),
  (name, query) => name.startsWith(query),
  (name, query) => name.includes(` ${query}`),
  (name, query) => name.includes(query),
];

/** How well a name fits: 0 is best, -1 not at all. */
const rank = (name, query) => FITS.findIndex((fits) => fits(name, query));

const wordsOf = ({ wnid, name, also }) => [name, ...also, wnid].map(folded);

/** Without case, accents, and signs between words. */
function folded(text) {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}
