// @ts-check
// One item with its outputs side by side and the verdicts between them, or one pair of texts.
import { element, icon } from "./dom.js";
import { timeOf } from "./feed.js";
import { tagsOf } from "./item-columns.js";
import { chance } from "./numbers.js";
import { showText } from "./rich-text.js";
import { setId } from "./set-page.js";
import * as words from "./texts/items.js";
import { VOID } from "./texts/void-verdict.js";
import { doubtOf, winsByKey } from "./verdict-doubt.js";

const PAIRS_AT_FIRST = 12; // whose verdicts are drawn before anybody asks for the others
const SURPRISING = 1.5; // bits

/**
 * @typedef {object} Acts
 * @property {(verdict: Contract.PairVerdict) => void} onVoid
 * @property {(keys: string[] | null) => void} onPair shows the outputs of these two alone, or with null all
 */

/**
 * @param {Contract.JudgedPair[]} pairs on one item, those first that surprise most
 * @param {string[] | null} shown the two whose outputs are shown, or null for all
 * @param {Acts} acts
 * @returns {HTMLElement[]}
 */
export function itemDetail(pairs, shown, acts) {
  const [{ item }] = pairs;
  const doubt = doubtOf(pairs), isGood = doubt.kind === "fits";
  const prompt = element("div", { className: "text prompt", tabIndex: "0", role: "region", "aria-label": words.PROMPT, dir: "auto" });
  if (item?.prompt) showText(prompt, item.prompt);
  return [
    element("p", { className: `advice notice ${isGood ? "" : "doubt"}`, dir: "auto" }, icon(isGood ? "check" : "doubt"), " ", words.advice(doubt)),
    ...(item ? [tagsOf(item.tags ?? {})] : []),
    ...(item?.prompt ? [element("h3", {}, words.PROMPT), prompt] : []),
    ...outputs(pairs, shown, acts),
    element("h3", {}, words.VERDICTS),
    ...verdictsOf(pairs, acts),
  ];
}

/**
 * @param {Contract.JudgedPair[]} pairs
 * @param {string[] | null} shown
 * @param {Acts} acts
 */
function outputs(pairs, shown, { onPair }) {
  const isOfItem = pairs[0].item !== null, isOnePair = pairs.length === 1;
  const byKey = [...winsByKey(pairs)].toSorted(([, a], [, b]) => b.wins / b.verdicts - a.wins / a.verdicts);
  const two = shown ?? (isOnePair ? [pairs[0].first.key, pairs[0].second.key] : null);
  const chosen = two ? two.flatMap((key) => byKey.filter(([each]) => each === key)) : byKey;
  const all = element("button", { type: "button" }, words.ALL_OUTPUTS);
  all.addEventListener("click", () => onPair(null));
  const columns = chosen.map(([key, { text, wins, verdicts }], place) => {
    const side = two ? ["first", "second"][place] : "";
    const region = element("div", { className: `text ${side}`, tabIndex: "0", role: "region", "aria-label": words.textOf(key), dir: "auto" });
    if (text) showText(region, text);
    return element("section", { className: side },
      element("h4", { dir: "auto" }, key), element("p", { className: "hint" }, words.wins(wins, verdicts)),
      ...(text ? [region] : [element("p", { className: "faint" }, words.NO_TEXT)]));
  });
  return [
    element("div", { className: "row spread" }, element("h3", {}, isOfItem ? words.OUTPUTS : words.TEXTS), ...(shown && !isOnePair ? [all] : [])),
    element("div", { className: "outputs", tabIndex: "0", role: "region", "aria-label": isOfItem ? words.OUTPUTS : words.TEXTS }, ...columns),
  ];
}

/**
 * @param {Contract.JudgedPair[]} pairs
 * @param {Acts} acts
 */
