// A browser, a network and a server for the state machine, in time that the test turns.

import { Server } from "../../../labeler_app/component/work/server.js";
import { Work } from "../../../labeler_app/component/work/work.js";

/** Time that passes only when it is told to. */
export class Clock {
  now = 1_800_000_000_000;
  #timers = [];
  #made = 0;

  later(milliseconds, call) {
    const timer = { at: this.now + milliseconds, made: (this.#made += 1), call };
    this.#timers.push(timer);
    return () => (this.#timers = this.#timers.filter((each) => each !== timer));
  }

  /** Let time pass, and everything happen that happens in it. */
  async pass(milliseconds) {
    const end = this.now + milliseconds;
    await settle();
    for (;;) {
      const [next] = this.#timers.sort((a, b) => a.at - b.at || a.made - b.made);
      if (next === undefined || next.at > end) break;
      this.#timers.shift();
      this.now = next.at;
      next.call();
      await settle();
    }
    this.now = end;
  }
}

/** Let every promise that can go on do so. */
async function settle() {
  for (let turn = 0; turn < 4; turn += 1) await new Promise(setImmediate);
}

/** Numbers that look random, and are the same each time. */
export function dice(seed) {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** What the tabs of one browser share: storage and locks. */
export class Browser {
  room = Infinity; // characters that the storage takes
  forbidden = false;
  lockless = false;
  #kept = new Map();
  #held = new Map(); // name -> tab
  #queue = new Map(); // name -> [[tab, go], ...]

  get size() {
    return [...this.#kept].reduce((sum, [key, text]) => sum + key.length + text.length, 0);
  }

  keys(part) {
    return [...this.#kept.keys()].filter((key) => key.includes(part));
  }

  put(key, value) {
    this.#kept.set(key, JSON.stringify(value));
  }

  /** The storage as one tab sees it. */
  items(tab) {
    if (this.forbidden) throw new Error("SecurityError");
    const kept = this.#kept;
    const browser = this;
    return {
      get length() {
        return kept.size;
      },
      key: (place) => [...kept.keys()][place] ?? null,
      getItem: (key) => kept.get(key) ?? null,
      setItem(key, text) {
        const before = (kept.get(key) ?? "").length;
        if (browser.size + text.length - before + key.length > browser.room) {
          throw new Error("QuotaExceededError");
        }
        kept.set(key, text);
        tab.wrote(key);
      },
      removeItem(key) {
        if (kept.delete(key)) tab.wrote(key);
      },
    };
  }

  /** The locks as one tab sees them. */
  locks(tab) {
    if (this.lockless) return undefined;
    return {
      request: (name, ...rest) => this.#request(tab, name, rest.at(-1), rest.length > 1),
      query: async () => ({ held: [...this.#held.keys()].map((name) => ({ name })) }),
    };
  }

  /** A tab is gone, and its locks with it. */
  forget(tab) {
    for (const [name, waiting] of this.#queue) {
      this.#queue.set(name, waiting.filter(([whose]) => whose !== tab));
    }
    for (const [name, whose] of [...this.#held]) if (whose === tab) this.#letGo(name);
  }

  async #request(tab, name, held, ifAvailable) {
    if (this.#held.has(name)) {
      if (ifAvailable) return held(null);
      await new Promise((go) => {
        this.#queue.set(name, [...(this.#queue.get(name) ?? []), [tab, go]]);
      });
    }
    this.#held.set(name, tab);
    try {
      return await held({ name });
    } finally {
      if (this.#held.get(name) === tab) this.#letGo(name);
    }
  }

  #letGo(name) {
    this.#held.delete(name);
    const [next, ...others] = this.#queue.get(name) ?? [];
    this.#queue.set(name, others);
    if (next === undefined) return;
    this.#held.set(name, next[0]);
    next[1]();
  }
}

/** The way of requests to a server. A test sets `way` to make it long, or leaky. */
export class Network {
  offline = false;
  requests = []; // {what, body}
  /** How one request travels: milliseconds there and back, `lost` there or back, `twice`. */
  way = () => ({ there: 5, back: 5 });

  constructor(clock, server) {
    this.clock = clock;
    this.server = server;
  }

  fetch(address, { body = "{}", headers, signal }) {
    const what = address.split("/").at(-1);
    const asked = JSON.parse(body);
    this.requests.push({ what, body: asked });
    const { there = 5, back = 5, lost, twice, status } = this.way(what, asked);
    return new Promise((resolve, reject) => {
      const fail = () => reject(new Error("the network failed"));
      signal.addEventListener("abort", fail);
      if (this.offline) return fail();
      if (lost === "there") return undefined;
      return this.clock.later(there, () => {
        if (status) return resolve(reply(status, { error: "no" }));
        let answer = this.server.answer(what, asked, headers);
        if (twice) answer = this.server.answer(what, asked, headers);
        if (lost === "back") return undefined;
        return this.clock.later(back, () => (this.offline ? fail() : resolve(answer)));
      });
    });
  }
}

function reply(status, body) {
  const text = JSON.stringify(body);
  return { status, ok: status < 300, json: async () => JSON.parse(text) };
}

/** A tab in which somebody labels. */
export class Tab {
  shown = []; // ids of screens, in the order in which they were first painted
  notices = [];
  sessions = 0; // fresh ones that were asked for
  closed = false;
  hidden = false;
  behind = 0; // milliseconds by which its clock was set back

  constructor(clock, browser, network, { workspace = "w1", labeler = "ann", others = [], grid = false } = {}) {
    this.clock = clock;
    this.browser = browser;
    this.others = others; // tabs that hear what this one writes
    const random = dice(7);
    const alive = (call) => () => this.closed || call();
    this.environment = {
      items: () => browser.items(this),
      locks: () => browser.locks(this),
      // Who is gone hears nothing any more.
      fetch: (address, options) =>
        new Promise((resolve, reject) => {
          const sent = network.fetch(address, options);
          sent.then((it) => this.closed || resolve(it), (error) => this.closed || reject(error));
        }),
      clock: () => clock.now - this.behind,
      random,
      uuid: () => `${(ids += 1)}`.padStart(8, "0"),
      seen: () => !this.hidden,
      later: (milliseconds, call) => clock.later(milliseconds, alive(call)),
      online: () => () => {},
    };
    const server = new Server("a session", this.environment, () => (this.sessions += 1));
    const whose = { workspace, labeler, lease_minutes: 15, grid };
    this.work = new Work(whose, server, this.environment, (event) => this.#told(event));
    this.work.start();
  }

  #told({ what, text }) {
    const id = this.work?.sheet?.screen.id;
    if (what === "sheet" && id && !this.work.sheet.revised) this.shown.push(id);
    if (what === "notice") this.notices.push(text);
  }

  wrote(key) {
    for (const other of this.others) {
      this.clock.later(1, () => {
        if (!other.closed && other.work.storage.concerns({ key })) other.work.refresh();
      });
    }
  }

  /** Somebody is at work here: they decide something, and take it back. */
  async begin() {
    await this.clock.pass(1000);
    this.work.mark(this.work.sheet.items.slice(0, 1), "unsure");
    this.work.undo();
    await this.clock.pass(1000);
  }

  /** Decide what is on display, and submit it; the screen's id. */
  label(verdict = "correct") {
    const { work } = this;
    const { id } = work.sheet.screen;
    work.mark(work.sheet.items, verdict);
    work.submit();
    return id;
  }

  /** The tab ends as in a crash: nothing of it goes on. */
  kill() {
    this.closed = true;
    this.browser.forget(this);
  }
}

let ids = 0;

/** The routes of the real server, as far as one labeler can tell. */
export class FakeServer {
  labels = new Map(); // label's id -> {photo, verdict, screen}
  refusals = []; // reasons, one for each label that was refused
  most = 0; // submissions in one request
  blocked = false;
  classes = []; // all, as the search is told them
  bad = () => null; // what a submission is answered with, if not with receipts: 400 or 500
  #screens = [];

  /** Screens of photos, and before them so many screens of one photo with `questions` each. */
  constructor(clock, { screens = 10, name = "s", photos = 5, also = 0, questions = 4 } = {}) {
    this.clock = clock;
    for (let number = 0; number < also; number += 1) {
      this.#screens.push(this.#alsoScreen(`a${number}`, questions));
    }
    for (let number = 0; number < screens; number += 1) {
      const id = `${name}${number}`;
      const shown = Array.from({ length: photos }, (_, place) => ({
        id: `${id}.${place}`,
        src: `/genset/picture/${id}.${place}`,
        verdict: null,
        label_id: null,
      }));
      this.#screens.push({ id, name: `class ${id}`, photos: shown, leased: false, submitted: false });
    }
  }

  #alsoScreen(id, questions) {
    const asked = Array.from({ length: questions }, (_, place) => ({
      id: `${id}.${place}`,
      ...classOf(`n0000000${place}`),
      photo: null,
      verdict: null,
      label_id: null,
    }));
    const home = { ...classOf("n09999999"), hypernyms: [], wikipedia: [] };
    const photo = { src: `/genset/picture/${id}.0` };
    return { id, kind: "also", home, photo, questions: asked, leased: false, submitted: false };
  }

  /** The verdicts that are stored of a screen, in the order of its questions or photos. */
  verdictsOf(id) {
    const of = [...this.labels.values()].filter(({ screen }) => screen === id);
    return new Map(of.map(({ photo, verdict }) => [photo, verdict]));
  }

  /** The ids of the screens that are submitted. */
  get submitted() {
    return this.#screens.filter((screen) => screen.submitted).map(({ id }) => id);
  }

  /** This screen's photos went to others. */
  takeAway(id) {
    this.#screens.find((each) => each.id === id).lost = true;
  }

  /** This screen's lease ended, and nobody else wanted it. */
  expire(id) {
    this.#screens.find((each) => each.id === id).expired = true;
  }

  answer(what, body, headers) {
    if (headers.Authorization !== "Bearer a session") return reply(401, { error: "sign in again" });
    if (what === "classes") return reply(200, this.classes);
    const answered = this[what](body);
    if (answered.status) return reply(answered.status, { error: answered.error });
    return reply(200, { ...answered, now: this.clock.now });
  }

  screens({ count, loaded }) {
    if (this.blocked) return { status: 400, error: "you may not label here any more" };
    const open = this.#screens.filter((each) => each.leased && !each.submitted && !each.lost);
    for (const screen of this.#screens) {
      if (open.length >= Math.min(count, 12)) break;
      if (screen.leased || screen.lost) continue;
      screen.leased = true;
      open.push(screen);
    }
    const given = open.filter(({ id }, place) => place < count || loaded.includes(id));
    for (const screen of given) screen.left = false;
    const told = given.map((each) => {
      const { id, expires_at } = this.#shown(each);
      return loaded.includes(id) ? { id, expires_at } : this.#shown(each);
    });
    return { screens: told, progress: this.progress() };
  }

  submit({ submissions, count = 0, loaded = [] }) {
    this.most = Math.max(this.most, submissions.length);
    const status = submissions.map(this.bad).find(Boolean);
    if (status) return { status, error: "a time is no time" };
    const receipts = submissions.flatMap((each) => this.#receipts(each)).filter(Boolean);
    for (const { ok, reason } of receipts) if (!ok) this.refusals.push(reason);
    const screens = count > 0 && !this.blocked ? this.screens({ count, loaded }).screens : null;
    return { receipts, screens, progress: this.progress() };
  }

  beat({ screens }) {
    const mine = this.#screens.filter((each) => each.leased && (each.submitted || !each.lost));
    const kept = mine.map(({ id }) => id);
    for (const screen of mine) if (screens.includes(screen.id)) screen.left = false;
    return { lost: screens.filter((id) => !kept.includes(id)) };
  }

  /** Until others want them they stay the labeler's. */
  leave({ screens }) {
    for (const screen of this.#screens) if (screens.includes(screen.id)) screen.left = true;
    return {};
  }

  /** The ids of the screens that are the labeler's alone. */
  get leased() {
    return this.#screens.filter((each) => each.leased && !each.submitted && !each.left).map(({ id }) => id);
  }

  earlier({ screen }) {
    const done = this.#screens.filter((each) => each.submitted).sort((a, b) => a.at - b.at);
    const place = done.findIndex(({ id }) => id === screen);
    const found = done.at(place === -1 ? -1 : place - 1);
    return { screen: found && place !== 0 ? this.#shown(found) : null };
  }

  progress() {
    const done = this.submitted.length;
    const open = this.#screens.some((each) => !each.submitted && !each.lost);
    return {
      classes_done: done,
      classes: this.#screens.length,
      photos: new Set([...this.labels.values()].map(({ photo }) => photo)).size,
      screens_done: done,
      screens_to_do: null,
      seconds_remaining: null,
      screens_of_others: 0,
      done: open ? null : { reason: "all", outcome: "done", code: null, return_url: null },
    };
  }

  #shown({ id, name, photos, kind, home, photo, questions, submitted }) {
    const told = { id, submitted, expires_at: this.clock.now + 900_000 };
    if (kind !== "also") return { ...told, name, photos };
    const asked = questions.map((question) => {
      const [label_id, label] = this.#last(question.id) ?? [null, null];
      return { ...question, verdict: label?.verdict ?? null, label_id };
    });
    return { ...told, kind, home, photo, questions: asked };
  }

  #last(photo) {
    return [...this.labels].filter(([, each]) => each.photo === photo).at(-1);
  }

  #receipts({ screen: id, labels, added = [] }) {
    const screen = this.#screens.find((each) => each.id === id);
    const receipts = [
      ...labels.map((label) => this.#receipt(screen, label)),
      ...added.map((each) => this.#addedReceipt(screen, each)),
    ];
    if (screen && receipts.some(({ ok }) => ok)) Object.assign(screen, { submitted: true, at: ids });
    return receipts;
  }

  #receipt(screen, { id, photo, verdict, supersedes }) {
    const no = (reason) => ({ id, ok: false, reason });
    if (this.blocked) return no("you may not label here any more");
    if (!screen) return no("no such screen or photo");
    if (this.labels.has(id)) return { id, ok: true, reason: "" };
    const before = this.#last(photo)?.[0] ?? null;
    if (before !== supersedes) return no(before ? "decided already" : "changed meanwhile");
    if (before === null && screen.lost) return no("given to another labeler meanwhile");
    this.labels.set(id, { photo, verdict, screen: screen.id });
    return { id, ok: true, reason: "" };
  }

  /** A class that the labeler added becomes a question of the screen, answered yes. */
  #addedReceipt(screen, { id, wnid }) {
    if (this.labels.has(id)) return { id, ok: true, reason: "" };
    const asked = [screen.home, ...screen.questions].some((each) => each.wnid === wnid);
    if (asked) return { id, ok: false, reason: "that class is on the screen already" };
    const photo = `${screen.id}.${wnid}`;
    screen.questions = [...screen.questions, { ...classOf(wnid), id: photo, photo: null }];
    this.labels.set(id, { photo, verdict: "correct", screen: screen.id });
    return { id, ok: true, reason: "" };
  }
}

/** A class as the server tells it. */
export function classOf(wnid, name = `class ${wnid}`) {
  return { wnid, name, also: [], definition: `what ${name} is` };
}

/** A clock, a browser, a server with so many screens, and the network between. */
export function world(options) {
  const clock = new Clock();
  const server = new FakeServer(clock, options);
  const network = new Network(clock, server);
  return { clock, server, network, browser: new Browser() };
}

/** Label a screen whenever one is there, so often, until so many are done or the time is over. */
export async function keepLabeling({ clock }, tabs, { every, until, most = 10_000 }) {
  const done = [];
  for (let time = 0; time < most * every && !until(done); time += every) {
    for (const tab of tabs) if (tab.work.sheet) done.push(tab.label());
    await clock.pass(every);
  }
  await clock.pass(120_000);
  return done;
}
