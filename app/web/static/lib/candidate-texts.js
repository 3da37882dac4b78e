// @ts-check
// The texts of candidates, each loaded once.
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

/**
 * The text of one candidate; null of one that has outputs, or a text kept elsewhere.
 * @param {string} key
 */
export async function textOf(key) {
  if (!texts.has(key)) {
    /** @type {Contract.CandidatePage} */
    const { candidates: [{ text }] } = await read("/candidates", { key });
    texts.set(key, text);
  }
  return texts.get(key);
}
