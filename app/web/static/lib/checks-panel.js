// @ts-check
// The checks of a ranking: a badge that says how many hold, and a panel with the doubts first and what helps.
import { lineChart } from "./chart.js";
import { element, find, icon } from "./dom.js";
import { chance, percent } from "./numbers.js";
import { openPanel } from "./panel.js";
import { read, setId, showProblem } from "./set-page.js";
import * as words from "./texts/checks.js";
import { newer } from "./texts/common.js";

const ORDER = ["doubt", "unknown", "holds"];
const SIGNS = /** @type {const} */ ({ doubt: ["doubt", "doubt"], unknown: ["neutral", "unknown"], holds: ["good", "check"] });
/** @type {Record<string, [label: string, path: string]>} what helps, by check: a page of the set */
const HELP = {
  "First place": [words.JUDGE_PAIRS, "annotate"], Signal: [words.JUDGE_PAIRS, "annotate"], Connected: [words.JUDGE_PAIRS, "annotate"],
  Position: [words.SEE_JUDGES, "judges"], "Agreement of judges": [words.SEE_DISPUTES, "items?sort=-disagreement"],
  Judges: [words.SEE_JUDGES, "judges"], "Agreement with people": [words.VALIDATE, "annotate?check_judges=1"],
  Consistency: [words.SEE_JUDGES, "judges"], Cycles: [words.SEE_SURPRISES, "items?sort=-surprise"], Order: [words.CHANGE_SETTINGS, "settings"],
  Prediction: [words.SEE_SURPRISES, "items?sort=-surprise"], Failures: [words.SEE_JUDGES, "judges"],
};

/** @type {Contract.Checks | null} */
let checks = null;

/** Reads the checks, and shows on the badge how many hold. */
export async function loadChecks() {
  checks = await read("/checks");
  if (!checks) return;
  const count = (/** @type {Contract.CheckVerdict} */ wanted) => checks?.checks.filter(({ verdict }) => verdict === wanted).length ?? 0;
  const doubts = count("doubt"), badge = find("#checks");
  badge.className = `badge ${doubts ? "doubt" : "good"}`;
  badge.replaceChildren(icon(doubts ? "doubt" : "check"), words.badge(count("holds"), doubts, count("unknown")));
}

/** @param {{ about: (Node | string)[], onClose: () => void }} options what the ranking as a whole says of its judges */
export function openChecks({ about, onClose }) {
  const history = element("div");
  const list = (checks?.checks ?? []).toSorted((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict)).map(line);
  openPanel({ title: words.TITLE, onClose, content: [
    ...(checks ? [element("p", { className: "faint" }, [summary(checks.checks), newer(checks)].filter(Boolean).join(" "))] : [element("div", { className: "skeleton awaited" })]),
    element("ul", { className: "checks" }, ...list),
    ...about,
    element("h3", {}, words.HISTORY), element("p", { className: "faint" }, words.ABOUT_HISTORY), history,
  ] });
  showHistory(history).catch(showProblem);
}

/** @param {Contract.Check[]} all */
function summary(all) {
  const [holding, doubts, unknown] = ["holds", "doubt", "unknown"].map((wanted) => all.filter(({ verdict }) => verdict === wanted).length);
  return words.checks(holding, doubts, unknown);
}

/** @param {Contract.Check} check */
function line({ name, verdict, says, figure }) {
  const [colour, sign] = SIGNS[verdict], help = verdict === "doubt" ? HELP[name] : undefined;
  return element("li", { className: verdict },
    element("strong", {}, element("span", { className: `badge ${colour}` }, icon(sign), words.VERDICTS[verdict]), ` ${name}`),
    element("span", { className: words.COUNTING[name] ? "figure term" : "figure", ...(words.COUNTING[name] ? { "data-tip": words.COUNTING[name] } : {}) }, figure),
    element("p", { dir: "auto" }, says),
    ...(help ? [element("a", { className: "button", href: `/sets/${setId}/${help[1]}` }, help[0])] : []));
}

/** @param {Element} place */
async function showHistory(place) {
  /** @type {Contract.Diagnostics} */
  const { history } = await read("/diagnostics");
  if (history.length < 2) return place.replaceChildren(words.NO_HISTORY);
  const points = history.map(({ comparisons, concordance }) => ({ x: comparisons, y: concordance }));
  place.replaceChildren(lineChart({
    title: words.HISTORY, points, xLabel: words.COMPARISONS, yDomain: [Math.min(0.5, ...points.map(({ y }) => y)), 1],
    xFormat: (x) => x.toLocaleString("en"), yFormat: (y) => `${percent(y)}%`,
  }), element("p", { className: "faint" }, words.now(chance(points[points.length - 1].y))));
}
