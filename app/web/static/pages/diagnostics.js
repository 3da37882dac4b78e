// @ts-check
// Each check with its verdict and figure, confidence over time, and how well a judge is calibrated.
import { element, find } from "../lib/dom.js";
import { address, read, showProblem } from "../lib/set-page.js";
import { COUNTING, VERDICTS, checks as counts } from "../lib/texts/checks.js";
import { COMPUTING, newer } from "../lib/texts/common.js";

const form = find("#calibration", HTMLFormElement);
const judge = find("#calibration [name=judge]", HTMLSelectElement);
const reference = find("#calibration [name=reference]", HTMLSelectElement);

/** @param {Contract.Check} check */
function line({ name, verdict, says, figure }) {
  return element("li", { className: verdict },
    element("strong", {}, `${VERDICTS[verdict]}: ${name}`), element("span", { className: "figure", title: COUNTING[name] ?? "" }, figure),
    element("span", { dir: "auto" }, says));
}

/** @param {Contract.Check[]} checks */
function summary(checks) {
  const [holding, doubts, unknown] = ["holds", "doubt", "unknown"].map((wanted) =>
    checks.filter(({ verdict }) => verdict === wanted).length);
  return counts(holding, doubts, unknown);
}

async function showChecks() {
  const onComputing = () => { find("#summary").textContent = COMPUTING; };
  /** @type {Contract.Checks} */
  const found = await read("/checks", {}, { onComputing });
  find("#summary").textContent = [summary(found.checks), newer(found)].filter(Boolean).join(" ");
  find("#checks").replaceChildren(...found.checks.map(line));
}

async function showHistory() {
  /** @type {Contract.Diagnostics} */
  const { judges, comparisons } = await read("/diagnostics");
  const isEmpty = comparisons === 0;
  find("#history-empty").hidden = !isEmpty;
  find("#history").hidden = isEmpty;
  if (!isEmpty) find("#history img", HTMLImageElement).src = address("/diagnostics", { format: "svg" });
  offerJudges(Object.keys(judges));
}

/** @param {string[]} names */
function offerJudges(names) {
  for (const choice of [judge, reference]) choice.replaceChildren(...names.map((name) => element("option", {}, name)));
  reference.selectedIndex = Math.min(1, reference.length - 1);
  form.hidden = names.length < 2;
  find("#calibration-empty").hidden = !form.hidden;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  find("#reliability").hidden = false;
  find("#reliability img", HTMLImageElement).src =
    address("/calibration", { judge: judge.value, reference: reference.value, format: "svg" });
});

showChecks().catch(showProblem);
showHistory().catch(showProblem);
