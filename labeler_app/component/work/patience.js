// Waits between tries.

const FIRST = 500;
const LONGEST = 15_000;

/** Longer each time, and no longer than it takes to be online again or to be woken. */
export class Patience {
  #environment;
  #tries = 0;
  #wake = () => {};

  constructor(environment) {
    this.#environment = environment;
  }

  reset() {
    this.#tries = 0;
  }

  wait() {
    const { later, online, random } = this.#environment;
    const longest = Math.min(LONGEST, FIRST * 2 ** this.#tries);
    this.#tries += 1;
    return new Promise((resolve) => {
      const done = () => {
        callOff();
        forget();
        resolve();
      };
      const callOff = later(longest * (0.5 + random() / 2), done);
      const forget = online(done);
      this.#wake = done;
    });
  }

  /** There is a reason to try again now. */
  wake() {
    this.#wake();
  }
}
