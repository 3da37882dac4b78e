// @ts-check
// Prompt A against prompt B: on which of the two judges disagree more, and which candidates win on each.
import { besideTable, term } from "./beside.js";
import { element, find } from "./dom.js";
import { itemAddress } from "./item-columns.js";
import { showText } from "./rich-text.js";
import { readAll, setId } from "./set-page.js";
import { NONE } from "./texts/common.js";
import * as words from "./texts/compare.js";
import { COLUMNS, figure, share } from "./texts/items.js";
import { winsByKey } from "./verdict-doubt.js";

const SIDES = ["first", "second"];

/** @typedef {ReturnType<typeof winsByKey>} Wins */

/** @type {import("../pages/compare.js").Mode} */
export async function compareItems(place, state, signal) {
  /** @type {Contract.ItemStatistics[]} */
  const items = await readAll("/item-statistics", "items", {}, signal);
  const options = find("#options");
  options.replaceChildren(...items.map(({ key, prompt }) => new Option(prompt ?? key, key)));
  options.dataset.of = "items";
  const chosen = [state.get().a, state.get().b].flatMap((wanted) => items.filter(({ key }) => key === wanted));
  if (chosen.length < 2) {
    place.replaceChildren(element("p", { className: "faint" }, words.CHOOSE_ITEMS, element("a", { href: `/sets/${setId}/items` }, words.TO_ITEMS)));
    return;
  }
  /** @type {Contract.JudgedPair[][]} */
  const pairs = await Promise.all(chosen.map(({ key }) => readAll("/pairs", "pairs", { item: key }, signal)));
  const wins = pairs.map(winsByKey), heads = chosen.map(({ key }) => element("a", { href: itemAddress(key) }, key));
  const [a, b] = chosen.map(({ key, disagreement }, n) => ({ key, disagreement, winners: winnersOf(wins[n]) }));
  place.replaceChildren(
    element("p", { id: "answer-line", dir: "auto" }, words.disagreeMore(a, b), " ", words.winMost(a, b)),
    besideTable(words.BOTH_PROMPTS, words.FIGURE, heads, figuresOf(chosen)),
    element("h2", {}, words.WINS),
    element("p", { className: "faint" }, words.ABOUT_WINS),
    besideTable(words.WINS, words.CANDIDATE, heads.map((head) => head.cloneNode(true)), winRows(wins)),
    element("h2", {}, words.PROMPTS),
    element("div", { className: "sides" }, ...chosen.map((item, n) => promptOf(pairs[n][0]?.item ?? item, SIDES[n]))));
}

/**
 * @param {Contract.ItemStatistics[]} items
 * @returns {[Node, string, string][]}
 */
function figuresOf([a, b]) {
  const { comparisons, agreement, disagreement, surprise } = COLUMNS;
  return [
    [term(comparisons.label, comparisons.tip), a.comparisons.toLocaleString("en"), b.comparisons.toLocaleString("en")],
    [term(agreement.label, agreement.tip), share(a.agreement), share(b.agreement)],
    [term(disagreement.label, disagreement.tip), figure(a.disagreement), figure(b.disagreement)],
    [term(surprise.label, surprise.tip), figure(a.surprise), figure(b.surprise)],
  ];
}

/** @type {(wins: Wins, key: string) => number} */
const lead = (wins, key) => 2 * (wins.get(key)?.wins ?? 0) - (wins.get(key)?.verdicts ?? 0); // wins minus losses

/** @param {Wins} wins */
function winnersOf(wins) {
  const most = Math.max(...[...wins.keys()].map((key) => lead(wins, key)));
  return [...wins.keys()].filter((key) => lead(wins, key) === most);
}

/**
 * Candidates, those first that lead on both together.
 * @param {Wins[]} wins on each of the two
 * @returns {[Node, string, string][]}
 */
function winRows([a, b]) {
  const keys = [...new Set([...a.keys(), ...b.keys()])];
  const sum = (/** @type {string} */ key) => lead(a, key) + lead(b, key);
  const cell = (/** @type {Wins} */ by, /** @type {string} */ key) => {
    const { wins, verdicts } = by.get(key) ?? { wins: 0, verdicts: 0 };
    return verdicts ? words.outcomes({ wins, ties: 0, losses: verdicts - wins }) : NONE;
  };
  return keys.sort((one, other) => sum(other) - sum(one)).map((key) => [new Text(key), cell(a, key), cell(b, key)]);
}

/**
 * @param {Pick<Contract.ItemOut, "key" | "prompt">} item
 * @param {string} side
 */
function promptOf({ key, prompt }, side) {
  const text = element("div", { className: `text ${side}`, tabIndex: "0", role: "region", "aria-label": words.textOf(key), dir: "auto" });
  showText(text, prompt ?? key);
  return element("section", {}, element("h3", { dir: "auto" }, key), text);
}
