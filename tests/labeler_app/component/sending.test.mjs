// Every screen is decided once and stored once, whatever the network does.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Tab, dice, keepLabeling, world } from "./fakes.mjs";

const A_SECOND = 1000;

/** Every screen was submitted once, stored once, and nothing was refused. */
function allOnce({ server }, done, screens) {
  assert.equal(new Set(done).size, done.length, "a screen came back");
  assert.equal(done.length, screens);
  assert.equal(server.submitted.length, screens);
  assert.equal(server.labels.size, screens * 5);
  assert.deepEqual(server.refusals, []);
}

test("100 screens at 0.9 s, answers 2 s late", async () => {
  const here = world({ screens: 100 });
  here.network.way = () => ({ there: 1 * A_SECOND, back: 1 * A_SECOND });
  const tab = new Tab(here.clock, here.browser, here.network);
  const until = (done) => done.length === 100;
  const done = await keepLabeling(here, [tab], { every: 900, until, most: 400 });
  allOnce(here, done, 100);
  assert.ok(here.server.most > 1, "submissions go together");
  assert.ok(here.server.most <= 12);
  assert.equal(tab.work.outbox.labels, 0);
  assert.equal(tab.work.progress.photos, 500);
});

for (const seed of [1, 2, 3, 4, 5]) {
  test(`late, lost, doubled and reordered answers (${seed})`, async () => {
    const here = world({ screens: 60 });
    const roll = dice(seed);
    here.network.way = () => ({
      there: roll() * 3000,
      back: roll() * 3000,
      lost: roll() < 0.15 ? (roll() < 0.5 ? "there" : "back") : undefined,
      twice: roll() < 0.2,
    });
    const tab = new Tab(here.clock, here.browser, here.network);
    const until = (done) => done.length === 60;
    const done = await keepLabeling(here, [tab], { every: 900, until, most: 2000 });
    allOnce(here, done, 60);
    assert.deepEqual(tab.notices, []);
  });
}

test("an answer from before the submission does not bring it back, however long it takes", async () => {
  const here = world({ screens: 30 });
  const tab = new Tab(here.clock, here.browser, here.network);
  await tab.begin();
  // Of the next question for screens the answer hangs; submissions go through at once.
  here.network.way = (what) => ({ back: what === "screens" ? 14 * A_SECOND : 5 });
  const done = [];
  for (let screen = 0; screen < 4; screen += 1) {
    done.push(tab.label());
    await here.clock.pass(A_SECOND);
  }
  assert.equal(here.server.submitted.length, 4);
  await here.clock.pass(30 * A_SECOND);
  assert.ok(!done.includes(tab.work.sheet.screen.id));
  done.push(...(await keepLabeling(here, [tab], { every: 100, until: (all) => all.length === 26 })));
  allOnce(here, done, 30);
});

test("screens come with the answer to what is sent, two at a time", async () => {
  const here = world({ screens: 40 });
  const tab = new Tab(here.clock, here.browser, here.network);
  await keepLabeling(here, [tab], { every: A_SECOND, until: (done) => done.length === 30 });
  const asked = here.network.requests.filter(({ what }) => what === "screens");
  assert.ok(asked.length <= 2, `${asked.length} requests for screens alone`);
  const along = here.network.requests.filter(({ what, body }) => what === "submit" && body.count > 0);
  assert.ok(along.length <= 30 / 2, `${along.length} of 30 submissions asked for screens`);
});

test("what was answered for is forgotten only when the server does not list it any more", async () => {
  const here = world({ screens: 30 });
  const tab = new Tab(here.clock, here.browser, here.network);
  const until = (done) => done.length === 20; // more than the way back is long
  await keepLabeling(here, [tab], { every: 200, until });
  const kept = () => here.browser.keys(" sent ").length;
  assert.equal(kept(), 20);
  await here.clock.pass(61 * A_SECOND);
  tab.work.fill();
  await here.clock.pass(A_SECOND);
  assert.equal(kept(), 0);
});

test("what waits goes in batches of twelve, in order, once the server is back", async () => {
  const here = world({ screens: 12 });
  const tab = new Tab(here.clock, here.browser, here.network);
  await here.clock.pass(A_SECOND);
  const others = [];
  here.network.way = (what) => (what === "submit" ? { lost: "there" } : {});
  while (tab.work.sheet) {
    others.push(tab.label());
    await here.clock.pass(A_SECOND);
  }
  assert.equal(others.length, 12);
  assert.equal(tab.work.outbox.photos.first, 60);
  assert.equal(here.server.labels.size, 0);
  here.network.way = () => ({});
  await here.clock.pass(60 * A_SECOND);
  assert.equal(tab.work.outbox.photos.first, 0);
  assert.equal(here.server.most, 12);
  assert.deepEqual(here.server.submitted, others);
  assert.ok(tab.work.progress.done);
});

