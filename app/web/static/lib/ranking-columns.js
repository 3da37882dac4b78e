// @ts-check
// The columns of a ranking: what each shows of a candidate, and what sorts it.
import { texts } from "./candidate-texts.js";
import { axis, domainOf, intervalMark } from "./chart.js";
import { element } from "./dom.js";
import { decimal, percent } from "./numbers.js";
import { onScale, pBest, winRate } from "./rank-figures.js";
import { NONE, PICK, ranks } from "./texts/common.js";
import * as words from "./texts/results.js";

const SNIPPET = 160; // characters

/** @typedef {import("./chart.js").Estimate} Estimate */

/**
 * What is drawn of a candidate: the win rate where all pairs are what is ranked, else the score.
 * @param {Contract.Rank} row
 * @param {boolean} isOfPairs
 * @returns {Estimate}
 */
function estimateOf({ score, interval, win_rate, win_rate_interval }, isOfPairs) {
  return isOfPairs && win_rate !== null ? { value: win_rate, interval: win_rate_interval } : { value: score, interval };
}

/**
 * The columns of some rows of a ranking, drawn on the axis that all of them share.
 * @param {Contract.Ranking} ranking
 * @param {Contract.Rank[]} rows
 * @param {{ pick?: (row: Contract.Rank) => Node, open?: (row: Contract.Rank) => void }} [acts]
 * @returns {import("./table.js").Column<Contract.Rank>[]}
 */
export function rankingColumns(ranking, rows, { pick, open } = {}) {
  const isOfPairs = ranking.inference_target.name === "all-pairs", isElo = ranking.method.scale === "elo";
  const domain = domainOf(rows.map((row) => estimateOf(row, isOfPairs)), isOfPairs ? [0, 1] : [0]);
  const format = (/** @type {number} */ value) => (isOfPairs ? `${percent(value)}%` : String(value).replace("-", "−"));
  const level = Math.round(100 * ranking.method.level), unit = isOfPairs ? words.WIN_RATE : words.scoreIn(isElo ? "Elo" : "logits");
  const shared = new Set(rows.map(({ rank }) => rank).filter((rank, place, all) => rank === all[place - 1]));
  const { COLUMNS: columns } = words, isJudged = ranking.comparisons > 0; // before that, the order is that of the file
  const heading = element("span", {}, `${unit}, ${level}% ${words.INTERVAL}`, axis(domain, format));
  return [
    { id: "pick", label: element("span", { className: "visually-hidden" }, PICK), cell: pick ?? (() => ""), isHidden: !pick },
    { id: "rank", ...columns.rank, value: ({ rank }) => rank, startsUp: true,
      cell: ({ rank }) => (!isJudged ? NONE : shared.has(rank) ? `=${rank}` : String(rank)) },
    { id: "key", ...columns.key, value: ({ key }) => key, startsUp: true, isHeading: true, cell: (row) => nameOf(row, open) },
    { id: "plot", label: heading, cell: (row) => (!isJudged ? "" : intervalMark(estimateOf(row, isOfPairs), domain, { text: words.spoken(row.key, figureOf(row, ranking)), zero: isOfPairs ? 0.5 : 0 })) },
    { id: "win_rate", ...columns.win_rate, value: ({ win_rate: rate }) => rate, isNumber: true, cell: (row) => (isJudged ? winRate(row) : NONE) },
    { id: "score", ...columns.score, value: ({ score }) => score, isNumber: true, isHidden: isOfPairs, cell: ({ score }) => (isJudged ? onScale(score, ranking) : NONE) },
    { id: "against", label: words.against(ranking.baseline ?? ""), tip: columns.against.tip, isNumber: true, isHidden: ranking.baseline === null,
      value: ({ against }) => against?.difference ?? null, cell: (row) => beside(ranking, row) },
    { id: "rank_interval", ...columns.rank_interval, isNumber: true, cell: ({ rank_interval: range }) => (range && isJudged ? ranks(range) : NONE),
      value: ({ rank_interval: range }) => range?.[1] ?? null, startsUp: true },
    { id: "p_best", ...columns.p_best, value: ({ p_best: p }) => p, isNumber: true, cell: (row) => pBest(row) },
    { id: "comparisons", ...columns.comparisons, value: ({ comparisons }) => comparisons, isNumber: true, cell: ({ comparisons }) => comparisons.toLocaleString("en") },
  ];
}

/**
 * Marks the rows of a tie group, where it has several and the table is sorted by rank.
 * @param {Contract.Rank} row
 * @param {Contract.Rank[]} rows
 * @param {number} place
 */
export function tieClass({ tie_group: group }, rows, place) {
  const isTied = (/** @type {number} */ other) => group !== null && rows[other]?.tie_group === group;
  if (!isTied(place - 1) && !isTied(place + 1)) return "";
  return ["tied", ...(isTied(place - 1) ? [] : ["tie-first"]), ...(isTied(place + 1) ? [] : ["tie-last"])].join(" ");
}

/**
 * @param {Contract.Rank} row
 * @param {((row: Contract.Rank) => void) | undefined} open
 */
function nameOf(row, open) {
  const text = texts.get(row.key), snippet = element("span", { className: "snippet", dir: "auto" }, text?.slice(0, SNIPPET) ?? "");
  if (!open) return element("span", {}, row.key);
  const button = element("button", { type: "button", className: "open" }, row.key);
  button.addEventListener("click", () => open(row));
  return element("span", {}, button, ...(text ? [snippet] : []));
}

/**
 * What a candidate's mark shows, in words.
 * @param {Contract.Rank} row
 * @param {Contract.Ranking} ranking
 */
export function figureOf(row, ranking) {
  if (ranking.inference_target.name === "all-pairs" && row.win_rate !== null) return winRate(row);
  return row.interval ? `${onScale(row.score, ranking)} (${row.interval.map((end) => onScale(end, ranking)).join(" to ")})` : onScale(row.score, ranking);
}

/**
 * The difference from the baseline system: of win rates where all pairs are what is ranked.
 * @param {Contract.Ranking} ranking
 * @param {Contract.Rank} row
 */
function beside(ranking, { against }) {
  if (!against) return NONE;
  const { win_rate: rate } = against;
  const [difference, low, high] = [against.difference, ...against.interval].map((value) =>
    rate === null ? String(percent(value)) : onScale(value, ranking));
  return words.difference(difference, low, high, rate);
}

/**
 * All figures of a candidate, for its panel.
 * @param {Contract.Rank} row
 * @param {Contract.Ranking} ranking
 * @returns {[label: string, tip: string, value: string][]}
 */
export function figuresOf(row, ranking) {
  const { COLUMNS: columns } = words;
  const score = row.interval ? `${onScale(row.score, ranking)} (${row.interval.map((end) => onScale(end, ranking)).join(" to ")})` : decimal(row.score);
  return [
    [columns.rank.label, columns.rank.tip, String(row.rank)],
    [columns.rank_interval.label, columns.rank_interval.tip, row.rank_interval ? ranks(row.rank_interval) : NONE],
    [columns.win_rate.label, columns.win_rate.tip, winRate(row)],
    [columns.score.label, columns.score.tip, score],
    [columns.p_best.label, columns.p_best.tip, pBest(row)],
    [words.TIE_GROUP[0], words.TIE_GROUP[1], row.tie_group === null ? NONE : String(row.tie_group)],
    [columns.comparisons.label, columns.comparisons.tip, row.comparisons.toLocaleString("en")],
  ];
}
