// @ts-check
// Texts about judges.
import { counted, decimal, percent, signed } from "../numbers.js";
import { NONE, rates } from "./common.js";

export const FACTS = /** @satisfies {Record<string, import("./common.js").Explained>} */ ({
  verdicts: ["Verdicts", "Number of verdicts by this judge in this set."],
  skill: ["Skill", "Agreement with the judges taken together, not with the truth, so it needs two judges: 1 is full, 0 is random, below 0 is inverted."],
  discrimination: ["Discrimination", "Weight of the score difference in this judge's verdicts: 0 is random, and 1 is that of people, or the prior's mean where nobody human has judged."],
  bias: ["Position bias, logits", "Above 0 the judge favours the text shown first, below 0 the second."],
  spread: ["Judge effects, sd", "Standard deviation of this judge's own preferences around the common scores, in logits."],
  deviations: ["Largest deviations", "Candidates whose score by this judge differs most from the common score, in logits."],
  relative: ["Relative discrimination", "1 agrees with the ranking as expected, 0 is random judging, below 0 is inverted."],
  people: ["Agrees with people", "Share of common pairs with the same winner as people, with its 95% interval."],
  others: ["Agrees with others", "Share of common pairs with the same winner as the other judges."],
  swapped: ["Agrees when swapped", "Share of pairs shown in both orders with the same winner; few pairs say little."],
  failures: ["Failures", "Share of requests without a usable verdict."],
  time: ["Median time", "Median time from asking to verdict."],
  cost: ["Cost", "Cost of all requests, in the currency of the judge's price."],
  influence: ["Influence", "What changes in the ranking when this judge is left out."],
});
export const NOT_DESCRIBED = "kind and model unknown";
export const NEW_FIRST = "another first place";
/** @param {number} ranks */
export const moves = (ranks) => (ranks ? `up to ${counted(ranks, "rank")}` : "none");
/** @param {number} ms */
export const duration = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);
/** @param {Contract.Rightness} agreement */
export const shareOfPairs = ({ share, pairs, interval }) => `${percent(share)}% of ${pairs} ${rates(interval)}`;
/** @param {Contract.Agreement} agreement */
export const shareOf = ({ share, pairs }) => (share === null ? NONE : `${percent(share)}% of ${counted(pairs, "pair")}`);
/** @param {Contract.JudgeBias} bias */
export const plusMinus = ({ delta, sd }) => `${signed(delta)} ± ${decimal(sd)}`;

/** @param {Contract.PairAgreement} pair */
export function pairAgreement({ share, pairs, kappa, kappa_interval: interval }) {
  const range = interval ? ` (${interval.map(decimal).join(" to ")})` : "";
  const beyondChance = kappa === null ? "" : `, kappa ${decimal(kappa)}${range}`;
  return `${share === null ? NONE : `${percent(share)}%`} of ${counted(pairs, "pair")}${beyondChance}`;
}

/** @param {Contract.Alpha | null} alpha */
export function alpha(alpha) {
  if (!alpha) return "No two judges have judged the same pair. Set an overlap to measure their agreement.";
  const [low, high] = alpha.interval.map(decimal);
  const which = alpha.drawn ? "drawn at random for several judges" : "that several judges judged";
  return `Krippendorff's alpha is ${decimal(alpha.value)} (${low} to ${high}) on ${counted(alpha.pairs, "pair")} ${which}. `
    + "1 is full agreement, and 0 is agreement by chance. Kappa, in the table, is the same for two judges.";
}

export const DISPUTES = "Judges name different winners; the probabilities are theirs. The pair judged last comes last.";
export const NO_DISPUTES = "None: no two judges name different winners of the same pair.";
/** @param {string} key */
export const textOf = (key) => `Text of ${key}`;
export const BETTER_BY = "Better, by";
export const TIED_BY = "Tie, by";
