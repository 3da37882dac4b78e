// @ts-check
// Each check with its figure and a word for what it found; how sure a judge may be.
import { element, find } from "../lib/dom.js";
import { address, newer, read, showProblem } from "../lib/set-page.js";

const WORDS = { holds: "Holds", doubt: "Doubt", unknown: "Unknown" };
const form = find("#calibration", HTMLFormElement);
const judge = find("#calibration [name=judge]", HTMLSelectElement);
const reference = find("#calibration [name=reference]", HTMLSelectElement);

/** @param {Contract.Check} check */
function line({ name, verdict, says, figure }) {
  return element("li", { className: verdict },
    element("strong", {}, `${WORDS[verdict]}: ${name}`), element("span", { className: "figure" }, figure),
    element("span", { dir: "auto" }, says));
}

/** @param {Contract.Check[]} checks */
function summary(checks) {
  const doubts = checks.filter(({ verdict }) => verdict === "doubt").length;
  const unknown = checks.filter(({ verdict }) => verdict === "unknown").length;
  return `${checks.length - doubts - unknown} of ${checks.length} checks hold, ${doubts} in doubt, ${unknown} unknown.`;
}

async function showChecks() {
  const onComputing = (/** @type {string} */ detail) => { find("#summary").textContent = detail; };
  /** @type {Contract.Checks} */
  const found = await read("/checks", {}, { onComputing });
  find("#summary").textContent = [summary(found.checks), newer(found)].filter(Boolean).join(" ");
  find("#checks").replaceChildren(...found.checks.map(line));
}

async function offerJudges() {
  /** @type {Contract.Diagnostics} */
  const { judges } = await read("/diagnostics");
  for (const choice of [judge, reference]) {
    choice.replaceChildren(...Object.keys(judges).map((name) => element("option", {}, name)));
  }
  reference.selectedIndex = Math.min(1, reference.length - 1);
  form.hidden = judge.length < 2;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  find("#reliability").hidden = false;
  find("#reliability img", HTMLImageElement).src =
    address("/calibration", { judge: judge.value, reference: reference.value, format: "svg" });
});

showChecks().catch(showProblem);
offerJudges().catch(showProblem);
