// @ts-check
// Shares of wins of A with their intervals on one axis: by the ranking, by all verdicts, by judge and by tag. A table, so
// that it is its own text.
import { axis, intervalMark } from "./chart.js";
import { element } from "./dom.js";
import { counted, percent } from "./numbers.js";
import { setId } from "./set-page.js";
import { rates } from "./texts/common.js";
import * as words from "./texts/compare.js";

const SHARES = /** @type {[number, number]} */ ([0, 1]);

/** @param {Contract.HeadToHead} pair */
export function shareForest(pair) {
  const { first, second, win_rate: value, win_rate_interval: interval, verdicts, by_judge: judges, by_tag: tags } = pair;
  const names = [...new Set(tags.map(({ tag }) => tag))];
  const link = (/** @type {string} */ path, /** @type {string} */ text) => element("a", { href: `/sets/${setId}${path}`, dir: "auto" }, text);
  const where = (/** @type {string} */ tag) => `/items?${new URLSearchParams({ candidate: first, other: second, tag })}`;
  return element("section", { className: "card forest" },
    element("h2", {}, words.WHO_SAYS),
    element("table", {},
      element("caption", { className: "hint" }, words.sharesOf(first)),
      element("thead", {}, element("tr", {},
        element("th", { scope: "col" }, words.SOURCE),
        element("th", { scope: "col", className: "plot" }, element("span", { className: "visually-hidden" }, words.INTERVAL), axis(SHARES, (share) => `${percent(share)}%`, { count: 2 })),
        element("th", { scope: "col", className: "num" }, words.SHARE),
        element("th", { scope: "col", className: "num count" }, words.VERDICTS))),
      element("tbody", { className: "whole" },
        row(words.RANKING, { share: value, interval, comparisons: null }),
        row(words.ALL_VERDICTS, verdicts)),
      ...(judges.length ? [group(words.BY_JUDGE, judges.map((tally) =>
        row(link(`/judges/${encodeURIComponent(tally.judge)}`, tally.judge), tally)))] : []),
      ...names.map((name) => group(words.byTag(name), tags.filter(({ tag }) => tag === name).map((tally) =>
        row(link(where(`${name}:${tally.value}`), tally.value), tally))))));
}

/**
 * @param {string} heading
 * @param {HTMLElement[]} rows
 */
const group = (heading, rows) => element("tbody", {},
  element("tr", { className: "group" }, element("th", { colSpan: "4", scope: "rowgroup", dir: "auto" }, heading)), ...rows);

/**
 * @param {string | Node} label
 * @param {{ share: number | null, interval: [number, number] | null, comparisons: number | null }} tally
 */
function row(label, { share, interval, comparisons }) {
  const text = share === null ? words.NO_VERDICT : `${percent(share)}% ${interval ? rates(interval) : ""}`;
  return element("tr", {},
    element("th", { scope: "row", dir: "auto" }, label),
    element("td", { className: "plot" }, share === null ? "" : intervalMark({ value: share, interval }, SHARES, { text, zero: 0.5 })),
    element("td", { className: "num" }, share === null ? "–" : `${percent(share)}%`),
    element("td", { className: "num count" }, comparisons === null ? "" : element("span", {}, comparisons.toLocaleString("en"), element("span", { className: "unit" }, ` ${counted(comparisons, "verdict").split(" ")[1]}`))));
}
