// What each key means. Keys are known by where they lie (`event.code`): they stay in place on every
// layout, and Shift changes nothing about them. In a pool that is mostly wrong the workspace turns
// two verdicts about (`one_key`): then one key says "incorrect", and Shift with it "correct".

/** Verdicts, as they are shown everywhere. */
export const VERDICTS = [
  { verdict: "correct", word: "Correct", symbol: "✓" },
  { verdict: "incorrect", word: "Incorrect", symbol: "✗" },
  { verdict: "unsure", word: "Unsure", symbol: "?" },
  { verdict: "broken", word: "Broken", symbol: "⊘" },
];

/** The verdicts in the order of their keys: the one that one key gives is the first. */
export function inOrder(oneKey) {
  const [correct, incorrect, ...others] = VERDICTS;
  return oneKey === "incorrect" ? [incorrect, correct, ...others] : VERDICTS;
}

/** The keys, as the help lists them. */
export function helpOf(oneKey) {
  const [first, second] = inOrder(oneKey).map(({ verdict }) => verdict);
  const says = { correct: "the photo shows the class: correct", incorrect: "it does not: incorrect" };
  return [
    [["1", "–", "5"], says[first]],
    [["Shift", "+", "1", "–", "5"], says[second]],
    [["←", "→", "↑", "↓"], "another photo"],
    [["U"], "unsure"],
    [["B"], "broken, or not a photo"],
    [["A"], `all the rest: ${first}`],
    [["Shift", "+", "A"], `all the rest: ${second}`],
    [["Space"], "see the photo large"],
    [["Backspace"], "take back, also on the classes before"],
    [["Enter"], "submit, when all are decided"],
    [["H"], "this help"],
  ];
}

const SIMPLE = {
  KeyU: { name: "mark", verdict: "unsure" },
  KeyB: { name: "mark", verdict: "broken" },
  KeyH: { name: "help" },
  Space: { name: "zoom" },
  Backspace: { name: "undo" },
  Enter: { name: "submit" },
  NumpadEnter: { name: "submit" },
  ArrowLeft: { name: "move", by: "left" },
  ArrowRight: { name: "move", by: "right" },
  ArrowUp: { name: "move", by: "up" },
  ArrowDown: { name: "move", by: "down" },
};

/**
 * What a keydown asks for: `{name, ...}`; null where it is not meant for the component.
 *
 * @param {string} oneKey the verdict that a digit alone gives
 * @param {Element | null} pointed what mouse or finger pressed last: keys go on from there, and do
 *   not press it again
 */
export function actionOf(event, oneKey, pointed = null) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return null;
  const target = event.composedPath()[0];
  if (target.closest?.("input, textarea, select, [contenteditable]")) return null;
  // A button or link that the Tab key led to is worked as everywhere else.
  const own = event.code === "Enter" || event.code === "Space";
  const reached = "button:focus-visible, a[href]:focus-visible, summary:focus-visible";
  if (own && target !== pointed && target.matches?.(reached)) return null;
  const { verdict } = inOrder(oneKey)[event.shiftKey ? 1 : 0];
  const digit = /^(?:Digit|Numpad)([1-5])$/.exec(event.code);
  if (digit) return { name: "mark", place: Number(digit[1]) - 1, verdict };
  if (event.code === "KeyA") return { name: "rest", verdict };
  return event.shiftKey ? null : (SIMPLE[event.code] ?? null);
}
