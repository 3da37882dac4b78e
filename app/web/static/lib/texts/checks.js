// @ts-check
// Texts of the checks.
import { counted } from "../numbers.js";

/** @type {Record<string, string>} */
export const COUNTING = {
  Signal: "Only the first verdict of each judge on a pair counts, in either order; later ones and ties add no evidence.",
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
