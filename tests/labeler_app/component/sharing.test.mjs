// Two tabs, leases that end, screens that go to others, and the way back.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Tab, keepLabeling, world } from "./fakes.mjs";

const A_SECOND = 1000;

function twoTabs(here) {
  const one = new Tab(here.clock, here.browser, here.network);
  const two = new Tab(here.clock, here.browser, here.network);
  one.others.push(two);
  two.others.push(one);
  return [one, two];
}

for (const lockless of [false, true]) {
  test(`two tabs share the work (${lockless ? "without" : "with"} locks)`, async () => {
    const here = world({ screens: 40 });
    here.browser.lockless = lockless;
    here.network.way = () => ({ there: 700, back: 700 });
    const tabs = twoTabs(here);
    const until = () => here.server.submitted.length === 40;
    const done = await keepLabeling(here, tabs, { every: 900, until, most: 400 });
    assert.equal(here.server.submitted.length, 40);
    assert.equal(here.server.labels.size, 200);
    if (!lockless) {
      assert.equal(new Set(done).size, done.length);
      assert.deepEqual(here.server.refusals, []);
    }
    assert.equal(tabs[0].work.outbox.labels, 0);
  });
}

test("a tab that dies gives its screens and its turn to the other", async () => {
  const here = world({ screens: 8 });
  const [one, two] = twoTabs(here);
  await here.clock.pass(A_SECOND);
  const on = two.work.sheet.screen.id;
  here.network.way = () => ({ lost: "there" });
  const waiting = two.label();
  await here.clock.pass(A_SECOND); // it holds the turn, and waits for an answer
  two.kill();
  here.network.way = () => ({});
  const until = (all) => all.length === 7;
  const done = await keepLabeling(here, [one], { every: 900, until, most: 100 });
  assert.equal(on, waiting);
  assert.ok(!done.includes(waiting));
  assert.equal(here.server.submitted.length, 8);
  assert.deepEqual(here.server.refusals, []);
});

test("locks that throw are done without", async () => {
  const here = world({ screens: 4 });
  here.browser.locks = () => {
    throw new Error("SecurityError");
  };
  const tab = new Tab(here.clock, here.browser, here.network);
  const until = (all) => all.length === 4;
  await keepLabeling(here, [tab], { every: 900, until, most: 50 });
  assert.equal(here.server.labels.size, 20);
});

test("a screen that is lost after it was submitted is not taken from the labeler", async () => {
  const here = world({ screens: 6 });
  const tab = new Tab(here.clock, here.browser, here.network);
  await here.clock.pass(A_SECOND);
  // The sign of life is under way when the screen is submitted, and says that it is lost.
  here.network.way = (what) => (what === "beat" ? { there: 5, back: 5000 } : { there: 2000 });
  here.server.beat = ({ screens }) => ({ lost: screens.slice(0, 1) });
  tab.work.beat();
  await here.clock.pass(100);
  const id = tab.label();
  await here.clock.pass(30 * A_SECOND);
  assert.deepEqual(here.server.submitted, [id]);
  assert.deepEqual(tab.notices, []);
  assert.deepEqual(here.server.refusals, []);
});

test("a screen that went to another before it was submitted is left, and that is said", async () => {
  const here = world({ screens: 6 });
  const tab = new Tab(here.clock, here.browser, here.network);
  await here.clock.pass(A_SECOND);
  here.server.takeAway("s0");
  await here.clock.pass(61 * A_SECOND); // a sign of life is due
  assert.equal(tab.work.sheet.screen.id, "s1");
  assert.equal(tab.notices.length, 1);
});

test("an answer from before a screen was lost does not bring it back without its photos", async () => {
  const here = world({ screens: 9 });
  const tab = new Tab(here.clock, here.browser, here.network);
  await here.clock.pass(A_SECOND);
  here.network.way = (what) => ({ back: what === "screens" ? 5 * A_SECOND : 5 });
  tab.work.fill(); // the server says what is theirs, s3 too
  await here.clock.pass(100);
  here.server.takeAway("s3");
  tab.work.beat();
  const done = await keepLabeling(here, [tab], { every: A_SECOND, until: (all) => all.length === 8 });
  assert.ok(!done.includes("s3"));
  assert.equal(here.server.labels.size, 40);
});

test("a sign of life moves the lease's end", async () => {
  const here = world({ screens: 2 });
  const tab = new Tab(here.clock, here.browser, here.network);
  await here.clock.pass(A_SECOND);
  const before = tab.work.sheet.screen.expires_at;
  await here.clock.pass(10 * 60 * A_SECOND);
  const left = tab.work.sheet.screen.expires_at - here.clock.now;
  assert.ok(tab.work.sheet.screen.expires_at > before);
  assert.ok(left > 13 * 60 * A_SECOND && left <= 15 * 60 * A_SECOND);
});

test("a mind is changed on a screen that is still on its way", async () => {
  const here = world({ screens: 3 });
  const tab = new Tab(here.clock, here.browser, here.network);
  await here.clock.pass(A_SECOND);
  here.network.offline = true;
  tab.label();
  await here.clock.pass(A_SECOND);
  await tab.work.undo();
  assert.equal(tab.work.sheet.screen.id, "s0");
  tab.work.mark([tab.work.sheet.items[0]], "broken");
  tab.work.submit();
  assert.equal(tab.work.sheet.screen.id, "s1");
  assert.equal(tab.work.outbox.labels, 6);
  assert.equal(tab.work.outbox.photos.first, 5); // a change is no further photo
  here.network.offline = false;
  await here.clock.pass(60 * A_SECOND);
  assert.equal(here.server.labels.size, 6);
  assert.deepEqual(here.server.refusals, []);
  assert.equal(tab.work.sheet.screen.id, "s1");

  here.network.offline = true;
  await tab.work.undo();
  tab.work.mark([tab.work.sheet.items[0]], "unsure");
  tab.work.submit();
  assert.deepEqual(tab.work.outbox.photos, { first: 0, changed: 1 });
});

