// @ts-check
// Texts of the results.
import { chance, counted, percent } from "../numbers.js";
import { rates } from "./common.js";

/** @type {Record<Contract.InferenceTargetName, string>} */
export const TARGETS = {
  "all-pairs": "these judges' verdicts on all pairs", "new-items": "new prompts like these",
  people: "what people would prefer", latent: "latent scores",
};
export const WIN_RATE = "Win rate";
export const SCORE = "Score";
export const NOW = "now";
export const OTHER_TARGETS = "Rank by another target: ";
export const NOT_SHOWN = "P(best) is not shown until verdicts depend on the candidates.";
export const HEADLINE = /** @satisfies {Record<string, import("./common.js").Explained>} */ ({
  concordance: ["Expected concordance", "Share of pairs of candidates that the ranking is expected to have in the right order."],
  pBest: ["P(best)", "Probability that the first candidate of the ranking is the best."],
  rankInterval: ["Rank interval", "Best and worst plausible rank of the first candidate, at 95%."],
  interval: ["95% interval", "Range of the first candidate's score or win rate, at 95%."],
  signal: ["Evidence of signal", "The e-value compares verdicts with random judging plus position bias; 20 is enough to claim a signal."],
});
/** @param {string} baseline */
export const against = (baseline) => `Against ${baseline}`;
/** @param {string} unit */
export const scoreIn = (unit) => `${SCORE}, ${unit}`;
/** @param {string} key */
export const rankingOf = (key) => `Ranking, ${key}`;

/**
 * @param {Contract.Confidence} confidence
 * @param {number} n candidates
 */
export function expectedConcordance({ expected_concordance: concordance, pairs, interval }, n) {
  if (pairs === 1) return `${chance(concordance)} probability that the pair of the goal is in the right order`;
  const which = pairs < n * (n - 1) / 2 ? `the ${counted(pairs, "pair")} of the goal` : "pairs";
  if (concordance === 1) return `All of ${which === "pairs" ? "the pairs" : which} expected in the right order`;
  const [low, high] = interval.map((share) => chance(share).replace("%", ""));
  const range = low === "100" ? "" : ` (${low} to ${high}%)`;
  return `${chance(concordance)} of ${which} expected in the right order${range}`;
}

/** @param {Contract.ConfidenceForecast} later */
export const forecast = ({ expected_concordance: concordance, comparisons }) =>
  `; forecast: ${chance(concordance)} after ${counted(comparisons, "comparison")}`;

/** @param {Contract.Signal} signal */
export function evidenceOfSignal({ claimed, e_value: e }) {
  if (!claimed) return `not yet (e-value ${Math.floor(10 * e) / 10}, below 20)`;
  const value = e >= 1e6 ? "over a million" : Math.floor(e).toLocaleString("en");
  return `verdicts depend on the candidates (e-value ${value})`;
}

/**
 * A key that is a number stands in quotes.
 * @param {string} key
 * @param {string} value
 */
export const ofCandidate = (key, value) => `${/^\d+$/.test(key) ? `"${key}"` : key}: ${value}`;

/** @param {Contract.AgreementWithPeople} agreement */
export const agreementWithPeople = ({ share, pairs, interval }) =>
  `Judges and people name the same winner in ${percent(share)}% of ${counted(pairs, "pair")} ${rates(interval)}.`;

/**
 * @param {string} judge
 * @param {number} temperature
 */
export const overconfident = (judge, temperature) =>
  `${judge} is ${temperature > 1 ? "overconfident" : "underconfident"}: a temperature of ${temperature.toFixed(1)} fits the verdicts of people.`;

/**
 * @param {string} difference
 * @param {string} low
 * @param {string} high
 * @param {number | null} rate of wins; null where the difference is itself one of win rates
 */
export const difference = (difference, low, high, rate) =>
  `${difference}${rate === null ? "%" : ""} (${low} to ${high})${rate === null ? "" : `, wins ${percent(rate)}%`}`;
