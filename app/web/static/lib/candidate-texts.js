// @ts-check
// The texts of candidates, loaded once, and a key with its text behind it.
import { element } from "./dom.js";
import { read } from "./set-page.js";

const SNIPPET = 110; // characters

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
 * The key, with the text behind it where there is one.
 * @param {string} key
 */
export function candidate(key) {
  const text = texts.get(key);
  if (!text) return key;
  const snippet = text.length > SNIPPET ? `${text.slice(0, SNIPPET)}…` : text;
  return element("details", {},
    element("summary", {}, key, element("span", { className: "snippet", dir: "auto" }, snippet)),
    element("span", { dir: "auto" }, text));
}
