// @ts-check
// Items of a set, or the judged pairs of a set of texts: where judges disagree, and where the ranking is surprised.
import { element, find, icon } from "../lib/dom.js";
import { comparisonAddress, figuresOf, itemColumns, keyOf, titleOf } from "../lib/item-columns.js";
import { itemDetail } from "../lib/item-detail.js";
import { follow } from "../lib/live.js";
import { closePanel, openPanel } from "../lib/panel.js";
import { picking } from "../lib/picking.js";
import { read, setId, showProblem } from "../lib/set-page.js";
import { pageState } from "../lib/state.js";
import { dataTable } from "../lib/table.js";
import * as words from "../lib/texts/items.js";
import { voidVerdict } from "../lib/void-verdict.js";
import { oneAtATime } from "../lib/wishes.js";

/** @typedef {import("../lib/item-columns.js").Row} Row */

const ITEMS_AT_ONCE = 1000, MOST_ITEMS = 10_000, PAIRS_AT_ONCE = 100;
const TYPING_MS = 200; // between the last key and the search
const PAUSE_MS = 2000; // between a verdict and the list that it changes
const SORTS = new Set(["disagreement", "surprise", "recent"]); // orders that the service lists pairs in
const FILTERS = /** @type {const} */ (["find", "tag", "candidate", "other", "judge"]);
const LABELS = { candidate: "Candidate", other: "And", judge: "Judge" };

const state = pageState({ sort: "-disagreement", find: "", tag: "", candidate: "", other: "", judge: "", item: "", pair: "", pick: "" });
const picks = picking(state, comparisonAddress);
const place = find("#items"), search = find("#filters [name=find]", HTMLInputElement);
const menu = /** @type {HTMLSelectElement | null} */ (document.querySelector("#filters [name=tag]"));
const isOfItems = place.dataset.of === "items", noun = isOfItems ? "prompt" : "pair";
const load = oneAtATime(showList);

/** @type {Row[]} */
let rows = [];
let total = 0, surprising = 0, after = /** @type {number | null} */ (null);
let isFirst = true, isUnsorted = state.get().sort === "-disagreement"; // until it is known that judges share pairs
let asked = ""; // what the rows were asked for with
/** @type {Map<string, Promise<Contract.JudgedPair[]>>} */
const details = new Map(); // pairs of each row, by its key

const filters = () => Object.fromEntries(FILTERS.map((name) => [name, state.get()[name] || undefined]));
const serverSort = () => (isOfItems ? undefined : SORTS.has(state.get().sort.slice(1)) ? state.get().sort.slice(1) : "disagreement");
const query = () => ({ ...filters(), sort: serverSort() });
const opened = () => (isOfItems ? state.get().item : state.get().pair);

// The list

const table = dataTable(/** @type {HTMLElement} */ (place), {
  columns: () => itemColumns({ open, pick: (row) => picks.box(keyOf(row)) }, { isOfItems, hasTags: menu !== null }),
  state,
  rowKey: keyOf,
  onOpen: open,
  rowClass: (row) => (keyOf(row) === opened() ? "chosen" : ""),
});

/** @param {AbortSignal} signal */
async function showList(signal) {
  asked = JSON.stringify(query());
  try {
    rows = [];
    let next = /** @type {number | null} */ (0);
    do {
      const page = await readPage(next ?? 0, signal);
      rows.push(...page.rows);
      next = page.next_after;
    } while (isOfItems && next !== null && rows.length < MOST_ITEMS);
    rows.sort((a, b) => (b.surprise ?? 0) - (a.surprise ?? 0));
    after = next;
    showProblem(null);
    if (isFirst) [isFirst, isUnsorted] = [false, isUnsorted && rows.some(({ surprise }) => surprise !== null) && rows.every(({ disagreement }) => disagreement === null)];
    else isUnsorted = false;
    draw();
    if (isUnsorted) state.set({ sort: "-surprise" });
    showDetail();
  } catch (error) {
    showProblem(error);
  } finally {
    find("#loading").hidden = true;
  }
}

/**
 * @param {number} from
 * @param {AbortSignal} [signal]
 * @returns {Promise<{ rows: Row[], next_after: number | null }>}
 */
