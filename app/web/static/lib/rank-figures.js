// @ts-check
// Figures of a candidate, as the table and the headline show them.
import { chance, decimal, percent } from "./numbers.js";
import { NONE, rates } from "./texts/common.js";

/**
 * @param {number} score
 * @param {Contract.Ranking} ranking
 */
export const onScale = (score, { method: { scale } }) =>
  (scale === "elo" ? score.toFixed(0).replace(/^-0$/, "0") : decimal(score));

/** @param {Contract.Rank} row */
export function winRate({ win_rate: rate, win_rate_interval: interval }) {
  if (rate === null) return NONE;
  return interval && interval[0] < interval[1] ? `${percent(rate)}% ${rates(interval)}` : `${percent(rate)}%`;
}

/** @param {Contract.Rank} row */
export const pBest = ({ p_best: p }) => (p === null ? NONE : chance(p));
