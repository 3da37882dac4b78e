// @ts-check
// The ranking: any method, any version, sorted and filtered, live while the newest version is shown.
import { element, find, findAll, redraw } from "../lib/dom.js";
import { inOrder } from "../lib/in-order.js";
import { chance, counted, decimal } from "../lib/numbers.js";
import { address, newer, read, setId, showProblem } from "../lib/set-page.js";
import { goesOn } from "../lib/statuses.js";
import { oneAtATime } from "../lib/wishes.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 260, HEIGHT = 20;
const SHOWN_IN_FULL = 300, SNIPPET = 110; // candidates whose texts are loaded before anybody searches them; characters
const MOST_BASELINES = 500; // candidates of whom differences are there
const OFF = 0.2; // of ln T: a judge's confidence is not what people's verdicts bear out
const PAUSE_MS = 500; // between a verdict and the ranking that it moves
const STILL_MS = 250; // that the slider stands before its version is asked for
/** @type {Record<Contract.InferenceTargetName, string>} */
const TARGETS = {
  "all-pairs": "what these judges say of all pairs", "new-items": "new prompts like these",
  people: "what people would say", latent: "latent scores",
};
const TWICE = 2; // the place of twice as many comparisons in a forecast

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
/** @typedef {(value: number) => number} Scale */
/** @typedef {{ value: number, interval: [number, number] | null }} Estimate */

/** @type {Contract.Ranking | null} */
let ranking = null;
/** @type {string | undefined} */
let cameWith = find("[data-status]:not([hidden])").dataset.status; // the status, until it is asked for
/** @type {{ by: Column, isUp: boolean }} */
let order = { by: "rank", isUp: true };
/** @type {Map<string, string | null>} */
const texts = new Map();
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
  if (ranking && ranking.ranking.length <= SHOWN_IN_FULL) loadingTexts = loadTexts().catch(showProblem);
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
    showStatus(isNow() ? status : "earlier");
    showLeader(newest, goesOnNow);
    showConfidence(newest, goesOnNow);
    showTarget(newest);
    showSignal(newest);
    showWarnings(newest);
    find("#newer").textContent = newer(newest);
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
  find("#version").textContent = isNow() ? "now" : slider.value;
}

async function loadTexts() {
  /** @type {string | null} */
  let after = null;
  do {
    /** @type {Contract.CandidatePage} */
    const { candidates, next_after } = await read("/candidates", { limit: 1000, after });
    for (const { key, text } of candidates) texts.set(key, text);
    after = next_after;
  } while (after !== null);
  draw();
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
  const words = search.value.toLowerCase();
  const isFound = (/** @type {string | null | undefined} */ text) => text?.toLowerCase().includes(words);
  const rows = ranking.ranking.filter(({ key }) => isFound(key) || isFound(texts.get(key)));
  rows.sort((a, b) => (order.isUp ? 1 : -1) * compare(a[order.by], b[order.by]) || a.rank - b.rank);
  const isOfPairs = ranking.inference_target.name === "all-pairs", against = find("#against");
  find("#drawn").textContent = isOfPairs ? "Win rate" : "Score";
  find("#level").textContent = `${Math.round(100 * ranking.method.level)}%`;
  against.hidden = ranking.baseline === null;
  against.textContent = ranking.baseline === null ? "" : `Against ${ranking.baseline}`;
  redraw(find("#ranking tbody"), lines(ranking.ranking, rows, isOfPairs));
}

/**
 * The ranking of each value of the tag that was asked for, in the columns of the whole.
 * @param {Contract.Ranking} ranking
 */
function drawSlices({ slices }) {
  find("#slices").replaceChildren(...(slices ? [
    element("p", { dir: "auto" }, slices.sentence),
    ...slices.slices.flatMap(({ value, prompts, deviation, ranking: rows }) => [
      element("h2", { dir: "auto" }, `${slices.tag}: ${value}`),
      element("p", { dir: "auto" }, `${counted(prompts, "prompt")}. ${deviation.sentence}`),
      element("div", { className: "scroll", role: "region", "aria-label": `Ranking, ${value}`, tabindex: "0" },
        element("table", { className: "ranking" }, headingsAsText(), element("tbody", {}, ...lines(rows, rows, false)))),
    ]),
  ] : []));
}

/** The headings of the whole, without what sorts it. */
function headingsAsText() {
  const cells = findAll("#ranking thead th", HTMLTableCellElement).filter(({ hidden }) => !hidden);
  return element("thead", {}, element("tr", {},
    ...cells.map(({ textContent, className }) => element("th", { scope: "col", className }, textContent ?? ""))));
}

