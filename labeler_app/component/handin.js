// Hands a finished task in to Mechanical Turk: by a form, which leaves the frame to the platform.

import { el } from "./view/dom.js";

/**
 * What to show at the end of a task, and the form, which is posted at once where it is the first
 * time. The server remembers that it was: in a foreign frame the browser may keep nothing.
 *
 * @param {{action: string, assignment: string}} to where, and what the platform calls this
 * @param {{outcome: string, code: string | null}} done how the task ended
 * @param {() => Promise<boolean>} first whether nobody handed it in before; tries until it knows
 * @param {(title: string, ...parts: Element[]) => void} show draws a message
 */
export async function handIn(to, done, first, show) {
  if (done.code === null) {
    const words = "Nothing was left to label. Return the task on Mechanical Turk, please.";
    return show("No photos are left for you", el("p", {}, words));
  }
  show("All done. Thank you!", el("p", {}, "Handing in…"));
  const isFirst = await first();
  const form = formOf(to, done);
  const words = "If Mechanical Turk still waits for this task, hand it in again.";
  show("Handed in. Thank you!", el("p", {}, words), form);
  if (isFirst) form.submit();
  return undefined;
}

function formOf({ action, assignment }, { outcome, code }) {
  const fields = Object.entries({ assignmentId: assignment, outcome, code });
  return el(
    "form",
    { method: "post", action, class: "hand-in" },
    ...fields.map(([name, value]) => el("input", { type: "hidden", name, value })),
    el("button", { type: "submit" }, "Hand in again"),
  );
}
