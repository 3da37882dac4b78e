// @ts-check
// A table of many rows: sorted by its headings, drawn only where it is seen, and gliding as its order changes.
import { element, redraw } from "./dom.js";

const ALL = 200; // rows up to which all are drawn
const AHEAD = 12; // rows drawn above and below those that are seen
const GLIDE_MS = 120;
const isStill = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * A column: `value` sorts it, null last, and `cell` is what it shows.
 * @template Row
 * @typedef {object} Column
 * @property {string} id
 * @property {string | Node} label
 * @property {string} [tip] what the label means, in one sentence
 * @property {(row: Row) => string | number | null} [value]
 * @property {(row: Row) => string | Node} cell
 * @property {boolean} [isNumber]
 * @property {boolean} [isHeading] whether its cells name their rows
 * @property {boolean} [startsUp] whether its first click sorts the lowest first
 * @property {boolean} [isHidden]
 */

/**
 * Makes a table of an empty one. Its order is the choice `sort` of the page's state: the id of a column, with a minus
 * for the highest first.
 * @template Row
 * @param {HTMLElement} table
 * @param {{
 *   columns: () => Column<Row>[],
 *   state: import("./state.js").PageState<any>,
 *   rowKey: (row: Row) => string,
 *   onOpen?: (row: Row) => void,
 *   rowClass?: (row: Row, rows: Row[], place: number) => string,
 * }} options
 */
