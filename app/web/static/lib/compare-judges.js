// @ts-check
// Judge A against judge B: how often they agree, what biases each has, and the pairs that they dispute.
import { besideTable, term } from "./beside.js";
import { element, find, redraw } from "./dom.js";
import { figureList } from "./figures.js";
import { disputeArticle } from "./disputes.js";
import { chance, counted, money, percent, signed } from "./numbers.js";
import { judgeAddress } from "./judge-columns.js";
import { read } from "./set-page.js";
import { NONE, rates } from "./texts/common.js";
import * as words from "./texts/compare.js";
import { MORE_FACTS } from "./texts/judges.js";

const MOST_PAGES = 20; // of disputes that are looked through

/** @type {import("../pages/compare.js").Mode} */
export async function compareJudges(place, state, signal) {
  const { a, b } = state.get();
  const numbers = element("div", {}), disputes = element("section", { id: "texts" });

  async function load() {
    /** @type {Contract.Judges} */
    const { judges, agreement, alpha } = await read("/judges", { verdicts: false }, { signal });
    const options = find("#options"), isDrawn = alpha?.drawn ?? false;
    options.replaceChildren(...judges.map(({ judge }) => new Option(judge, judge)));
    options.dataset.of = "judges";
    const [first, second] = [a, b].map((name) => judges.find(({ judge }) => judge === name));
    redraw(numbers, first && second ? ofTwo(first, second, agreement, isDrawn) : ofAll(judges, agreement, state));
    return { areKnown: Boolean(first && second), isDrawn };
  }

  const { areKnown, isDrawn } = await load();
  place.replaceChildren(numbers, disputes);
  if (areKnown) await showDisputes(disputes, [a, b], isDrawn, signal);
  return async (_, isNewer) => {
    if (isNewer) await load(); // the disputed pair that somebody reads stays
  };
}

/**
 * @param {Contract.JudgeCard} first
 * @param {Contract.JudgeCard} second
 * @param {Contract.PairAgreement[]} agreement
 * @param {boolean} isDrawn
 */
function ofTwo(first, second, agreement, isDrawn) {
  const [a, b] = [first.judge, second.judge], shared = agreement.find(({ judges: pair }) => pair.includes(a) && pair.includes(b));
  return [
    element("p", { id: "answer-line", "data-key": "answer", dir: "auto" }, shared ? words.agree(a, b, shared, isDrawn) : words.noSharedPair(a, b)),
    figureList([
      [...words.FIGURES.same, shared ? share(shared) : NONE, shared ? counted(shared.pairs, "pair") : ""],
      [...words.FIGURES.kappa, shared?.kappa === null || !shared ? NONE : signed(shared.kappa).replace("+", ""), shared?.kappa_interval ? words.between(shared.kappa_interval) : ""],
    ]),
    beside(first, second),
  ];
}

/**
 * Figures of the two, side by side.
 * @param {Contract.JudgeCard} first
 * @param {Contract.JudgeCard} second
 */
function beside(first, second) {
  /** @type {[import("./texts/common.js").Explained, (card: Contract.JudgeCard) => string][]} */
  const rows = [
    [words.JUDGE_ROWS.comparisons, ({ comparisons }) => comparisons.toLocaleString("en")],
    [words.JUDGE_ROWS.bias, ({ position_bias: bias }) => (bias ? `${signed(bias.delta)} ± ${(2 * bias.sd).toFixed(2)}` : NONE)],
    [words.JUDGE_ROWS.people, ({ agreement_with_people: right }) => (right ? `${percent(right.share)}% ${rates(right.interval)} of ${counted(right.pairs, "pair")}` : NONE)],
    [words.JUDGE_ROWS.others, ({ agreement }) => shareOfPairs(agreement)],
    [MORE_FACTS.swapped, ({ swapped }) => shareOfPairs(swapped)],
    [MORE_FACTS.repeated, ({ same_order: same }) => shareOfPairs(same)],
    [words.JUDGE_ROWS.discrimination, ({ relative_discrimination: kept }) => (kept ? kept.overall.toFixed(2) : NONE)],
    [words.JUDGE_ROWS.deviations, ({ judge_effects: effects }) => effects?.largest_deviations.map(({ key, deviation }) => `${key} ${signed(deviation)}`).join(", ") || NONE],
    [words.JUDGE_ROWS.cost, ({ cost }) => (cost === null ? NONE : money(cost))],
  ];
  const heads = [first, second].map(({ judge }) => element("a", { href: judgeAddress(judge) }, judge));
  return besideTable(words.BESIDE, words.FIGURE, heads, rows.map(([explained, value]) => [term(...explained), value(first), value(second)]));
}

