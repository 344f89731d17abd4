// What each key means. Keys are known by where they lie (`event.code`): they stay in place on every
// layout, and Shift changes nothing about them.

/** Verdicts, as they are shown everywhere. */
export const VERDICTS = [
  { verdict: "correct", word: "Correct", symbol: "✓" },
  { verdict: "incorrect", word: "Incorrect", symbol: "✗" },
  { verdict: "unsure", word: "Unsure", symbol: "?" },
  { verdict: "broken", word: "Broken", symbol: "⊘" },
];

/** The keys, as the help lists them. */
export const HELP = [
  [["1", "–", "5"], "the photo shows the class: correct"],
  [["Shift", "+", "1", "–", "5"], "it does not: incorrect"],
  [["←", "→", "↑", "↓"], "another photo"],
  [["U"], "unsure"],
  [["B"], "broken, or not a photo"],
  [["A"], "all the rest: correct"],
  [["Space"], "see the photo large"],
  [["Backspace"], "take back, also on the classes before"],
  [["Enter"], "submit, when all are decided"],
  [["H"], "this help"],
];

const SIMPLE = {
  KeyU: { name: "mark", verdict: "unsure" },
  KeyB: { name: "mark", verdict: "broken" },
  KeyA: { name: "rest" },
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

/** What a keydown asks for: `{name, ...}`; null where it is not meant for the component. */
export function actionOf(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return null;
  const target = event.composedPath()[0];
  if (target.closest?.("input, textarea, select, [contenteditable]")) return null;
  // A button or link that the Tab key led to is worked as everywhere else.
  const own = event.code === "Enter" || event.code === "Space";
  if (own && target.matches?.("button:focus-visible, a[href]:focus-visible")) return null;
  const digit = /^(?:Digit|Numpad)([1-5])$/.exec(event.code);
  if (digit) {
    const verdict = event.shiftKey ? "incorrect" : "correct";
    return { name: "mark", place: Number(digit[1]) - 1, verdict };
  }
  return event.shiftKey ? null : (SIMPLE[event.code] ?? null);
}
