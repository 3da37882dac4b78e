// @ts-check
// What a ranking says as a whole: who leads, its inference target, the next step, three figures, and what they are about.
import { element, find } from "./dom.js";
import { drawFigures } from "./figures.js";
import { chance } from "./numbers.js";
import { setId } from "./set-page.js";
import { NONE } from "./texts/common.js";
import * as words from "./texts/results.js";

const OFF = 0.2; // of ln T: a judge whose confidence differs from what people's verdicts bear out
const TWICE = 2; // the place of twice as many comparisons in a forecast

/**
 * Who leads, what is ranked, how far it is to the goal, and what to do next.
 * @param {Contract.Ranking} ranking
 * @param {Contract.SetSummary | null} whole summary of the newest ranking by the set's own method
 */
export function showAnswer({ first_place: claim, inference_target: target, comparisons, prompts, signal, stopping, summary }, whole) {
  find("#leader").textContent = claim;
  const progress = whole?.progress.aim && !stopping?.converged ? whole.progress : null;
  const isForecast = progress?.comparisons_left != null; // which says what more prompts would do, where those are needed
  const further = [progress?.sentence ?? stopping?.sentence, isForecast ? null : prompts?.sentence].filter((each) => each && !claim.includes(each));
  const isStepMissing = comparisons && !signal.claimed && !stopping && !prompts;
  const isPromptMissing = prompts?.needed && prompts.comparisons_suffice === false;
  const steps = isStepMissing ? summary.slice(-1) : further, place = find("#target");
  place.textContent = [...steps, ...(isPromptMissing ? [words.ADD_PROMPTS] : []), target.sentence].join(" ");
  place.dataset.tip = place.textContent; // where the place is too small for all of it
  place.tabIndex = 0;
}

/**
 * The figures of confidence, of what was spent, and of what is left to the goal; the last needs the set's summary.
 * @param {Contract.Ranking} ranking
 * @param {Contract.SetSummary | null} summary of the newest ranking by the set's own method
 */
export function showFigures({ confidence, signal, comparisons, ranking: { length: n } }, summary) {
  const { FIGURES: names } = words;
  const isShown = confidence && signal.claimed, [left, unit] = summary ? words.left(summary.progress) : [NONE, ""];
  const explained = (/** @type {import("./texts/common.js").Explained} */ [label, tip], more = "") =>
    /** @type {const} */ ([label, [tip, more].filter(Boolean).join(" ")]);
  drawFigures(find("#figures"), [
    [...explained(names.confidence, isShown ? forecastOf(confidence, n) : ""),
      isShown ? chance(confidence.expected_concordance) : NONE, isShown ? words.range(confidence, n) : signal.claimed ? words.NO_CONFIDENCE : words.unclaimed(signal)],
    [...names.spent, comparisons.toLocaleString("en"), words.spent(comparisons, summary?.cost ?? null)],
    [...explained(names.left, summary?.progress.sentence), left, element("span", {}, unit, ...(summary ? wayOn(summary.progress) : []))],
  ]);
}

/**
 * A link to where a price, or a stop that can be reached, is given; empty where neither is missing.
 * @param {Contract.GoalProgress} progress
 */
function wayOn({ comparisons_left: count, cost_left: cost }) {
  if (count === 0 || (count !== null && cost !== null)) return [];
  const [label, place] = count === null ? [words.CHANGE_STOP, "aims-heading"] : [words.ADD_PRICE, "judges-heading"];
  return [" ", element("a", { href: `/sets/${setId}/settings#${place}` }, label)];
}

/**
 * @param {Contract.Confidence} confidence
 * @param {number} n candidates
 */
function forecastOf(confidence, n) {
  const later = confidence.forecast.at(TWICE);
  return `${words.expectedConcordance(confidence, n)}${later ? words.forecast(later) : ""}.`;
}

/**
 * What confidence refers to, and doubts about judges, for the panel of checks.
 * @param {Contract.Ranking} ranking
 */
export function aboutConfidence({ validation: { about, agreement_with_people: agreement, temperature }, position_bias: biases }) {
  const judges = Object.entries(temperature ?? {}).filter(([, { temperature: t }]) => Math.abs(Math.log(t)) > OFF);
  const doubts = Object.entries(biases ?? {}).filter(([, bias]) => bias.warning);
  return [
    element("h3", {}, words.ABOUT_VALIDATION),
    element("p", { dir: "auto" }, [
      about,
      ...(agreement ? [words.agreementWithPeople(agreement)] : []),
      ...judges.map(([judge, { temperature: t }]) => words.overconfident(judge, t)),
      ...doubts.map(([judge, { warning }]) => `${judge}: ${warning}`),
    ].join(" ")),
  ];
}
