// @ts-check
// One judge of a set: how good it is, how it changed, how far its confidence holds, and its verdicts.
import { lineChart } from "../lib/chart.js";
import { disputeArticle } from "../lib/disputes.js";
import { element, find, findAll, icon } from "../lib/dom.js";
import { drawFigures } from "../lib/figures.js";
import { calibrationChart, gapOf, joined, periodChart } from "../lib/judge-charts.js";
import { compareJudges, statusBadge } from "../lib/judge-columns.js";
import { deviationRows, isClear, judgeFigures } from "../lib/judge-figures.js";
import { percent } from "../lib/numbers.js";
import { put } from "../lib/service.js";
import { latestOnly, read, setId, showProblem } from "../lib/set-page.js";
import { pageState } from "../lib/state.js";
import { dataTable } from "../lib/table.js";
import { COMPUTING } from "../lib/texts/common.js";
import * as words from "../lib/texts/judge.js";
import { toast } from "../lib/toast.js";
import { verdictColumns } from "../lib/verdict-columns.js";
import { restoreVerdict, voidVerdict } from "../lib/void-verdict.js";

const DISPUTES = 3;
const FEW = 10; // pairs below which a share says little
const MOST_PEOPLE = 50; // who are the reference at once
const PARTS = 8; // dots of the calibration
const name = find("#judge").dataset.name ?? "";
const path = `/judges/${encodeURIComponent(name)}`;
const state = pageState({ against: "", reference: "", sort: "" });
const reference = find("#reference select", HTMLSelectElement);
const newCalibration = latestOnly();

/** @type {Contract.JudgeDetail | null} */
let detail = null;
/** @type {string[]} people, or the judge with most pairs in common */
let usualReferences = [];
let calibrated = ""; // the reference that is shown

const latest = dataTable(find("#latest"), {
  columns: () => verdictColumns(detail?.latest ?? [], { onVoid: (seq) => voidVerdict(seq, load), onRestore: (seq) => restoreVerdict(seq, load) }),
  state,
  rowKey: ({ seq }) => String(seq),
  rowClass: ({ voided_by: by }) => (by === null ? "" : "is-voided"),
});

async function load() {
  const onComputing = () => { find("#headline").textContent = COMPUTING; };
  detail = await read(path, {}, { onComputing });
  showProblem(null);
  draw();
}

function draw() {
  if (!detail) return;
  const { card, summary } = detail;
  document.getElementById("loading")?.remove();
  find("#detail").hidden = false;
  find("#headline").textContent = summary;
  find("#status").replaceChildren(statusBadge(card));
  find("#described").textContent = [card.kind, card.model].filter(Boolean).join(", ");
  const warning = card.status === "inverted" ? null : card.position_bias?.warning;
  find("#doubts").replaceChildren(...[...card.doubts, ...(warning ? [warning] : [])].map((doubt) =>
    element("li", { className: "notice doubt row" }, element("span", { dir: "auto" }, icon("doubt"), ` ${doubt}`))));
  const { first, rest } = judgeFigures(card);
  drawFigures(find("#figures"), first);
  find("#more-figures").hidden = rest.length === 0;
  drawFigures(find("#more-figures dl"), rest);
  drawHistory(detail);
  const deviations = card.judge_effects?.largest_deviations ?? [];
  find("#about-deviations").textContent = !deviations.length ? words.NO_DEVIATIONS
    : deviations.some(isClear) ? words.ABOUT_DEVIATIONS : `${words.ABOUT_DEVIATIONS} ${words.NONE_DIFFERS}`;
  find("#deviations").replaceChildren(...deviationRows(deviations));
  latest.show(shownVerdicts(detail.latest));
}

/**
 * Without those that were voided and are there again.
 * @param {Contract.LatestVerdict[]} verdicts
 */
function shownVerdicts(verdicts) {
  const restored = new Set(verdicts.map(({ restores }) => restores));
  return verdicts.filter(({ seq }) => !restored.has(seq));
}

// Charts

/** @param {string} selector of a place that is shown */
const widthOf = (selector) => find(selector).clientWidth;

/** @param {Contract.JudgeDetail} whole */
function drawHistory({ history, over_time: change, latest_of: size, card, periods, period }) {
  const usual = history.some(({ recent }) => recent && recent.pairs >= FEW) ? "recent" : "predicted", against = state.get().against === "" ? usual : state.get().against;
  find("#against").replaceChildren(.../** @type {const} */ (["recent", "predicted"]).map((each) => {
    const [label, tip] = words.AGAINST[each], button = element("button", { type: "button", "data-tip": tip, "aria-pressed": String(each === against) }, label);
    button.addEventListener("click", () => state.set({ against: each === usual ? "" : each }));
    return button;
  }));
  const points = history.flatMap((moment) => {
    const share = against === "predicted" ? moment.predicted : moment.recent;
    return share && share.pairs >= FEW ? [{ x: moment.verdicts, y: share.share, low: share.interval[0], high: share.interval[1] }] : [];
  });
  const since = card.relative_discrimination?.named === "changed" ? [{ x: card.relative_discrimination.since, label: words.SINCE }] : [];
  find("#over-time").textContent = change;
  find("#about-history").textContent = points.length ? `${words.ofLatest(size)} ${words.MEANS[against === "predicted" ? "predicted" : "recent"]}` : words.NO_HISTORY;
  find("#history").replaceChildren(...(points.length ? [lineChart({
    title: words.HISTORY, points, xLabel: words.X_VERDICTS, yDomain: [0, 1], marks: since, width: widthOf("#history"),
    xFormat: (x) => x.toLocaleString("en"), yFormat: (y) => `${percent(y)}%`,
  })] : []));
  find("#period").textContent = periods.length ? words.PERIODS[period] : "";
  find("#periods").replaceChildren(...(periods.length ? [periodChart(periods, period, widthOf("#periods"))] : []));
}

