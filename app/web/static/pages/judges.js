// @ts-check
// A card for each judge, who agrees with whom, and what is disputed.
import { disputeArticle } from "../lib/disputes.js";
import { element, find } from "../lib/dom.js";
import { counted, decimal, signed } from "../lib/numbers.js";
import { latestOnly, read, showProblem } from "../lib/set-page.js";

const NONE = "–";
const DISPUTES = 10; // shown at a time
const choices = find("#choices");
const method = find("#choices [name=method]", HTMLSelectElement);
const summary = find("#summary");
const more = find("#more-disputes", HTMLButtonElement);
const newSignal = latestOnly();

/** @param {number | null | undefined} share */
const percent = (share) => (share === null || share === undefined ? NONE : `${Math.round(100 * share)}%`);

/** @param {number | null | undefined} value */
const number = (value) => (value === null || value === undefined ? NONE : decimal(value));

/** @param {Contract.Rightness | null} agreement */
function byPeople(agreement) {
  if (!agreement) return NONE;
  const [low, high] = agreement.interval.map(percent);
  return `${percent(agreement.share)} (${low} to ${high}) of ${agreement.pairs}`;
}

/**
 * @param {Contract.JudgeCard} judge
 * @returns {[name: string, value: string | number][]}
 */
function facts({ position_bias: bias, judge_effects: effects, influence, median_latency_ms: latency, ...judge }) {
  const move = influence?.changes_top ? "another first place" : `moves of ${counted(influence?.largest_move ?? 0, "rank")} at most`;
  return [
    ["Verdicts", judge.comparisons],
    ["Skill", number(judge.skill)],
    ["Discrimination", bias ? `${number(bias.discrimination)} ± ${number(bias.discrimination_sd)}` : NONE],
    ["Likes the first position", bias ? `${signed(bias.delta)} ± ${number(bias.sd)}` : NONE],
    ["Spread of its tastes", number(effects?.sd)],
    ["Departs most on", effects?.largest_deviations.map(({ key, deviation }) => `${key} ${signed(deviation)}`).join(", ") ?? NONE],
    ["Accord with the ranking", number(judge.relative_discrimination?.overall)],
    ["Agrees with people", byPeople(judge.agreement_with_people)],
    ["Agrees with others", percent(judge.agreement?.share)],
    ["With itself, other order", percent(judge.swapped?.share)],
    ["Failures", percent(judge.failure_rate)],
    ["Median time", latency === null ? NONE : `${Math.round(latency)} ms`],
    ["Cost", number(judge.cost)],
    ["Without it", influence ? move : NONE],
  ];
}

/** @param {Contract.JudgeCard} judge */
function card(judge) {
  const lines = facts(judge).flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, String(value))]);
  const description = [judge.kind, judge.model].filter(Boolean).join(", ");
  const warning = judge.position_bias?.warning;
  return element("article", { className: "card" },
    element("h2", { dir: "auto" }, judge.judge),
    element("p", {}, description || "not described"),
    element("dl", {}, ...lines),
    ...(warning ? [element("p", { className: "note" }, warning)] : []));
}

/** @param {Contract.PairAgreement[]} agreement */
function showAgreement(agreement) {
  const names = [...new Set(agreement.flatMap((pair) => pair.judges))];
  const pairs = new Map(agreement.flatMap((pair) =>
    [pair.judges, [...pair.judges].reverse()].map((judges) => [judges.join("\n"), pair])));
  const row = (/** @type {string} */ name) => element("tr", {},
    element("th", { scope: "row", dir: "auto" }, name),
    ...names.map((other) => {
      const pair = pairs.get(`${name}\n${other}`);
      return element("td", {}, pair ? `${percent(pair.share)} of ${pair.pairs}, kappa ${kappaInWords(pair)}` : "");
    }));
  find("#agreement thead").replaceChildren(
    element("tr", {}, element("td"), ...names.map((name) => element("th", { scope: "col", dir: "auto" }, name))));
  find("#agreement tbody").replaceChildren(...names.map(row));
}

/** @param {Contract.PairAgreement} pair */
function kappaInWords({ kappa, kappa_interval: interval }) {
  return interval ? `${number(kappa)} (${interval.map(number).join(" to ")})` : number(kappa);
}

/** @param {Contract.Alpha | null} alpha */
function alphaInWords(alpha) {
  if (!alpha) return "No two judges have judged the same pair: give the set an overlap.";
  const which = alpha.drawn ? "drawn at random for several judges" : "that several judges happened to judge";
  const [low, high] = alpha.interval.map(number);
  return `Krippendorff's alpha is ${number(alpha.value)} (${low} to ${high}) on ${counted(alpha.pairs, "pair")} ${which}. `
    + "1 is agreement always, 0 is that of coins; kappa is the same for two judges.";
}

/** @param {number} after */
async function loadDisputes(after) {
  /** @type {Contract.DisputePage} */
  const { disputes, next_after: next } = await read("/disputes", { after, limit: DISPUTES });
  find("#disputes").append(...disputes.map(disputeArticle));
  find("#disputes-summary").textContent = disputes.length || after
    ? "Judges name different winners, with the probabilities that they give. The pair that was judged last comes last."
    : "None: no two judges name different winners of the same pair.";
  more.hidden = next === null;
  more.onclick = () => loadDisputes(next ?? 0).catch(showProblem);
}

async function load() {
  const onComputing = (/** @type {string} */ detail) => { summary.textContent = detail; };
  /** @type {Contract.Judges} */
  const { judges, people, warnings, agreement, alpha } = await read(
    "/judges", { method: method.value, verdicts: false }, { signal: newSignal(), onComputing });
  summary.textContent = judges.length ? `${counted(judges.length, "judge")}.` : "Nobody has judged yet.";
  find("#people-summary").textContent = judges.length ? people.summary : "";
  find("#check-judges").hidden = people.judge_next.length === 0;
  find("#warnings").replaceChildren(...warnings.map((warning) => element("li", { className: "doubt" }, warning)));
  find("#cards").replaceChildren(...judges.map(card));
  find("#alpha").textContent = alphaInWords(alpha);
  showAgreement(agreement);
  showProblem(null);
}

choices.addEventListener("submit", (event) => event.preventDefault());
method.addEventListener("change", () => load().catch(showProblem));
load().catch(showProblem);
loadDisputes(0).catch(showProblem);
