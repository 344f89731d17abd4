// The server as the component sees it. A call either returns its answer or throws: Refused for what
// no repetition mends, anything else for what may go through later.

const PATIENCE = 15_000;

/** The server understood the request and will not answer it. */
export class Refused extends Error {}

export class Server {
  #session;
  #expired;
  #ahead = null; // of this machine's clock, in milliseconds; null before the first answer

  /** @param {() => void} expired asks the page for a fresh session */
  constructor(session, expired) {
    this.#session = session;
    this.#expired = expired;
  }

  set session(session) {
    this.#session = session;
  }

  /** Milliseconds since 1970 by the server's clock. */
  now() {
    return Date.now() + (this.#ahead ?? 0);
  }

  screens(held, count) {
    return this.#post("screens", { held, count });
  }

  submit(submission) {
    return this.#post("submit", { submissions: [submission] });
  }

  beat(screens) {
    return this.#post("beat", { screens });
  }

  earlier(screen) {
    return this.#post("earlier", { screen });
  }

  async #post(what, body) {
    const reply = await fetch(`/genset/${what}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${this.#session}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE),
    });
    if (reply.status === 401) this.#expired();
    if (reply.status === 400) throw new Refused((await reply.json()).error);
    if (!reply.ok) throw new Error(`the server answered ${reply.status}`);
    const answer = await reply.json();
    // An answer that took long says too little; the clock must not go back.
    this.#ahead = Math.max(this.#ahead ?? -Infinity, answer.now - Date.now());
    return answer;
  }
}

/** Waits between tries: longer each time, and no longer than it takes to be online again. */
export class Patience {
  #tries = 0;

  reset() {
    this.#tries = 0;
  }

  wait() {
    const longest = Math.min(15_000, 500 * 2 ** this.#tries);
    this.#tries += 1;
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        removeEventListener("online", done);
        resolve();
      };
      const timer = setTimeout(done, longest * (0.5 + Math.random() / 2));
      addEventListener("online", done);
    });
  }
}
