// @ts-check
// Texts of the results.
import { chance, counted, money, percent } from "../numbers.js";
import { NONE, rates } from "./common.js";

/** @type {Record<Contract.InferenceTargetName, string>} */
export const TARGETS = {
  "all-pairs": "these judges' verdicts on all pairs", "new-items": "new prompts like these",
  people: "what people would prefer", latent: "latent scores",
};
export const WIN_RATE = "Win rate";
export const SCORE = "Score";
export const NOW = "now";
export const INTERVAL = "interval";
export const USE_AS_BASELINE = "Use as baseline";
export const ITS_VERDICTS = "Its verdicts";
export const NOTHING_FOUND = "No candidate has this in its key or text.";
export const ADD_PROMPTS = "Add prompts first: more comparisons of these are not enough.";
export const ADD_PRICE = "Add a price";
export const CHANGE_STOP = "Change the stop";
export const ABOUT_VALIDATION = "What confidence refers to";
/** @typedef {{ label: string, tip: string }} Heading */
export const COLUMNS = /** @satisfies {Record<string, Heading>} */ ({
  rank: { label: "Rank", tip: "Place in the ranking; = marks a shared place, and a bracket a tie group." },
  key: { label: "Candidate", tip: "Key of the candidate; open it to read its text." },
  win_rate: { label: "Win rate", tip: "Expected share of wins against all other candidates, with its interval." },
  score: { label: "Score", tip: "Scores average 0; a lead of 1 logit, or 174 Elo, wins 73% of comparisons." },
  against: { label: "Against", tip: "Difference from the baseline with its interval, and the expected share of wins against it." },
  rank_interval: { label: "Rank interval", tip: "Best and worst plausible rank; the rank intervals of all candidates hold together." },
  p_best: { label: "P(best)", tip: "Probability of being best or tied; shown once verdicts depend on the candidates." },
  comparisons: { label: "Comparisons", tip: "Comparisons in which this candidate took part." },
});
export const TIE_GROUP = /** @satisfies {import("./common.js").Explained} */ (
  ["Tie group", "Candidates that cannot be separated from the first of their group, at 95%."]);
export const FIGURES = /** @satisfies {Record<string, import("./common.js").Explained>} */ ({
  confidence: ["Confidence", "Share of pairs of candidates that the ranking is expected to have in the right order."],
  spent: ["Spent", "Comparisons that count so far, and their cost where judges have a price."],
  left: ["Left", "Forecast of the comparisons still needed to reach the goal, and their cost."],
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
  const which = pairsOf(pairs, n);
  if (concordance === 1) return `All of ${which === "pairs" ? "the pairs" : which} expected in the right order`;
  const [low, high] = interval.map((share) => chance(share).replace("%", ""));
  const range = low === "100" ? "" : ` (${low} to ${high}%)`;
  return `${chance(concordance)} of ${which} expected in the right order${range}`;
}

/** @param {Contract.ConfidenceForecast} later */
export const forecast = ({ expected_concordance: concordance, comparisons }) =>
  `; forecast: ${chance(concordance)} after ${counted(comparisons, "comparison")}`;

export const NO_CONFIDENCE = "this method states none";
/** @type {Partial<Record<Contract.SignalCase, string>>} */
const UNCLAIMED = { "order-follows-candidates": "merit or bias", "one-side-always-wins": "one side wins" };
/** @param {Contract.Signal} signal */
export const unclaimed = ({ case: why, e_value: e }) =>
  UNCLAIMED[why ?? "not-yet"] ?? `no signal yet: e-value ${Math.floor(10 * e) / 10}, below 20`;
/**
 * @param {Contract.Confidence} confidence
 * @param {number} n candidates
 */
export function range({ interval: [low, high], pairs }, n) {
  const what = pairs === 1 ? "that the pair of the goal is in order" : pairs < n * (n - 1) / 2 ? `of ${pairsOf(pairs, n)} in order` : "in order";
  return low === high ? what : `${what} ${rates([low, high])}`;
}

/**
 * The pairs that the expected concordance is of.
 * @param {number} pairs
 * @param {number} n candidates
 */
const pairsOf = (pairs, n) => (pairs < n * (n - 1) / 2 ? `the ${counted(pairs, "pair")} of the goal` : "pairs");

/**
 * @param {number} comparisons
 * @param {number | null} cost
 */
export const spent = (comparisons, cost) => counted(comparisons, "comparison").split(" ")[1] + (cost === null ? "" : `, ${money(cost)}`);

/**
 * What is missing until the set's goal: a figure, and what it is.
 * @param {Contract.GoalProgress} progress
 * @returns {[figure: string, unit: string]}
 */
export function left({ comparisons_left: count, cost_left: cost, words }) {
  if (count === null) return [NONE, words];
  if (count === 0) return ["0", words];
  return [`≈ ${count.toLocaleString("en")}`, spent(count, cost)];
}
/** @param {string} other */
export const compareWith = (other) => `Compare with ${other}`;
/** @param {string} version */
export const earlier = (version) => `Version ${version}`;
/**
 * @param {string} key
 * @param {string} figure
 */
export const spoken = (key, figure) => `${key}: ${figure}`;

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
