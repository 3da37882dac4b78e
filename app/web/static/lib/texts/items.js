// @ts-check
// Texts about items, judged pairs and their verdicts.
import { chance, counted, decimal, percent } from "../numbers.js";
import { NONE } from "./common.js";

/** @typedef {{ label: string, tip: string }} Heading */
export const COLUMNS = /** @satisfies {Record<string, Heading>} */ ({
  item: { label: "Prompt", tip: "Beginning of the prompt; open it to read outputs and verdicts." },
  pair: { label: "Pair", tip: "The two candidates; open the pair to read texts and verdicts." },
  tags: { label: "Tags", tip: "Tags of the prompt." },
  comparisons: { label: "Verdicts", tip: "Verdicts that count; those that were voided are left out." },
  agreement: { label: "Same winner", tip: "Share of pairs of verdicts on the same outputs that name the same winner, however sure they are." },
  disagreement: { label: "Disagreement", tip: "Spread of the probabilities: near 0 if all are alike or unsure, 1 if sure verdicts split evenly." },
  surprise: { label: "Surprise, bits", tip: "How unlikely the ranking makes these verdicts; above 1 bit, random guessing predicts them better." },
  recent: { label: "Last verdict", tip: "Time of the last verdict on this pair." },
});
export const VERDICT_COLUMNS = /** @satisfies {Record<string, Heading>} */ ({
  judge: { label: "Judge", tip: "Who gave the verdict." },
  winner: { label: "Winner", tip: "The candidate that the verdict names." },
  probability: { label: "Probability", tip: "Probability that the judge gave to this winner." },
  surprise: { label: "Surprise, bits", tip: "How unlikely the ranking makes this verdict; random guessing has 1 bit." },
  when: { label: "When", tip: "Time of the verdict." },
});

export const OUTPUTS = "Outputs";
export const TEXTS = "Texts";
export const VERDICTS = "Verdicts";
export const PROMPT = "Prompt";
export const NEXT = "Next";
export const PREVIOUS = "Previous";
export const ASK_AGAIN = "Ask again";
export const ABOUT_ASK_AGAIN = "Judge this pair yourself; your verdict counts beside the others.";
export const SIDE_BY_SIDE = "Side by side";
export const ALL_OUTPUTS = "All outputs";
export const SHOW_MORE = "Show more";
export const NO_TEXT = "The text is kept elsewhere.";
export const SWAPPED = "swapped";
export const ABOUT_SWAPPED = "The judge saw these two in the other order.";
export const TIE = "Tie";
export const BOTH_BAD = "Both bad";

/** @param {number | null} share */
export const share = (share) => (share === null ? NONE : `${percent(share)}%`);
/** @param {number | null} figure */
export const figure = (figure) => (figure === null ? NONE : decimal(figure));
/** @param {string[]} keys */
export const against = ([first, second]) => `${first} against ${second}`;
/**
 * @param {number} place from 1
 * @param {number} total
 */
export const placeOf = (place, total) => `${place.toLocaleString("en")} of ${total.toLocaleString("en")}`;
/**
 * @param {number} shown
 * @param {number} total
 * @param {string} noun
 */
export const found = (shown, total, noun) => (shown < total ? `${shown.toLocaleString("en")} of ${counted(total, noun)}` : counted(total, noun));
/**
 * @param {string} label
 * @param {string} name
 */
export const filter = (label, name) => `${label}: ${name}`;
/** @param {string} name */
export const withoutFilter = (name) => `Remove the filter ${name}`;
/** @param {string} value */
export const rankingOn = (value) => `Ranking on ${value}`;
/** @param {string} key */
export const open = (key) => `Open ${key}`;
/** @param {string} key */
export const textOf = (key) => `Text of ${key}`;
/**
 * @param {number} seq
 * @param {string} judge
 */
export const voidOf = (seq, judge) => `Void verdict ${seq} by ${judge}`;
/**
 * @param {string} key
 * @param {number} expected
 */
export const expects = (key, expected) => `The ranking expects ${key} to win ${chance(expected)}.`;
/** @param {number} disagreement */
export const disagreementOf = (disagreement) => ` Disagreement ${decimal(disagreement)}.`;
/**
 * @param {string[]} keys
 * @param {number} expected probability of the first
 */
export const expectation = ([first, second], expected) => `the ranking expects ${expected < 0.5 ? second : first}, ${chance(Math.max(expected, 1 - expected))}`;
export const EXPECTS_NOTHING = "The ranking did not converge, so it expects nothing.";
/**
 * @param {number} wins half for a tie
 * @param {number} verdicts
 */
export const wins = (wins, verdicts) => `${wins.toLocaleString("en")} of ${counted(verdicts, "verdict")} won`;

/**
 * How many rows surprise the ranking.
 * @param {number} above 1 bit
 * @param {number} total
 * @param {string} noun
 */
export function summary(above, total, noun) {
  if (!above) return `On no ${noun} does random guessing predict the verdicts better than the ranking.`;
  return `On ${above.toLocaleString("en")} of ${counted(total, noun)}, random guessing predicts the verdicts better than the ranking.`;
}

/** @typedef {import("../verdict-doubt.js").Doubt} Doubt */

/**
 * What to read first.
 * @param {Doubt} doubt
 */
export function advice({ kind, seq, judge, share: part, verdicts }) {
  const most = `accounts for ${percent(part)}% of the surprise here`;
  if (kind === "unknown") return EXPECTS_NOTHING;
  if (kind === "fits") return "The verdicts fit the ranking.";
  if (kind === "split") return "Judges name different winners, and the ranking is unsure too. The outputs may be equally good.";
  if (kind === "alone") return `The only verdict, by ${judge}, contradicts the ranking. Ask again to check it.`;
  if (kind === "verdict") return `Verdict ${seq} by ${judge} ${most}. Read it first: it may be a mistake.`;
  if (kind === "judge") return `One judge, ${judge}, ${most}. Read its verdicts first.`;
  if (kind === "unusual") return "The judges agree with each other and contradict the ranking. The outputs differ from the usual here.";
  return `${counted(verdicts, "verdict")} of several judges contradict the ranking. Check the prompt and the outputs.`;
}
