// @ts-check
// The ranking: any method, any version, sorted and filtered, live while the newest version is shown.
import { candidate, loadTexts, texts } from "../lib/candidate-texts.js";
import { element, find, findAll, redraw } from "../lib/dom.js";
import { estimate, forest, scaleOf } from "../lib/forest.js";
import { explainFigures, showFigures, showLeader, showTarget, showValidation, showWarnings } from "../lib/headline.js";
import { counted, percent } from "../lib/numbers.js";
import { onScale, pBest, winRate } from "../lib/rank-figures.js";
import { address, read, setId, showProblem } from "../lib/set-page.js";
import { goesOn } from "../lib/statuses.js";
import { NONE, newer, ranks } from "../lib/texts/common.js";
import * as words from "../lib/texts/results.js";
import { oneAtATime } from "../lib/wishes.js";

const SHOWN_IN_FULL = 300; // candidates whose texts are loaded before anybody searches them
const MOST_BASELINES = 500; // candidates of whom differences are there
const PAUSE_MS = 500; // between a verdict and the ranking that it moves
const STILL_MS = 250; // that the slider stands before its version is asked for

const method = find("#choices [name=method]", HTMLSelectElement);
const baseline = find("#choices [name=baseline]", HTMLSelectElement);
const unit = find("#choices [name=scale]", HTMLSelectElement);
const by = findAll("#choices [name=by]", HTMLSelectElement); // none where no prompt has a tag
const search = find("#choices [name=find]", HTMLInputElement);
const slider = find("#as-of", HTMLInputElement);
const headings = findAll("#ranking [data-by]", HTMLButtonElement);
const progress = find("#progress");
const load = oneAtATime(showRanking);

/** @typedef {"rank" | "key" | "win_rate" | "score" | "p_best" | "tie_group" | "comparisons"} Column */

/** @type {Contract.Ranking | null} */
let ranking = null;
/** @type {string | undefined} */
let cameWith = find("[data-status]:not([hidden])").dataset.status; // the status, until it is asked for
/** @type {{ by: Column, isUp: boolean }} */
let order = { by: "rank", isUp: true };
/** @type {Promise<void> | null} */
let loadingTexts = null;

const isNow = () => slider.value === slider.max;
const target = new URLSearchParams(location.search).get("inference_target") ?? undefined;
const query = () => ({
  method: method.value, inference_target: target, as_of: isNow() ? undefined : slider.value,
  baseline: baseline.value || undefined, scale: unit.value, by: by[0]?.value || undefined,
});

// Loading

async function begin() {
  await load();
  if (ranking && ranking.ranking.length <= SHOWN_IN_FULL) loadingTexts = loadTexts().then(draw).catch(showProblem);
  follow();
}

/** @param {AbortSignal} signal */
async function showRanking(signal) {
  showVersion();
  for (const link of findAll("[data-format]", HTMLAnchorElement)) {
    link.href = address("/ranking", { ...query(), format: link.dataset.format });
  }
  try {
    /** @type {[Contract.Ranking, Contract.AskStatus]} */
    const [newest, status] = await Promise.all([read("/ranking", query(), { signal }), readStatus(signal)]);
    ranking = newest;
    find("#comparisons").textContent = counted(newest.comparisons, "comparison");
    showProblem(null);
    offerBaselines(newest);
    draw();
    const goesOnNow = isNow() && goesOn(status);
    showStatus(isNow() ? nextStep(status, newest) : "earlier");
    showLeader(newest);
    showFigures(newest, goesOnNow);
    showTarget(newest);
    showValidation(newest);
    showWarnings(newest);
    find("#newer").textContent = newer(newest);
    find("#empty").hidden = newest.comparisons > 0 || !isNow();
    if (newest.newer_version !== null) loadSoon();
  } catch (error) {
    showProblem(error);
  }
}

/**
 * The status that the page came with, and then as it is.
 * @param {AbortSignal} signal
 * @returns {Promise<Contract.AskStatus>}
 */
