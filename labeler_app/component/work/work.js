// A labeler's work: which screen is on display, which come next, and what happens to a verdict.
// It knows nothing of the page; `notify` is called after every change and says what to draw.

import { Claims } from "./claims.js";
import { Outbox } from "./outbox.js";
import { Patience } from "./patience.js";
import { Refused } from "./server.js";
import { Sheet, asksOfOne, itemsOf } from "./sheet.js";
import { Storage } from "./storage.js";

// Screens that a page has, with that on display; on a page that nobody may be looking at; and how
// many are few: it costs the server little more to give three screens than to give one.
const OF_FIVE = { ahead: 6, unseen: 2, few: 3 };
const OF_MANY = { ahead: 2, unseen: 1, few: 1 };
const MOST = 12; // screens that the server gives
const CLAIMED = 2; // the next one is this tab's before it is needed
const A_MINUTE = 60_000;
// The next screen is painted first: what is sent at the same time slows it down.
const PAINTING = 40;

export class Work {
  sheet = null; // on display; null before the first and after the last
  progress = null; // as the server counts
  inOtherPages = 0; // open screens that have something for this labeler
  refused = null; // why this labeler gets no screens any more
  #numbers; // of screens
  #lease; // milliseconds for which a sign of life keeps a screen
  #environment;
  #open = []; // screens to label, oldest first, without those that were submitted
  #resume = null; // where to go on after a look back
  #requested = false; // somebody asked for screens since they were last fetched
  #filling = false;
  #patience;
  #lists = 0; // how often the server has listed the open screens
  #changes = 0; // how often what is stored has changed, as far as is known here
  #submitted = 0; // screens, on this page
  #decidedAt = -Infinity; // when something was decided here last
  #isAhead = false; // whether screens are leased that only somebody at work needs
  #heart = () => {};
  #closed = false;

