// @ts-check
// Texts of the activity of a set.
import { chance, counted } from "../numbers.js";
import { NONE } from "./common.js";

export const FIGURES = /** @satisfies {Record<string, import("./common.js").Explained>} */ ({
  verdicts: ["Verdicts", "Comparisons that count, voided ones left out."],
  hour: ["Last hour", "Verdicts of the last hour, by all judges."],
  work: ["At work", "Judges who hold a pair now, or gave a verdict in the last minute."],
  left: ["Left", "Forecast of the comparisons to the goal of this set."],
});
export const COLUMNS = /** @satisfies {Record<string, import("./common.js").Explained>} */ ({
  judge: ["Judge", "Name of a person, a model or a program; choose one to see only its entries."],
  verdicts: ["Verdicts", "Verdicts of this judge that count."],
  share: ["Share", "Share of the verdicts that the set needs to its end, by its budget or the forecast."],
  hour: ["Last hour", "Verdicts of the last hour."],
  last: ["Last verdict", "When the latest verdict came."],
  failures: ["No verdict", "Pairs that ended without a verdict: skipped, refused, unreadable or too late."],
  now: ["Now", "Pairs that the judge holds now."],
});
export const NOBODY_NOW = "Nobody is judging now.";
export const LAST_VERDICT = "last verdict";
export const NO_ENTRIES = "No verdicts yet. They appear here as they arrive: judge pairs yourself, or invite annotators.";
export const NONE_OF_JUDGE = "This judge has no entry in the log.";
export const COMPARE = "Compare these two.";
export const NO_NEXT = "No pair comes next.";
/** @type {Record<string, string>} */
export const KINDS = { human: "a person", llm: "a model" };
/** @type {Record<string, string>} */
const FAILURES = { skipped: "skipped", refused: "refused", parse_error: "unreadable", timeout: "too late" };
/** @param {number} count */
export const newer = (count) => (count === 1 ? "Show 1 new entry" : `Show ${count} new entries`);
/** @param {Record<string, number>} failures */
export function failed(failures) {
  const named = Object.entries(failures).map(([name, times]) => `${times} ${FAILURES[name] ?? name}`);
  return named.length ? named.join(", ") : NONE;
}

/** @param {number} seconds since then */
export function ago(seconds) {
  if (seconds < 5) return "now";
  if (seconds < 60) return `${Math.floor(seconds)} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return `${counted(Math.floor(seconds / 86_400), "day")} ago`;
}

/** @param {number} pairs */
export const holds = (pairs) => counted(pairs, "pair");
/** @param {{ worker: string, until: string }} lease */
export const lease = ({ worker, until }) => `${worker ? `Worker ${worker}. ` : ""}The leases end at ${until}.`;

export const OVER = "over";
export const AND = "and";
export const TIE = "tie";
export const BOTH_BAD = "both bad";
/** @param {number} probability that a judge gave the one it prefers */
export const sure = (probability) => `${chance(probability)} sure`;
/** @param {string} item */
export const onItem = (item) => `on ${item}`;
/** @param {string} reason */
export const because = (reason) => `“${reason}”`;
/** @param {string} judge */
export const verdictVoided = (judge) => `verdict of ${judge} voided`;
/** @param {number} seq */
export const voidOf = (seq) => `Void of ${seq}`;
/** @param {number} seq */
export const entry = (seq) => `Entry ${seq}, `;
/** @type {Record<string, import("./common.js").Explained>} */
export const BADGES = {
  void: ["Void", "This entry takes back a comparison, which no longer counts."],
  voided: ["Voided", "This comparison was taken back and no longer counts."],
  restored: ["Restored", "This entry is a copy of a comparison whose void was undone."],
  late: ["Late", "The verdict came after its lease ended; it counts."],
};
/** @param {string} criterion */
export const aboutWrongOrder = (criterion) =>
  `Probability that the ranking has these two in the wrong order. The pair was chosen by ${criterion}.`;