/**
 * Some rows of a ranking, drawn on the axis that all of them share.
 * @param {Contract.Rank[]} all
 * @param {Contract.Rank[]} rows
 * @param {boolean} isOfPairs
 */
function lines(all, rows, isOfPairs) {
  const estimates = new Map(all.map((row) => [row.key, estimate(row, isOfPairs)]));
  const scale = scaleOf([...estimates.values()], isOfPairs ? [0, 1] : [0]);
  const shared = new Set(all.map(({ rank }) => rank).filter((rank, place, ranks) => rank === ranks[place - 1]));
  return rows.map((row) =>
    line(row, shared.has(row.rank), forest(/** @type {Estimate} */ (estimates.get(row.key)), scale)));
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
 * What is drawn of a candidate: the win rate where all pairs are what is ranked, else the score.
 * @param {Contract.Rank} row
 * @param {boolean} isOfPairs
 * @returns {Estimate}
 */
function estimate({ score, interval, win_rate, win_rate_interval }, isOfPairs) {
  return isOfPairs && win_rate !== null ? { value: win_rate, interval: win_rate_interval } : { value: score, interval };
}

/**
 * Where a value is in a drawing that all of them fit in, and these marks too.
 * @param {Estimate[]} estimates
 * @param {number[]} marks
 * @returns {Scale}
 */
function scaleOf(estimates, marks) {
  const ends = [...estimates.flatMap(({ value, interval }) => interval ?? [value]), ...marks];
  const low = Math.min(...ends), high = Math.max(...ends), span = high - low || 1;
  return (value) => 4 + (WIDTH - 8) * (value - low) / span;
}

/**
 * @param {Contract.Rank} row
 * @param {boolean} isShared
 * @param {SVGElement} drawing
 */
function line(row, isShared, drawing) {
  const [best, worst] = row.rank_interval ?? [row.rank, row.rank];
  const cell = (/** @type {string} */ column, /** @type {Node | string | number} */ content) =>
    element("td", { "data-column": column }, typeof content === "number" ? String(content) : content);
  return element("tr", { "data-key": row.key },
    cell("rank", isShared ? `=${row.rank}` : row.rank),
    element("th", { scope: "row", dir: "auto" }, candidate(row.key)),
    cell("win_rate", winRate(row)),
    cell("plot", drawing),
    cell("score", onScale(row.score)),
    ...(ranking?.baseline ? [cell("against", beside(row))] : []),
    cell("rank_interval", best === worst ? best : `${best}–${worst}`),
    cell("p_best", row.p_best === null ? "–" : chance(row.p_best)),
    cell("tie_group", row.tie_group ?? "–"),
    cell("comparisons", row.comparisons));
}

/**
 * The key, with the text behind it where there is one.
 * @param {string} key
 */
function candidate(key) {
  const text = texts.get(key);
  if (!text) return key;
  const snippet = text.length > SNIPPET ? `${text.slice(0, SNIPPET)}…` : text;
  return element("details", {},
    element("summary", {}, key, element("span", { className: "snippet", dir: "auto" }, snippet)),
    element("span", { dir: "auto" }, text));
}

/** @param {number} score */
const onScale = (score) => (ranking?.method.scale === "elo" ? score.toFixed(0).replace(/^-0$/, "0") : decimal(score));

/**
 * The difference from the baseline system: of win rates where all pairs are what is ranked.
 * @param {Contract.Rank} row
 */
function beside({ against }) {
  if (!against) return "–";
  const isOfPairs = against.win_rate === null;
  const [difference, low, high] = [against.difference, ...against.interval].map((value) =>
    isOfPairs ? String(percent(value)) : onScale(value));
  const wins = against.win_rate === null ? "" : `, wins ${percent(against.win_rate)}%`;
  return `${difference}${isOfPairs ? "%" : ""} (${low} to ${high})${wins}`;
}

/** @param {Contract.Rank} row */
function winRate({ win_rate: rate, win_rate_interval: interval }) {
  if (rate === null) return "–";
  return interval && interval[0] < interval[1] ? `${percent(rate)}% ${within(interval)}` : `${percent(rate)}%`;
}

/**
 * A value and its interval, drawn.
 * @param {Estimate} estimate
 * @param {Scale} scale
 */
function forest({ value, interval }, scale) {
  const drawing = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "forest", "aria-hidden": "true" });
  drawing.append(shape("line", { class: "zero", x1: scale(0), x2: scale(0), y1: 0, y2: HEIGHT }));
  if (interval) {
    const [low, high] = interval.map(scale);
    drawing.append(shape("line", { class: "interval", x1: low, x2: high, y1: HEIGHT / 2, y2: HEIGHT / 2 }));
  }
  drawing.append(shape("circle", { cx: scale(value), cy: HEIGHT / 2, r: 4 }));
  return drawing;
}

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 */
function shape(name, attributes) {
  const created = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, String(value));
  return created;
}

