// @ts-check
// Two of a kind in one table: a row for each figure, and a column for each of the two.
import { element } from "./dom.js";

/**
 * @param {string} name of the table
 * @param {string} corner
 * @param {Node[]} heads of the two
 * @param {[heading: Node, first: string, second: string][]} rows
 */
export const besideTable = (name, corner, heads, rows) =>
  element("div", { className: "scroll", "data-key": name, role: "region", "aria-label": name, tabIndex: "0" }, element("table", { className: "table beside-table" },
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, corner), ...heads.map((head) => element("th", { scope: "col", dir: "auto" }, head)))),
    element("tbody", {}, ...rows.map(([heading, ...values]) => element("tr", {},
      element("th", { scope: "row", dir: "auto" }, heading), ...values.map((value) => element("td", { dir: "auto" }, value)))))));

/**
 * @param {string} label
 * @param {string} tip
 */
export const term = (label, tip) => element("span", { className: "term", "data-tip": tip }, label);