  /**
   * @param {{workspace: string, labeler: string, lease_minutes: number, grid: boolean}} page
   * @param {object} environment as in environment.js
   * @param {(event: {what: string, text?: string}) => void} notify
   */
  constructor({ workspace, labeler, lease_minutes, grid }, server, environment, notify) {
    this.#numbers = grid ? OF_MANY : OF_FIVE;
    this.server = server;
    this.notify = notify;
    // Within names of things that the browser keeps, no labeler's name may look like another's.
    this.leaseMinutes = lease_minutes;
    this.#lease = lease_minutes * A_MINUTE;
    this.#environment = environment;
    const owner = `${workspace}/${encodeURIComponent(labeler)}`;
    this.storage = new Storage(owner, environment);
    this.claims = new Claims(owner, environment.locks);
    const inTurn = (send) => this.claims.inTurn(send);
    const asking = async () => ((await this.#areFew()) ? this.#asking(0) : null);
    const answered = (...what) => this.#answered(...what);
    this.outbox = new Outbox(server, this.storage, environment, inTurn, asking, answered);
    this.#patience = new Patience(environment);
  }

  /** Send what waits, and have screens to show. */
  start() {
    this.outbox.flush();
    this.fill();
    this.#beatLater();
  }

  close() {
    this.leave();
    this.#closed = true;
    this.#heart();
    this.#patience.wake();
    this.outbox.close();
    this.claims.releaseAll();
  }

  /** The screens that may come next, to be loaded ahead. */
  get next() {
    const on = this.sheet?.screen.id;
    return this.#open.filter((screen) => screen.id !== on).slice(0, this.#numbers.ahead - 1);
  }

  mark(items, verdict) {
    this.sheet.mark(items, verdict, this.server.now());
    this.#decided();
  }

  /** Say that this class is in the photo too, though nobody asked. */
  add(cls) {
    this.sheet.add(cls, this.server.now());
    this.#decided();
  }

  takeOff(row) {
    this.sheet.takeOff(row);
    this.#decided();
  }

  /** Remark on a photo or question: "" flags it alone, null takes that back. */
  comment(item, text) {
    this.sheet.comment(item, text);
    this.#decided();
  }

  #decided() {
    const isBack = !this.#isAtWork;
    this.#decidedAt = this.#environment.clock();
    if (isBack) this.fill();
    if (this.sheet.untouched) this.storage.dropDraft(this.sheet.screen.id);
    this.keep();
    this.notify({ what: "verdicts" });
  }

  /** Write down what is decided so far, and for how long it was looked at. */
  keep() {
    const { sheet } = this;
    if (sheet && !sheet.untouched) this.storage.keepDraft(sheet.screen.id, sheet.draft);
  }

  /** Take the last mark back; where there is none here, go back a screen. */
  async undo() {
    const ids = this.sheet?.undo() ?? [];
    if (ids.length === 0) return this.#back();
    if (this.sheet.untouched) this.storage.dropDraft(this.sheet.screen.id);
    this.keep();
    this.notify({ what: "verdicts", ids });
    return undefined;
  }

  /** Hand in a sheet on which all is decided, and go on to the next. */
  submit() {
    const { sheet } = this;
    const answers = sheet.answers(this.#environment.uuid);
    const { labels, added, comments } = answers;
    const screen = sheet.after(answers);
    const shown = [...labels, ...added].map(({ shown_at }) => shown_at);
    if (shown.length + comments.length > 0) {
      const submitted_at = this.server.now();
      const shown_at = Math.min(submitted_at, ...shown);
      const { id, name } = screen;
      const uuid = this.#environment.uuid();
      const times = { shown_at, submitted_at };
      this.outbox.put({ id: uuid, screen: id, name, ...times, labels, added, comments });
      const others = this.storage.history().filter((screen) => screen.id !== id);
      this.storage.keepHistory([...others, screen]);
    }
    this.storage.dropDraft(screen.id);
    this.#submitted += 1;
    if (sheet.revised) this.#show(this.#resume);
    else {
      this.#drop(screen.id);
      this.#show(null);
    }
    if (!this.sheet) this.#claimAhead(); // the server may take its time, or be out of reach
    this.#environment.later(PAINTING, () => {
      if (this.#closed) return;
      this.#claimAhead();
      this.outbox.flush().then(() => this.#fillUp()); // another tab may have sent it
      this.#fillUp(this.#numbers.unseen); // the answer that brings screens may take its time
    });
  }

  async #areFew(few = this.#numbers.few) {
    return this.#open.length - (await this.claims.others()) <= few;
  }

  /** Have screens again, if few are left. */
  async #fillUp(few) {
    if (!this.#closed && (await this.#areFew(few))) this.fill();
  }

  /** Have the open screens, and one on display. Returns when that is so, or nothing is left. */
  async fill() {
    this.#requested = true;
    if (this.#filling) return;
    this.#filling = true;
    this.#patience.reset();
    while (this.#requested && !this.#closed) {
      this.#requested = false;
      await this.#claimAhead(); // needs no server: what was loaded ahead lasts for a while
      try {
        await this.#fetchScreens();
        if (this.sheet || this.progress.done) continue;
      } catch (error) {
        if (error instanceof Refused) {
          this.refused = error.message;
          this.#show(null);
          break;
        }
        this.notify({ what: "status" });
      }
      this.#requested = true;
      await this.#patience.wait();
    }
    this.#filling = false;
  }

  /** Another tab has changed something. */
  refresh() {
    this.#changes += 1;
    this.progress = this.storage.progress() ?? this.progress;
    this.#leaveSubmitted();
    this.notify({ what: "status" });
  }

  /** Whether somebody is looking at the page: something was decided on it a while ago at most. */
  get #isAtWork() {
    const idle = this.#environment.clock() - this.#decidedAt;
    return this.#environment.seen() && idle < this.#lease;
  }

  /** The open screens, the one on display first. */
  get #inOrder() {
    const on = this.sheet?.screen.id;
    return [...this.#open].sort((a, b) => (b.id === on) - (a.id === on));
  }

  /** Give back all screens but so many, unless something is decided on them, or another tab has them. */
  leave(but = 0) {
    this.#isAhead = false;
    const { inOtherTabs } = this.claims;
    const ids = this.#inOrder.slice(but).map(({ id }) => id);
    const left = ids.filter((id) => !inOtherTabs.includes(id) && this.storage.draft(id) === null);
    if (left.length > 0) this.server.leave(left).catch(() => {}); // then they run out
  }

  /** Keep the leases; leave what went to somebody else meanwhile. */
  async beat() {
    const { unseen } = this.#numbers;
    const most = this.#isAtWork ? Infinity : unseen;
    if (!this.#isAtWork && this.#isAhead) this.leave(unseen);
    if (!this.#environment.seen() || this.#open.length === 0) return;
    const since = this.server.now();
    const screens = this.#inOrder.slice(0, most);
    try {
      const { lost } = await this.server.beat(screens.map((screen) => screen.id));
      for (const screen of screens) renewed(screen, since + this.#lease);
      if (this.#lose(lost)) this.fill();
      this.notify({ what: "status" });
    } catch {
      // The next beat may go through; the lease outlives several.
    }
  }

  #beatLater() {
    this.#heart();
    this.#heart = this.#environment.later(A_MINUTE, () => {
      this.beat();
      this.#beatLater();
    });
  }

  async #fetchScreens() {
    const [changes, submitted] = [this.#changes, this.#submitted];
    const waiting = new Set(this.outbox.screens).size;
    const inquiry = await this.#asking(waiting);
    const answer = await this.server.screens(inquiry.request);
    if (waiting > 0) this.outbox.flush(); // what did not go through a moment ago may now
    // It may be older than what was submitted meanwhile. So may its count: it counts where nothing
    // was under way. Else the answer to that tells.
    const still = changes === this.#changes && submitted === this.#submitted;
    if ((still && waiting === 0) || !this.progress) this.#count(answer.progress);
    if (!(await this.#take(answer, inquiry))) this.#requested = true;
    this.notify({ what: "status" });
  }

  /** The request for screens while so many submissions wait, and what is known at its time. */
  async #asking(waiting) {
    const [lists, sent, { ahead, unseen }] = [this.#lists, this.storage.sent(), this.#numbers];
    const away = waiting + (await this.claims.others());
    const loaded = this.#open.map((screen) => screen.id);
    this.#isAhead = this.#isAtWork;
    const count = Math.min(MOST, (this.#isAhead ? ahead : unseen) + away);
    return { request: { loaded, count }, lists, sent };
  }

  /** Have the screens that the server lists. False where it has to be asked once more. */
  async #take(answer, { lists, sent }) {
    if (lists !== this.#lists) return false; // another answer came meanwhile, which may be newer
    this.#lists += 1;
    this.inOtherPages = answer.progress.screens_of_others + this.claims.inOtherTabs.length;
    this.storage.listed(new Set(answer.screens.map(({ id }) => id)), sent);
    const known = new Map(this.#open.map((screen) => [screen.id, screen]));
    const gone = this.storage.submitted();
    const open = answer.screens.filter((screen) => !screen.submitted && !gone.has(screen.id));
    // What the page had when it asked comes without its items.
    const here = open.filter((screen) => itemsOf(screen) || known.has(screen.id));
    this.#open = here.map((screen) =>
      renewed(known.get(screen.id) ?? screen, screen.expires_at),
    );
    const on = this.sheet;
    const lost = on && !on.revised && !this.#open.some(({ id }) => id === on.screen.id);
    if (lost) this.#lose([on.screen.id]);
    await this.#claimAhead();
    return here.length === open.length;
  }

  #count(progress) {
    this.progress = progress;
    this.storage.keepProgress(progress);
  }

  /** Never show what was submitted, in whatever tab. */
  #leaveSubmitted() {
    const gone = this.storage.submitted();
    this.#open = this.#open.filter((screen) => !gone.has(screen.id));
    const on = this.sheet;
    if (on && !on.revised && gone.has(on.screen.id)) {
      this.storage.dropDraft(on.screen.id);
      this.#show(null);
      this.fill();
    }
  }

  /** Make sure that the next screen is this tab's, and show it where there is none. */
  async #claimAhead() {
    let claimed = 0;
    for (const { id } of [...this.#open]) {
      if (claimed === CLAIMED) break;
      if (!(await this.claims.claim(id))) continue;
      if (!this.#closed && this.#open.some((screen) => screen.id === id)) claimed += 1;
      else this.claims.release(id); // it was submitted meanwhile, or the page closed
    }
    if (claimed > 0 && !this.sheet) this.#show(null);
  }

  /** Put a screen on display; for null the first that is this tab's. */
  #show(screen) {
    const next = this.refused ? null : this.#open.find(({ id }) => this.claims.has(id));
    const shown = screen ?? next ?? null;
    this.#resume = null;
    this.sheet = shown && new Sheet(shown, this.storage.draft(shown.id));
    this.notify({ what: "sheet" });
  }

  #drop(id) {
    this.#open = this.#open.filter((screen) => screen.id !== id);
    this.claims.release(id);
  }

  async #back() {
    const on = this.sheet?.revised ? this.sheet.screen.id : null;
    const history = this.storage.history();
    const place = on === null ? history.length : history.findIndex((screen) => screen.id === on);
    let earlier = history[place - 1] ?? null;
    try {
      if (earlier === null) earlier = await this.#earlier(on ?? history[0]?.id ?? null);
      else if (earlier.added?.length > 0) earlier = await this.#named(earlier, on);
    } catch {
      this.notify({ what: "notice", text: "The server is out of reach: cannot go back now." });
      return;
    }
    if (earlier === null) {
      this.notify({ what: "notice", text: "There is nothing before this." });
      return;
    }
    this.keep();
    const resume = this.sheet?.revised ? this.#resume : (this.sheet?.screen ?? null);
    this.#show(earlier);
    this.#resume = resume;
  }

  async #earlier(screen) {
    return (await this.server.earlier(screen)).screen;
  }

  /**
   * A screen before another, on which classes were added: as the server has it, which has named
   * them; as it is kept here where the server does not have it yet.
   */
  async #named(stored, before) {
    const named = await this.#earlier(before).catch(() => null);
    return named?.id === stored.id ? named : stored;
  }