async function readStatus(signal) {
  const known = /** @type {Contract.AskStatus | "preparing"} */ (cameWith ?? "preparing");
  cameWith = undefined;
  return known === "preparing" ? (await read("/next-pair", { count: 1 }, { signal })).status : known;
}

function showVersion() {
  find("#version").textContent = isNow() ? words.NOW : slider.value;
}

function follow() {
  const events = new EventSource(`/v1/sets/${setId}/events`);
  for (const name of ["ranking", "status"]) {
    events.addEventListener(name, (event) => {
      const { comparisons, version, candidates, status } = JSON.parse(event.data);
      const state = `${version} ${candidates} ${status}`;
      if (progress.dataset.state === state) return;
      progress.dataset.state = state;
      const wasNow = isNow();
      if (wasNow) find("#comparisons").textContent = counted(comparisons, "comparison");
      slider.max = version;
      if (!wasNow) return;
      slider.value = version;
      loadSoon();
    });
  }
}

let soon = 0;
function loadSoon() {
  soon ||= setTimeout(() => {
    soon = 0;
    load();
  }, PAUSE_MS);
}

let still = 0;
function loadOnceStill() {
  showVersion();
  clearTimeout(still);
  still = setTimeout(() => load({ withdraws: true }), STILL_MS);
}

// The table

/**
 * Every candidate of a ranking that states differences.
 * @param {Contract.Ranking} ranking
 */
function offerBaselines({ ranking: rows }) {
  const keys = rows.length <= MOST_BASELINES ? rows.map(({ key }) => key).sort((a, b) => a.localeCompare(b)) : [];
  if (keys.join("\n") === [...baseline.options].slice(1).map(({ value }) => value).join("\n")) return;
  const chosen = baseline.value;
  baseline.replaceChildren(baseline.options[0], ...keys.map((key) => element("option", { value: key }, key)));
  baseline.value = keys.includes(chosen) ? chosen : "";
}

function draw() {
  if (!ranking) return;
  drawWhole(ranking);
  drawSlices(ranking);
}

/** @param {Contract.Ranking} ranking */
function drawWhole(ranking) {
  const wanted = search.value.toLowerCase();
  const isFound = (/** @type {string | null | undefined} */ text) => text?.toLowerCase().includes(wanted);
  const rows = ranking.ranking.filter(({ key }) => isFound(key) || isFound(texts.get(key)));
  rows.sort((a, b) => (order.isUp ? 1 : -1) * compare(a[order.by], b[order.by]) || a.rank - b.rank);
  const isOfPairs = ranking.inference_target.name === "all-pairs", against = find("#against");
  find("[data-by=score]").textContent = words.scoreIn(unit.selectedOptions[0].text);
  find("#drawn").textContent = isOfPairs ? words.WIN_RATE : words.SCORE;
  find("#level").textContent = `${Math.round(100 * ranking.method.level)}%`;
  against.hidden = ranking.baseline === null;
  against.textContent = ranking.baseline === null ? "" : words.against(ranking.baseline);
  redraw(find("#ranking tbody"), lines(ranking, ranking.ranking, rows, isOfPairs));
}

/**
 * The ranking of each value of the tag that was asked for, in the columns of the whole.
 * @param {Contract.Ranking} ranking
 */
function drawSlices(ranking) {
  const { slices } = ranking;
  find("#slices").replaceChildren(...(slices ? [
    element("p", { dir: "auto" }, slices.sentence),
    ...slices.slices.flatMap(({ value, prompts, deviation, ranking: rows }) => [
      element("h2", { dir: "auto" }, `${slices.tag}: ${value}`),
      element("p", { dir: "auto" }, `${counted(prompts, "prompt")}. ${deviation.sentence}`),
      element("div", { className: "scroll", role: "region", "aria-label": words.rankingOf(value), tabindex: "0" },
        element("table", { className: "ranking" }, headingsAsText(), element("tbody", {}, ...lines(ranking, rows, rows, false)))),
    ]),
  ] : []));
}