// Around the table

/** @param {Contract.AskStatus | "earlier"} status */
function showStatus(status) {
  for (const words of findAll("[data-status]")) words.hidden = words.dataset.status !== status;
}

/**
 * @param {Contract.Ranking} ranking
 * @param {boolean} goesOn
 */
function showLeader({ first_place: sentence, stopping }, goesOn) {
  find("#leader").textContent = sentence && goesOn ? sentence + untilItStops(stopping) : sentence;
}

/** @param {Contract.Stopping | null} stopping */
function untilItStops(stopping) {
  if (!stopping?.forecast || !stopping.forecast_interval) return "";
  const [low, high] = stopping.forecast_interval;
  return ` It stops after about ${stopping.forecast} more (${low} ${high === null ? "or more" : `to ${high}`}).`;
}

const percent = (/** @type {number} */ share) => Math.round(100 * share);
const within = (/** @type {[number, number]} */ interval) => `(${interval.map(percent).join(" to ")}%)`;

/**
 * @param {Contract.Ranking} ranking
 * @param {boolean} goesOn
 */
function showConfidence({ confidence, validation, signal, ranking: { length: n } }, goesOn) {
  const isClaimed = confidence && signal.claimed;
  find("#sureness").textContent = isClaimed ? inOrder(confidence, n) + (goesOn ? expected(confidence) : "") : "";
  find("#certainty").textContent = isClaimed ? [validation.about, ...heldAgainstPeople(validation)].join(" ") : "";
}

/** @param {Contract.Confidence} confidence */
function expected({ expected_concordance: concordance, forecast }) {
  const later = forecast.at(TWICE);
  return later && chance(later.expected_concordance) !== chance(concordance)
    ? ` Expect ${chance(later.expected_concordance)} after ${counted(later.comparisons, "comparison")}.`
    : "";
}

/** @param {Contract.Validation} validation */
function heldAgainstPeople({ agreement_with_people: agreement, temperature }) {
  const judges = Object.entries(temperature ?? {}).filter(([, { temperature: t }]) => Math.abs(Math.log(t)) > OFF);
  return [
    ...(agreement
      ? [`People name the same winner in ${percent(agreement.share)}% of ${counted(agreement.pairs, "pair")} ${within(agreement.interval)}.`]
      : []),
    ...judges.map(([judge, { temperature: t }]) =>
      `${judge} is ${t > 1 ? "surer" : "less sure"} than people bear out: a temperature of ${t.toFixed(1)} fits their verdicts.`),
  ];
}

/** @param {Contract.Ranking} ranking */
function showTarget({ inference_target: { sentence, also }, prompts }) {
  find("#target").textContent = [sentence, prompts?.sentence ?? ""].join(" ").trim();
  find("#also").replaceChildren(...(also.length ? ["Or rank by: "] : []), ...also.flatMap((name, place) => [
    ...(place ? [", "] : []), element("a", { href: `?inference_target=${name}` }, TARGETS[name]),
  ]));
}

/** @param {Contract.Ranking} ranking */
function showSignal({ signal: { claimed, e_value }, comparisons }) {
  find("#signal").textContent = claimed || comparisons === 0
    ? ""
    : `No signal yet: the e-value is ${e_value.toPrecision(2)}, and 20 is enough.`;
}

/** @param {Contract.Ranking} ranking */
function showWarnings({ position_bias }) {
  const doubts = Object.entries(position_bias ?? {}).filter(([, bias]) => bias.warning);
  find("#warnings").replaceChildren(
    ...doubts.map(([judge, bias]) => element("li", { className: "doubt", dir: "auto" }, `${judge}: ${bias.warning}`)));
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
  loadingTexts ??= loadTexts().catch(showProblem);
  draw();
});
slider.addEventListener("input", loadOnceStill);
for (const heading of headings) heading.addEventListener("click", () => sortBy(heading));
begin();
