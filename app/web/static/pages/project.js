// @ts-check
// The page of a project: its systems over its sets, and its sets.
import { nap } from "../lib/backoff.js";
import { axis, domainOf, intervalMark } from "../lib/chart.js";
import { element, find, findAll } from "../lib/dom.js";
import { percent } from "../lib/numbers.js";
import { Unreachable, get } from "../lib/service.js";
import { followList } from "../lib/set-list.js";
import { pageState } from "../lib/state.js";
import { dataTable } from "../lib/table.js";
import { NONE } from "../lib/texts/common.js";
import * as words from "../lib/texts/project.js";

const COMPUTING = 425, COMPUTING_MS = 1000;
const FRESH_MS = 10_000; // between two looks at the leaderboard
const DEEPEST = 90; // per cent of the colour of a side, at a cell that wins or loses all
const EVEN = 0.5;

const state = pageState({ figure: "", baseline: "", weights: "", order: "rank" });
const sorting = { ...state, get: () => ({ sort: state.get().order }), set: (/** @type {{ sort: string }} */ { sort }) => state.set({ order: sort }) };
/** @type {Contract.Leaderboard | null} */
let board = null;
let asked = "", drawn = "";

// What is asked for

/** Weights that differ from 1, by the set's id; the address has them as ID:NUMBER, with commas between. */
const weights = () => new Map(state.get().weights.split(",").filter(Boolean).map((part) => {
  const [id, weight] = part.split(":");
  return [id, Math.max(Number(weight), 0) || 0];
}));

/** @param {string} id */
const weightOf = (id) => weights().get(id) ?? 1;

/** @param {Pick<Contract.LeaderboardCriterion, "set_id" | "name">[]} criteria */
function address(criteria) {
  const { figure, baseline } = state.get(), { project = "", sets } = find("#leaderboard").dataset;
  const query = new URLSearchParams({ scale: figure === "elo" ? "elo" : "logit", ...(baseline && { baseline }) });
  for (const id of sets?.split(" ") ?? []) query.append("set", id);
  const names = criteria.map(({ name }) => name), areDifferent = new Set(names).size === names.length;
  for (const { set_id: id, name } of areDifferent ? criteria : []) {
    if (weightOf(id) > 0) query.append("weight", `${name}=${weightOf(id)}`);
  }
  return `/v1/projects/${project.split("/").map(encodeURIComponent).join("/")}/leaderboard?${query}`;
}

/** @param {Pick<Contract.LeaderboardCriterion, "set_id" | "name">[]} criteria */
async function read(criteria) {
  for (;;) {
    try {
      return /** @type {Contract.Leaderboard} */ (await get(address(criteria)));
    } catch (error) {
      if (!(error instanceof Unreachable) || error.status !== COMPUTING) throw error;
    }
    await nap(COMPUTING_MS);
  }
}

async function load() {
  const wanted = JSON.stringify({ ...state.get(), order: "" });
  asked = wanted;
  try {
    const criteria = board?.criteria ?? (await read([])).criteria; // their names, by which weights are given
    const newest = await read(criteria);
    if (wanted !== asked) return;
    find("#problem").hidden = true;
    const mark = `${wanted} ${JSON.stringify(newest)}`;
    if (mark === drawn) return;
    drawn = mark;
    board = newest;
  } catch (error) {
    find("#problem").hidden = false;
    find("#problem").textContent = error instanceof Error ? error.message : "";
    return;
  }
  offerChoices(board);
  draw();
}

// The table

/** @typedef {Contract.LeaderboardRow} Row */

/** @param {Contract.Leaderboard} shown */
function columns({ criteria, rows }) {
  const weighted = rows.flatMap(({ weighted: each }) => (each ? [each] : []));
  const domain = domainOf(weighted.map(({ win_rate, interval }) => ({ value: win_rate, interval })), []);
  const heading = element("span", {}, words.MEAN, axis(domain, (share) => `${percent(share)}%`, { count: 3 }));
  const places = new Map(rows.map((row) => [row.key, row.weighted && 1 + weighted.filter(({ win_rate: rate }) => rate > (row.weighted?.win_rate ?? 0)).length]));
  const largest = criteria.map((_, n) => Math.max(...rows.map((row) => Math.abs(figureOf(row.places[n] ?? null).shade)), 1e-9));
  const isOverall = weighted.length > 0;
  return /** @type {import("../lib/table.js").Column<Row>[]} */ ([
    { id: "rank", ...words.COLUMNS.rank, isHidden: !isOverall, startsUp: true, value: ({ key }) => places.get(key) ?? null,
      cell: ({ key }) => String(places.get(key) ?? NONE) },
    { id: "key", ...words.COLUMNS.key, isHeading: true, startsUp: true, value: ({ key }) => key, cell: ({ key }) => key },
    { id: "plot", label: heading, isHidden: !isOverall,
      cell: ({ key, weighted: each }) => (each ? intervalMark({ value: each.win_rate, interval: each.interval }, domain, { text: `${key}: ${words.overall(each)}` }) : NONE) },
    { id: "overall", label: words.COLUMNS.overall.label, tip: words.COLUMNS.overall.tip, isNumber: true, isHidden: !isOverall,
      value: ({ weighted: each }) => each?.win_rate ?? null, cell: ({ weighted: each }) => (each ? element("span", { className: "term", "data-tip": words.overall(each) }, `${percent(each.win_rate)}%`) : NONE) },
    ...criteria.map((criterion, n) => ({
      id: criterion.set_id, label: element("span", { className: "clip", dir: "auto" }, criterion.name), tip: words.criterionTip(criterion), isNumber: true,
      value: (/** @type {Row} */ { places: each }) => figureOf(each[n] ?? null).value,
      cell: (/** @type {Row} */ row) => cell(row, criterion, row.places[n] ?? null, largest[n]),
    })),
  ]);
}

