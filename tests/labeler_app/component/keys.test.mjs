// What keys mean, in a pool that is mostly right and in one that is mostly wrong.

import assert from "node:assert/strict";
import { test } from "node:test";

import { actionOf, helpOf, inOrder } from "../../../labeler_app/component/keys.js";

/** A key that is pressed while nothing has the focus. */
const pressed = (code, shiftKey = false) => ({ code, shiftKey, composedPath: () => [{}] });

for (const [one, other] of [
  ["correct", "incorrect"],
  ["incorrect", "correct"],
]) {
  test(`one key says ${one}, Shift with it ${other}`, () => {
    const mark = (verdict) => ({ name: "mark", place: 2, verdict });
    assert.deepEqual(actionOf(pressed("Digit3"), one), mark(one));
    assert.deepEqual(actionOf(pressed("Numpad3", true), one), mark(other));
    assert.deepEqual(actionOf(pressed("KeyA"), one), { name: "rest", verdict: one });
    assert.deepEqual(actionOf(pressed("KeyA", true), one), { name: "rest", verdict: other });
    const unsure = { name: "mark", verdict: "unsure" };
    assert.deepEqual(actionOf(pressed("KeyU"), one), unsure);
    assert.equal(actionOf(pressed("KeyU", true), one), null);
    const order = inOrder(one).map(({ verdict }) => verdict);
    assert.deepEqual(order, [one, other, "unsure", "broken"]);
    const says = Object.fromEntries(helpOf(one).map(([keys, text]) => [keys.join(""), text]));
    assert.match(says["1–5"], new RegExp(`\\b${one}$`));
    assert.match(says["Shift+1–5"], new RegExp(`\\b${other}$`));
    assert.match(says["A"], new RegExp(`\\b${one}$`));
    assert.match(says["Shift+A"], new RegExp(`\\b${other}$`));
  });
}

test("Enter presses the button that Tab led to, and submits after one that the mouse pressed", () => {
  const button = { matches: (what) => what.startsWith("button:focus-visible") };
  const enter = { code: "Enter", composedPath: () => [button] };
  assert.equal(actionOf(enter, "correct"), null);
  assert.deepEqual(actionOf(enter, "correct", button), { name: "submit" });
});