test("one goes back further than this browser remembers", async () => {
  const here = world({ screens: 14 });
  const tab = new Tab(here.clock, here.browser, here.network);
  const until = (all) => all.length === 12;
  await keepLabeling(here, [tab], { every: 900, until });
  const seen = [];
  for (let step = 0; step < 12; step += 1) {
    await Promise.all([tab.work.undo(), here.clock.pass(100)]);
    seen.push(tab.work.sheet.screen.id);
  }
  assert.deepEqual(seen, Array.from({ length: 12 }, (_, step) => `s${11 - step}`));
});

test("who is blocked gets no more screens, and keeps what was refused", async () => {
  const here = world({ screens: 6 });
  const tab = new Tab(here.clock, here.browser, here.network);
  await here.clock.pass(A_SECOND);
  here.server.blocked = true;
  tab.label();
  await here.clock.pass(A_SECOND);
  assert.equal(tab.work.refused, "you may not label here any more");
  assert.equal(tab.work.sheet, null);
  assert.equal(tab.work.storage.refused().length, 5);
});

test("a screen of which nothing was stored comes again if the server still wants it", async () => {
  const here = world({ screens: 2 });
  const tab = new Tab(here.clock, here.browser, here.network);
  await here.clock.pass(A_SECOND);
  here.server.bad = () => 400;
  tab.label();
  await here.clock.pass(A_SECOND);
  here.server.bad = () => null;
  const until = () => here.server.submitted.length === 2;
  await keepLabeling(here, [tab], { every: 900, until, most: 50 });
  assert.equal(here.server.submitted.length, 2);
});

for (const [grid, unseen, screens] of [[false, 2, 6], [true, 1, 2]]) {
  test(`offline, ${screens} loaded screens are labeled; then it waits, and goes on by itself`, async () => {
    const here = world({ screens: 9 });
    const tab = new Tab(here.clock, here.browser, here.network, { grid });
    await here.clock.pass(A_SECOND);
    assert.equal(here.server.leased.length, unseen);
    await tab.begin();
    here.network.offline = true;
    while (tab.work.sheet) {
      tab.label();
      await here.clock.pass(A_SECOND);
    }
    assert.equal(tab.work.outbox.photos.first, 5 * screens);
    assert.equal(tab.work.server.reachable, false);
    here.network.offline = false;
    await here.clock.pass(30 * A_SECOND);
    assert.equal(tab.work.server.reachable, true);
    assert.equal(tab.work.sheet.screen.id, `s${screens}`);
    assert.equal(here.server.labels.size, 5 * screens);
  });
}

test("a page on which nobody decides anything has one screen ahead, and gives it back at its end", async () => {
  const here = world({ screens: 9 });
  const tab = new Tab(here.clock, here.browser, here.network);
  await here.clock.pass(10 * 60 * A_SECOND);
  assert.deepEqual(here.server.leased, ["s0", "s1"]);
  await tab.begin();
  assert.equal(here.server.leased.length, 6);
  tab.work.mark([tab.work.sheet.items[0]], "unsure");
  tab.label();
  tab.work.mark([tab.work.sheet.items[0]], "unsure");
  tab.work.leave();
  tab.kill();
  await here.clock.pass(A_SECOND);
  // On one something is decided, of the other labels wait here to be sent.
  assert.deepEqual(here.server.leased, ["s0", "s1"]);
});

for (const hidden of [false, true]) {
  test(`a page that is ${hidden ? "hidden" : "left open"} gives back what it has ahead`, async () => {
    const here = world({ screens: 9 });
    const tab = new Tab(here.clock, here.browser, here.network);
    await tab.begin();
    tab.hidden = hidden;
    await here.clock.pass((hidden ? 2 : 17) * 60 * A_SECOND);
    assert.deepEqual(here.server.leased, ["s0", "s1"]);
    const since = here.clock.now;
    here.server.takeAway("s4");
    tab.hidden = false;
    if (hidden) tab.work.beat();
    await tab.begin();
    assert.ok(tab.work.sheet.screen.expires_at >= since);
    assert.deepEqual(here.server.leased.length, 6);
    assert.ok(!tab.work.next.some(({ id }) => id === "s4"));
  });
}

test("a page that is closed claims nothing more, whatever is still on its way", async () => {
  const here = world({ screens: 9 });
  const tab = new Tab(here.clock, here.browser, here.network);
  await here.clock.pass(A_SECOND);
  here.network.way = () => ({ back: 2 * A_SECOND });
  tab.label();
  await here.clock.pass(200);
  tab.work.close(); // the document stays: somebody signs out, and in again
  await here.clock.pass(10 * A_SECOND);
  assert.deepEqual((await here.browser.locks(tab).query()).held, []);
});

test("what another tab has on display is not given back", async () => {
  const here = world({ screens: 9 });
  const [one, two] = twoTabs(here);
  await one.begin();
  await two.begin();
  const others = two.work.sheet.screen.id;
  await here.clock.pass(61 * A_SECOND);
  one.work.leave();
  one.kill();
  await here.clock.pass(A_SECOND);
  assert.ok(here.server.leased.includes(others));
});
