// @ts-check
// Texts about judges, compared and alone.
import { counted, decimal, percent } from "../numbers.js";
import { NONE, rates } from "./common.js";

/** @typedef {{ label: string, tip: string }} Heading */
export const COLUMNS = /** @satisfies {Record<string, Heading>} */ ({
  judge: { label: "Judge", tip: "Name of the judge, whether a person or a model, and which model." },
  status: { label: "Status", tip: "Whether its verdicts follow the candidates as expected; unknown below 40 verdicts." },
  verdicts: { label: "Verdicts", tip: "Number of verdicts by this judge in this set." },
  people: { label: "People", tip: "Share of common pairs with the same winner as people, with its 95% interval." },
  others: { label: "Others", tip: "Share of all common pairs with the same winner as the other judges." },
  bias: { label: "Position", tip: "Position bias in logits: above 0 the judge favours the text shown first, below 0 the second." },
  weight: { label: "Weight", tip: "Effective votes: how many votes one verdict counts as in the ranking." },
  skill: { label: "Skill", tip: "Agreement with the judges taken together: 1 is full, 0 is random, below 0 is inverted." },
  cost: { label: "Cost", tip: "Cost of all requests in the currency of the judge's price; describe the judge to see it." },
  pace: { label: "Pace", tip: "Verdicts per hour on pairs that it asked for, without pauses of more than 10 minutes." },
  time: { label: "Time", tip: "Median time from asking to verdict." },
  failures: { label: "Failures", tip: "Share of requests without a usable verdict." },
});
export const MORE_FACTS = /** @satisfies {Record<string, import("./common.js").Explained>} */ ({
  discrimination: ["Discrimination", "Weight of the score difference in its verdicts: 0 is random, and 1 is that of people."],
  relative: ["Relative discrimination", "1 follows the candidates as all other verdicts predict, 0 is random, below 0 is inverted."],
  spread: ["Effects, sd", "Standard deviation of this judge's own preferences around the common scores, in logits."],
  swapped: ["When swapped", "Share of pairs shown in both orders with the same winner; few pairs say little."],
  repeated: ["When repeated", "Share of pairs shown twice in the same order with the same winner."],
  influence: ["Influence", "What changes in the ranking when this judge is left out."],
});
export const TOTALS = /** @satisfies {Record<string, import("./common.js").Explained>} */ ({
  judges: ["Judges", "Everybody who sent a verdict, or failed to."],
  verdicts: ["Verdicts", "Verdicts of all judges together that count."],
  alpha: ["Alpha", "Krippendorff's alpha: agreement of all judges beyond chance; 1 is full, 0 is chance."],
  cost: ["Cost", "Cost of all judges that have a price."],
});

/** @type {Record<Contract.JudgeStatus | "unknown", Heading>} */
export const STATUSES = {
  fine: { label: "Fine", tip: "Its verdicts follow the candidates as all other verdicts predict." },
  random: { label: "Random", tip: "It judges at random where the others follow an order." },
  inverted: { label: "Inverted", tip: "It disagrees with the others, so its verdicts are inverted." },
  changed: { label: "Changed", tip: "It judges differently since one of its verdicts." },
  unknown: { label: "Unknown", tip: "It has fewer than 40 verdicts, too few to tell." },
};
export const VALIDATE = "Validate the judges";
export const AGREEMENT_LEGEND = "Agreement with people";
export const LOWEST = "Lowest agreement";
export const NEW_FIRST = "another first place";
/** @param {number} ranks */
export const moves = (ranks) => (ranks ? `up to ${counted(ranks, "rank")}` : "none");
/** @param {number} ms */
export const duration = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);
/** @param {number} verdicts */
export const perHour = (verdicts) => `${verdicts < 10 ? verdicts.toFixed(1) : Math.round(verdicts).toLocaleString("en")}/h`;
/** @param {Contract.Rightness} agreement */
export const shareOfPairs = ({ share, pairs, interval }) => `${percent(share)}% of ${counted(pairs, "pair")} ${rates(interval)}`;
/** @param {string} judge */
export const see = (judge) => `See ${judge}`;
/**
 * @param {string} judge
 * @param {string} figure
 */
export const spoken = (judge, figure) => `${judge} and people: ${figure}`;

/** @param {Contract.PairAgreement} pair */
export function pairAgreement({ share, pairs, kappa, kappa_interval: interval }) {
  const range = interval ? ` (${interval.map(decimal).join(" to ")})` : "";
  const beyondChance = kappa === null ? "" : `, kappa ${decimal(kappa)}${range}`;
  return `${share === null ? NONE : `${percent(share)}%`} of ${counted(pairs, "pair")}${beyondChance}`;
}

/** @param {Contract.PairAgreement} pair */
export const twoJudges = (pair) => `${pair.judges[0]} and ${pair.judges[1]}: ${pairAgreement(pair)}. Compare them.`;

/** @param {Contract.Alpha | null} alpha */
export function alpha(alpha) {
  if (!alpha) return "No two judges have judged the same pair. Set an overlap to measure their agreement.";
  const [low, high] = alpha.interval.map(decimal);
  const which = alpha.drawn ? "drawn at random for several judges" : "that several judges judged";
  return `Krippendorff's alpha is ${decimal(alpha.value)} (${low} to ${high}) on ${counted(alpha.pairs, "pair")} ${which}; 1 is full agreement, 0 is chance.`;
}

export const DISPUTES = "Verdicts name different winners; the probabilities are the judges'.";
export const NO_DISPUTES = "None: no two judges name different winners of the same pair.";
/** @param {string} key */
export const textOf = (key) => `Text of ${key}`;
export const BETTER_BY = "Better, by";
export const TIED_BY = "Tie, by";
