// @ts-check
// Texts of comparing candidates, and of the win matrix.
import { chance, percent } from "../numbers.js";

export const NO_PAIRS = "There are no pairs yet. Add two or more candidates to the set.";
/**
 * @param {string} row
 * @param {string} column
 * @param {string} outcome
 */
export const cell = (row, column, outcome) => `${row} against ${column}: ${outcome}`;
/**
 * @param {string} key
 * @param {number} rank
 */
export const ranked = (key, rank) => `${key} (rank ${rank})`;
export const SAME = "the same candidate";
export const NEVER_COMPARED = "never compared";
/**
 * @param {string} key
 * @param {number} share
 */
export const observedWins = (key, share) => `${key} wins ${percent(share)}% of verdicts`;
/**
 * @param {string} key
 * @param {number} probability
 */
export const isBetter = (key, probability) => `${key} is better with probability ${chance(probability)}`;
