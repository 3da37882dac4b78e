// A card for each judge, and who agrees with whom.
import { element, get, problem, questions } from "../lib/api.js";

const choices = document.getElementById("choices");
const ask = questions();
const COUNTS = ["Nobody has judged yet.", "1 judge."];
const percent = (share) => (share === null || share === undefined ? "–" : `${Math.round(100 * share)}%`);
const number = (value, digits = 2) => (value === null || value === undefined ? "–" : value.toFixed(digits));

function facts(card) {
  const bias = card.position_bias, influence = card.influence;
  return [
    ["Verdicts", card.comparisons], ["Skill", number(card.skill)], ["Discrimination", number(bias?.discrimination)],
    ["Likes the first position", bias ? `${bias.delta >= 0 ? "+" : ""}${number(bias.delta)} ± ${number(bias.sd)}` : "–"],
    ["Agrees with others", percent(card.agreement?.share)], ["With itself, other order", percent(card.swapped?.share)],
    ["Failures", percent(card.failure_rate)], ["Median time", card.median_latency_ms === null ? "–" : `${Math.round(card.median_latency_ms)} ms`],
    ["Cost", number(card.cost)],
    ["Without it", influence ? (influence.changes_top ? "another first place" : `moves of ${influence.largest_move} ranks at most`) : "–"],
  ];
}

function shown(card) {
  const about = [card.kind, card.model].filter(Boolean).join(", ");
  return element("article", { className: "card" }, element("h2", { dir: "auto" }, card.judge), element("p", {}, about || "not described"),
    element("dl", {}, ...facts(card).flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, String(value))])),
    ...(card.position_bias?.warning ? [element("p", { className: "note" }, card.position_bias.warning)] : []));
}

function table(found) {
  const names = [...new Set(found.agreement.flatMap((pair) => pair.judges))];
  const share = new Map(found.agreement.flatMap((pair) => [[pair.judges.join("\n"), pair], [[...pair.judges].reverse().join("\n"), pair]]));
  const row = (name) => element("tr", {}, element("th", { scope: "row", dir: "auto" }, name), ...names.map((other) => {
    const pair = share.get(`${name}\n${other}`);
    return element("td", {}, pair ? `${percent(pair.share)} of ${pair.pairs}` : "");
  }));
  document.querySelector("#agreement thead").replaceChildren(
    element("tr", {}, element("td", {}), ...names.map((name) => element("th", { scope: "col", dir: "auto" }, name))));
  document.querySelector("#agreement tbody").replaceChildren(...names.map(row));
}

async function load() {
  const summary = document.getElementById("summary");
  const say = (text) => { summary.textContent = text; };
  const found = await get("/judges", { method: choices.method.value, verdicts: false }, say, ask());
  summary.textContent = COUNTS[found.judges.length] ?? `${found.judges.length} judges.`;
  document.getElementById("warnings").replaceChildren(...found.warnings.map((says) => element("li", { className: "doubt" }, says)));
  document.getElementById("cards").replaceChildren(...found.judges.map(shown));
  table(found);
  problem(null);
}

choices.addEventListener("submit", (event) => event.preventDefault());
choices.method.addEventListener("change", () => load().catch(problem));
load().catch(problem);