export function dataTable(table, { columns, state, rowKey, onOpen, rowClass = () => "" }) {
  const head = element("thead", { role: "rowgroup" }), body = element("tbody", { role: "rowgroup" });
  table.setAttribute("role", "table"); // said of all its parts: styles that make cards of rows take these roles away
  table.append(head, body);
  /** @type {Row[]} */
  let sorted = [];
  /** @type {Map<string, HTMLElement>} */
  let drawn = new Map(); // those of `sorted`, by key, once they were seen
  let first = 0, rowHeight = 0;

  /** @param {Row[]} rows */
  function show(rows) {
    const visible = columns().filter(({ isHidden }) => !isHidden);
    const places = new Map([...drawn].filter(([, row]) => row.isConnected).map(([key, row]) => [key, row.getBoundingClientRect().top]));
    drawHead(visible);
    sorted = inOrder(rows, visible, state.get().sort);
    drawn = new Map();
    table.setAttribute("aria-rowcount", String(sorted.length + 1));
    drawBody(visible);
    if (!isStill.matches) glide(places);
  }

  /** @param {Column<Row>[]} visible */
  function drawHead(visible) {
    const { sort } = state.get();
    redraw(head, [element("tr", { role: "row", "data-key": "head" }, ...visible.map(({ id, label, tip = "", value, isNumber }, n) => {
      const title = value
        ? element("button", { type: "button", "data-sort": id, ...(tip ? { "data-tip": tip } : {}) }, element("span", {}, label))
        : element("span", tip ? { className: "term", "data-tip": tip } : {}, label);
      const order = sort === id ? "ascending" : sort === `-${id}` ? "descending" : "none";
      return element("th", { role: "columnheader", "aria-colindex": String(n + 1), scope: "col", "data-column": id, className: isNumber ? "num" : "", ...(value ? { "aria-sort": order } : {}) }, title);
    }))]);
  }

  /** @param {Column<Row>[]} visible */
  function drawBody(visible) {
    const [from, to] = range();
    first = from;
    const rows = sorted.slice(from, to).map((row, place) => {
      const key = rowKey(row);
      const line = drawn.get(key) ?? drawRow(row, key, from + place, visible);
      drawn.set(key, line);
      return line;
    });
    redraw(body, [spacer("above", from, visible.length), ...rows, spacer("below", sorted.length - to, visible.length)].filter((each) => each !== null));
    rowHeight ||= rows[0]?.getBoundingClientRect().height ?? 0;
  }

  /**
   * The rows to draw: where there are many, those that are seen and some around them.
   * @returns {[from: number, to: number]}
   */
  function range() {
    if (sorted.length <= ALL) return [0, sorted.length];
    const height = rowHeight || 36, top = -body.getBoundingClientRect().top;
    const from = Math.max(0, Math.min(Math.floor(top / height) - AHEAD, sorted.length - 1));
    return [from, Math.min(sorted.length, from + Math.ceil(innerHeight / height) + 2 * AHEAD)];
  }

  /**
   * @param {Row} row
   * @param {string} key
   * @param {number} place
   * @param {Column<Row>[]} visible
   */
  function drawRow(row, key, place, visible) {
    const cells = visible.map(({ id, cell, isNumber, isHeading }, n) => element(isHeading ? "th" : "td",
      { role: isHeading ? "rowheader" : "cell", "aria-colindex": String(n + 1), "data-column": id, className: isNumber ? "num" : "", ...(isHeading ? { scope: "row", dir: "auto" } : {}) }, cell(row)));
    const line = element("tr", { role: "row", "data-key": key, className: rowClass(row, sorted, place), "aria-rowindex": String(place + 2) }, ...cells);
    if (onOpen) {
      line.dataset.open = "";
      line.addEventListener("click", ({ target }) => {
        const isControl = target instanceof Element && target.closest("a, button:not(.open), input, label, select");
        if (!isControl && !getSelection()?.toString()) onOpen(row);
      });
    }
    return line;
  }

  /**
   * @param {string} name
   * @param {number} count of rows that are not drawn
   * @param {number} width in columns
   */
  function spacer(name, count, width) {
    if (!count) return null;
    const cell = element("td", { colSpan: String(width) });
    cell.style.height = `${count * (rowHeight || 36)}px`;
    return element("tr", { className: "spacer", "data-key": `\n${name}`, "aria-hidden": "true" }, cell);
  }

  /** @param {Map<string, number>} places where rows were, by key */
  function glide(places) {
    for (const [key, row] of drawn) {
      const before = places.get(key);
      if (before === undefined || !row.isConnected) continue;
      const moved = before - row.getBoundingClientRect().top;
      if (moved && Math.abs(moved) < innerHeight) {
        row.animate([{ transform: `translateY(${moved}px)` }, { transform: "none" }], { duration: GLIDE_MS, easing: "ease-out" });
      }
    }
  }

  head.addEventListener("click", ({ target }) => {
    const heading = target instanceof Element ? target.closest("[data-sort]") : null;
    const column = columns().find(({ id }) => id === heading?.getAttribute("data-sort"));
    if (!column) return;
    const { sort } = state.get(), up = column.id, down = `-${column.id}`;
    const usual = column.startsUp ? up : down;
    state.set({ sort: sort === up ? down : sort === down ? up : usual });
  });

  let isDue = false;
  function seen() {
    isDue = false;
    if (sorted.length > ALL && Math.abs(range()[0] - first) >= AHEAD / 2) drawBody(columns().filter(({ isHidden }) => !isHidden));
  }
  for (const name of ["scroll", "resize"]) {
    addEventListener(name, () => {
      if (!isDue) requestAnimationFrame(seen);
      isDue = true;
    }, { passive: true });
  }

  return { show, rows: () => sorted };
}

/**
 * @template Row
 * @param {Row[]} rows
 * @param {Column<Row>[]} columns
 * @param {string} sort
 */
function inOrder(rows, columns, sort) {
  const isDown = sort.startsWith("-");
  const { value } = columns.find(({ id }) => id === sort.replace(/^-/, "")) ?? {};
  return value ? rows.toSorted((a, b) => compare(value(a), value(b), isDown)) : rows;
}

/**
 * Null comes last in either order.
 * @param {string | number | null} a
 * @param {string | number | null} b
 * @param {boolean} isDown
 */
function compare(a, b, isDown) {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order = typeof a === "string" ? a.localeCompare(String(b)) : a - Number(b);
  return isDown ? -order : order;
}