for (const status of [400, 500]) {
  test(`one bad submission does not keep the others (${status})`, async () => {
    const here = world({ screens: 4 });
    const tab = new Tab(here.clock, here.browser, here.network);
    await tab.begin();
    here.network.offline = true;
    for (let screen = 0; screen < 4; screen += 1) {
      tab.label();
      await here.clock.pass(100);
    }
    here.server.bad = ({ screen }) => (screen === "s1" ? status : null);
    here.network.offline = false;
    await here.clock.pass(60 * A_SECOND);
    assert.deepEqual(here.server.submitted, ["s0", "s2", "s3"]);
    if (status === 400) {
      assert.equal(tab.work.outbox.labels, 0);
      assert.equal(tab.work.storage.refused().length, 5);
      assert.equal(tab.work.storage.refused()[0].reason, "a time is no time");
    } else {
      assert.deepEqual(tab.work.outbox.screens, ["s1"]); // tried again
      here.server.bad = () => null;
      await here.clock.pass(60 * A_SECOND);
      assert.equal(here.server.submitted.length, 4);
    }
  });
}

test("an answer without a receipt for every label settles nothing of that submission", async () => {
  const here = world({ screens: 2 });
  const tab = new Tab(here.clock, here.browser, here.network);
  await here.clock.pass(A_SECOND);
  const whole = here.server.submit.bind(here.server);
  here.server.submit = (body) => {
    const answer = whole(body);
    return { ...answer, receipts: answer.receipts.slice(1) };
  };
  tab.label();
  await here.clock.pass(10 * A_SECOND);
  assert.equal(tab.work.outbox.labels, 5);
  here.server.submit = whole;
  await here.clock.pass(30 * A_SECOND);
  assert.equal(tab.work.outbox.labels, 0);
  assert.equal(here.server.labels.size, 5);
  assert.deepEqual(here.server.refusals, []);
});

test("a session that ran out: a fresh one is asked for, and nothing is lost", async () => {
  const here = world({ screens: 3 });
  const tab = new Tab(here.clock, here.browser, here.network);
  await here.clock.pass(A_SECOND);
  tab.work.server.session = "an old session";
  tab.label();
  await here.clock.pass(A_SECOND);
  assert.ok(tab.sessions > 0);
  assert.equal(tab.work.outbox.labels, 5);
  tab.work.server.session = "a session";
  await here.clock.pass(30 * A_SECOND);
  assert.equal(here.server.labels.size, 5);
});

test("what is sent of a label is what it was: when shown, when decided, in which order", async () => {
  const here = world({ screens: 2 });
  const tab = new Tab(here.clock, here.browser, here.network);
  await here.clock.pass(A_SECOND);
  const { work } = tab;
  const began = work.server.now();
  const decide = async (place, verdict) => {
    await here.clock.pass(500);
    work.sheet.seen += 500;
    work.mark([work.sheet.items[place]], verdict);
  };
  for (const place of [4, 2, 0, 1, 3]) await decide(place, "incorrect");
  work.submit();
  await here.clock.pass(A_SECOND);
  const { body } = here.network.requests.find(({ what }) => what === "submit");
  const [{ labels, shown_at, submitted_at, ...rest }] = body.submissions;
  assert.deepEqual(rest, { screen: "s0" });
  assert.deepEqual(labels.map(({ order }) => order), [3, 4, 2, 5, 1]);
  assert.ok(labels.every((each) => Math.abs(each.shown_at - began) <= 1));
  assert.ok(Math.abs(shown_at - began) <= 1);
  assert.ok(Math.abs(submitted_at - began - 2500) <= 10);
});

test("what was corrected after the clock was set back is sent after what it corrects", async () => {
  const here = world({ screens: 3 });
  const tab = new Tab(here.clock, here.browser, here.network);
  await here.clock.pass(A_SECOND);
  here.network.offline = true;
  tab.label();
  await here.clock.pass(A_SECOND);
  tab.behind = 3600 * A_SECOND;
  await Promise.all([tab.work.undo(), here.clock.pass(A_SECOND)]);
  tab.work.mark([tab.work.sheet.items[0]], "broken");
  tab.work.submit();
  here.network.offline = false;
  await here.clock.pass(60 * A_SECOND);
  assert.equal(here.server.labels.size, 6);
  assert.deepEqual(here.server.refusals, []);
  assert.equal(here.server.verdictsOf("s0").get("s0.0"), "broken");
});
