import * as texts from "../../../app/web/static/lib/texts/results.js";
import { testSentences, testFigures } from "../sentences.mjs";
import { pBest } from "../../../app/web/static/lib/rank-figures.js";
import { NONE } from "../../../app/web/static/lib/texts/common.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const interval = [0.9, 0.97];
const confidence = (concordance, interval, pairs = 276) => ({ expected_concordance: concordance, pairs, interval, forecast: [] });
const expected = (...figures) => texts.expectedConcordance(confidence(...figures), 24);

testSentences(texts, {
  against: ["oak"], scoreIn: ["Elo"], rankingOf: ["code"], expectedConcordance: [confidence(0.94, interval), 24],
  forecast: [{ expected_concordance: 0.9, comparisons: 72 }], unclaimed: [{ claimed: false, e_value: 3 }], range: [confidence(0.94, interval), 5],
  left: [{ comparisons_left: 18, cost_left: 0.22, words: "about 18 left" }], spent: [31, 0.4], compareWith: ["oak"],
  earlier: ["50"], spoken: ["oak", "80%"], difference: ["0.5", "0.1", "0.9", 0.6],
  agreementWithPeople: [{ share: 0.8, pairs: 40, interval }], overconfident: ["gpt", 2],
});
testFigures([...Object.values(texts.FIGURES), texts.TIE_GROUP, ...Object.values(texts.COLUMNS).map(({ label, tip }) => [label, tip])]);

test("all pairs are expected in the right order only where their expected share is one", () => {
  assert.equal(expected(1, [1, 1]), "All of the pairs expected in the right order");
  assert.equal(expected(0.996, [1, 1]), ">99% of pairs expected in the right order");
  assert.equal(expected(0.99, [0.996, 1]), "99% of pairs expected in the right order (>99 to 100%)");
  assert.equal(expected(0.94, interval), "94% of pairs expected in the right order (90 to 97%)");
});

test("a goal has its own pairs, and one pair a probability", () => {
  assert.equal(expected(1, [1, 1], 23), "All of the 23 pairs of the goal expected in the right order");
  assert.equal(expected(0.8, [0, 1], 1), "80% probability that the pair of the goal is in the right order");
});

test("P(best) is shown where it is stated", () => {
  assert.equal(pBest({ p_best: null }), NONE);
  assert.equal(pBest({ p_best: 0.998 }), ">99%");
  assert.equal(texts.unclaimed({ case: "not-yet", e_value: 3.19 }), "no signal yet: e-value 3.1, below 20");
  assert.equal(texts.unclaimed({ case: "one-side-always-wins", e_value: 0 }), "one side wins");
});

test("what is left has its cost where it is known, and no figure where there is no forecast", () => {
  const left = (progress) => texts.left({ comparisons_left: null, cost_left: null, words: "no stop in sight", ...progress });
  assert.deepEqual(left({}), ["–", "no stop in sight"]);
  assert.deepEqual(left({ comparisons_left: 0, words: "stop rule met" }), ["0", "stop rule met"]);
  assert.deepEqual(left({ comparisons_left: 1800 }), ["≈ 1,800", "comparisons"]);
  assert.deepEqual(left({ comparisons_left: 18, cost_left: 0.22 }), ["≈ 18", "comparisons, $0.22"]);
  assert.deepEqual(left({ comparisons_left: 1, cost_left: 0.001 }), ["≈ 1", "comparison, under $0.01"]);
});
