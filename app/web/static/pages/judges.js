// @ts-check
// A card for each judge, how far they agree, and what they dispute.
import { disputeArticle } from "../lib/disputes.js";
import { element, find } from "../lib/dom.js";
import { counted, decimal, percent, signed } from "../lib/numbers.js";
import { latestOnly, read, showProblem } from "../lib/set-page.js";
import { COMPUTING, NONE } from "../lib/texts/common.js";
import * as texts from "../lib/texts/judges.js";

const { FACTS } = texts;
const DISPUTES = 10; // shown at a time
const choices = find("#choices");
const method = find("#choices [name=method]", HTMLSelectElement);
const summary = find("#summary");
const more = find("#more-disputes", HTMLButtonElement);
const newSignal = latestOnly();

/** @param {number | null | undefined} share */
const share = (share) => (share === null || share === undefined ? NONE : `${percent(share)}%`);

/** @param {number | null | undefined} value */
const number = (value) => (value === null || value === undefined ? NONE : decimal(value));

/**
 * @param {Contract.JudgeCard} judge
 * @param {boolean} isAlone whether nobody else has judged, so that nothing shows this judge's skill
 * @returns {[explained: import("../lib/texts/common.js").Explained, value: string | number][]}
 */
function facts({ position_bias: bias, judge_effects: effects, influence, median_latency_ms: latency, ...judge }, isAlone) {
  const people = judge.agreement_with_people;
  return [
    [FACTS.verdicts, judge.comparisons],
    [FACTS.skill, isAlone ? NONE : number(judge.skill)],
    [FACTS.discrimination, bias ? `${number(bias.discrimination)} ± ${number(bias.discrimination_sd)}` : NONE],
    [FACTS.bias, bias ? texts.plusMinus(bias) : NONE],
    [FACTS.spread, number(effects?.sd)],
    [FACTS.deviations, effects?.largest_deviations.map(({ key, deviation }) => `${key} ${signed(deviation)}`).join(", ") ?? NONE],
    [FACTS.relative, number(judge.relative_discrimination?.overall)],
    [FACTS.people, people ? texts.shareOfPairs(people) : NONE],
    [FACTS.others, judge.agreement ? texts.shareOf(judge.agreement) : NONE],
    [FACTS.swapped, judge.swapped ? texts.shareOf(judge.swapped) : NONE],
    [FACTS.failures, share(judge.failure_rate)],
    [FACTS.time, latency === null ? NONE : texts.duration(latency)],
    [FACTS.cost, number(judge.cost)],
    [FACTS.influence, influence ? (influence.changes_top ? texts.NEW_FIRST : texts.moves(influence.largest_move)) : NONE],
  ];
}

/**
 * @param {Contract.JudgeCard} judge
 * @param {boolean} isAlone
 */
function card(judge, isAlone) {
  const lines = facts(judge, isAlone).flatMap(([[name, title], value]) =>
    [element("dt", { title }, name), element("dd", {}, String(value))]);
  const description = [judge.kind, judge.model].filter(Boolean).join(", ");
  const warning = judge.position_bias?.warning;
  return element("article", { className: "card" },
    element("h2", { dir: "auto" }, judge.judge),
    element("p", {}, description || texts.NOT_DESCRIBED),
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
      return element("td", {}, pair ? texts.pairAgreement(pair) : "");
    }));
  find("#agreement thead").replaceChildren(
    element("tr", {}, element("td"), ...names.map((name) => element("th", { scope: "col", dir: "auto" }, name))));
  find("#agreement tbody").replaceChildren(...names.map(row));
}

/** @param {number} after */
async function loadDisputes(after) {
  /** @type {Contract.DisputePage} */
  const { disputes, next_after: next } = await read("/disputes", { after, limit: DISPUTES });
  find("#disputes").append(...disputes.map(disputeArticle));
  find("#disputes-summary").textContent = disputes.length || after ? texts.DISPUTES : texts.NO_DISPUTES;
  more.hidden = next === null;
  more.onclick = () => loadDisputes(next ?? 0).catch(showProblem);
}

async function load() {
  const onComputing = () => { summary.textContent = COMPUTING; };
  /** @type {Contract.Judges} */
  const { judges, people, warnings, agreement, alpha } = await read(
    "/judges", { method: method.value, verdicts: false }, { signal: newSignal(), onComputing });
  summary.textContent = judges.length ? `${counted(judges.length, "judge")}.` : "";
  find("#empty").hidden = judges.length > 0;
  find("#explained").hidden = !judges.length;
  find("#people-summary").textContent = judges.length ? people.summary : "";
  find("#check-judges").hidden = people.judge_next.length === 0;
  find("#warnings").replaceChildren(...warnings.map((warning) => element("li", { className: "doubt" }, warning)));
  find("#cards").replaceChildren(...judges.map((judge) => card(judge, judges.length === 1)));
  find("#alpha").textContent = texts.alpha(alpha);
  showAgreement(agreement);
  showProblem(null);
}

find("#explained dl").replaceChildren(...Object.values(FACTS).map(([name, tip]) =>
  element("div", {}, element("dt", {}, name), element("dd", {}, tip))));
choices.addEventListener("submit", (event) => event.preventDefault());
method.addEventListener("change", () => load().catch(showProblem));
load().catch(showProblem);
loadDisputes(0).catch(showProblem);
