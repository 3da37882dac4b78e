// @ts-check
// The results: a ranking by any method, at any version, sorted and filtered, live while the newest version is shown.
import { compareAddress, openCandidate } from "../lib/candidate-panel.js";
import { loadTexts, texts } from "../lib/candidate-texts.js";
import { loadChecks, openChecks } from "../lib/checks-panel.js";
import { element, find, findAll } from "../lib/dom.js";
import { aboutConfidence, showAnswer, showFigures } from "../lib/headline.js";
import { follow } from "../lib/live.js";
import { counted } from "../lib/numbers.js";
import { closePanel } from "../lib/panel.js";
import { rankingColumns, tieClass } from "../lib/ranking-columns.js";
import { STATUSES, address, read, setId, showProblem } from "../lib/set-page.js";
import { picking } from "../lib/picking.js";
import { pageState } from "../lib/state.js";
import { dataTable } from "../lib/table.js";
import { newer } from "../lib/texts/common.js";
import * as words from "../lib/texts/results.js";
import { oneAtATime, soon } from "../lib/wishes.js";

const SHOWN_IN_FULL = 300; // candidates whose texts are loaded before anybody searches them
const MOST_BASELINES = 500; // candidates of whom differences are there
const STILL_MS = 250; // that the slider stands before its version is asked for
const CHOSEN = ["method", "inference_target", "scale", "baseline", "by", "covariate"]; // choices that change what is asked for

const state = pageState({
  method: "", inference_target: "", scale: "logit", baseline: "", by: "", covariate: "", as_of: "",
  sort: "rank", find: "", open: "", panel: "", pick: "",
});
const picks = picking(state, compareAddress);
const search = find("#choices [name=find]", HTMLInputElement);
const slider = find("#as-of", HTMLInputElement);
const status = find("#status");
const menus = new Map(findAll("#choices select", HTMLSelectElement).map((menu) => [menu.name, menu]));
const load = oneAtATime(showRanking), loadSoon = soon(load);

/** @type {Contract.Ranking | null} */
let ranking = null;
/** @type {Contract.SetSummary | null} */
let summary = null;
/** @type {Promise<void> | null} */
let loadingTexts = null;
let asked = ""; // what the ranking that is shown was asked for with

const isNow = () => state.get().as_of === "";
const query = () => Object.fromEntries([...CHOSEN, "as_of"].map((name) =>
  [name, /** @type {Record<string, string>} */ (state.get())[name] || undefined]));

// Loading

async function begin() {
  for (const [name, menu] of menus) menu.value = /** @type {Record<string, string>} */ (state.get())[name];
  search.value = state.get().find;
  await load();
  if (ranking && ranking.ranking.length <= SHOWN_IN_FULL) searchTexts();
  loadChecks().then(showChecksAgain).catch(showProblem);
  showPanels();
  follow(setId ?? "", { onState: moved });
}

/** Shows what is left to the goal, which the set's summary says of the newest ranking by its own method. */
async function showLeft() {
  const isOwn = Object.values({ ...query(), baseline: undefined, by: undefined, scale: undefined }).every((choice) => !choice);
  summary = isOwn ? await read("/summary") : null;
  if (ranking) showHead(ranking);
}

/** @param {Contract.Ranking} whole */
function showHead(whole) {
  showAnswer(whole, summary);
  showFigures(whole, summary);
}

/** Loads the texts once, for the search, the table and the panel. */
function searchTexts() {
  loadingTexts ??= loadTexts().then(draw).catch(showProblem);
}

/** @param {AbortSignal} signal */
async function showRanking(signal) {
  showVersion();
  asked = JSON.stringify(query());
  for (const link of findAll("[data-format]", HTMLAnchorElement)) {
    link.href = address("/ranking", { ...query(), format: link.dataset.format });
  }
  try {
    ranking = await read("/ranking", query(), { signal });
    if (!ranking) return;
    showProblem(null);
    showVersion();
    offerChoices(ranking);
    showHead(ranking);
    draw();
    showLeft().catch(showProblem);
    find("#empty").hidden = ranking.comparisons > 0 || !isNow();
    if (ranking.newer_version !== null) loadSoon();
  } catch (error) {
    if (!ranking) for (const bar of findAll("main .skeleton")) bar.remove();
    showProblem(error);
  }
}

/** @param {Pick<Contract.SetOut, "version" | "comparisons" | "candidates" | "status">} now */
function moved({ version, candidates, status: stored }) {
  const known = `${version} ${candidates} ${stored}`, isFirst = status.dataset.known === undefined;
  if (status.dataset.known === known) return;
  status.dataset.known = known;
  slider.max = String(version);
  if (isNow()) slider.value = slider.max;
  if (isFirst && version === ranking?.version) return;
  readStatus().catch(showProblem);
  if (isNow()) loadSoon();
}

async function readStatus() {
  const { status: word } = await read("/next-pair", { count: 1 });
  showStatus(word);
}

/** @param {string} word */
function showStatus(word) {
  status.textContent = `${word.charAt(0).toUpperCase()}${word.slice(1).replaceAll("_", " ")}`;
  status.dataset.tip = STATUSES[word];
}

// The table