async function readPage(from, signal) {
  const limit = isOfItems ? ITEMS_AT_ONCE : PAIRS_AT_ONCE;
  const page = await read(isOfItems ? "/item-statistics" : "/pairs", { ...query(), after: from, limit }, { signal });
  ({ total, surprising } = page);
  return { rows: isOfItems ? page.items : page.pairs, next_after: page.next_after };
}

async function showMore() {
  try {
    const page = await readPage(after ?? 0);
    rows = [...rows, ...page.rows];
    after = page.next_after;
    draw();
  } catch (error) {
    showProblem(error);
  }
}

let drawn = ""; // choices that the rows were drawn with
const drawing = () => JSON.stringify([state.get().sort, state.get().pick]);
function draw() {
  drawn = drawing();
  table.show(rows);
  const isNothing = rows.length === 0, isFiltered = FILTERS.some((name) => state.get()[name]);
  place.hidden = isNothing;
  find("#filters").hidden = isNothing && !isFiltered;
  find("#summary").hidden = !rows.some(({ surprise }) => surprise !== null);
  find("#none").hidden = !isNothing || !isFiltered;
  find("#count").textContent = isNothing ? "" : words.found(rows.length, total, noun);
  find("#more").hidden = after === null;
  find("#summary").textContent = find("#summary").hidden ? "" : words.summary(surprising, total, noun);
  const isShared = rows.some(({ disagreement }) => disagreement !== null);
  find("#overlap").hidden = isNothing || isShared;
  find("#measures").hidden = !isShared;
  if (isOfItems) picks.show();
  showChips();
  showTagLink();
}

/** Offers the ranking on the prompts of the tag. */
function showTagLink() {
  const link = find("#tag-ranking", HTMLAnchorElement), value = menu?.selectedOptions[0], name = value?.parentElement;
  link.hidden = !(name instanceof HTMLOptGroupElement);
  if (!value || !(name instanceof HTMLOptGroupElement)) return;
  link.textContent = words.rankingOn(value.text);
  link.href = `/sets/${setId}?${new URLSearchParams({ by: name.label })}`;
}

/** Filters that a link came with and that no control shows. */
function showChips() {
  find("#chips").replaceChildren(...Object.entries(LABELS).flatMap(([name, label]) => {
    const value = state.get()[/** @type {keyof typeof LABELS} */ (name)];
    if (!value) return [];
    const chip = element("button", { type: "button", "aria-label": words.withoutFilter(value) }, element("bdi", {}, words.filter(label, value)), icon("cross"));
    chip.addEventListener("click", () => state.set({ [name]: "" }));
    return [chip];
  }));
}

// One of them

/** @param {Row} row */
function open(row) {
  state.set(isOfItems ? { item: keyOf(row), pair: "" } : { pair: keyOf(row) }, { push: !opened() });
}

function markOpened() {
  for (const row of place.querySelectorAll("tr.chosen")) row.classList.remove("chosen");
  place.querySelector(`tr[data-key="${CSS.escape(opened())}"]`)?.classList.add("chosen");
}

/** @param {number} by */
function step(by) {
  const sorted = table.rows(), at = sorted.findIndex((row) => keyOf(row) === opened());
  const next = sorted[at === -1 ? 0 : at + by];
  if (!next) return;
  open(next);
  document.querySelector(`#items tr[data-key="${CSS.escape(keyOf(next))}"]`)?.scrollIntoView({ block: "nearest" });
}

/**
 * The pairs of a row, those first that surprise most.
 * @param {string} key
 */
function pairsOf(key) {
  const [candidate, other] = isOfItems ? [] : JSON.parse(key);
  const wanted = isOfItems ? { item: key } : { candidate, other };
  const pairs = details.get(key) ?? read("/pairs", { ...wanted, sort: "surprise", limit: 1000 }).then((page) => page.pairs);
  details.set(key, pairs);
  return pairs;
}

