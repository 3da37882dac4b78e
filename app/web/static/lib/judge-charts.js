// @ts-check
// Charts of one judge: verdicts by hour or day, and how far its stated confidence holds.
import { ticks } from "./chart.js";
import { drawing, element } from "./dom.js";
import { counted, percent } from "./numbers.js";
import * as words from "./texts/judge.js";

const LEFT = 44, RIGHT = 12, TOP = 8;
const LARGEST = 10, LEAST = 3; // radius of a bin with all verdicts, and of the smallest

/** @typedef {{ low: number, high: number, verdicts: number, confidence: number, accuracy: number }} Bin */

/**
 * The text equivalent of a chart.
 * @param {string} caption
 * @param {[heading: string, value: string][]} rows
 */
const equivalent = (caption, rows) => element("div", { className: "visually-hidden" }, element("table", {},
  element("caption", {}, caption),
  element("tbody", {}, ...rows.map(([heading, value]) => element("tr", {}, element("th", { scope: "row" }, heading), element("td", {}, value))))));

/**
 * Bars of verdicts by hour or day, along time.
 * @param {Contract.JudgePeriod[]} periods
 * @param {"hour" | "day"} period
 * @param {number} width in pixels
 */
export function periodChart(periods, period, width) {
  const height = 120, bottom = 20, length = period === "hour" ? 3_600_000 : 86_400_000;
  const starts = periods.map(({ start }) => Date.parse(start)), begin = starts[0], end = starts[starts.length - 1] + length;
  const most = Math.max(...periods.map(({ verdicts }) => verdicts)), steps = ticks([0, most], 2).filter(Number.isInteger);
  const across = (/** @type {number} */ time) => LEFT + (width - LEFT - RIGHT) * (time - begin) / (end - begin);
  const down = (/** @type {number} */ verdicts) => TOP + (height - TOP - bottom) * (1 - verdicts / most);
  const bar = Math.max(across(begin + length) - LEFT - 1, 1);
  const label = (/** @type {number} */ time) => words.time(new Date(time), period);
  const picture = drawing("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
    ...steps.flatMap((step) => [
      drawing("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: down(step), y2: down(step) }),
      drawing("text", { x: LEFT - 8, y: down(step) + 4, "text-anchor": "end" }, step.toLocaleString("en")),
    ]),
    ...periods.map(({ verdicts }, place) => drawing("rect", {
      class: "estimate", x: across(starts[place]).toFixed(1), y: down(verdicts).toFixed(1), width: Math.min(bar, 48).toFixed(1),
      height: (height - bottom - down(verdicts)).toFixed(1) })),
    drawing("text", { x: LEFT, y: height - 4 }, label(begin)),
    ...(periods.length > 1 ? [drawing("text", { x: width - RIGHT, y: height - 4, "text-anchor": "end" }, label(starts[starts.length - 1]))] : []));
  return element("figure", {}, picture, equivalent(words.PERIODS[period], periods.map(({ verdicts }, place) =>
    [label(starts[place]), counted(verdicts, "verdict")])));
}

/**
 * Fifteen bins of stated confidence, put together until each has its share of the verdicts.
 * @param {Bin[]} bins
 * @param {number} parts at most
 */
export function joined(bins, parts) {
  const total = bins.reduce((sum, { verdicts }) => sum + verdicts, 0), least = total / parts;
  /** @type {Bin[]} */
  const large = [];
  for (const bin of bins) {
    const last = large[large.length - 1];
    if (last && last.verdicts < least) large[large.length - 1] = together(last, bin);
    else large.push(bin);
  }
  const last = large[large.length - 1];
  if (large.length > 1 && last.verdicts < least / 2) large.splice(-2, 2, together(large[large.length - 2], last));
  return large;
}

/**
 * @param {Bin} a
 * @param {Bin} b
 * @returns {Bin}
 */
function together(a, b) {
  const verdicts = a.verdicts + b.verdicts;
  const mean = (/** @type {"confidence" | "accuracy"} */ name) => (a.verdicts * a[name] + b.verdicts * b[name]) / verdicts;
  return { low: a.low, high: b.high, verdicts, confidence: mean("confidence"), accuracy: mean("accuracy") };
}

/**
 * How far confidence is from the share that was right, on average over the verdicts.
 * @param {Bin[]} bins
 */
export const gapOf = (bins) => bins.reduce((sum, { verdicts, confidence, accuracy }) => sum + verdicts * Math.abs(confidence - accuracy), 0)
  / Math.max(bins.reduce((sum, { verdicts }) => sum + verdicts, 0), 1);

/**
 * Stated confidence against the share that was right; the area of a dot is its number of verdicts.
 * @param {Bin[]} bins
 * @param {number} width in pixels
 */
export function calibrationChart(bins, width) {
  const height = 260, bottom = 40, total = bins.reduce((sum, { verdicts }) => sum + verdicts, 0);
  const across = (/** @type {number} */ p) => LEFT + (width - LEFT - RIGHT) * (p - 0.5) / 0.5;
  const down = (/** @type {number} */ p) => TOP + (height - TOP - bottom) * (1 - p);
  const shares = (/** @type {number} */ p) => `${percent(p)}%`;
  const places = bins.map(({ confidence, accuracy }) => `${across(confidence).toFixed(1)} ${down(accuracy).toFixed(1)}`);
  const picture = drawing("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
    ...[0, 0.25, 0.5, 0.75, 1].flatMap((p) => [
      drawing("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: down(p), y2: down(p) }),
      drawing("text", { x: LEFT - 8, y: down(p) + 4, "text-anchor": "end" }, shares(p)),
    ]),
    ...[0.5, 0.6, 0.7, 0.8, 0.9, 1].map((p) => drawing("text", { x: across(p), y: height - bottom + 18, "text-anchor": "middle" }, shares(p))),
    drawing("text", { x: (LEFT + width - RIGHT) / 2, y: height - 4, "text-anchor": "middle" }, words.STATED),
    drawing("line", { class: "zero", x1: across(0.5), x2: across(1), y1: down(0.5), y2: down(1) }),
    drawing("path", { class: "line thin", d: `M${places.join("L")}` }),
    ...bins.map(({ confidence, accuracy, verdicts }) => drawing("circle", {
      class: "estimate", cx: across(confidence).toFixed(1), cy: down(accuracy).toFixed(1), r: Math.max(LEAST, LARGEST * Math.sqrt(2 * verdicts / total)).toFixed(1) })));
  return element("figure", {}, picture, equivalent(words.CALIBRATION, bins.map(({ confidence, accuracy, verdicts }) =>
    [words.states(confidence), words.rightOf(accuracy, verdicts)])));
}
