// The server as the component sees it. A call either returns its answer or throws: Refused for what
// no repetition mends, anything else for what may go through later.

const PATIENCE = 15_000;
const NO_REPETITION_MENDS = [400, 413, 422];

/** The server understood the request and will not answer it. */
export class Refused extends Error {}

/** The server broke on this very request, while others may go through. */
export class Broken extends Error {}

export class Server {
  #session;
  #environment;
  #expired;
  #ahead = null; // of this machine's clock, in milliseconds; null before the first answer

  /** @param {() => void} expired asks the page for a fresh session */
  constructor(session, environment, expired) {
    this.#session = session;
    this.#environment = environment;
    this.#expired = expired;
    this.reachable = true; // as far as the last request tells
  }

  set session(session) {
    this.#session = session;
  }

  /** Milliseconds since 1970 by the server's clock. */
  now() {
    return this.#environment.clock() + (this.#ahead ?? 0);
  }

  /** @param {{loaded: string[], count: number}} request the screens that are here, and how many to have */
  screens(request) {
    return this.#post("screens", request);
  }

  /** Send these; `request` is as for `screens`, which then come with the answer. */
  submit(submissions, request = {}) {
    return this.#post("submit", { submissions, ...request });
  }

  beat(screens) {
    return this.#post("beat", { screens });
  }

  /** Give screens back, even while the page is closed. */
  leave(screens) {
    return this.#post("leave", { screens });
  }

  /** Say that this page hands the task in; whether it is the first. */
  async handIn() {
    return (await this.#post("hand_in", {})).first;
  }

  earlier(screen) {
    return this.#post("earlier", { screen });
  }

  /** Every class: `[{wnid, name, also, definition}]`. */
  classes() {
    return this.#inTime((signal) => this.#reply("classes", { signal }));
  }

  #post(what, body) {
    return this.#inTime((signal) => this.#answer(what, body, signal));
  }

  async #inTime(ask) {
    const timeout = new AbortController();
    const callOff = this.#environment.later(PATIENCE, () => timeout.abort());
    try {
      const answer = await ask(timeout.signal);
      this.reachable = true;
      return answer;
    } catch (error) {
      this.reachable = error instanceof Refused;
      throw error;
    } finally {
      callOff();
    }
  }

  async #answer(what, body, signal) {
    const headers = { "Content-Type": "application/json" };
    const keepalive = what === "leave";
    const sent = { method: "POST", headers, body: JSON.stringify(body), signal, keepalive };
    const answer = await this.#reply(what, sent);
    // An answer that took long says too little; the clock must not go back.
    const ahead = answer.now - this.#environment.clock();
    this.#ahead = Math.max(this.#ahead ?? -Infinity, ahead);
    return answer;
  }

  async #reply(what, options) {
    const headers = { Authorization: `Bearer ${this.#session}`, ...options.headers };
    const reply = await this.#environment.fetch(`/genset/${what}`, { ...options, headers });
    if (reply.status === 401) this.#expired();
    if (NO_REPETITION_MENDS.includes(reply.status)) throw new Refused((await reply.json()).error);
    if (reply.status === 500) throw new Broken("the server answered 500");
    if (!reply.ok) throw new Error(`the server answered ${reply.status}`);
    return reply.json();
  }
}