/** The headings of the whole, without what sorts it. */
function headingsAsText() {
  const cells = findAll("#ranking thead th", HTMLTableCellElement).filter(({ hidden }) => !hidden);
  return element("thead", {}, element("tr", {},
    ...cells.map((cell) => element("th", {
      scope: "col", className: cell.className, title: cell.title || (cell.querySelector("button")?.title ?? ""),
    }, cell.textContent ?? ""))));
}

/**
 * Some rows of a ranking, drawn on the axis that all of them share.
 * @param {Contract.Ranking} ranking
 * @param {Contract.Rank[]} all
 * @param {Contract.Rank[]} rows
 * @param {boolean} isOfPairs
 */
function lines(ranking, all, rows, isOfPairs) {
  const estimates = new Map(all.map((row) => [row.key, estimate(row, isOfPairs)]));
  const scale = scaleOf([...estimates.values()], isOfPairs ? [0, 1] : [0]);
  const shared = new Set(all.map(({ rank }) => rank).filter((rank, place, ranks) => rank === ranks[place - 1]));
  const drawn = (/** @type {Contract.Rank} */ row) => forest(estimates.get(row.key) ?? estimate(row, isOfPairs), scale);
  return rows.map((row) => line(ranking, row, shared.has(row.rank), drawn(row)));
}

/**
 * Null comes last.
 * @param {string | number | null} a
 * @param {string | number | null} b
 */
function compare(a, b) {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return typeof a === "string" ? a.localeCompare(String(b)) : a - Number(b);
}

/**
 * @param {Contract.Ranking} ranking
 * @param {Contract.Rank} row
 * @param {boolean} isShared
 * @param {SVGElement} drawing
 */
function line(ranking, row, isShared, drawing) {
  const cell = (/** @type {string} */ column, /** @type {Node | string | number} */ content, title = "") =>
    element("td", { "data-column": column, title }, typeof content === "number" ? String(content) : content);
  return element("tr", { "data-key": row.key },
    cell("rank", isShared ? `=${row.rank}` : row.rank),
    element("th", { scope: "row", dir: "auto" }, candidate(row.key)),
    cell("win_rate", winRate(row)),
    cell("plot", drawing),
    cell("score", onScale(row.score, ranking)),
    ...(ranking.baseline ? [cell("against", beside(ranking, row))] : []),
    cell("rank_interval", row.rank_interval ? ranks(row.rank_interval) : NONE),
    cell("p_best", pBest(row, ranking), row.p_best !== null && !ranking.signal.claimed ? words.NOT_SHOWN : ""),
    cell("tie_group", row.tie_group ?? NONE),
    cell("comparisons", row.comparisons));
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

// Around the table

/**
 * The status, or to add prompts where more comparisons of these are not enough.
 * @param {Contract.AskStatus} status
 * @param {Contract.Ranking} ranking
 */
const nextStep = (status, { prompts }) =>
  (status === "open" && prompts?.needed && prompts.comparisons_suffice === false ? "more-prompts" : status);

/** @param {Contract.AskStatus | "more-prompts" | "earlier"} status */
function showStatus(status) {
  for (const each of findAll("[data-status]")) each.hidden = each.dataset.status !== status;
}

// Controls

/** @param {HTMLButtonElement} heading */
function sortBy(heading) {
  const by = /** @type {Column} */ (heading.dataset.by);
  order = { by, isUp: order.by === by ? !order.isUp : by === "rank" || by === "key" };
  for (const each of headings) {
    each.parentElement?.setAttribute("aria-sort", each !== heading ? "none" : order.isUp ? "ascending" : "descending");
  }
  draw();
}

find("#choices").addEventListener("submit", (event) => event.preventDefault());
for (const choice of [method, baseline, unit, ...by]) {
  choice.addEventListener("change", () => load({ withdraws: true }));
}
search.addEventListener("input", () => {
  loadingTexts ??= loadTexts().then(draw).catch(showProblem);
  draw();
});
slider.addEventListener("input", loadOnceStill);
for (const heading of headings) heading.addEventListener("click", () => sortBy(heading));
explainFigures();
begin();
