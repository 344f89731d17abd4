// Screens of the second kind: one photo, and the classes that may be in it too.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Hand } from "../../../labeler_app/component/hand.js";
import { questionActionOf } from "../../../labeler_app/component/keys.js";
import { Classes } from "../../../labeler_app/component/work/classes.js";
import { Tab, classOf, dice, keepLabeling, world } from "./fakes.mjs";

const A_SECOND = 1000;
const BIKE = classOf("n02835271", "bicycle");
const CART = classOf("n02927161", "cart");

/** A tab with screens of one photo, each with so many questions; then of the first kind. */
async function opened({ questions = 4, also = 3, screens = 0 } = {}) {
  const here = world({ also, questions, screens });
  const tab = new Tab(here.clock, here.browser, here.network);
  await here.clock.pass(A_SECOND);
  return { here, tab, hand: new Keys(tab) };
}

/** A page's view that draws nothing. */
const view = {
  current() {},
  reveal() {},
  tell() {},
  neighbor: (place, by) => place + { up: -1, down: 1 }[by],
  bar: { hush() {}, say() {} },
  zoom: { dialog: { open: false, close() {} } },
};

/** Keys as the page takes them. */
class Keys {
  pressed = 0;

  /** @param {number} sights how many rows of a screen are in sight */
  constructor(tab, sights = Infinity) {
    this.sights = sights;
    this.work = tab.work;
    this.hand = new Hand(tab.work, view, { looked() {}, painted: async () => {} });
  }

  press(keys) {
    for (const key of keys) {
      const code = { "⏎": "Enter", "↓": "ArrowDown", "↑": "ArrowUp" }[key];
      const known = code ?? (/\d/.test(key) ? `Digit${key}` : `Key${key}`);
      this.pressed += 1;
      const on = this.work.sheet;
      for (const item of on.items.slice(0, this.sights)) on.sight(item, true);
      this.hand.do(questionActionOf({ code: known, key, composedPath: () => [{}] }));
      if (this.work.sheet !== on) this.hand.go(0);
    }
  }
}

const sent = (here) => {
  const submits = here.network.requests.filter(({ what }) => what === "submit");
  return submits.flatMap(({ body }) => body.submissions);
};

test("n questions take n + 1 keys, and one where it is none of them", async () => {
  for (let questions = 1; questions <= 9; questions += 1) {
    const { here, tab, hand } = await opened({ questions, also: 3 });
    const answers = ["Y", "M", "N", "1", "2", "3", "Y", "N", "M"].slice(0, questions);
    hand.press([...answers, "⏎"]);
    assert.equal(hand.pressed, questions + 1);
    await here.clock.pass(A_SECOND);
    const words = { Y: "correct", M: "unsure", N: "incorrect" };
    const verdicts = answers.map((key) => words[key] ?? words["YMN"[key - 1]]);
    assert.deepEqual([...here.server.verdictsOf("a0").values()], verdicts);
    hand.press(["0"]);
    assert.equal(hand.pressed, questions + 2);
    await here.clock.pass(A_SECOND);
    const none = [...here.server.verdictsOf("a1").values()];
    assert.deepEqual(none, Array(questions).fill("incorrect"));
    assert.equal(tab.work.sheet.screen.id, "a2");
  }
});

test("arrows go to another question, an answer goes on to the next that is open", async () => {
  const { tab, hand } = await opened();
  hand.press(["↓", "Y", "M", "Y"]);
  const { sheet } = tab.work;
  const verdicts = sheet.items.map((item) => sheet.verdict(item));
  assert.deepEqual(verdicts, [null, "correct", "unsure", "correct"]);
  hand.press(["N", "↓", "N"]); // after the last comes the first, which is open
  assert.equal(sheet.verdict(sheet.items[1]), "incorrect");
});

test("a class that is chosen in the search and asked about is answered, others are added", async () => {
  const { tab, hand } = await opened();
  const { sheet } = tab.work;
  hand.hand.do({ name: "add", cls: sheet.items[2] });
  assert.equal(sheet.verdict(sheet.items[2]), "correct");
  assert.deepEqual(sheet.added, []);
  hand.hand.do({ name: "add", cls: BIKE });
  assert.equal(sheet.added.length, 1);
  hand.press(["N", "N", "N"]); // none of them takes off what was added
  assert.equal(sheet.undecided.length, 0);
  assert.equal(sheet.added.length, 1);
  hand.hand.go(4);
  hand.press(["Y"]);
  assert.equal(sheet.added.length, 1);
  hand.press(["N"]);
  assert.deepEqual(sheet.added, []);
});

