// @ts-check
// What A and B wrote, one judged pair at a time: both texts, the words in which they differ, and who said what.
import { diff, likeness, render } from "./diff.js";
import { element } from "./dom.js";
import { chance } from "./numbers.js";
import { showText } from "./rich-text.js";
import { read } from "./set-page.js";
import * as words from "./texts/compare.js";

const PAGE = 50;
const ALIKE = 0.5; // of two texts of which more differs, marks would cover nearly all

/**
 * @param {HTMLElement} place
 * @param {Pick<Contract.HeadToHead, "first" | "second" | "verdicts">} of
 * @param {import("../pages/compare.js").State} state
 * @param {AbortSignal} signal
 * @returns {Promise<import("../pages/compare.js").Update | void>}
 */
export async function judgedPairs(place, { first, second, verdicts }, state, signal) {
  if (!verdicts.comparisons) return;
  /** @type {Contract.JudgedPair[]} */
  let pairs = [];
  let total = 0, order = "";
  const article = element("article", { className: "judged" }), where = element("output", {});
  const [previous, next] = [words.PREVIOUS, words.NEXT].map((label) => element("button", { type: "button" }, label));
  const sort = element("select", { "aria-label": words.SORT }, ...Object.entries(words.ORDERS).map(([value, label]) => new Option(label, value)));
  const differences = element("input", { type: "checkbox" });
  place.replaceChildren(
    element("div", { className: "row spread pairs-bar" }, element("h2", {}, words.HEAD_TO_HEAD), element("div", { className: "row" },
      element("label", {}, differences, words.DIFFERENCES), sort, previous, where, next)),
    article);

  /** @param {number} at */
  async function loadTo(at) {
    const wanted = state.get().order;
    if (wanted !== order) [pairs, order] = [[], wanted];
    while (pairs.length <= at && (!pairs.length || pairs.length < total)) {
      const query = { candidate: first, other: second, sort: wanted, after: pairs.length, limit: PAGE };
      /** @type {Contract.JudgedPairPage} */
      const page = await read("/pairs", query, { signal });
      pairs.push(...page.pairs);
      total = page.total;
      if (!page.pairs.length) return;
    }
  }

  async function show() {
    const { order: chosen, differences: marks } = state.get();
    await loadTo(Number(state.get().at) || 0);
    const at = Math.min(Number(state.get().at) || 0, pairs.length - 1);
    if (signal.aborted || at < 0) return;
    sort.value = chosen;
    differences.checked = marks === "yes";
    where.textContent = words.place(at + 1, total);
    previous.disabled = at === 0;
    next.disabled = at + 1 >= total;
    article.replaceChildren(...judgedPair(pairs[at], first, { marks: marks === "yes" }));
  }

  const step = (/** @type {number} */ by) => state.set({ at: String((Number(state.get().at) || 0) + by) });
  previous.addEventListener("click", () => step(-1));
  next.addEventListener("click", () => step(1));
  sort.addEventListener("change", () => state.set({ order: sort.value, at: "" }));
  differences.addEventListener("change", () => state.set({ differences: differences.checked ? "yes" : "no" }));
  await show();
  return () => { show(); };
}

/**
 * A judged pair with the candidate `first` on the left.
 * @param {Contract.JudgedPair} pair
 * @param {string} first
 * @param {{ marks: boolean }} options
 */
function judgedPair(pair, first, { marks }) {
  const isTurned = pair.first.key !== first, sides = isTurned ? [pair.second, pair.first] : [pair.first, pair.second];
  const expected = pair.expected === null ? null : isTurned ? 1 - pair.expected : pair.expected;
  const texts = sides.map(({ text }) => text ?? "");
  const differences = marks && texts.every(Boolean) ? diff(texts[0], texts[1]) : null;
  const pieces = differences && likeness(differences) >= ALIKE ? differences : null;
  const columns = sides.map(({ key }, n) => {
    const text = element("div", { className: `text ${n ? "second" : "first"}`, dir: "auto", role: "region", "aria-label": words.textOf(key), tabIndex: "0" });
    if (pieces) render(text, pieces[n]);
    else showText(text, texts[n]);
    return element("section", {}, element("h3", { dir: "auto" }, key), ...(texts[n] ? [text] : []));
  });
  return [
    ...(pair.item ? [prompt(pair.item)] : []),
    element("div", { className: "sides" }, ...columns),
    element("p", { className: "faint", dir: "auto" }, [
      ...(expected === null ? [] : [words.expected(sides[0].key, expected)]),
      ...(pair.agreement === null ? [] : [words.agreement(pair.agreement)]),
      ...(differences && !pieces ? [words.UNLIKE] : []),
    ].join(" ")),
    element("ul", { className: "verdicts" }, ...pair.verdicts.map((verdict) => verdictLine(verdict, isTurned, sides.map(({ key }) => key)))),
  ];
}

/** @param {Contract.ItemOut} item */
function prompt({ key, prompt: text, tags }) {
  const shown = element("div", { className: "prompt", dir: "auto" });
  showText(shown, text ?? key);
  return element("div", {}, shown, element("p", { className: "chips" },
    ...Object.entries(tags ?? {}).map(([name, value]) => element("span", { className: "badge", dir: "auto" }, `${name}: ${value}`))));
}

/**
 * @param {Contract.PairVerdict} verdict
 * @param {boolean} isTurned
 * @param {string[]} keys
 */
function verdictLine({ judge, kind, p_first: p, winner, swapped, surprise }, isTurned, keys) {
  const ofFirst = isTurned ? 1 - p : p, side = winner === "first" || winner === "second" ? Number((winner === "second") !== isTurned) : null;
  const share = side === null ? "" : ` ${chance(side ? 1 - ofFirst : ofFirst)}`;
  const about = [...(kind ? [words.KINDS[kind]] : []), ...(swapped !== isTurned ? [words.sawFirst(keys[1])] : []), ...(surprise === null ? [] : [words.bits(surprise)])];
  return element("li", {},
    element("span", { className: `badge ${side === null ? "" : side ? "second" : "first"}`, dir: "auto" }, side === null ? words.TIE : `${keys[side]}${share}`),
    element("bdi", {}, judge),
    element("span", { className: "faint" }, about.join(", ")));
}

