// What each key means. Letters are the first ones of what they say, so they are known by what is
// printed on them: a French keyboard has A where others have Q. Digits are known by where they lie:
// Shift changes nothing about them. In a pool that is mostly wrong the workspace turns two verdicts
// about (`one_key`): then one key says "incorrect", and Shift with it "correct".

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

/** The verdict that a photo of a grid gets next: first what one key does not give. */
export function turned(verdict, oneKey) {
  const [rest, other, unsure] = inOrder(oneKey).map((row) => row.verdict);
  return { [other]: unsure, [unsure]: rest }[verdict] ?? other;
}

/** What is said of a further class of a photo, in the order in which it is shown. */
export const ANSWERS = [
  { verdict: "correct", word: "Yes", symbol: "✓", key: "Y" },
  { verdict: "unsure", word: "Maybe", symbol: "?", key: "M" },
  { verdict: "incorrect", word: "No", symbol: "✗", key: "N" },
];

const wordOf = (verdict, choices) =>
  choices.find((choice) => choice.verdict === verdict)?.word ?? "undecided";

/** A verdict in words, and as the answer to a question. */
export const nameOf = (verdict) => wordOf(verdict, VERDICTS);
export const answerOf = (verdict) => wordOf(verdict, ANSWERS);

const SIMPLE = {
  Space: { name: "zoom" },
  Backspace: { name: "undo" },
  Enter: { name: "submit" },
  NumpadEnter: { name: "submit" },
  ArrowLeft: { name: "move", by: "left" },
  ArrowRight: { name: "move", by: "right" },
  ArrowUp: { name: "move", by: "up" },
  ArrowDown: { name: "move", by: "down" },
};

const PHOTO_LETTERS = {
  U: { name: "mark", verdict: "unsure" },
  B: { name: "mark", verdict: "broken" },
  F: { name: "flag" },
  H: { name: "help" },
};
const QUESTION_LETTERS = {
  Y: { name: "mark", verdict: "correct" },
  M: { name: "mark", verdict: "unsure" },
  N: { name: "mark", verdict: "incorrect" },
  F: { name: "flag" },
  H: { name: "help" },
  Z: { name: "undo" },
};
const DIGITS = [{ name: "none" }, ...ANSWERS.map(({ verdict }) => ({ name: "mark", verdict }))];

/**
 * What a keydown asks for on a screen of photos: `{name, ...}`; null where it is not meant for the
 * component.
 *
 * @param {{one_key: string, grid: boolean}} page the verdict that one key gives, and whether photos
 *   are in a grid, where they have no numbers
 * @param {Element | null} pointed what mouse or finger pressed last: keys go on from there, and do
 *   not press it again
 */
export function actionOf(event, { one_key: oneKey, grid = false }, pointed = null) {
  if (!isForUs(event, pointed)) return null;
  const { verdict } = inOrder(oneKey)[event.shiftKey ? 1 : 0];
  const digit = /^(?:Digit|Numpad)([1-5])$/.exec(event.code);
  if (digit && !grid) return { name: "mark", place: Number(digit[1]) - 1, verdict };
  const letter = letterOf(event);
  if (letter === "A") return { name: "rest", verdict };
  if (event.shiftKey) return null;
  if (letter === "X" && grid) return { name: "turn" };
  return (letter ? PHOTO_LETTERS[letter] : SIMPLE[event.code]) ?? null;
}

/** The same on a screen of one photo. */
export function questionActionOf(event, pointed = null) {
  if (!isForUs(event, pointed)) return null;
  if (event.key === "/" || event.code === "NumpadDivide") return { name: "search" };
  if (event.shiftKey) return null;
  const digit = /^(?:Digit|Numpad)([0-3])$/.exec(event.code);
  if (digit) return DIGITS[Number(digit[1])];
  const letter = letterOf(event);
  return (letter ? QUESTION_LETTERS[letter] : SIMPLE[event.code]) ?? null;
}

/** The letter that is printed on a key; of a keyboard without Latin letters, the one in its place. */
function letterOf({ key, code }) {
  if (/^[a-z]$/i.test(key)) return key.toUpperCase();
  return /^\p{L}$/u.test(key) ? /^Key([A-Z])$/.exec(code)?.[1] : undefined;
}

function isForUs(event, pointed) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return false;
  const target = event.composedPath()[0];
  if (target.closest?.("input, textarea, select, [contenteditable]")) return false;
  // A button or link that the Tab key led to is worked as everywhere else.
  const presses = event.code === "Enter" || event.code === "Space";
  const reached = "button:focus-visible, a[href]:focus-visible, summary:focus-visible";
  return !(presses && target !== pointed && target.matches?.(reached));
}
