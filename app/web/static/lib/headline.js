// @ts-check
// What a ranking says as a whole: who leads, the five figures of confidence, its inference target, its doubts.
import { element, find } from "./dom.js";
import { chance } from "./numbers.js";
import { onScale, pBest, winRate } from "./rank-figures.js";
import { NONE, ranks } from "./texts/common.js";
import * as words from "./texts/results.js";

const OFF = 0.2; // of ln T: a judge whose confidence differs from what people's verdicts bear out
const TWICE = 2; // the place of twice as many comparisons in a forecast

/** @param {Contract.Ranking} ranking */
export function showLeader({ first_place: sentence }) {
  find("#leader").textContent = sentence;
}

/**
 * The five figures of confidence, of all candidates and of the first.
 * @param {Contract.Ranking} ranking
 * @param {boolean} goesOn
 */
export function showFigures(ranking, goesOn) {
  const place = find("#figures"), { comparisons, ranking: [first] } = ranking;
  place.hidden = !first || !comparisons;
  if (place.hidden) return;
  const { HEADLINE: names } = words;
  const range = first.rank_interval ? ranks(first.rank_interval) : NONE;
  place.replaceChildren(
    figure("concordance", names.concordance, concordance(ranking, goesOn)),
    figure("p-best", names.pBest, words.ofCandidate(first.key, pBest(first, ranking))),
    figure("rank-interval", names.rankInterval, words.ofCandidate(first.key, range)),
    figure("interval", names.interval, words.ofCandidate(first.key, intervalOf(first, ranking))),
    figure("signal", names.signal, words.evidenceOfSignal(ranking.signal)));
}

/**
 * @param {string} name
 * @param {import("./texts/common.js").Explained} explained
 * @param {string} value
 */
function figure(name, [label, title], value) {
  return element("div", { "data-figure": name, title },
    element("dt", {}, label), element("dd", { dir: "auto" }, value));
}

/**
 * @param {Contract.Ranking} ranking
 * @param {boolean} goesOn
 */
function concordance({ confidence, signal, ranking: { length: n } }, goesOn) {
  if (!confidence || !signal.claimed) return NONE;
  const now = words.expectedConcordance(confidence, n), later = confidence.forecast.at(TWICE);
  const isForecast = goesOn && later && chance(later.expected_concordance) !== chance(confidence.expected_concordance);
  return isForecast ? now + words.forecast(later) : now;
}

/**
 * @param {Contract.Rank} row
 * @param {Contract.Ranking} ranking
 */
function intervalOf(row, ranking) {
  if (ranking.inference_target.name === "all-pairs" && row.win_rate !== null) return winRate(row);
  return row.interval ? `${onScale(row.score, ranking)} (${row.interval.map((end) => onScale(end, ranking)).join(" to ")})` : NONE;
}

/** Adds the figures that are no columns to the terms that the page explains. */
export function explainFigures() {
  const { concordance, signal } = words.HEADLINE;
  find(".explained dl").prepend(...[concordance, signal].map(([name, tip]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, tip))));
}

/** @param {Contract.Ranking} ranking */
export function showValidation({ validation: { about, agreement_with_people: agreement, temperature }, comparisons }) {
  const judges = Object.entries(temperature ?? {}).filter(([, { temperature: t }]) => Math.abs(Math.log(t)) > OFF);
  find("#validation").textContent = !comparisons ? "" : [
    about,
    ...(agreement ? [words.agreementWithPeople(agreement)] : []),
    ...judges.map(([judge, { temperature: t }]) => words.overconfident(judge, t)),
  ].join(" ");
}

/**
 * What is ranked, and what to do next.
 * @param {Contract.Ranking} ranking
 */
export function showTarget({ inference_target: { sentence, also }, first_place: claim, comparisons, prompts, signal, stopping, summary }) {
  const further = [stopping?.sentence, prompts?.sentence].filter((each) => each && !claim.includes(each));
  const isStepMissing = comparisons && !signal.claimed && !further.length;
  find("#target").textContent = [sentence, ...(isStepMissing ? summary.slice(-1) : further)].join(" ");
  find("#also").replaceChildren(...(also.length ? [words.OTHER_TARGETS] : []), ...also.flatMap((name, place) => [
    ...(place ? [", "] : []), element("a", { href: `?inference_target=${name}` }, words.TARGETS[name]),
  ]));
}

/** @param {Contract.Ranking} ranking */
export function showWarnings({ position_bias }) {
  const doubts = Object.entries(position_bias ?? {}).filter(([, bias]) => bias.warning);
  find("#warnings").replaceChildren(
    ...doubts.map(([judge, bias]) => element("li", { className: "doubt", dir: "auto" }, `${judge}: ${bias.warning}`)));
}
