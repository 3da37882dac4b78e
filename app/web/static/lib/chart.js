// @ts-check
// Charts as inline SVG in the colours of the theme. Places along an axis are shares of its width, so that it stretches.
import { drawing, element } from "./dom.js";

const MARGIN = 0.03; // of the width, free at both ends of an axis
const HEIGHT = 20;
const FEWEST = 3, MOST = 7; // ticks

/** @typedef {[low: number, high: number]} Domain */
/** @typedef {{ value: number, interval: [number, number] | null }} Estimate */

/**
 * Round numbers in a domain: 1, 2 or 5 times a power of ten apart, 3 to 7 of them, as near to `count` as can be.
 * @param {Domain} domain
 */
export function ticks([low, high], count = 4) {
  const power = 10 ** Math.floor(Math.log10(high - low));
  const [{ step, first, last }] = [0.1, 0.2, 0.5, 1, 2, 5]
    .map((digit) => ({ step: digit * power, first: Math.ceil(low / (digit * power) - 1e-9), last: Math.floor(high / (digit * power) + 1e-9) }))
    .filter((each) => each.last - each.first >= FEWEST - 1 && each.last - each.first <= MOST - 1)
    .toSorted((one, other) => Math.abs(one.last - one.first + 1 - count) - Math.abs(other.last - other.first + 1 - count));
  return Array.from({ length: last - first + 1 }, (_, n) => Number(((first + n) * step).toPrecision(12)));
}

/**
 * A domain that holds all estimates and these marks.
 * @param {Estimate[]} estimates
 * @param {number[]} marks
 * @returns {Domain}
 */
export function domainOf(estimates, marks) {
  const ends = [...estimates.flatMap(({ value, interval }) => interval ?? [value]), ...marks];
  const low = ends.reduce((a, b) => Math.min(a, b), Infinity), high = ends.reduce((a, b) => Math.max(a, b), -Infinity);
  return low < high ? [low, high] : [low - 0.5, high + 0.5];
}

/**
 * Where a value is along an axis.
 * @param {Domain} domain
 * @param {number} value
 */
export const along = ([low, high], value) => `${(100 * (MARGIN + (1 - 2 * MARGIN) * (value - low) / (high - low))).toFixed(2)}%`;

/**
 * An axis with its ticks, for the head of a column of intervals.
 * @param {Domain} domain
 * @param {(value: number) => string} format
 * @param {{ count?: number }} [options]
 */
export function axis(domain, format, { count = 4 } = {}) {
  return drawing("svg", { class: "chart", height: HEIGHT, "aria-hidden": "true" },
    ...ticks(domain, count).flatMap((tick) => [
      drawing("text", { x: along(domain, tick), y: HEIGHT - 7, "text-anchor": "middle" }, format(tick)),
      drawing("line", { class: "axis", x1: along(domain, tick), x2: along(domain, tick), y1: HEIGHT - 4, y2: HEIGHT }),
    ]));
}

/**
 * An estimate with its interval. `text` is what a screen reader says.
 * @param {Estimate} estimate
 * @param {Domain} domain
 * @param {{ text: string, zero?: number, side?: "first" | "second" | "" }} options
 */
export function intervalMark({ value, interval }, domain, { text, zero, side = "" }) {
  const middle = HEIGHT / 2, [low, high] = interval ?? [value, value];
  return drawing("svg", { class: "chart", height: HEIGHT, role: "img", "aria-label": text },
    ...(zero === undefined ? [] : [drawing("line", { class: "zero", x1: along(domain, zero), x2: along(domain, zero), y1: 0, y2: HEIGHT })]),
    drawing("line", { class: `interval ${side}`, x1: along(domain, low), x2: along(domain, high), y1: middle, y2: middle }),
    drawing("circle", { class: `estimate ${side}`, cx: along(domain, value), cy: middle, r: 4 }));
}

/** @typedef {{ x: number, y: number, low?: number, high?: number }} Point */

/**
 * A line over time or counts, with a band around it where points have one, axes, and a table for screen readers.
 * @param {{ title: string, points: Point[], xLabel: string, yDomain: Domain, xFormat: (x: number) => string, yFormat: (y: number) => string, marks?: { x: number, label: string }[], width?: number, height?: number }} chart
 */
export function lineChart({ title, points, xLabel, yDomain, xFormat, yFormat, marks = [], width = 520, height = 200 }) {
  const left = 44, bottom = 36, top = 8, right = 12;
  const xDomain = domainOf(points.map(({ x }) => ({ value: x, interval: null })), []);
  const across = (/** @type {number} */ x) => left + (width - left - right) * (x - xDomain[0]) / (xDomain[1] - xDomain[0]);
  const down = (/** @type {number} */ y) => top + (height - top - bottom) * (yDomain[1] - y) / (yDomain[1] - yDomain[0]);
  const path = (/** @type {[number, number][]} */ places) => places.map((place) => place.map((each) => each.toFixed(1)).join(" ")).join("L");
  const banded = points.filter(({ low, high }) => low !== undefined && high !== undefined);
  const edge = [
    ...banded.map(({ x, low = 0 }) => /** @type {[number, number]} */ ([across(x), down(low)])),
    ...banded.toReversed().map(({ x, high = 0 }) => /** @type {[number, number]} */ ([across(x), down(high)])),
  ];
  const picture = drawing("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
    ...ticks(yDomain).flatMap((y) => [
      drawing("line", { class: "grid", x1: left, x2: width - right, y1: down(y), y2: down(y) }),
      drawing("text", { x: left - 8, y: down(y) + 4, "text-anchor": "end" }, yFormat(y)),
    ]),
    ...ticks(xDomain, 5).map((x) => drawing("text", { x: across(x), y: height - bottom + 18, "text-anchor": "middle" }, xFormat(x))),
    drawing("text", { x: (left + width - right) / 2, y: height - 2, "text-anchor": "middle" }, xLabel),
    ...marks.flatMap(({ x, label }) => [
      drawing("line", { class: "mark", x1: across(x), x2: across(x), y1: top, y2: height - bottom }),
      drawing("text", { class: "mark-label", x: across(x) - 6, y: height - bottom - 6, "text-anchor": "end" }, label),
    ]),
    ...(edge.length ? [drawing("path", { class: "band", d: `M${path(edge)}Z` })] : []),
    ...(points.length ? [drawing("path", { class: "line", d: `M${path(points.map(({ x, y }) => [across(x), down(y)]))}` })] : []),
    ...(points.length === 1 ? [drawing("circle", { class: "estimate", cx: across(points[0].x), cy: down(points[0].y), r: 4 })] : []));
  const rows = points.map(({ x, y }) => element("tr", {}, element("th", { scope: "row" }, xFormat(x)), element("td", {}, yFormat(y))));
  return element("figure", {}, picture, element("div", { className: "visually-hidden" },
    element("table", {}, element("caption", {}, `${title}, by ${xLabel}`), element("tbody", {}, ...rows))));
}
