// @ts-check
// Texts of the page of a project.
import { counted, percent, signed } from "../numbers.js";
import { ranks, rates } from "./common.js";

/** @typedef {{ label: string, tip: string }} Heading */
export const COLUMNS = /** @satisfies {Record<string, Heading>} */ ({
  rank: { label: "Rank", tip: "Place by the mean win rate; where intervals overlap, the order is uncertain." },
  key: { label: "System", tip: "Key of the system in the sets of this project." },
  overall: { label: "Overall", tip: "Mean of the win rates by the weights, with an interval that holds whatever the sets have in common." },
});
export const MEAN = "Mean win rate, interval";
export const BASELINE = "baseline";
export const NO_PLACE = "not in this set";

/** @param {Contract.LeaderboardCriterion} criterion */
export const criterionTip = ({ name, attribute, comparisons }) =>
  `${name}. ${attribute ? `Ranked by ${attribute}, from ` : "Ranked by "}${counted(comparisons, "comparison")}.`;

/** @param {string} number with its sign, if it has one */
const minus = (number) => number.replace("-", "−");
/** @param {number} score */
export const logits = (score) => minus(signed(score));
/** @param {number} score */
export const elo = (score) => minus(`${score < 0 ? "" : "+"}${score.toFixed(0)}`);
/** @param {number} difference of win rates */
export const points = (difference) => `${minus(`${difference < 0 ? "" : "+"}${percent(difference)}`)} points`;

/** @param {string} name */
export const weightOf = (name) => `Weight of ${name}`;

/** @param {{ win_rate: number, interval: [number, number] }} weighted */
export const overall = ({ win_rate: rate, interval }) => `${percent(rate)}% ${rates(interval)}`;

/**
 * All that a cell stands for, in sentences.
 * @param {Contract.Place} place
 */
export function placed({ win_rate: rate, win_rate_interval: interval, rank_interval: range, rank }) {
  const wins = rate === null ? [] : [`Win rate ${percent(rate)}%${interval ? ` ${rates(interval)}` : ""}.`];
  return [...wins, `Rank ${range ? ranks(range) : rank}.`].join(" ");
}

/**
 * @param {string} baseline
 * @param {string} difference
 * @param {string[]} interval
 */
export const differs = (baseline, difference, [low, high]) => `${difference} (${low} to ${high}) against ${baseline}.`;

/**
 * @param {string} score
 * @param {string[] | null} interval
 */
export const scored = (score, interval) => (interval ? `Score ${score} (${interval.join(" to ")}).` : `Score ${score}.`);