  async #answered(answer, results, inquiry) {
    if (answer === null) this.#fillUp();
    else {
      this.#changes += 1;
      if (answer.progress) this.#count(answer.progress);
      const refused = results.flatMap((result) => result.refused);
      if (refused.length > 0) {
        const labels = refused.length === 1 ? "1 label was" : `${refused.length} labels were`;
        this.notify({ what: "notice", text: `${labels} not stored: ${refused[0].reason}.` });
        const back = new Set(results.filter((result) => result.refused.length > 0).map(screenOf));
        this.storage.keepHistory(this.storage.history().filter(({ id }) => !back.has(id)));
      }
      const taught = results.flatMap((result) => result.taught);
      if (taught.length > 0) this.notify({ what: "taught", taught });
      const whole = !inquiry || !answer.screens || (await this.#take(answer, inquiry));
      if (refused.length > 0 || !whole || !this.sheet) this.fill(); // they may be blocked
      if (!this.sheet) this.#patience.wake();
    }
    this.notify({ what: "status" });
  }

  /** These screens are others' now; whether any was still to do. What was submitted is not lost. */
  #lose(ids) {
    const gone = this.storage.submitted();
    const lost = ids.filter((id) => !gone.has(id));
    for (const id of lost) {
      this.#drop(id);
      this.storage.dropDraft(id);
      if (this.#resume?.id === id) this.#resume = null;
      if (this.sheet?.screen.id !== id) continue;
      const what = asksOfOne(this.sheet.screen) ? "photo" : "class";
      this.#show(null);
      const text = `The ${what} that was here went to another labeler meanwhile.`;
      this.notify({ what: "notice", text });
    }
    return lost.length > 0;
  }
}

/** A screen that is its labeler's until then, or longer. */
function renewed(screen, expires_at) {
  screen.expires_at = Math.max(screen.expires_at, expires_at);
  return screen;
}

const screenOf = ({ submission }) => submission.screen;