test("none of these leaves what is decided, and Enter sends nothing while one is undecided", async () => {
  const { here, hand } = await opened();
  hand.press(["Y", "⏎", "M"]);
  await here.clock.pass(A_SECOND);
  assert.equal(here.server.labels.size, 0);
  hand.press(["0"]);
  await here.clock.pass(A_SECOND);
  const stored = [...here.server.verdictsOf("a0").values()];
  assert.deepEqual(stored, ["correct", "unsure", "incorrect", "incorrect"]);
});

test("none of these decides what was in sight, and goes on to what was not", async () => {
  const { here, tab, hand } = await opened();
  const { sheet } = tab.work;
  const verdicts = () => sheet.items.map((item) => sheet.verdict(item));
  hand.sights = 2;
  hand.press(["0"]);
  assert.deepEqual(verdicts(), ["incorrect", "incorrect", null, null]);
  assert.equal(hand.hand.place, 2);
  hand.press(["Y"]); // pressed before anybody can have seen the third
  assert.deepEqual(verdicts(), ["incorrect", "incorrect", null, null]);
  await here.clock.pass(A_SECOND);
  hand.press(["Y"]);
  assert.deepEqual(verdicts(), ["incorrect", "incorrect", "correct", null]);
  hand.sights = 4;
  hand.press(["0"]);
  assert.deepEqual(verdicts(), ["incorrect", "incorrect", "correct", "incorrect"]);
  assert.notEqual(tab.work.sheet, sheet);
});

test("a question was shown when it came into sight; what only passed by was not", async () => {
  const { here, tab } = await opened();
  const { sheet } = tab.work;
  const look = async (milliseconds) => {
    await here.clock.pass(milliseconds);
    sheet.seen += milliseconds;
  };
  const [first, second, third, fourth] = sheet.items;
  for (const item of [first, third]) sheet.sight(item, true);
  await look(100);
  sheet.sight(third, false);
  assert.equal(sheet.wasSeen(third), false);
  await look(900);
  sheet.sight(first, false);
  for (const item of [second, third, fourth]) sheet.sight(item, true);
  await look(500);
  tab.work.mark(sheet.items, "incorrect");
  tab.work.submit();
  await here.clock.pass(A_SECOND);
  const [{ labels, shown_at }] = sent(here);
  const times = labels.map((label) => label.decided_at - label.shown_at);
  assert.deepEqual(times, [1500, 500, 500, 500]);
  assert.equal(shown_at, labels[0].shown_at);
});

test("a class that was added is sent beside the labels, one that was taken off is not", async () => {
  const { here, tab, hand } = await opened({ questions: 2 });
  const { work } = tab;
  work.add(BIKE);
  work.add(BIKE); // twice is once
  work.add(CART);
  assert.deepEqual(work.sheet.added.map(({ name }) => name), ["bicycle", "cart"]);
  work.takeOff(work.sheet.added[1]);
  hand.press(["0"]);
  await here.clock.pass(A_SECOND);
  const [{ labels, added, shown_at, submitted_at, ...rest }] = sent(here);
  assert.deepEqual(rest, { screen: "a0" });
  const fields = ["id", "photo", "verdict", "shown_at", "decided_at", "order", "supersedes"];
  for (const label of labels) assert.deepEqual(Object.keys(label).sort(), fields.sort());
  assert.equal(added.length, 1);
  const given = ["id", "wnid", "shown_at", "decided_at", "order"];
  assert.deepEqual(Object.keys(added[0]).sort(), given.sort());
  assert.equal(added[0].wnid, BIKE.wnid);
  const orders = [...labels, ...added].map(({ order }) => order);
  assert.deepEqual(orders.sort(), [1, 2, 3]);
  assert.ok(shown_at <= submitted_at);
  assert.equal(here.server.verdictsOf("a0").get("a0.n02835271"), "correct");
  assert.equal(here.server.labels.size, 3);
  assert.equal(tab.work.outbox.labels, 0);
});

test("a screen on which nothing was added says nothing of it", async () => {
  const { here, hand } = await opened();
  hand.press(["0"]);
  await here.clock.pass(A_SECOND);
  assert.ok(!("added" in sent(here)[0]));
});

