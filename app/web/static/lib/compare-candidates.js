// @ts-check
// Candidate A against candidate B, and the win matrix until both are chosen.
import { decideCard } from "./decide-card.js";
import { element, redraw } from "./dom.js";
import { figureList } from "./figures.js";
import { judgedPairs } from "./judged-pairs.js";
import { percent } from "./numbers.js";
import { read } from "./set-page.js";
import { shareForest } from "./share-forest.js";
import { NONE, rates } from "./texts/common.js";
import * as words from "./texts/compare.js";
import { unclaimed } from "./texts/results.js";
import { winCanvas } from "./win-canvas.js";
import { winTable } from "./win-table.js";

const LARGEST_TABLE = 30; // candidates

/** @type {import("../pages/compare.js").Mode} */
export async function compareCandidates(place, state, signal) {
  const { a, b } = state.get();
  if (!a || !b) return Number(place.dataset.candidates) > LARGEST_TABLE ? winCanvas(place, state, signal) : winTable(place, state, signal);
  if (!place.querySelector("#answer-line")) place.replaceChildren(...skeleton());
  const numbers = element("div", {}), texts = element("section", { id: "texts" });

  async function load() {
    /** @type {Contract.HeadToHead} */
    const pair = await read("/head-to-head", { first: a, second: b }, { signal });
    redraw(numbers, [
      element("p", { id: "answer-line", "data-key": "answer", dir: "auto" }, pair.sentence),
      ...(pair.note ? [element("p", { className: "notice doubt", "data-key": "note", dir: "auto" }, pair.note)] : []),
      figures(pair),
      element("div", { className: "beside", "data-key": "beside" }, shareForest(pair), decideCard(pair, place.dataset)),
    ]);
    return pair;
  }

  const pair = await load();
  place.replaceChildren(numbers, texts);
  let showPair = await judgedPairs(texts, pair, state, signal);
  return async (choices, isNewer) => {
    if (!isNewer) return showPair?.(choices, false);
    const newer = await load();
    showPair ??= await judgedPairs(texts, newer, state, signal); // the texts that somebody reads stay
  };
}

/** @param {Contract.HeadToHead} pair */
function figures({ win_rate: rate, win_rate_interval: interval, p_first_better: p, signal, verdicts }) {
  const { FIGURES: names } = words;
  return figureList([
    [...names.win_rate, `${percent(rate)}%`, interval[0] < interval[1] ? rates(interval) : words.KNOWN],
    [...names.better, p === null ? NONE : words.surely(p), p === null ? unclaimed(signal) : ""],
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
