// What keys mean, in a pool that is mostly right and in one that is mostly wrong.

import assert from "node:assert/strict";
import { test } from "node:test";

import { actionOf, inOrder, questionActionOf, turned } from "../../../labeler_app/component/keys.js";

/** A key that is pressed while nothing has the focus. */
const pressed = (code, shiftKey = false) => ({
  code,
  shiftKey,
  key: /^Key([A-Z])$/.exec(code)?.[1] ?? code,
  composedPath: () => [{}],
});

for (const [one, other] of [
  ["correct", "incorrect"],
  ["incorrect", "correct"],
]) {
  test(`one key says ${one}, Shift with it ${other}`, () => {
    const mark = (verdict) => ({ name: "mark", place: 2, verdict });
    assert.deepEqual(actionOf(pressed("Digit3"), { one_key: one }), mark(one));
    assert.deepEqual(actionOf(pressed("Numpad3", true), { one_key: one }), mark(other));
    assert.deepEqual(actionOf(pressed("KeyA"), { one_key: one }), { name: "rest", verdict: one });
    assert.deepEqual(actionOf(pressed("KeyA", true), { one_key: one }), { name: "rest", verdict: other });
    const unsure = { name: "mark", verdict: "unsure" };
    assert.deepEqual(actionOf(pressed("KeyU"), { one_key: one }), unsure);
    assert.equal(actionOf(pressed("KeyU", true), { one_key: one }), null);
    const order = inOrder(one).map(({ verdict }) => verdict);
    assert.deepEqual(order, [one, other, "unsure", "broken"]);
    const grid = { one_key: one, grid: true }; // where photos have no numbers
    assert.equal(actionOf(pressed("Digit3"), grid), null);
    assert.deepEqual(actionOf(pressed("KeyX"), grid), { name: "turn" });
    assert.deepEqual([null, other, "unsure", one, "broken"].map((verdict) => turned(verdict, one)), [other, "unsure", one, other, other]);
  });
}

test("Enter presses the button that Tab led to, and submits after one that the mouse pressed", () => {
  const button = { matches: (what) => what.startsWith("button:focus-visible") };
  const enter = { code: "Enter", composedPath: () => [button] };
  assert.equal(actionOf(enter, { one_key: "correct" }), null);
  assert.deepEqual(actionOf(enter, { one_key: "correct" }, button), { name: "submit" });
});

test("the answers' letters are known by what is printed on the key, or else by its place", () => {
  const typed = (code, key, shiftKey = false) =>
    questionActionOf({ code, key, shiftKey, composedPath: () => [{}] });
  const mark = (verdict) => ({ name: "mark", verdict });
  assert.deepEqual(typed("KeyY", "y"), mark("correct"));
  assert.deepEqual(typed("KeyZ", "y"), mark("correct")); // a German keyboard
  assert.deepEqual(typed("KeyY", "z"), { name: "undo" });
  assert.deepEqual(typed("Semicolon", "m"), mark("unsure")); // a French one
  assert.deepEqual(typed("KeyN", "т"), mark("incorrect")); // a Russian one
  assert.deepEqual(typed("KeyY", "Y"), mark("correct")); // with caps lock
  assert.equal(typed("KeyY", "Y", true), null);
  assert.equal(typed("KeyU", "u"), null);
  assert.deepEqual(typed("Digit1", "&"), mark("correct")); // French: without Shift
  assert.deepEqual(typed("Numpad0", "0"), { name: "none" });
  assert.equal(typed("Digit4", "4"), null);
  assert.deepEqual(typed("Digit7", "/", true), { name: "search" });
  assert.deepEqual(typed("Slash", "/"), { name: "search" });
  for (const code of ["Backspace", "Enter", "Space", "ArrowDown"]) assert.ok(typed(code, code));
});

test("the photos' letters are known in the same way, and signs are no letters", () => {
  const typed = (code, key, shiftKey = false) =>
    actionOf({ code, key, shiftKey, composedPath: () => [{}] }, { one_key: "correct" });
  const rest = (verdict) => ({ name: "rest", verdict });
  assert.deepEqual(typed("KeyQ", "a"), rest("correct")); // a French keyboard
  assert.deepEqual(typed("KeyQ", "A", true), rest("incorrect"));
  assert.equal(typed("KeyA", "q"), null);
  assert.deepEqual(typed("KeyN", "b"), { name: "mark", verdict: "broken" }); // Dvorak
  assert.equal(typed("KeyB", "x"), null);
  assert.deepEqual(typed("KeyA", "ф"), rest("correct")); // a Russian one
  assert.deepEqual(typed("Digit1", "&"), { name: "mark", place: 0, verdict: "correct" });
  const answered = questionActionOf({ code: "KeyM", key: ",", composedPath: () => [{}] });
  assert.equal(answered, null); // French: M lies elsewhere
});
