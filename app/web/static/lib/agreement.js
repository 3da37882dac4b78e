// @ts-check
// How far every two judges agree: a heat table of few judges, the lowest pairs of many.
import { element } from "./dom.js";
import { compareJudges, number, shareText } from "./judge-columns.js";
import { counted } from "./numbers.js";
import { COLUMNS, LOWEST, pairAgreement, twoJudges } from "./texts/judges.js";

const MOST = 12; // judges of a heat table
const LISTED = 12; // pairs of judges
const DEEPEST = 45; // per cent of a colour: text stays readable on it

/** @param {Contract.PairAgreement[]} agreement */
export function agreementTable(agreement) {
  const judges = inOrder(agreement);
  return judges.length <= MOST ? heatTable(agreement, judges) : lowestPairs(agreement);
}

/**
 * Judges, those first who agree most with the others, so that groups stand together.
 * @param {Contract.PairAgreement[]} agreement
 */
export function inOrder(agreement) {
  /** @type {Map<string, { pairs: number, agreeing: number }>} */
  const totals = new Map();
  for (const { judges, pairs, share } of agreement) {
    for (const judge of judges) {
      const total = totals.get(judge) ?? { pairs: 0, agreeing: 0 };
      totals.set(judge, { pairs: total.pairs + pairs, agreeing: total.agreeing + pairs * (share ?? 0) });
    }
  }
  const mean = (/** @type {string} */ judge) => {
    const { pairs = 1, agreeing = 0 } = totals.get(judge) ?? {};
    return agreeing / pairs;
  };
  return [...totals.keys()].sort((a, b) => mean(b) - mean(a) || a.localeCompare(b));
}

/**
 * @param {Contract.PairAgreement[]} agreement
 * @param {string[]} judges
 */
function heatTable(agreement, judges) {
  const pairs = new Map(agreement.flatMap((pair) =>
    [pair.judges, pair.judges.toReversed()].map((names) => [JSON.stringify(names), pair])));
  const row = (/** @type {string} */ judge) => element("tr", {},
    element("th", { scope: "row", dir: "auto", className: "clip" }, judge),
    ...judges.map((other) => heatCell(pairs.get(JSON.stringify([judge, other])), judge, other)));
  return element("table", { className: "heat", "data-key": "heat" },
    element("thead", {}, element("tr", {}, element("td"), ...judges.map((judge) =>
      element("th", { scope: "col" }, element("span", { className: "clip", dir: "auto" }, judge))))),
    element("tbody", {}, ...judges.map(row)));
}

/**
 * @param {Contract.PairAgreement | undefined} pair
 * @param {string} judge
 * @param {string} other
 */
function heatCell(pair, judge, other) {
  if (!pair || pair.share === null) return element("td", { className: judge === other ? "self" : "" });
  const link = element("a", { href: compareJudges(judge, other), "data-tip": twoJudges(pair) },
    element("span", {}, shareText(pair.share)), " ", element("small", {}, counted(pair.pairs, "pair")));
  const cell = element("td", {}, link), depth = Math.round(2 * DEEPEST * Math.abs(pair.share - 0.5));
  cell.style.background = `color-mix(in srgb, var(${pair.share < 0.5 ? "--bad" : "--accent"}) ${depth}%, transparent)`;
  return cell;
}

/** @param {Contract.PairAgreement[]} agreement */
function lowestPairs(agreement) {
  const lowest = agreement.toSorted((a, b) => (a.kappa ?? 1) - (b.kappa ?? 1)).slice(0, LISTED);
  const row = (/** @type {Contract.PairAgreement} */ pair) => element("tr", {},
    element("th", { scope: "row" }, element("a", { href: compareJudges(...pair.judges) },
      element("bdi", {}, pair.judges[0]), " / ", element("bdi", {}, pair.judges[1]))),
    element("td", { className: "num" }, number(pair.kappa)),
    element("td", {}, pairAgreement(pair)));
  return element("table", { className: "table", "data-key": "lowest" },
    element("caption", { className: "visually-hidden" }, LOWEST),
    element("thead", {}, element("tr", {}, ...[COLUMNS.judge.label, "Kappa", "Agreement"].map((label) => element("th", { scope: "col" }, label)))),
    element("tbody", {}, ...lowest.map(row)));
}
