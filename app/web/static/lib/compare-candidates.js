// @ts-check
// Candidate A against candidate B, and the win matrix until both are chosen.
import { decideCard } from "./decide-card.js";
import { element, find } from "./dom.js";
import { figureList } from "./figures.js";
import { judgedPairs } from "./judged-pairs.js";
import { percent } from "./numbers.js";
import { read } from "./set-page.js";
import { shareForest } from "./share-forest.js";
import { NONE, rates } from "./texts/common.js";
import * as words from "./texts/compare.js";
import { winCanvas } from "./win-canvas.js";
import { winTable } from "./win-table.js";

const LARGEST_TABLE = 30; // candidates

/** @type {import("../pages/compare.js").Mode} */
export async function compareCandidates(place, state, signal) {
  const { a, b } = state.get();
  if (!a || !b) return Number(place.dataset.candidates) > LARGEST_TABLE ? winCanvas(place, state, signal) : winTable(place, state, signal);
  if (!find("#answer-line, #compared").matches("#answer-line")) place.replaceChildren(...skeleton());
  /** @type {Contract.HeadToHead} */
  const pair = await read("/head-to-head", { first: a, second: b }, { signal });
  const texts = element("section", { id: "texts" });
  place.replaceChildren(
    element("p", { id: "answer-line", dir: "auto" }, pair.sentence),
    ...(pair.note ? [element("p", { className: "notice doubt", dir: "auto" }, pair.note)] : []),
    figures(pair),
    element("div", { className: "beside" }, shareForest(pair), decideCard(pair, place.dataset)),
    texts);
  return judgedPairs(texts, pair, state, signal);
}

/** @param {Contract.HeadToHead} pair */
function figures({ win_rate: rate, win_rate_interval: interval, p_first_better: p, signal, verdicts }) {
  const { FIGURES: names } = words;
  return figureList([
    [...names.win_rate, `${percent(rate)}%`, interval[0] < interval[1] ? rates(interval) : words.KNOWN],
    [...names.better, signal.claimed ? words.surely(p) : NONE, signal.claimed ? "" : words.NO_SIGNAL],
    [...names.verdicts, verdicts.comparisons.toLocaleString("en"), verdicts.comparisons ? words.outcomes(verdicts) : ""],
  ]);
}

/** What stands where the comparison will, and is as high. */
function skeleton() {
  const bar = (/** @type {string} */ text) => element("span", { className: "skeleton" }, text);
  const names = [words.FIGURES.win_rate[0], words.FIGURES.better[0], words.FIGURES.verdicts[0]];
  return [
    element("p", { id: "answer-line" }, bar("The one of the two that wins more, and how sure that is")),
    element("dl", { className: "figures" }, ...names.map((name) =>
      element("div", {}, element("dt", {}, name), element("dd", {}, bar("00% (00 to 00%)"))))),
    element("div", { className: "beside" }, element("div", { className: "card tall" }), element("div", { className: "card" })),
  ];
}
