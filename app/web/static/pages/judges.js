// @ts-check
// The judges of a set in one table, how far they agree, and what they dispute.
import { agreementTable } from "../lib/agreement.js";
import { disputeArticle } from "../lib/disputes.js";
import { element, find, findAll, icon, redraw } from "../lib/dom.js";
import { drawFigures } from "../lib/figures.js";
import { compareJudges, judgeAddress, judgeColumns, number } from "../lib/judge-columns.js";
import { follow } from "../lib/live.js";
import { money } from "../lib/numbers.js";
import { read, setId, showProblem } from "../lib/set-page.js";
import { picking } from "../lib/picking.js";
import { pageState } from "../lib/state.js";
import { dataTable } from "../lib/table.js";
import { COMPUTING, NONE } from "../lib/texts/common.js";
import * as words from "../lib/texts/judges.js";
import { oneAtATime, soon } from "../lib/wishes.js";

const DOUBTS = 2; // shown above the table
const FIRST = 3, MORE = 10; // disputes shown, and added
const DEFAULT_METHOD = "dawid-skene";

const state = pageState({ method: "", sort: "judge", pick: "" });
const picks = picking(state, compareJudges);
const method = find("#advanced [name=method]", HTMLSelectElement);
const more = find("#more-disputes", HTMLButtonElement);
const load = oneAtATime(showJudges), loadSoon = soon(load);

/** @type {Contract.Judges | null} */
let shown = null;
let asked = ""; // method that is shown

const table = dataTable(find("#judges"), {
  columns: () => judgeColumns(shown?.judges ?? [], { pick: ({ judge }) => picks.box(judge), withSkill: state.get().method !== "" }),
  state,
  rowKey: ({ judge }) => judge,
  onOpen: ({ judge }) => { location.href = judgeAddress(judge); },
});

/** @param {AbortSignal} signal */
async function showJudges(signal) {
  const { method: chosen } = state.get();
  asked = chosen;
  const onComputing = () => { if (!shown) find("#headline").textContent = COMPUTING; };
  try {
    shown = await read("/judges", { method: chosen || DEFAULT_METHOD, verdicts: false }, { signal, onComputing });
    showProblem(null);
    draw();
  } catch (error) {
    for (const waiting of findAll(".skeleton")) waiting.remove();
    showProblem(error);
  }
}

function draw() {
  if (!shown) return;
  const { judges, people, agreement, alpha } = shown, isEmpty = judges.length === 0;
  document.getElementById("loading")?.remove();
  find("#empty").hidden = !isEmpty;
  for (const part of ["#judges-head", "#toolbar", "#judges", "#together"]) find(part).hidden = isEmpty;
  find("#headline").textContent = people.headline;
  find("#advice").textContent = people.summary.slice(people.headline.length).trim();
  find("#validate").hidden = people.judge_next.length === 0;
  drawFigures(find("#totals"), totals(shown));
  redraw(find("#doubts"), doubts(shown));
  table.show(judges);
  picks.show();
  find("#alpha").textContent = words.alpha(alpha);
  redraw(find("#agreement"), agreement.length ? [agreementTable(agreement)] : []);
}

/**
 * @param {Contract.Judges} whole
 * @returns {import("../lib/figures.js").Figure[]}
 */
function totals({ judges, alpha }) {
  const costs = judges.flatMap(({ cost }) => (cost === null ? [] : [cost]));
  const sum = (/** @type {number[]} */ values) => values.reduce((a, b) => a + b, 0);
  return [
    [...words.TOTALS.judges, String(judges.length)],
    [...words.TOTALS.verdicts, sum(judges.map(({ comparisons }) => comparisons)).toLocaleString("en")],
    [...words.TOTALS.alpha, alpha ? number(alpha.value) : NONE],
    [...words.TOTALS.cost, costs.length ? money(sum(costs)) : NONE],
  ];
}

/**
 * The first doubts, each with what helps: the judge that it is about, or verdicts of people.
 * @param {Contract.Judges} whole
 */
function doubts({ judges, warnings, people }) {
  return warnings.slice(0, DOUBTS).map((warning) => {
    const about = judges.find((judge) => judge.doubts.includes(warning));
    const help = about ? element("a", { className: "button", href: judgeAddress(about.judge), dir: "auto" }, words.see(about.judge))
      : people.judge_next.length ? element("a", { className: "button", href: find("#validate", HTMLAnchorElement).href }, words.VALIDATE) : null;
    return element("li", { className: "notice doubt row", "data-key": warning },
      element("span", { dir: "auto" }, icon("doubt"), ` ${warning}`), ...(help ? [help] : []));
  });
}

// Disputes

/**
 * @param {number} after
 * @param {number} limit
 */
async function loadDisputes(after, limit) {
  /** @type {Contract.DisputePage} */
  const { disputes, next_after: next } = await read("/disputes", { after, limit });
  find("#disputes").append(...disputes.map(disputeArticle));
  find("#disputes-summary").textContent = disputes.length || after ? words.DISPUTES : words.NO_DISPUTES;
  more.hidden = next === null;
  more.onclick = () => loadDisputes(next ?? 0, MORE).catch(showProblem);
}

state.onChange(({ method: chosen }) => {
  method.value = chosen;
  if (chosen === asked) draw();
  else load({ withdraws: true });
});
method.value = state.get().method;
method.addEventListener("change", () => state.set({ method: method.value }));
document.addEventListener("click", ({ target }) => {
  const menu = find("#advanced", HTMLDetailsElement);
  if (!(target instanceof Node && menu.contains(target))) menu.open = false;
});
load();
follow(setId ?? "", { onState: ({ version }) => { if (shown && version > shown.version) loadSoon(); } });
loadDisputes(0, FIRST).catch(showProblem);
