// @ts-check
// The figures of one judge, and where it deviates from the common scores.
import { axis, domainOf, intervalMark } from "./chart.js";
import { element } from "./dom.js";
import { number, shareText } from "./judge-columns.js";
import { counted, money, signed } from "./numbers.js";
import { NONE, rates } from "./texts/common.js";
import * as one from "./texts/judge.js";
import * as words from "./texts/judges.js";

const SURE = 1.96; // standard deviations of a 95% interval

const FIRST = 5; // figures that matter most

/**
 * All figures of a judge that are known: those that matter most, and the rest.
 * @param {Contract.JudgeCard} card
 */
export function judgeFigures({ position_bias: bias, judge_effects: effects, influence, ...card }) {
  const { COLUMNS: columns, MORE_FACTS: more } = words, people = card.agreement_with_people;
  const failures = Object.entries(card.failures).map(([kind, count]) => one.failed(kind, count));
  const pairs = (/** @type {Contract.Agreement | null} */ agreement) => (agreement?.pairs ? counted(agreement.pairs, "pair") : "");
  /** @type {import("./figures.js").Figure[]} */
  const figures = [
    [columns.verdicts.label, columns.verdicts.tip, card.comparisons.toLocaleString("en")],
    [columns.people.label, columns.people.tip, shareText(people?.share), people ? `${rates(people.interval)} of ${counted(people.pairs, "pair")}` : ""],
    [columns.others.label, columns.others.tip, shareText(card.agreement?.share), pairs(card.agreement)],
    [columns.bias.label, columns.bias.tip, bias ? signed(bias.delta) : NONE, bias ? `± ${number(2 * bias.sd)} logits (2 sd)` : ""],
    [columns.cost.label, columns.cost.tip, card.cost === null ? NONE : money(card.cost)],
    [columns.weight.label, columns.weight.tip, number(card.effective_votes), "votes"],
    [columns.skill.label, columns.skill.tip, number(card.skill)],
    [more.discrimination[0], more.discrimination[1], number(bias?.discrimination), bias?.discrimination_sd ? `± ${number(2 * bias.discrimination_sd)} (2 sd)` : ""],
    [more.relative[0], more.relative[1], number(card.relative_discrimination?.overall)],
    [more.spread[0], more.spread[1], number(effects?.sd)],
    [more.swapped[0], more.swapped[1], shareText(card.swapped?.share), pairs(card.swapped)],
    [more.repeated[0], more.repeated[1], shareText(card.same_order?.share), pairs(card.same_order)],
    [more.influence[0], more.influence[1], influence ? (influence.changes_top ? words.NEW_FIRST : words.moves(influence.largest_move)) : NONE],
    [columns.pace.label, columns.pace.tip, card.verdicts_per_hour === null ? NONE : words.perHour(card.verdicts_per_hour)],
    [columns.time.label, columns.time.tip, card.median_latency_ms === null ? NONE : words.duration(card.median_latency_ms)],
    [columns.failures.label, columns.failures.tip, shareText(card.failure_rate), one.failedBy(failures)],
  ];
  const known = (/** @type {typeof figures} */ some) => some.filter(([, , value]) => value !== NONE);
  return { first: known(figures.slice(0, FIRST)), rest: known(figures.slice(FIRST)) };
}

/**
 * Whether a deviation's interval leaves out 0.
 * @param {Contract.LargestDeviation} deviation
 */
export const isClear = ({ deviation, sd }) => Math.abs(deviation) > SURE * sd;

/**
 * A bar for each candidate on one axis, with its interval.
 * @param {Contract.LargestDeviation[]} deviations
 */
export function deviationRows(deviations) {
  if (!deviations.length) return [];
  const estimates = deviations.map(({ deviation, sd }) =>
    ({ value: deviation, interval: /** @type {[number, number]} */ ([deviation - SURE * sd, deviation + SURE * sd]) }));
  const domain = domainOf(estimates, [0]);
  const row = (/** @type {Contract.LargestDeviation} */ { key, deviation, sd }, /** @type {number} */ place) => element("tr", {},
    element("th", { scope: "row", dir: "auto", className: "clip" }, key),
    element("td", {}, intervalMark(estimates[place], domain, { text: `${signed(deviation)} ± ${number(2 * sd)}`, zero: 0 })),
    element("td", { className: "num" }, signed(deviation)));
  return [
    element("thead", {}, element("tr", {}, element("td"), element("td", {}, axis(domain, String)), element("td"))),
    element("tbody", {}, ...deviations.map(row)),
  ];
}
