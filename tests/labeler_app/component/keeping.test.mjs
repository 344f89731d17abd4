// What the browser keeps: whose it is, what outlives a tab, and what if it keeps nothing.

import assert from "node:assert/strict";
import { test } from "node:test";

import { FakeServer, Network, Tab, keepLabeling, world } from "./fakes.mjs";

const A_SECOND = 1000;

/** A tab that has submitted so many screens while nothing could be sent. */
async function offlineTab(here, screens, options) {
  const tab = new Tab(here.clock, here.browser, here.network, options);
  await tab.begin();
  here.network.offline = true;
  for (let each = 0; each < screens; each += 1) {
    tab.label();
    await here.clock.pass(100);
  }
  return tab;
}

test("a page that is killed between submit and send: the next one sends", async () => {
  const here = world({ screens: 3 });
  const tab = new Tab(here.clock, here.browser, here.network);
  await here.clock.pass(A_SECOND);
  const id = tab.label();
  tab.kill(); // at once: nothing has been sent
  await here.clock.pass(A_SECOND);
  assert.equal(here.server.labels.size, 0);
  const next = new Tab(here.clock, here.browser, here.network);
  await here.clock.pass(A_SECOND);
  assert.deepEqual(here.server.submitted, [id]);
  assert.ok(!next.shown.includes(id));
  assert.deepEqual(here.server.refusals, []);
});

test("a page that is killed at any moment of sending stores nothing twice", async () => {
  for (let moment = 0; moment < 60; moment += 3) {
    const here = world({ screens: 3 });
    const tab = new Tab(here.clock, here.browser, here.network);
    await here.clock.pass(A_SECOND);
    tab.label();
    await here.clock.pass(moment);
    tab.kill();
    const next = new Tab(here.clock, here.browser, here.network);
    await here.clock.pass(10 * A_SECOND);
    assert.equal(here.server.labels.size, 5);
    assert.deepEqual(here.server.refusals, []);
    assert.ok(!next.shown.includes("s0"), `shown again, killed after ${moment} ms`);
  }
});

test("drafts outlive the page", async () => {
  const here = world({ screens: 3 });
  const tab = new Tab(here.clock, here.browser, here.network);
  await here.clock.pass(A_SECOND);
  tab.work.mark([tab.work.sheet.items[1]], "unsure");
  tab.kill();
  const next = new Tab(here.clock, here.browser, here.network);
  await here.clock.pass(A_SECOND);
  const { sheet } = next.work;
  assert.equal(sheet.verdict(sheet.items[1]), "unsure");
});

test("another workspace on the same port and name neither sends nor deletes what waits", async () => {
  const here = world({ screens: 6 });
  const tab = await offlineTab(here, 2);
  tab.kill();
  const waiting = here.browser.keys(" outbox ");
  assert.equal(waiting.length, 2);

  const other = new FakeServer(here.clock, { screens: 6, name: "other" });
  const there = new Network(here.clock, other);
  const second = new Tab(here.clock, here.browser, there, { workspace: "w2" });
  await here.clock.pass(A_SECOND);
  second.label();
  await here.clock.pass(120 * A_SECOND);
  assert.deepEqual(other.submitted, ["other0"]);
  assert.deepEqual(other.refusals, []);
  assert.equal(second.work.outbox.labels, 0);
  assert.deepEqual(here.browser.keys(" outbox "), waiting);
  second.kill();

  here.network.offline = false;
  const third = new Tab(here.clock, here.browser, here.network);
  await here.clock.pass(10 * A_SECOND);
  assert.deepEqual(here.server.submitted, ["s0", "s1"]);
  assert.equal(third.work.outbox.labels, 0);
});

test("two labelers on one browser keep their own, whatever their names", async () => {
  const here = world({ screens: 9 });
  const ann = await offlineTab(here, 1, { labeler: "ann" });
  const other = new Tab(here.clock, here.browser, here.network, { labeler: "ann outbox" });
  assert.equal(ann.work.outbox.labels, 5);
  assert.equal(other.work.outbox.labels, 0);
});

test("refused labels are kept with the reason, until they are dismissed one by one", async () => {
  const here = world({ screens: 3 });
  const tab = new Tab(here.clock, here.browser, here.network);
  await here.clock.pass(A_SECOND);
  here.server.takeAway("s0");
  tab.label("unsure");
  await here.clock.pass(A_SECOND);
  assert.deepEqual(tab.notices, ["5 labels were not stored: given to another labeler meanwhile."]);
  const reads = () => {
    const next = new Tab(here.clock, here.browser, here.network);
    next.kill();
    return next.work.storage.refused();
  };
  const [first, ...others] = reads();
  assert.equal(others.length, 4);
  assert.equal(first.name, "class s0");
  assert.equal(first.photo, "s0.0");
  assert.equal(first.verdict, "unsure");
  assert.equal(first.reason, "given to another labeler meanwhile");
  tab.work.storage.dismiss(first.id);
  assert.deepEqual(reads(), others);
});

test("a storage that is full midway loses nothing, and is tried again", async () => {
  const here = world({ screens: 10 });
  const tab = await offlineTab(here, 1);
  assert.equal(tab.work.storage.failing, false);
  here.browser.room = here.browser.size + 40; // of a label not even the half
  for (let each = 0; each < 3; each += 1) {
    tab.label();
    await here.clock.pass(100);
  }
  assert.equal(tab.work.storage.failing, true);
  assert.equal(tab.work.outbox.photos.first, 20);
  here.browser.room = Infinity;
  here.network.offline = false;
  await here.clock.pass(60 * A_SECOND);
  assert.equal(here.server.labels.size, 20);
  assert.equal(tab.work.outbox.photos.first, 0);
  assert.equal(tab.work.storage.failing, false);
});

for (const trouble of ["forbidden", "room"]) {
  test(`a browser that keeps nothing is worked with in memory (${trouble})`, async () => {
    const here = world({ screens: 8 });
    here.browser[trouble] = trouble === "room" ? 0 : true;
    const tab = new Tab(here.clock, here.browser, here.network);
    assert.equal(tab.work.storage.failing, true);
    const until = (all) => all.length === 8;
    const done = await keepLabeling(here, [tab], { every: 900, until, most: 100 });
    assert.equal(new Set(done).size, 8);
    assert.equal(here.server.labels.size, 40);
    assert.deepEqual(here.server.refusals, []);
  });
}

test("others' labels that are not saved yet are known, of this workspace and of others", async () => {
  const here = world({ screens: 9 });
  const ann = await offlineTab(here, 2, { labeler: "Ann Ö./1" });
  ann.kill();
  const there = { workspace: "w2", labeler: "eve" };
  const { work } = new Tab(here.clock, here.browser, here.network, { labeler: "bob" });
  new Tab(here.clock, here.browser, here.network, there).work.storage.send({
    id: "1",
    screen: "s",
    labels: [{}],
  });
  const found = work.storage.others().map(({ outbox, ...whose }) => ({
    ...whose,
    labels: outbox().flatMap(({ labels }) => labels).length,
  }));
  assert.deepEqual(found, [
    { labeler: "Ann Ö./1", isHere: true, labels: 10 },
    { labeler: "eve", isHere: false, labels: 1 },
  ]);
  assert.equal(work.outbox.labels, 0);
});
