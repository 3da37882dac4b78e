// @ts-check
// Texts of judging pairs.
import { counted } from "../numbers.js";

export const LATE = "This pair is no longer reserved for you. Your verdict still counts, and is marked as late.";
export const TOO_LONG = "These texts are too long to compare word by word.";
export const OFFLINE = "Offline: the service does not answer. This page tries again by itself.";
export const NOTHING_TO_UNDO = "There is nothing to undo on this page.";
export const SKIPPED = "The last pair was skipped, and a skipped pair cannot be undone.";
export const UNDO_LATER = "Your last verdict is not sent yet. It will be taken back once it has arrived.";
export const UNDONE = "Your last verdict was taken back. Judge this pair again.";
/** @param {string} message */
export const refused = (message) => `The service rejected this verdict: ${message}`;
/** @param {number} seconds */
export const readOn = (seconds) => `Please read on: you can judge in ${seconds} s.`;
/** @param {number} count */
export const unsent = (count) => `Offline: ${counted(count, "verdict")} not sent yet. This page sends them by itself.`;

/**
 * @param {number} count of this judge, in this session
 * @param {Contract.SetOut} set
 */
export function judged(count, { budget, comparisons, stop }) {
  const left = budget?.max_comparisons ? Math.max(0, budget.max_comparisons - comparisons) : null;
  const end = left === null ? (stop ? "with a stop rule" : "no limit") : `${left} left in the budget`;
  return `Your verdicts in this session: ${count}. Comparisons in the set: ${comparisons}, ${end}.`;
}
