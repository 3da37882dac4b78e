// @ts-check
// How much of a page a text may take, whatever it is written in.

export const MOST_ELEMENTS = 20_000;
const DEEPEST = 100; // elements in each other
const EMPTY = new Set(["br", "hr", "img"]);

/**
 * How many elements a markup makes; infinitely many where they are too many, or nested too deeply.
 * @param {string} markup
 */
export function elementsIn(markup) {
  let [elements, depth] = [0, 0];
  for (const [, end, name] of markup.matchAll(/<(\/?)([a-z]\w*)/g)) {
    if (!end) elements += 1;
    if (!EMPTY.has(name)) depth += end ? -1 : 1;
    if (elements > MOST_ELEMENTS || depth > DEEPEST) return Infinity;
  }
  return elements;
}
