// @ts-check
// Which words two texts do not share, by their longest common subsequence.
import { element } from "./dom.js";

const MOST_CELLS = 9_000_000;
const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });

/** @typedef {[text: string, differs: boolean]} Piece */

/**
 * The pieces of both texts, or null where they are too long to compare.
 * @param {string} first
 * @param {string} second
 * @returns {[Piece[], Piece[]] | null}
 */
export function diff(first, second) {
  const [a, b] = [words(first), words(second)];
  const start = sharedStart(a, b);
  const end = sharedStart(a.slice(start).reverse(), b.slice(start).reverse());
  const [middleA, middleB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (middleA.length * middleB.length > MOST_CELLS) return null;
  const [keptA, keptB] = commonPlaces(middleA, middleB);
  return [pieces(a, keptA, start, end), pieces(b, keptB, start, end)];
}

/**
 * The share of two texts, blanks aside, that does not differ.
 * @param {[Piece[], Piece[]]} pieces
 */
export function likeness(pieces) {
  const lengths = { shared: 0, all: 0 };
  for (const [text, differs] of pieces.flat()) {
    const { length } = text.replace(/\s/gu, "");
    lengths.all += length;
    if (!differs) lengths.shared += length;
  }
  return lengths.all ? lengths.shared / lengths.all : 1;
}

/**
 * Puts pieces into a container, those that differ inside <mark>.
 * @param {Element} container
 * @param {Piece[]} pieces
 */
export function render(container, pieces) {
  container.replaceChildren(...pieces.map(([text, differs]) => (differs ? element("mark", {}, text) : text)));
}

/** @param {string} text */
function words(text) {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/**
 * @param {string[]} a
 * @param {string[]} b
 */
function sharedStart(a, b) {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}

/**
 * The places in a and in b of their longest common subsequence.
 * @param {string[]} a
 * @param {string[]} b
 */
function commonPlaces(a, b) {
  const lengths = commonLengths(a, b);
  const keptA = new Set();
  const keptB = new Set();
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) {
      keptA.add(i++);
      keptB.add(j++);
    } else if (lengths[i + 1][j] >= lengths[i][j + 1]) i += 1;
    else j += 1;
  }
  return [keptA, keptB];
}

/**
 * A table of which [i][j] is the length of the longest common subsequence of a from i on and b from j on.
 * @param {string[]} a
 * @param {string[]} b
 */
function commonLengths(a, b) {
  const table = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      table[i][j] = a[i] === b[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
    }
  }
  return table;
}

/**
 * All words, joined where neighbours are alike in differing or not.
 * @param {string[]} words
 * @param {Set<number>} kept places of words that do not differ, counted from start
 * @param {number} start words shared at the beginning
 * @param {number} end words shared at the end
 */
function pieces(words, kept, start, end) {
  /** @type {Piece[]} */
  const joined = [];
  words.forEach((word, place) => {
    const isInside = place >= start && place < words.length - end;
    const differs = isInside && !kept.has(place - start);
    const last = joined.at(-1);
    if (last?.[1] === differs) last[0] += word;
    else joined.push([word, differs]);
  });
  return joined;
}
