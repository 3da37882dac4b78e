// @ts-check
// Values and their intervals, drawn on one axis.

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 260, HEIGHT = 20;

/** @typedef {(value: number) => number} Scale */
/** @typedef {{ value: number, interval: [number, number] | null }} Estimate */

/**
 * What is drawn of a candidate: the win rate where all pairs are what is ranked, else the score.
 * @param {Contract.Rank} row
 * @param {boolean} isOfPairs
 * @returns {Estimate}
 */
export function estimate({ score, interval, win_rate, win_rate_interval }, isOfPairs) {
  return isOfPairs && win_rate !== null ? { value: win_rate, interval: win_rate_interval } : { value: score, interval };
}

/**
 * Where a value is in a drawing that all of them fit in, and these marks too.
 * @param {Estimate[]} estimates
 * @param {number[]} marks
 * @returns {Scale}
 */
export function scaleOf(estimates, marks) {
  const ends = [...estimates.flatMap(({ value, interval }) => interval ?? [value]), ...marks];
  const low = Math.min(...ends), high = Math.max(...ends), span = high - low || 1;
  return (value) => 4 + (WIDTH - 8) * (value - low) / span;
}

/**
 * A value and its interval, drawn.
 * @param {Estimate} estimate
 * @param {Scale} scale
 */
export function forest({ value, interval }, scale) {
  const drawing = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "forest", "aria-hidden": "true" });
  drawing.append(shape("line", { class: "zero", x1: scale(0), x2: scale(0), y1: 0, y2: HEIGHT }));
  if (interval) {
    const [low, high] = interval.map(scale);
    drawing.append(shape("line", { class: "interval", x1: low, x2: high, y1: HEIGHT / 2, y2: HEIGHT / 2 }));
  }
  drawing.append(shape("circle", { cx: scale(value), cy: HEIGHT / 2, r: 4 }));
  return drawing;
}

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 */
function shape(name, attributes) {
  const created = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, String(value));
  return created;
}
