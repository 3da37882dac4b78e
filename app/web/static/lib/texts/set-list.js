// @ts-check
// Texts of a list of sets.
export const UNKNOWN = "not available";
/** @param {string} words */
export const progressOf = (words) => `Progress: ${words}`;
/** @param {number} count */
export const andMore = (count) => `and ${count.toLocaleString("en")} more`;
