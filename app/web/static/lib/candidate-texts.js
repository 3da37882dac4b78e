// @ts-check
// The texts of candidates, loaded once.
import { read } from "./set-page.js";

/** @type {Map<string, string | null>} */
export const texts = new Map();

export async function loadTexts() {
  /** @type {string | null} */
  let after = null;
  do {
    /** @type {Contract.CandidatePage} */
    const { candidates, next_after } = await read("/candidates", { limit: 1000, after });
    for (const { key, text } of candidates) texts.set(key, text);
    after = next_after;
  } while (after !== null);
}
