// Which rows of a screen are in sight. A row is when all of it is, or as much as the window holds.

const WHOLE = 0.95;
const STEPS = Array.from({ length: 21 }, (_, step) => step / 20);

export class Sight {
  #observer = null;
  #done = () => {};

  /**
   * Watch elements from now on, and no others. Resolves when it is known which are in sight.
   *
   * @param {Element[]} elements one for each row
   * @param {{top: number, bottom: number}} covered pixels of the window that something lies over
   * @param {(place: number, inSight: boolean) => void} changed told of each at once, then of changes
   */
  watch(elements, { top, bottom }, changed) {
    this.close();
    return new Promise((resolve) => {
      this.#done = resolve;
      const told = (entries) => {
        for (const entry of entries) changed(elements.indexOf(entry.target), isWhole(entry));
        resolve();
      };
      const rootMargin = `${-Math.ceil(top)}px 0px ${-Math.ceil(bottom)}px`;
      this.#observer = new IntersectionObserver(told, { rootMargin, threshold: STEPS });
      for (const element of elements) this.#observer.observe(element);
    });
  }

  close() {
    this.#observer?.disconnect();
    this.#done();
  }
}

/** `rootBounds` is null in a frame of another site's page. */
function isWhole({ intersectionRatio, intersectionRect, rootBounds }) {
  const fills = rootBounds !== null && intersectionRect.height >= WHOLE * rootBounds.height;
  return intersectionRatio >= WHOLE || (fills && rootBounds.height > 0);
}
