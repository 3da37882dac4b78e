// @ts-check
// Texts of several pages.
import { chance } from "../numbers.js";

export const NONE = "–";

/** @typedef {[name: string, tip: string]} Explained label, and what it means in one sentence */

export const LINK_COPIED = "Copied: the link shows what you see now.";
export const CLOSE = "Close";
export const COPY = "Copy";
export const COPIED = "Copied.";
export const COPY_YOURSELF = "The browser does not let this page copy. Select the text and copy it.";
export const COMPUTING = "The service is computing this. The page updates by itself.";
export const STILL_COMPUTING = "The service is still computing this. Reload the page in a minute.";
export const TRY_AGAIN = "Try again";
export const ONLY_HERE = "This address works on this computer only. For other people, put the service behind TLS.";
export const ONLY_HERE_HOW = "How\u00a0to";
export const NO_ANSWER = "The service does not answer. Check that it is running, then try again.";
/** @param {number} status */
export const unusable = (status) => `The service answered with status ${status}. Try again.`;
/** @param {string} why */
export const broken = (why) => `This page stopped working: ${why}. Reload it to continue.`;

/** @param {{ version: number, newer_version: number | null }} result */
export const newer = ({ version, newer_version: later }) =>
  later === null ? "" : `This is version ${version}. Version ${later} is being computed.`;

/** @param {[number, number]} ranks */
export const ranks = ([best, worst]) => (best === worst ? String(best) : `${best} to ${worst}`);

/** @param {[number, number]} interval */
export const rates = ([low, high]) => `(${chance(low).replace("%", "")} to ${chance(high)})`;

export const CLEAR = "Clear";
export const PICK = "Choose";
/** @param {string} key */
export const choose = (key) => `Choose ${key} to compare`;
/** @param {string} key */
export const chooseAnother = (key) => `${key} is chosen: choose another to compare.`;
/**
 * @param {string} a
 * @param {string} b
 */
export const compareTwo = (a, b) => `Compare ${a} with ${b}`;
/** @param {string} why */
export const closed = (why) => `This address gives no pairs now. ${why}`;