function verdictsOf(pairs, acts) {
  const drawn = pairs.slice(0, PAIRS_AT_FIRST).map((pair) => verdictsOn(pair, pairs.length > 1, acts));
  if (pairs.length <= PAIRS_AT_FIRST) return drawn;
  const more = element("button", { type: "button" }, words.SHOW_MORE);
  more.addEventListener("click", () => more.replaceWith(...pairs.slice(PAIRS_AT_FIRST).map((pair) => verdictsOn(pair, true, acts))));
  return [...drawn, more];
}

/**
 * @param {Contract.JudgedPair} pair
 * @param {boolean} isOneOfSeveral
 * @param {Acts} acts
 */
function verdictsOn(pair, isOneOfSeveral, { onVoid, onPair }) {
  const { first, second, verdicts, expected, disagreement } = pair, keys = [first.key, second.key];
  const beside = element("button", { type: "button", className: "quiet" }, words.SIDE_BY_SIDE);
  beside.addEventListener("click", () => onPair(keys));
  const again = element("a", { className: "button", href: askAgainAddress(pair), "data-tip": words.ABOUT_ASK_AGAIN }, words.ASK_AGAIN);
  const heads = Object.entries(words.VERDICT_COLUMNS).map(([id, { label, tip }]) =>
    element("th", { scope: "col", "data-column": id, className: id === "probability" || id === "surprise" ? "num" : "" }, element("span", { className: "term", "data-tip": tip }, label)));
  const title = words.against(keys);
  return element("section", { className: "judged" },
    element("div", { className: "row spread" },
      element("h4", { dir: "auto" }, title),
      element("div", { className: "row" }, ...(isOneOfSeveral ? [beside] : []), again)),
    element("p", { className: "hint", dir: "auto" }, expected === null ? words.EXPECTS_NOTHING : words.expects(first.key, expected), disagreement === null ? "" : words.disagreementOf(disagreement)),
    element("table", { className: "table verdicts", "aria-label": title },
      element("thead", {}, element("tr", {}, ...heads, element("td", {}))),
      element("tbody", {}, ...verdicts.map((verdict) => verdictRow(verdict, keys, onVoid)))));
}

/**
 * @param {Contract.PairVerdict} verdict
 * @param {string[]} keys
 * @param {(verdict: Contract.PairVerdict) => void} onVoid
 */
function verdictRow(verdict, [first, second], onVoid) {
  const { seq, judge, kind, winner, p_first: p, swapped, surprise, created_at: created } = verdict;
  const isNamed = winner === "first" || winner === "second";
  const name = winner === "first" ? first : winner === "second" ? second : winner === "tie" ? words.TIE : words.BOTH_BAD;
  const button = element("button", { type: "button", className: "quiet", "aria-label": words.voidOf(seq, judge) }, VOID);
  button.addEventListener("click", () => onVoid(verdict));
  const bits = words.figure(surprise);
  return element("tr", { "data-key": String(seq) },
    element("th", { scope: "row", "data-column": "judge" }, icon(kind === "human" ? "person" : "model"), " ", element("bdi", {}, judge)),
    element("td", { "data-column": "winner", className: isNamed ? winner : "" }, element("bdi", { className: isNamed ? "side" : "faint" }, name),
      ...(swapped ? [" ", element("span", { className: "term faint", "data-tip": words.ABOUT_SWAPPED }, words.SWAPPED)] : [])),
    element("td", { "data-column": "probability", className: "num" }, chance(Math.max(p, 1 - p))),
    element("td", { "data-column": "surprise", className: "num" }, Number(surprise) >= SURPRISING ? element("span", { className: "badge doubt" }, icon("doubt"), bits) : bits),
    element("td", { "data-column": "when", className: "faint" }, timeOf(created)),
    element("td", { "data-column": "act", className: "num" }, button));
}

/**
 * Where a person judges this pair; a comma in a key is written %2C.
 * @param {Contract.JudgedPair} pair
 */
function askAgainAddress({ item, first, second }) {
  const [a, b, key] = [first.key, second.key, item?.key ?? ""].map(encodeURIComponent);
  return `/sets/${setId}/annotate?pair=${a},${b}${item ? `&item=${key}` : ""}`;
}
