// @ts-check
// What a verdict says: the better one first, and how sure the judge was.
import * as words from "./texts/activity.js";

/** @param {Pick<Contract.LogEntry, "first" | "second" | "p_first" | "winner">} entry */
export function outcome({ first, second, p_first: p, winner }) {
  if (winner === "both_bad") return { keys: [first, second], verb: words.AND, note: words.BOTH_BAD, isTie: true };
  if (p === 0.5) return { keys: [first, second], verb: words.AND, note: words.TIE, isTie: true };
  const larger = Math.max(p, 1 - p);
  return { keys: p > 0.5 ? [first, second] : [second, first], verb: words.OVER, note: larger === 1 ? "" : words.sure(larger), isTie: false };
}
