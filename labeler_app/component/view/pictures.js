// Pictures, loaded and decoded before they are needed. A picture is an <img> that is put into the
// page as it is: what was decoded once is not decoded again.

import { Patience } from "../work/patience.js";

export class Pictures {
  #known = new Map();
  #environment;

  /** @param {object} environment as in work/environment.js */
  constructor(environment) {
    this.#environment = environment;
  }

  /**
   * The picture at an address: `image`, `broken` (it cannot be shown, ever) and `ready`, which
   * resolves when it is decoded or known to be broken.
   */
  get(src, width) {
    const address = `${src}?w=${width}`;
    if (!this.#known.has(address)) this.#known.set(address, load(address, this.#environment));
    return this.#known.get(address);
  }

  /** Forget all but these pictures. */
  keep(pictures) {
    const needed = new Set(pictures);
    for (const [address, picture] of this.#known) {
      if (needed.has(picture)) continue;
      picture.needed = false;
      this.#known.delete(address);
    }
  }
}

function load(address, environment) {
  const image = new Image();
  image.decoding = "sync"; // painted together with all that is new, never a moment later
  const picture = { image, broken: false, needed: true };
  picture.ready = decoded(picture, address, new Patience(environment));
  return picture;
}

async function decoded(picture, address, patience) {
  for (let tries = 1; picture.needed; tries += 1) {
    picture.image.src = address;
    try {
      await picture.image.decode();
      return;
    } catch {
      // Gone for good, or out of reach for a moment? The picture itself does not say.
      const reply = await fetch(address).catch(() => null);
      const answered = reply !== null && reply.status < 500;
      if (answered && (!reply.ok || tries > 1)) {
        picture.broken = true;
        return;
      }
    }
    await patience.wait();
    picture.image.removeAttribute("src");
  }
}
