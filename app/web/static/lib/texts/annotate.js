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
export const JUDGED = "This pair is judged. Undo takes your verdict back.";
export const PASSED = "You left this pair without a verdict.";
/** @param {string} message */
export const refused = (message) => `The service rejected this verdict: ${message}`;
/** @param {number} seconds */
export const readOn = (seconds) => `Read on: you can judge in ${seconds} s`;
/** @param {number} count */
export const unsent = (count) => `Offline: ${counted(count, "verdict")} not sent yet`;

/** @type {Record<string, string>} */
export const SENT = {
  first: "Sent: first", second: "Sent: second", tie: "Sent: tie", both_bad: "Sent: both bad", skip: "Skipped", undo: "Taken back",
};

/** @type {Record<string, string>} */
export const WHY = {
  first: "Why is the first better?", second: "Why is the second better?", tie: "Why a tie?", both_bad: "Why are both bad?",
};

/** @type {Record<string, string>} */
export const KEY_ACTIONS = {
  first: "First is better", second: "Second is better", tie: "Tie", both_bad: "Both bad", skip: "Skip", undo: "Undo",
  differences: "Show differences", source: "Show source", help: "Help",
};
export const PRESS_KEY = "Press a key";

/**
 * @param {string} key
 * @param {string} owner none where the browser needs the key
 */
export const keyTaken = (key, owner) =>
  owner
    ? `${key} is the key of "${owner}". Choose another key, or change that one first.`
    : `The browser needs ${key}. Choose another key.`;

/**
 * Yours today, the set's, and what is left of its goal.
 * @param {number} today
 * @param {number} done
 * @param {number | null} goal none where the set ends by a rule
 */
export function progress(today, done, goal) {
  const [all, most, left] = [done, goal ?? 0, Math.max((goal ?? 0) - done, 0)].map((count) => count.toLocaleString("en"));
  return `${today} by you today · ${goal === null ? `${all} in the set` : `${all} of ${most} in the set · ${left} left`}`;
}