let shownKey = "", shown = ""; // what the panel is about, and what it shows of it
async function showDetail() {
  const key = opened();
  if (!key) {
    shownKey = "";
    closePanel();
    return;
  }
  try {
    const pairs = inOrder(await pairsOf(key));
    const signature = JSON.stringify([key, state.get().pair, rows.length, pairs.map(({ verdicts }) => verdicts.map(({ seq }) => seq))]);
    if (key !== opened() || (key === shownKey && signature === shown)) return;
    const sorted = table.rows(), at = sorted.findIndex((row) => keyOf(row) === key);
    const content = element("div", { className: "item-detail" }, element("div", { className: "row spread" }, steps(at, sorted.length), ...(sorted[at] ? [figuresOf(sorted[at])] : [])));
    if (pairs.length) content.append(...itemDetail(pairs, shownPair(), { onVoid: ({ seq }) => voidVerdict(seq, changed), onPair }));
    const title = sorted[at] ? titleOf(sorted[at]) : isOfItems ? key : words.against(JSON.parse(key));
    if (shownKey === key) replace(find(".item-detail"), content);
    else openPanel({ title, content: [content], onClose: () => state.set({ item: "", pair: "" }), isWide: true });
    [shownKey, shown] = [key, signature];
    if (sorted[at + 1]) pairsOf(keyOf(sorted[at + 1])).catch(() => details.delete(keyOf(sorted[at + 1])));
  } catch (error) {
    details.delete(key);
    showProblem(error);
  }
}

/** @param {Contract.JudgedPair[]} pairs */
const inOrder = (pairs) => (state.get().sort.endsWith("disagreement") ? pairs.toSorted((a, b) => (b.disagreement ?? -1) - (a.disagreement ?? -1)) : pairs);

/**
 * @param {HTMLElement} old
 * @param {HTMLElement} content
 */
function replace(old, content) {
  const hadFocus = old.contains(document.activeElement);
  old.replaceWith(content);
  if (hadFocus) find("#panel-title").focus({ preventScroll: true });
}

const shownPair = () => (isOfItems && state.get().pair ? /** @type {string[]} */ (JSON.parse(state.get().pair)) : null);
/** @param {string[] | null} keys */
const onPair = (keys) => state.set({ pair: keys ? JSON.stringify(keys) : "" });

/**
 * @param {number} at
 * @param {number} count
 */
function steps(at, count) {
  const [previous, next] = /** @type {const} */ ([[words.PREVIOUS, "k", "left", -1], [words.NEXT, "j", "right", 1]]).map(([label, key, sign, by]) => {
    const button = element("button", { type: "button" }, ...(by < 0 ? [icon(sign), label] : [label, icon(sign)]), element("kbd", { "aria-hidden": "true" }, key));
    button.disabled = at < 0 || at + by < 0 || at + by >= count;
    button.addEventListener("click", () => step(by));
    return button;
  });
  return element("div", { className: "row" }, previous, next, element("span", { className: "faint" }, at < 0 ? "" : words.placeOf(at + 1, count)));
}

/** Reads everything again. */
function changed() {
  details.clear();
  load({ withdraws: true });
}

document.addEventListener("keydown", (event) => {
  const { target, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof Element)) return;
  if (target.closest("input, select, textarea, dialog:not(.panel)")) return;
  const isArrow = opened() && !target.closest(".text, .outputs");
  const by = key === "j" || (isArrow && key === "ArrowRight") ? 1 : key === "k" || (isArrow && key === "ArrowLeft") ? -1 : 0;
  if (!by) return;
  event.preventDefault();
  step(by);
});

// Choices

state.onChange((choices) => {
  if (document.activeElement !== search) search.value = choices.find;
  if (menu) menu.value = choices.tag;
  if (!isOfItems && !choices.sort.startsWith("-")) return state.set({ sort: `-${choices.sort}` }); // pages come highest first
  if (JSON.stringify(query()) !== asked) load({ withdraws: true });
  else if (drawing() !== drawn) draw();
  markOpened();
  showDetail();
});
let typing = 0;
search.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => state.set({ find: search.value }), TYPING_MS);
});
menu?.addEventListener("change", () => state.set({ tag: menu.value }));
find("#filters").addEventListener("submit", (event) => event.preventDefault());
find("#clear").addEventListener("click", () => state.set({ find: "", tag: "", candidate: "", other: "", judge: "" }));
find("#more").addEventListener("click", showMore);
search.value = state.get().find;
if (menu) menu.value = state.get().tag;
load();

let version = -1, soon = 0;
follow(setId ?? "", {
  onState: (now) => {
    const isNew = version >= 0 && now.version !== version;
    version = now.version;
    find("#empty").hidden = now.comparisons > 0;
    if (isNew) soon ||= setTimeout(() => { soon = 0; changed(); }, PAUSE_MS);
  },
});