/**
 * The figure of a place that was chosen: what sorts it, what it says, and how far it is from even.
 * @param {Contract.Place | null} place
 * @returns {{ value: number | null, text: string, interval: string, shade: number }}
 */
function figureOf(place) {
  const { figure, baseline } = state.get(), onScale = figure === "elo" ? words.elo : words.logits;
  if (!place) return { value: null, text: NONE, interval: words.NO_PLACE, shade: 0 };
  const { against, score, interval, win_rate: rate } = place;
  if (baseline) {
    if (!against) return { value: 0, text: words.BASELINE, interval: "", shade: 0 };
    const format = against.win_rate === null ? words.points : onScale;
    return { value: against.difference, text: format(against.difference), shade: against.difference,
      interval: words.differs(baseline, format(against.difference), against.interval.map(format)) };
  }
  if (figure) return { value: score, text: onScale(score), interval: words.scored(onScale(score), interval?.map(onScale) ?? null), shade: score };
  return { value: rate, text: rate === null ? NONE : `${percent(rate)}%`, interval: "", shade: rate === null ? 0 : rate - EVEN };
}

/**
 * @param {Row} row
 * @param {Contract.LeaderboardCriterion} criterion
 * @param {Contract.Place | null} place
 * @param {number} largest shade of the column
 */
function cell({ key }, { set_id: id }, place, largest) {
  const { text, interval, shade } = figureOf(place);
  if (!place) return element("span", { className: "faint term", "data-tip": `${interval}.` }, text);
  const link = element("a", { className: "place", href: `/sets/${id}?${new URLSearchParams({ open: key })}`, dir: "auto",
    "data-tip": [interval, words.placed(place)].filter(Boolean).join(" ") }, text);
  const depth = DEEPEST * Math.abs(shade) / largest;
  link.style.background = `color-mix(in srgb, var(--${shade < 0 ? "second" : "first"}-soft) ${depth.toFixed(0)}%, transparent)`;
  return link;
}

const table = find("#list") && document.querySelector("#board") ? dataTable(find("#board"), {
  columns: () => (board ? columns(board) : []), state: /** @type {any} */ (sorting), rowKey: ({ key }) => key,
}) : null;

function draw() {
  if (!board || !table) return;
  find("#board").querySelector(".waiting")?.remove();
  find("#first-place").textContent = board.first_place;
  find("#order").textContent = board.sentence;
  table.show(board.rows);
}

// Choices

/** @param {Contract.Leaderboard} shown */
function offerChoices({ criteria, rows }) {
  const shared = rows.filter(({ places }) => places.every(Boolean)).map(({ key }) => key).sort((a, b) => a.localeCompare(b));
  const baseline = find("#leaderboard [name=baseline]", HTMLSelectElement);
  if (baseline.options.length !== shared.length + 1) {
    baseline.replaceChildren(baseline.options[0], ...shared.map((key) => new Option(key, key)));
  }
  const menu = find("#weights > div");
  if (!menu.querySelector("input")) {
    menu.append(...criteria.map(({ set_id: id, name }) => {
      const input = element("input", { type: "number", min: "0", step: "0.5", "data-weight": id, "aria-label": words.weightOf(name) });
      return element("label", {}, element("span", { className: "clip", dir: "auto" }, name), input);
    }));
  }
  showChoices();
}

function showChoices() {
  for (const menu of findAll("#leaderboard select", HTMLSelectElement)) menu.value = /** @type {Record<string, string>} */ (state.get())[menu.name];
  for (const input of findAll("#weights input", HTMLInputElement)) {
    if (document.activeElement !== input) input.value = String(weightOf(input.dataset.weight ?? ""));
  }
}

function weighed() {
  const given = findAll("#weights input", HTMLInputElement).filter(({ value }) => value !== "" && Number(value) !== 1);
  state.set({ weights: given.map(({ dataset, value }) => `${dataset.weight}:${Math.max(Number(value), 0)}`).join(",") });
}

if (table) {
  state.onChange((choices) => {
    showChoices();
    if (JSON.stringify({ ...choices, order: "" }) === asked) draw();
    else load();
  });
  for (const menu of findAll("#leaderboard select", HTMLSelectElement)) menu.addEventListener("change", () => state.set({ [menu.name]: menu.value }));
  find("#weights").addEventListener("change", weighed);
  load();
  setInterval(() => { if (!document.hidden) load(); }, FRESH_MS);
}
followList();