/** @param {{ share: number | null } | null} agreement */
const share = (agreement) => (agreement?.share === null || !agreement ? NONE : `${percent(agreement.share)}%`);

/** @param {Contract.Agreement | null} agreement */
const shareOfPairs = (agreement) => (agreement?.pairs ? `${share(agreement)} of ${counted(agreement.pairs, "pair")}` : NONE);

/**
 * All pairs of judges with pairs in common, those that agree least first.
 * @param {Contract.JudgeCard[]} judges
 * @param {Contract.PairAgreement[]} agreement
 * @param {import("../pages/compare.js").State} state
 */
function ofAll(judges, agreement, state) {
  if (judges.length < 2) return [element("p", { className: "empty", "data-key": "one" }, words.ONE_JUDGE)];
  const rows = agreement.toSorted((one, other) => (one.kappa ?? 2) - (other.kappa ?? 2)).map(({ judges: [a, b], pairs, share, kappa }) => {
    const open = element("button", { type: "button", className: "open", dir: "auto" }, words.against(a, b));
    open.addEventListener("click", () => state.set({ a, b }, { push: true }));
    return element("tr", { "data-key": `${a}\n${b}` }, element("th", { scope: "row" }, open),
      element("td", { className: "num" }, share === null ? NONE : chance(share)), element("td", { className: "num" }, kappa === null ? NONE : kappa.toFixed(2)),
      element("td", { className: "num" }, pairs.toLocaleString("en")));
  });
  return [
    element("p", { className: "faint", "data-key": "about" }, rows.length ? words.CHOOSE_JUDGES : words.NO_SHARED_PAIRS),
    ...(rows.length ? [element("table", { className: "table", "data-key": "agreement", "aria-label": words.AGREEMENT },
      element("thead", {}, element("tr", {}, ...[words.JUDGES, words.FIGURES.same, words.FIGURES.kappa, words.PAIRS].map((label, n) =>
        element("th", { scope: "col", className: n ? "num" : "" }, typeof label === "string" ? label : term(...label))))),
      element("tbody", {}, ...rows))] : []),
  ];
}

/**
 * @param {HTMLElement} place
 * @param {[string, string]} names
 * @param {boolean} isDrawn
 * @param {AbortSignal} signal
 */
async function showDisputes(place, names, isDrawn, signal) {
  /** @type {Contract.Dispute[]} */
  const theirs = [];
  /** @type {number | null} */
  let after = 0;
  for (let page = 0; page < MOST_PAGES && after !== null; page += 1) {
    /** @type {Contract.DisputePage} */
    const answer = await read("/disputes", { after }, { signal });
    theirs.push(...answer.disputes.filter(({ verdicts }) => {
      const [one, other] = names.map((name) => verdicts.find(({ judge }) => judge === name)?.winner);
      return one && other && one !== other;
    }));
    after = answer.next_after;
  }
  if (signal.aborted || !theirs.length) return;
  let at = 0;
  const where = element("output", {}), article = element("div", {});
  const [previous, next] = [words.PREVIOUS, words.NEXT].map((label, n) => {
    const button = element("button", { type: "button" }, label);
    button.addEventListener("click", () => show(at + (n ? 1 : -1)));
    return button;
  });

  /** @param {number} to */
  function show(to) {
    at = to;
    where.textContent = words.place(at + 1, theirs.length);
    previous.disabled = at === 0;
    next.disabled = at + 1 === theirs.length;
    article.replaceChildren(disputeArticle(theirs[at]));
  }
  place.replaceChildren(element("div", { className: "row spread pairs-bar" }, element("h2", {}, words.DISPUTES), element("div", { className: "row" }, previous, where, next)),
    element("p", { className: "faint" }, words.disputed(theirs.length, isDrawn)), article);
  show(0);
}
