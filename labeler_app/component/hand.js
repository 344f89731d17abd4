// What a labeler's hand does on the sheet on display: it goes to a photo or question, decides it,
// looks closer, adds a class, submits. Where it is, is known here alone.

import { answerOf, inOrder, turned } from "./keys.js";
import { MOST_ADDED, asksOfOne } from "./work/sheet.js";

export class Hand {
  #work;
  #view;
  #page;
  place = 0; // the photo or question that keys without a number are about

  /**
   * @param {object} work as in work/work.js
   * @param {object} view as in view.js
   * @param {object} page `looked()` counts the time until now, `pictures(place, example)` gives a
   *   photo small and large, `painted()` resolves when what was drawn can be seen; `grid` is whether
   *   photos are in one, `one_key` the verdict that one key gives
   */
  constructor(work, view, page) {
    this.#work = work;
    this.#view = view;
    this.#page = page;
  }

  /** Do what an action says: `{name, ...}`. */
  do({ name, ...action }) {
    const does = {
      at: () => this.#at(action),
      mark: () => this.#mark(action),
      turn: () => this.#turn(action),
      off: () => this.#off(action),
      rest: () => this.#rest(action),
      none: () => this.#none(),
      flag: () => this.#flag(action),
      comment: () => this.#comment(action),
      search: () => this.#search(),
      add: () => this.#add(action),
      move: () => this.go(this.#view.neighbor(this.place, action.by)),
      zoom: () => this.#zoom(action),
      submit: () => this.#submit(),
    };
    does[name]();
  }

  /** Go to a photo or question. */
  go(place, options = {}) {
    this.place = place;
    this.#view.current(place, options);
    if (this.#view.zoom.dialog.open) this.#zoomTo(place);
  }

  /** Go to what these ids were about; what was added, and is taken back, is no row any more. */
  goBack(ids) {
    const { rows } = this.#work.sheet;
    const at = rows.findIndex(({ id }) => ids.includes(id));
    this.go(at >= 0 ? at : Math.min(this.place, rows.length - 1));
    this.#tell("Taken back");
  }

  get #isOfOne() {
    return asksOfOne(this.#work.sheet.screen);
  }

  get #isGrid() {
    return this.#page.grid && !this.#isOfOne;
  }

  #at({ place }) {
    this.place = place;
    this.#view.current(place, { focus: false });
  }

  #mark({ place, verdict, direct = false }) {
    const { sheet } = this.#work;
    const at = place ?? this.place;
    const item = sheet.rows[at];
    if (item === undefined) return;
    if (at >= sheet.items.length) return this.#markAdded(at, verdict);
    if (direct) this.#see(at);
    if (!sheet.wasSeen(item)) return this.#bring(at, `${item.name ?? `Photo ${at + 1}`} was`);
    this.#page.looked();
    if (!this.#isOfOne) this.go(at);
    this.#work.mark([item], verdict);
    this.#tell(this.#isOfOne ? `${item.name}: ${answerOf(verdict)}` : `Photo ${at + 1} ${verdict}`);
    // What a finger pressed does not move away from under it.
    if (this.#isOfOne) this.#goOn(at, { focus: place === undefined });
    else if (this.#view.isNarrow && sheet.undecided.length > 0 && !this.#isGrid) {
      if (direct) this.go(sheet.next(at), { first: true });
      else this.#view.reveal(sheet.next(at)); // so that its key finds it in sight
    }
  }

  /** Give a photo of a grid the verdict after the one that it has. */
  #turn({ place = this.place, ...how }) {
    const { sheet } = this.#work;
    const verdict = turned(sheet.verdict(sheet.items[place]), this.#page.one_key);
    this.#mark({ place, verdict, ...how });
  }

  /** A class that the labeler added is in the photo; where it is not, it is taken off again. */
  #markAdded(place, verdict) {
    if (verdict === "incorrect") this.#off({ place });
    else this.#view.tell("You added this one: it counts as yes. N takes it off.");
  }

