// @ts-check
// Texts of the checks.
import { counted } from "../numbers.js";

/** @type {Record<string, string>} */
export const COUNTING = {
  Signal: "One verdict of each judge counts for each prompt and pair. Ties add no evidence.",
};
/** @type {Record<Contract.CheckVerdict, string>} */
export const VERDICTS = { holds: "Holds", doubt: "Doubt", unknown: "Unknown" };
/**
 * @param {number} holding
 * @param {number} doubts
 * @param {number} unknown
 */
export const checks = (holding, doubts, unknown) =>
  `${holding} of ${counted(holding + doubts + unknown, "check")} hold, ${doubts} in doubt, ${unknown} unknown.`;

export const TITLE = "Checks of this ranking";
export const HISTORY = "Confidence over time";
export const ABOUT_HISTORY = "The expected concordance is the share of pairs in the right order, by number of comparisons.";
export const NO_HISTORY = "The chart appears once there are comparisons.";
export const COMPARISONS = "comparisons";
export const JUDGE_PAIRS = "Judge pairs";
export const SEE_JUDGES = "See judges";
export const SEE_DISPUTES = "See disagreements";
export const SEE_SURPRISES = "See surprises";
export const CHANGE_SETTINGS = "Change settings";
export const VALIDATE = "Validate judges";
/**
 * @param {number} holding
 * @param {number} doubts
 * @param {number} unknown
 */
export const badge = (holding, doubts, unknown) =>
  [doubts && counted(doubts, "doubt"), `${holding} hold`, unknown && `${unknown} unknown`].filter(Boolean).join(", ");
/** @param {string} concordance */
export const now = (concordance) => `Now: ${concordance}.`;