test("undo takes back answers and added classes, step by step, and then goes a screen back", async () => {
  const { here, tab, hand } = await opened();
  const { work } = tab;
  hand.press(["0"]);
  await here.clock.pass(A_SECOND);
  hand.press(["Y"]);
  work.add(BIKE);
  work.takeOff(work.sheet.added[0]);
  await work.undo();
  assert.equal(work.sheet.added.length, 1); // it is there again
  await work.undo();
  assert.equal(work.sheet.added.length, 0);
  assert.equal(work.sheet.undecided.length, 3);
  await work.undo();
  assert.ok(work.sheet.untouched);
  assert.deepEqual(here.browser.keys(" draft "), []);
  await work.undo();
  assert.equal(work.sheet.screen.id, "a0");
  assert.ok(work.sheet.revised);
  work.mark([work.sheet.items[1]], "correct");
  work.submit();
  await here.clock.pass(A_SECOND);
  assert.deepEqual([...here.server.verdictsOf("a0").values()][1], "correct");
  assert.equal(work.sheet.screen.id, "a1");
  assert.deepEqual(here.server.refusals, []);
});

test("a reload in the middle keeps answers and added classes, and the way back", async () => {
  const { here, tab, hand } = await opened();
  hand.press(["N", "Y"]);
  tab.work.add(BIKE);
  tab.kill();
  const next = new Tab(here.clock, here.browser, here.network);
  await here.clock.pass(A_SECOND);
  const { sheet } = next.work;
  assert.equal(sheet.screen.id, "a0");
  const verdicts = sheet.items.map((item) => sheet.verdict(item));
  assert.deepEqual(verdicts, ["incorrect", "correct", null, null]);
  assert.deepEqual(sheet.added.map(({ name, definition }) => [name, definition]), [
    ["bicycle", BIKE.definition],
  ]);
  await next.work.undo();
  assert.equal(next.work.sheet.added.length, 0);
  await next.work.undo();
  assert.equal(next.work.sheet.undecided.length, 3);
  new Keys(next).press(["0"]);
  await here.clock.pass(A_SECOND);
  assert.equal(here.server.labels.size, 4);
});

test("after a lost answer the same ids are sent again, and each is stored once", async () => {
  const { here, tab, hand } = await opened();
  here.network.way = (what) => (what === "submit" ? { lost: "back" } : {});
  tab.work.add(BIKE);
  hand.press(["0"]);
  await here.clock.pass(20 * A_SECOND);
  assert.equal(tab.work.outbox.labels, 5);
  tab.kill(); // and a new page goes on with it
  here.network.way = () => ({});
  const next = new Tab(here.clock, here.browser, here.network);
  await here.clock.pass(60 * A_SECOND);
  assert.equal(next.work.outbox.labels, 0);
  const ids = sent(here).map(({ labels, added }) => [...labels, ...added].map(({ id }) => id));
  assert.ok(ids.length >= 2);
  for (const each of ids) assert.deepEqual(each, ids[0]);
  assert.equal(here.server.labels.size, 5);
  assert.deepEqual(here.server.refusals, []);
});

test("an added class that is refused is told by its name; the labels beside it are stored", async () => {
  const { here, tab, hand } = await opened();
  tab.work.add(tab.work.sheet.screen.home);
  hand.press(["0"]);
  await here.clock.pass(A_SECOND);
  assert.equal(here.server.labels.size, 4);
  const [refused, ...others] = tab.work.storage.refused();
  assert.deepEqual(others, []);
  assert.equal(refused.name, "class n09999999");
  assert.equal(refused.verdict, "correct");
  assert.match(refused.photo, /^a0\./); // its picture can be shown
  assert.match(tab.notices[0], /1 label was not stored: that class is on the screen already/);
});

test("looked back at, a class that was added is a question like the others once it is stored", async () => {
  const { here, tab, hand } = await opened({ questions: 2, also: 3 });
  const { work } = tab;
  here.network.offline = true;
  work.add(BIKE);
  hand.press(["0"]);
  await here.clock.pass(A_SECOND);
  await work.undo();
  assert.deepEqual(work.sheet.rows.map(({ name }) => name).at(-1), "bicycle");
  assert.equal(work.sheet.items.length, 2); // the server has not named it
  work.sheet.takeOff(work.sheet.rows.at(-1));
  assert.equal(work.sheet.rows.length, 3);
  work.submit(); // nothing has changed
  here.network.offline = false;
  await here.clock.pass(60 * A_SECOND);
  assert.equal(here.server.labels.size, 3);
  work.undo();
  await here.clock.pass(A_SECOND);
  assert.equal(work.sheet.items.length, 3);
  const [, , added] = work.sheet.items;
  assert.equal(work.sheet.verdict(added), "correct");
  work.mark([added], "incorrect");
  work.submit();
  await here.clock.pass(A_SECOND);
  assert.equal(here.server.verdictsOf("a0").get(added.id), "incorrect");
  assert.deepEqual(here.server.refusals, []);
});

