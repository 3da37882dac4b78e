// @ts-check
// Texts of a new set.
import { counted } from "../numbers.js";

export const CHOOSE = "choose a column";
export const NUMBERED = "none: number the rows";
export const KEYS_ONLY = "none: keys only";
export const YOUR_LINES = "your lines";
export const GIVE_NAME = "Give the set a name.";
export const GIVE_QUESTION = "Write the question that judges answer.";
export const GIVE_COUNT = "Write a whole number, 1 or more.";
export const GIVE_PERCENT = "Write a whole number from 1 to 100.";
export const NOTHING_CREATED = "Nothing is created until you press this button.";
export const CORRECT_LINES = "Correct the lines above and check again, or leave them out.";
export const NO_OUTPUT = "no output";
/**
 * @param {string} name
 * @param {number} most bytes
 */
export const tooLarge = (name, most) =>
  `${name} is too large: this service accepts up to ${(most / 2 ** 20).toFixed(0)} MiB. Split the file, or raise NEXTPAIR_MAX_BODY_BYTES.`;
/** @param {string} name */
export const unreadable = (name) => `${name} cannot be read. Choose a file on this device.`;
/** @param {string} name */
export const forget = (name) => `Remove ${name}`;
/**
 * @param {number} count
 * @param {string} noun
 * @param {string} source
 */
export const found = (count, noun, source) => `${counted(count, noun)} in ${source}`;
/**
 * @param {number} count
 * @param {number} listed
 */
export const faults = (count, listed) =>
  `${counted(count, "line")} cannot be used${count > listed ? `; the first ${listed} are listed` : ""}.`;
/** @param {number} count */
export const leaveOut = (count) => `Create the set without ${count === 1 ? "this line" : `these ${counted(count, "line")}`}`;
/**
 * @param {string} place
 * @param {string | null} column
 */
export const at = (place, column) => (column === null ? place : `${place}, column ${column}`);
/**
 * @param {number} count
 * @param {number} most
 */
export const rows = (count, most) => (count > most ? `The first ${most} of ${count}` : "All candidates");
/**
 * @param {number} count
 * @param {string} noun
 */
export const create = (count, noun) => `Create set with ${counted(count, noun)}`;
/** @param {string} noun */
export const needsTwo = (noun) => `A set needs two ${noun}s or more. Add some, then check again.`;
/**
 * @param {{ systems: number, prompts: number, outputs: number, missing: number, tags: string[] }} counts
 */
export function outputs({ systems, prompts, outputs, missing, tags }) {
  const counts = [counted(systems, "system"), counted(prompts, "prompt"), counted(outputs, "output")].join(", ");
  const lacking = missing ? ` ${counted(missing, "output")} missing: pairs without both outputs are not asked.` : "";
  return `${counts}.${lacking}${tags.length ? ` Tags of prompts: ${tags.join(", ")}.` : ""}`;
}
/**
 * @param {number} place
 * @param {number} count
 * @param {string} key
 */
export const promptPlace = (place, count, key) => `Prompt ${place} of ${count}: ${key}`;
