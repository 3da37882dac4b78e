// @ts-check
// The columns of items and of judged pairs: what each shows, and what sorts it.
import { drawing, element } from "./dom.js";
import { timeOf } from "./feed.js";
import { figureList } from "./figures.js";
import { setId } from "./set-page.js";
import { NONE, PICK } from "./texts/common.js";
import * as words from "./texts/items.js";

const BAR = 56; // pixels, of a bar from 0 to the most
const MOST_BITS = 3;

/** @typedef {{ agreement: number | null, disagreement: number | null, surprise: number | null }} Figures */
/** @typedef {Contract.ItemStatistics | Contract.JudgedPair} Row */

/** @param {Row} row */
export const keyOf = (row) => ("first" in row ? JSON.stringify([row.first.key, row.second.key]) : row.key);
/** @param {string} key */
export const itemAddress = (key) => `/sets/${setId}/items?${new URLSearchParams({ item: key })}`;

/**
 * @param {string} a
 * @param {string} b
 */
export const comparisonAddress = (a, b) => `/sets/${setId}/compare?${new URLSearchParams({ mode: "items", a, b })}`;

/** @param {Row} row */
export const titleOf = (row) => ("first" in row ? words.against([row.first.key, row.second.key]) : row.key);

/** @param {Row} row */
const count = (row) => ("first" in row ? row.verdicts.length : row.comparisons);

/**
 * @param {{ open: (row: Row) => void, pick: (row: Row) => Node }} acts
 * @param {{ isOfItems: boolean, hasTags: boolean }} table
 * @returns {import("./table.js").Column<Row>[]}
 */
export function itemColumns({ open, pick }, { isOfItems, hasTags }) {
  const { COLUMNS: columns } = words;
  return [
    { id: "pick", label: element("span", { className: "visually-hidden" }, PICK), cell: pick, isHidden: !isOfItems },
    { id: "item", ...(isOfItems ? columns.item : columns.pair), isHeading: true, cell: (row) => nameOf(row, open),
      ...(isOfItems ? { value: (/** @type {Row} */ row) => keyOf(row), startsUp: true } : {}) },
    { id: "tags", ...columns.tags, isHidden: !hasTags, cell: (row) => tagsOf("first" in row ? row.item?.tags ?? {} : row.tags) },
    { id: "comparisons", ...columns.comparisons, isNumber: true, cell: (row) => count(row).toLocaleString("en"), ...(isOfItems ? { value: count } : {}) },
    { id: "agreement", ...columns.agreement, isNumber: true, cell: ({ agreement }) => words.share(agreement),
      ...(isOfItems ? { value: (/** @type {Row} */ { agreement }) => agreement, startsUp: true } : {}) },
    { id: "disagreement", ...columns.disagreement, isNumber: true, value: ({ disagreement }) => disagreement,
      cell: ({ disagreement }) => barred(disagreement, 1, 1) },
    { id: "surprise", ...columns.surprise, isNumber: true, value: ({ surprise }) => surprise, cell: ({ surprise }) => barred(surprise, MOST_BITS, 1) },
    { id: "recent", ...columns.recent, isNumber: true, isHidden: isOfItems, value: (row) => ("first" in row ? row.verdicts[row.verdicts.length - 1].seq : null),
      cell: (row) => ("first" in row ? timeOf(row.verdicts[row.verdicts.length - 1].created_at) : NONE) },
  ];
}

/**
 * The figures of a row, for its panel.
 * @param {Row} row
 */
export function figuresOf(row) {
  const { agreement, disagreement, surprise } = row, { COLUMNS: columns } = words;
  return figureList([
    [columns.comparisons.label, columns.comparisons.tip, count(row).toLocaleString("en")],
    [columns.agreement.label, columns.agreement.tip, words.share(agreement)],
    [columns.disagreement.label, columns.disagreement.tip, words.figure(disagreement)],
    [columns.surprise.label, columns.surprise.tip, words.figure(surprise)],
  ]);
}

/** @param {Record<string, string>} tags */
export const tagsOf = (tags) => element("span", { className: "tags" }, ...Object.entries(tags).map(([name, value]) =>
  element("span", { className: "badge", dir: "auto", "data-tip": words.filter(name, value) }, value)));

/**
 * A figure beside its bar; what is beyond the mark stands out.
 * @param {number | null} value
 * @param {number} most
 * @param {number} mark
 */
function barred(value, most, mark) {
  if (value === null) return NONE;
  const width = (/** @type {number} */ part) => BAR * Math.min(Math.max(part, 0), most) / most;
  return element("span", { className: "barred" },
    drawing("svg", { class: "bar-mark", width: BAR, height: 8, "aria-hidden": "true" },
      drawing("rect", { class: "ground", width: BAR, height: 8, rx: 2 }),
      drawing("rect", { class: "value", width: width(Math.min(value, mark)), height: 8, rx: 2 }),
      ...(value > mark ? [drawing("rect", { class: "beyond", x: width(mark), width: width(value) - width(mark), height: 8 })] : [])),
    words.figure(value));
}

/**
 * @param {Row} row
 * @param {(row: Row) => void} open
 */
function nameOf(row, open) {
  const button = element("button", { type: "button", className: "open", "aria-label": words.open(titleOf(row)) }, titleOf(row));
  button.addEventListener("click", () => open(row));
  const beside = !("first" in row) ? row.prompt : row.expected === null ? null : words.expectation([row.first.key, row.second.key], row.expected);
  return element("span", {}, button, ...(beside ? [element("span", { className: "snippet", dir: "auto" }, beside)] : []));
}
