// @ts-check
// Texts about one judge.
import { counted, percent } from "../numbers.js";

export const HISTORY = "Agreement over time";
/** @type {Record<"recent" | "predicted", [label: string, tip: string]>} */
export const AGAINST = {
  recent: ["With others", "Share of common pairs with the same winner as the other judges."],
  predicted: ["As predicted", "Share of verdicts that name the winner which all other verdicts predict."],
};
/** @param {number} verdicts */
export const ofLatest = (verdicts) => `Among the latest ${counted(verdicts, "verdict")} at each moment, with its 95% interval.`;
/** @type {Record<"recent" | "predicted", string>} */
export const MEANS = {
  recent: "It also falls when harder pairs come up; “As predicted” allows for that, and the status uses it.",
  predicted: "It allows for how hard the pairs were, and the status uses it.",
};
export const X_VERDICTS = "number of verdicts by this judge";
export const NO_HISTORY = "The chart appears once other judges have judged the same pairs.";
export const SINCE = "changed";
/** @type {Record<"hour" | "day", string>} */
export const PERIODS = { hour: "Verdicts by hour", day: "Verdicts by day" };
/**
 * @param {Date} when
 * @param {"hour" | "day"} period
 */
export const time = (when, period) => when.toLocaleString("en", period === "hour"
  ? { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hour12: false }
  : { month: "short", day: "numeric", year: "numeric", timeZone: "UTC" });
/** @param {string} when */
export const moment = (when) => new Date(when).toLocaleString("en",
  { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hour12: false });

export const CALIBRATION = "Calibration";
export const STATED = "confidence that it states";
/** @param {number} share */
export const states = (share) => `States ${percent(share)}%`;
/**
 * @param {number} share
 * @param {number} verdicts
 */
export const rightOf = (share, verdicts) => `right in ${percent(share)}% of ${counted(verdicts, "verdict")}`;
export const PEOPLE = "people";
export const ONLY_WORDS = "This judge names winners and states no confidence, so there is nothing to calibrate.";
export const NO_OTHERS = "Calibration needs another judge's verdicts on the same pairs.";

/**
 * What the temperature says of a judge's confidence.
 * @param {{ temperature: number, verdicts: number, error: number }} fit
 */
export function calibrated({ temperature, verdicts, error }) {
  const nature = temperature > 1.1 ? "overconfident" : temperature < 0.9 ? "underconfident" : "about as confident as it should be";
  return `It is ${nature}: a temperature of ${temperature.toFixed(1)} fits ${counted(verdicts, "verdict")} best. `
    + `The points below are off by ${percent(error)} percentage points on average. On the dotted line it is right as often as it states.`;
}

export const ABOUT_DEVIATIONS = "How much more or less this judge gives a candidate than the common score, in logits.";
export const NONE_DIFFERS = "None is clearly different: every interval includes 0.";
export const NO_DEVIATIONS = "Too few verdicts, or too large a set, to tell its own preferences.";
export const DISPUTES = "Disputes of this judge";
export const NO_DISPUTES = "None: no other judge names another winner of its pairs.";
export const DESCRIBED = "Description saved.";
/** @param {string} other */
export const compareWith = (other) => `Compare with ${other}`;
/** @param {string[]} kinds each with its count */
export const failedBy = (kinds) => kinds.join(", ");
/**
 * @param {string} kind
 * @param {number} count
 */
export const failed = (kind, count) => `${count.toLocaleString("en")} ${kind.replaceAll("_", " ")}`;

/** @typedef {{ label: string, tip: string }} Heading */
export const COLUMNS = /** @satisfies {Record<string, Heading>} */ ({
  at: { label: "Time", tip: "When the verdict entered the log." },
  item: { label: "Item", tip: "The prompt that both outputs respond to." },
  first: { label: "Shown first", tip: "The candidate that the judge saw first, or on the left." },
  second: { label: "Shown second", tip: "The candidate that the judge saw second, or on the right." },
  verdict: { label: "Verdict", tip: "The winner, and the probability that the judge gives it." },
  latency: { label: "Took", tip: "Time from asking to verdict." },
});
/** @param {string} key */
export const over = (key) => ` over ${key}`;
export const TIE = "tie";
export const BOTH_BAD = "both bad";
/** @param {number} seq */
export const voidVerdict = (seq) => `Void verdict ${seq}`;
/** @param {number} seq */
export const restoreVerdict = (seq) => `Restore verdict ${seq}`;
export const MOST_DISPUTED = "Pairs of this judge on which verdicts differ most; the probabilities are the judges'.";