  #off({ place }) {
    const row = this.#work.sheet.rows[place];
    if (row.label_id) {
      this.#view.bar.say(`${row.name} is not saved yet. Come back to take it off.`);
      return;
    }
    this.#page.looked();
    this.#work.takeOff(row);
    this.#view.tell(`${row.name} is taken off.`);
    this.go(Math.min(place, this.#work.sheet.rows.length - 1));
  }

  /** Decide all that is undecided and was in sight; go on to what was not. */
  #rest({ verdict }) {
    const { sheet } = this.#work;
    this.#page.looked();
    this.#work.mark(sheet.undecided.filter((item) => sheet.wasSeen(item)), verdict);
    const { length } = sheet.undecided;
    if (length > 0) this.#bring(sheet.next(-1), length === 1 ? "1 was" : `${length} were`);
    else this.#view.tell(`The rest is ${verdict}. All decided.`);
  }

  /** None of what is undecided is in the photo: that is all of it. */
  #none() {
    this.#rest({ verdict: "incorrect" });
    if (this.#work.sheet.undecided.length === 0) this.#submit();
  }

  /** Bring what was not in sight yet to where it is. */
  async #bring(place, unseen) {
    const { sheet } = this.#work;
    this.go(place, { first: true });
    this.#view.tell(`Not yet: ${unseen} not in sight.`);
    await this.#page.painted();
    if (this.#work.sheet === sheet && this.place === place) this.#see(place);
  }

  #see(place) {
    this.#page.looked();
    this.#work.sheet.sight(this.#work.sheet.items[place], true);
  }

  #flag({ place = this.place }) {
    const { sheet } = this.#work;
    const item = sheet.items[place];
    if (item === undefined) return; // a class that was added
    this.#at({ place });
    this.#view.zoom.dialog.close();
    this.#view.comment.show(item.name ?? `Photo ${place + 1}`, sheet.commentOn(item));
  }

  #comment({ text }) {
    this.#work.comment(this.#work.sheet.items[this.place], text);
    this.#view.tell(text === null ? "The flag is taken back." : "Flagged.");
    this.go(this.place);
  }

  #search() {
    const { sheet } = this.#work;
    const added = sheet.rows.slice(sheet.items.length);
    if (added.length >= MOST_ADDED) {
      this.#view.bar.say(`Up to ${MOST_ADDED} further classes can be added to a photo.`);
      return;
    }
    const taken = new Map(added.map(({ wnid }) => [wnid, "You added it already."]));
    taken.set(sheet.screen.home.wnid, "The photo is known to show it.");
    this.#view.zoom.dialog.close();
    this.#view.search.show(taken);
  }

  /** The labeler chose a class in the search: one that is asked about is answered. */
  #add({ cls }) {
    const { sheet } = this.#work;
    const index = sheet.items.findIndex(({ wnid }) => wnid === cls.wnid);
    if (index >= 0) return this.#mark({ place: index, verdict: "correct", direct: true });
    this.#page.looked();
    this.#work.add(cls);
    this.#view.tell(`${cls.name} is added.`);
    // On to what is undecided: N there must not take off what was added a moment ago.
    const added = sheet.rows.length - 1;
    this.#goOn(this.place - 1, { scroll: false, otherwise: added });
    this.#view.reveal(added);
  }

  #zoom({ place = this.place, example = false }) {
    const { zoom } = this.#view;
    if (zoom.dialog.open) zoom.dialog.close();
    else this.#zoomTo(place, example);
  }

  #zoomTo(place, example = false) {
    this.#at({ place });
    if (place < this.#work.sheet.items.length) this.#see(place);
    const { small, large } = this.#page.pictures(place, example);
    this.#view.zoom.show(place, small, large, example);
    this.#view.zoom.verdict(this.#work.sheet);
  }

  #submit() {
    const { sheet } = this.#work;
    const undecided = sheet.next(-1);
    if (undecided >= 0) {
      if (this.#isGrid) return this.#rest(inOrder(this.#page.one_key)[0]);
      this.go(undecided);
      const what = this.#isOfOne ? "questions" : "photos";
      this.#view.tell(`Not yet: ${sheet.undecided.length} ${what} are undecided.`);
      return;
    }
    this.#view.bar.hush();
    this.#view.zoom.dialog.close();
    this.#work.submit();
  }

  /** Say what was done, and how much is left. */
  #tell(done) {
    const { length } = this.#work.sheet.undecided;
    this.#view.tell(`${done}. ${length > 0 ? `${length} left.` : "All decided."}`);
  }

  /** To the next item that is undecided, if any. */
  #goOn(place, { otherwise = place, ...options } = {}) {
    const next = this.#work.sheet.next(place);
    this.go(next < 0 ? otherwise : next, options);
  }
}
