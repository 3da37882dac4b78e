// Each check with its figure and a word for what it found; how sure a judge may be.
import { address, element, get, problem } from "../lib/api.js";

const WORDS = { holds: "Holds", doubt: "Doubt", unknown: "Unknown" };
const form = document.getElementById("calibration");

function shown(check) {
  return element("li", { className: check.verdict },
    element("strong", {}, `${WORDS[check.verdict]}: ${check.name}`), element("span", { className: "figure" }, check.figure),
    element("span", { dir: "auto" }, check.says));
}

function summary(checks) {
  const doubts = checks.filter((check) => check.verdict === "doubt").length;
  const unknown = checks.filter((check) => check.verdict === "unknown").length;
  return `${checks.length - doubts - unknown} of ${checks.length} checks hold, ${doubts} in doubt, ${unknown} unknown.`;
}

async function look() {
  const { checks } = await get("/trust");
  document.getElementById("summary").textContent = summary(checks);
  document.getElementById("checks").replaceChildren(...checks.map(shown));
}

async function offer() {
  const { judges } = await get("/diagnostics");
  for (const place of [form.judge, form.reference]) {
    place.replaceChildren(...Object.keys(judges).map((name) => element("option", {}, name)));
  }
  form.reference.selectedIndex = Math.min(1, form.reference.length - 1);
  form.hidden = form.judge.length < 2;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const place = document.getElementById("reliability");
  place.hidden = false;
  place.firstElementChild.src = address("/calibration", { judge: form.judge.value, reference: form.reference.value, format: "svg" });
});

look().catch(problem);
offer().catch(problem);
