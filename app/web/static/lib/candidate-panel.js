// @ts-check
// The panel of one candidate: its text, all its figures, and where to go from it.
import { textOf } from "./candidate-texts.js";
import { element } from "./dom.js";
import { openPanel } from "./panel.js";
import { figuresOf } from "./ranking-columns.js";
import { setId, showProblem } from "./set-page.js";
import * as words from "./texts/results.js";

/**
 * @param {Contract.Rank} row
 * @param {Contract.Ranking} ranking
 * @param {{ onClose: () => void, onBaseline: ((key: string) => void) | null }} acts
 */
export function openCandidate(row, ranking, { onClose, onBaseline }) {
  const { key } = row, leader = ranking.ranking[0].key, other = key === leader ? ranking.ranking[1]?.key : leader;
  const figures = figuresOf(row, ranking).flatMap(([label, tip, value]) => [
    element("dt", {}, element("span", { className: "term", "data-tip": tip }, label)), element("dd", {}, value)]);
  const baseline = element("button", { type: "button" }, words.USE_AS_BASELINE);
  baseline.addEventListener("click", () => onBaseline?.(key));
  const place = element("div", { className: "text", dir: "auto" });
  const content = element("div", { className: "candidate" },
    element("div", { className: "row" },
      ...(other ? [element("a", { className: "button", href: compareAddress(key, other) }, words.compareWith(other))] : []),
      ...(onBaseline ? [baseline] : []),
      element("a", { className: "button", href: `/sets/${setId}/items?${new URLSearchParams({ candidate: key })}` }, words.ITS_VERDICTS)),
    element("dl", {}, ...figures), place);
  openPanel({ title: key, content: [content], onClose });
  showTextOf(key, place).catch(showProblem);
}

/**
 * @param {string} key
 * @param {HTMLElement} place
 */
async function showTextOf(key, place) {
  const text = await textOf(key);
  place.hidden = !text;
  if (!text) return;
  const { showText } = await import("./rich-text.js"); // whose libraries few visits need
  showText(place, text);
}

/**
 * @param {string} a
 * @param {string} b
 */
export const compareAddress = (a, b) => `/sets/${setId}/compare?${new URLSearchParams({ a, b })}`;