async function showCalibration() {
  calibrated = state.get().reference;
  const judges = reference.value ? [reference.value] : usualReferences;
  const query = new URLSearchParams([["judge", name], ...judges.map((judge) => ["reference", judge])]);
  /** @type {Contract.Calibration} */
  const fit = await read(`/calibration?${query}`, {}, { signal: newCalibration() });
  const isKnown = fit.temperature !== null && fit.before !== null, bins = joined(fit.reliability, PARTS);
  find("#calibration").hidden = !isKnown;
  find("#about-calibration").textContent = isKnown
    ? words.calibrated({ temperature: fit.temperature ?? 1, verdicts: fit.verdicts, error: gapOf(bins) }) : fit.reason ?? "";
  find("#calibration").replaceChildren(...(isKnown ? [calibrationChart(bins, widthOf("#about-calibration"))] : []));
}

// The other judges

async function showOthers() {
  /** @type {Contract.Judges} */
  const { judges, agreement } = await read("/judges", { verdicts: false });
  const names = judges.filter(({ judge, comparisons }) => judge !== name && comparisons).map(({ judge }) => judge);
  const people = judges.filter(({ judge, kind }) => kind === "human" && names.includes(judge)).map(({ judge }) => judge).slice(0, MOST_PEOPLE);
  find("#others").hidden = names.length === 0;
  find("#others .links").replaceChildren(...names.map((other) => element("a", { href: compareJudges(name, other), dir: "auto" }, other)));
  const shared = agreement.filter((pair) => pair.judges.includes(name)).toSorted((a, b) => b.pairs - a.pairs);
  const nearest = shared[0]?.judges.find((judge) => judge !== name), statesConfidence = detail?.latest.some(({ winner }) => winner === null);
  usualReferences = people.length ? people : nearest === undefined ? [] : [nearest];
  const isPossible = usualReferences.length > 0 && statesConfidence;
  find("#reference").hidden = find("#calibration").hidden = !isPossible;
  if (!isPossible) {
    find("#about-calibration").textContent = usualReferences.length ? words.ONLY_WORDS : words.NO_OTHERS;
    return;
  }
  reference.replaceChildren(new Option(people.length ? words.PEOPLE : nearest, ""),
    ...names.filter((other) => people.length || other !== nearest).map((other) => new Option(other)));
  reference.value = state.get().reference;
  await showCalibration();
}

async function showDisputes() {
  /** @type {Contract.JudgedPairPage} */
  const { pairs } = await read("/pairs", { judge: name, sort: "disagreement", limit: DISPUTES });
  const disputes = pairs.filter(({ disagreement }) => disagreement);
  find("#disputes-summary").textContent = disputes.length ? words.MOST_DISPUTED : words.NO_DISPUTES;
  find("#disputes").replaceChildren(...disputes.map(disputeArticle));
  const all = find("#all-disputes", HTMLAnchorElement);
  all.href = `/sets/${setId}/items?${new URLSearchParams({ judge: name })}`;
  all.hidden = disputes.length < DISPUTES;
}

// Changes

/** @param {SubmitEvent} event */
async function describe(event) {
  event.preventDefault();
  const [kind, model, price] = ["#kind", "#model", "#price"].map((field) =>
    /** @type {HTMLInputElement | HTMLSelectElement} */ (find(field)).value.trim() || null);
  try {
    await put(`/v1/judges/${encodeURIComponent(name)}`, { kind, model, cost_per_1000: price === null ? null : Number(price) });
    toast(words.DESCRIBED);
    await load();
  } catch (error) {
    showProblem(error);
  }
}

find("#description", HTMLFormElement).addEventListener("submit", describe);
reference.addEventListener("change", () =>
  state.set({ reference: reference.value }));
state.onChange((choices) => {
  draw();
  if (choices.reference === calibrated || !reference.options.length) return;
  reference.value = choices.reference;
  showCalibration().catch(showProblem);
});
load().then(showOthers).catch((error) => {
  for (const waiting of findAll(".skeleton")) waiting.remove();
  showProblem(error);
});
showDisputes().catch(showProblem);