test("looked back at, a class alone can be added: a submission without labels", async () => {
  const { here, tab, hand } = await opened({ questions: 2 });
  hand.press(["0"]);
  await here.clock.pass(A_SECOND);
  await tab.work.undo();
  tab.work.add(CART);
  tab.work.submit();
  await here.clock.pass(A_SECOND);
  assert.deepEqual(sent(here).at(-1).labels, []);
  assert.equal(here.server.verdictsOf("a0").get("a0.n02927161"), "correct");
});

test("a photo that went to somebody else is left, and its draft with it", async () => {
  const { here, tab, hand } = await opened();
  hand.press(["Y"]);
  here.server.takeAway("a0");
  tab.work.beat();
  await here.clock.pass(A_SECOND);
  assert.equal(tab.work.sheet.screen.id, "a1");
  assert.match(tab.notices[0], /The photo that was here went to another labeler/);
  assert.deepEqual(here.browser.keys(" draft "), []);
});

for (const seed of [1, 2, 3]) {
  test(`both kinds, one after the other, over a bad network (${seed})`, async () => {
    const here = world({ also: 20, questions: 3, screens: 20 });
    const roll = dice(seed);
    here.network.way = () => ({
      there: roll() * 3000,
      back: roll() * 3000,
      lost: roll() < 0.15 ? (roll() < 0.5 ? "there" : "back") : undefined,
      twice: roll() < 0.2,
    });
    const tabs = [1, 2].map(() => new Tab(here.clock, here.browser, here.network));
    for (const tab of tabs) tab.others = tabs.filter((each) => each !== tab);
    const until = (done) => done.length === 40;
    const done = await keepLabeling(here, tabs, { every: 900, until, most: 2000 });
    assert.equal(new Set(done).size, 40, "a screen came back");
    assert.equal(here.server.submitted.length, 40);
    assert.equal(here.server.labels.size, 20 * 3 + 20 * 5);
    assert.deepEqual(here.server.refusals, []);
  });
}

// The search for another class

const named = (wnid, name, also = []) => ({ wnid, name, also, definition: "" });
const ALL = [
  named("n03218198", "dogsled", ["dog sled", "dog sleigh"]),
  named("n02109961", "Eskimo dog", ["husky"]),
  named("n02110958", "pug", ["pug-dog"]),
  named("n10148035", "groom", ["bridegroom"]),
  named("n02124075", "Egyptian cat"),
  named("n07579787", "plate", ["crème brûlée plate"]),
];

async function search(text) {
  const classes = new Classes({ classes: async () => ALL });
  await classes.load();
  return classes.find(text).map(({ name }) => name);
}

test("classes are found by name, by their other names and by wnid; the likeliest first", async () => {
  assert.deepEqual(await search("dog"), ["Eskimo dog", "pug", "dogsled"]);
  assert.deepEqual(await search("dogs"), ["dogsled"]);
  assert.deepEqual(await search("plate"), ["plate"]);
  assert.deepEqual(await search("gsle"), ["dogsled"]);
  assert.deepEqual(await search("PUG"), ["pug"]);
  assert.deepEqual(await search("husky"), ["Eskimo dog"]);
  assert.deepEqual(await search("groom"), ["groom"]);
  assert.deepEqual(await search("n0212"), ["Egyptian cat"]);
  assert.deepEqual(await search("creme  brulee"), ["plate"]);
  assert.deepEqual(await search("pug dog"), ["pug"]);
  assert.deepEqual(await search("xyzzy"), []);
  assert.deepEqual(await search("  "), []);
});

test("they are asked for once; where that fails, again the next time", async () => {
  const { here, tab } = await opened();
  here.server.classes = ALL;
  const classes = new Classes(tab.work.server);
  const load = async () => {
    const [loaded] = await Promise.allSettled([classes.load(), here.clock.pass(A_SECOND)]);
    if (loaded.status === "rejected") throw loaded.reason;
  };
  here.network.offline = true;
  await assert.rejects(load());
  assert.deepEqual(classes.find("pug"), []);
  here.network.offline = false;
  await Promise.all([load(), load()]);
  await load();
  assert.equal(classes.find("pug").length, 1);
  const asked = here.network.requests.filter(({ what }) => what === "classes");
  assert.equal(asked.length, 2);
});