const table = dataTable(find("#ranking"), {
  columns: () => (ranking ? rankingColumns(ranking, ranking.ranking, { pick: ({ key }) => picks.box(key), open: ({ key }) => state.set({ open: key, panel: "" }) }) : []),
  state,
  rowKey: ({ key }) => key,
  onOpen: ({ key }) => state.set({ open: key, panel: "" }),
  rowClass: (row, rows, place) => (/^(rank)?$/.test(state.get().sort) ? tieClass(row, rows, place) : ""),
});

function draw() {
  if (!ranking) return;
  const wanted = state.get().find.toLowerCase();
  const isFound = (/** @type {string | null | undefined} */ text) => text?.toLowerCase().includes(wanted);
  const rows = ranking.ranking.filter(({ key }) => isFound(key) || isFound(texts.get(key)));
  table.show(rows);
  find("#none").hidden = rows.length > 0 || !wanted;
  find("#none").textContent = words.NOTHING_FOUND;
  picks.show();
  drawSlices(ranking);
  find("#effects").replaceChildren(...Object.values(ranking.effects ?? {}).map(({ sentence }) => element("p", { dir: "auto" }, sentence)));
}

/**
 * The ranking of each value of the tag that was asked for, in the columns of the whole.
 * @param {Contract.Ranking} whole
 */
function drawSlices(whole) {
  const place = find("#slices"), { slices } = whole;
  place.replaceChildren(...(slices ? [element("p", { dir: "auto" }, slices.sentence)] : []));
  for (const { value, prompts, deviation, ranking: rows } of slices?.slices ?? []) {
    const part = element("table", { className: "table ranking", "aria-label": words.rankingOf(value) });
    place.append(
      element("h2", { dir: "auto" }, `${slices?.tag}: ${value}`),
      element("p", { dir: "auto" }, `${counted(prompts, "prompt")}. ${deviation.sentence}`), part);
    dataTable(part, { columns: () => rankingColumns(whole, rows), state, rowKey: ({ key }) => key }).show(rows);
  }
}

// Choices and panels

/**
 * Baselines, and the targets that this log can answer.
 * @param {Contract.Ranking} whole
 */
function offerChoices({ ranking: rows, inference_target: target }) {
  const keys = rows.length <= MOST_BASELINES ? rows.map(({ key }) => key).sort((a, b) => a.localeCompare(b)) : [];
  offer("baseline", keys.map((key) => [key, key]));
  offer("inference_target", [target.name, ...target.also].map((name) => [name, words.TARGETS[name]]));
}

/**
 * @param {string} name
 * @param {[value: string, label: string][]} options beside the first, which stays
 */
function offer(name, options) {
  const menu = menus.get(name);
  if (!menu || options.map(([value]) => value).join("\n") === [...menu.options].slice(1).map(({ value }) => value).join("\n")) return;
  menu.replaceChildren(menu.options[0], ...options.map(([value, label]) => new Option(label, value)));
  menu.value = /** @type {Record<string, string>} */ (state.get())[name];
}

function showVersion() {
  const { as_of: version } = state.get(), note = find("#version-note");
  const mark = version ? words.earlier(version) : ranking ? newer(ranking) : "";
  find("#version").textContent = version || words.NOW;
  slider.value = version || slider.max;
  note.hidden = !mark;
  note.textContent = mark;
  find("#now").hidden = !version;
}

let panels = ""; // what the panel shows
function showPanels() {
  const { open, panel } = state.get(), row = ranking?.ranking.find(({ key }) => key === open);
  const wanted = panel || (row ? `candidate ${open}` : "");
  if (wanted === panels || !ranking) return;
  panels = wanted;
  const onClose = () => {
    panels = "";
    state.set({ open: "", panel: "" });
  };
  if (panel === "checks") openChecks({ about: aboutConfidence(ranking), onClose });
  else if (row) openCandidate(row, ranking, { onClose, onBaseline: ranking.ranking.length <= MOST_BASELINES ? (key) => state.set({ baseline: key }) : null });
  else closePanel();
}

/** Shows the checks in the panel that was opened before they came. */
function showChecksAgain() {
  if (panels === "checks") panels = "";
  showPanels();
}

state.onChange((choices) => {
  for (const [name, menu] of menus) menu.value = /** @type {Record<string, string>} */ (choices)[name];
  if (document.activeElement !== search) search.value = choices.find;
  if (JSON.stringify(query()) !== asked) load({ withdraws: true });
  else draw();
  showPanels();
});
find("#choices").addEventListener("submit", (event) => event.preventDefault());
for (const [name, menu] of menus) menu.addEventListener("change", () => state.set({ [name]: menu.value }));
search.addEventListener("input", () => {
  searchTexts();
  state.set({ find: search.value });
});
let still = 0;
slider.addEventListener("input", () => {
  const version = slider.value === slider.max ? "" : slider.value;
  find("#version").textContent = version || words.NOW;
  clearTimeout(still);
  still = setTimeout(() => state.set({ as_of: version }), STILL_MS);
});
find("#now").addEventListener("click", () => state.set({ as_of: "" }));
find("#checks").addEventListener("click", () => state.set({ panel: "checks", open: "" }));
begin();
