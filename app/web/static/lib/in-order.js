// @ts-check
// How many of the pairs that matter are in the right order, in one sentence.
import { chance, counted } from "./numbers.js";

/**
 * "All" is said where that is certain; the interval, unless all pairs are within it.
 * @param {Contract.Confidence} confidence
 * @param {number} n candidates
 */
export function inOrder({ expected_concordance: concordance, pairs, interval }, n) {
  if (pairs === 1) return `The order that was asked for is right with a probability of ${chance(concordance)}.`;
  const which = pairs < n * (n - 1) / 2 ? `${counted(pairs, "pair")} that matter to the goal` : "pairs";
  if (concordance === 1) return `All of the ${which} are in the right order.`;
  const [low, high] = interval.map((share) => chance(share).replace("%", ""));
  const within = low === "100" ? "" : ` (${low} to ${high}%)`;
  return `About ${chance(concordance)} of the ${which} are in the right order${within}.`;
}
