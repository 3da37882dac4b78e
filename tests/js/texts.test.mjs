// Texts of scripts: short labels and sentences, and figures that never contradict each other.
import assert from "node:assert/strict";
import { test } from "node:test";

import { pBest } from "../../app/web/static/lib/rank-figures.js";
import * as texts from "../../app/web/static/lib/texts.js";

const LONGEST = 28, LABEL = 3; // words
const interval = [0.9, 0.97];
const confidence = (concordance, interval, pairs = 276) => ({ expected_concordance: concordance, pairs, interval, forecast: [] });
const expected = (...figures) => texts.expectedConcordance(confidence(...figures), 24);
const EXAMPLES = {
  unusable: [502], broken: ["x is undefined"], newer: [{ version: 1, newer_version: 2 }], against: ["oak"], scoreIn: ["Elo"],
  rankingOf: ["code"], expectedConcordance: [confidence(0.94, interval), 24], forecast: [{ expected_concordance: 0.9, comparisons: 72 }],
  evidenceOfSignal: [{ claimed: false, e_value: 3 }],
  ofCandidate: ["oak", "97%"], ranks: [[1, 3]], rates: [interval], difference: ["0.5", "0.1", "0.9", 0.6],
  agreementWithPeople: [{ share: 0.8, pairs: 40, interval }], overconfident: ["gpt", 2], cell: ["oak", "elm", "even"],
  ranked: ["oak", 1], observedWins: ["oak", 0.7], isBetter: ["oak", 0.7], moves: [2], duration: [1500],
  shareOfPairs: [{ share: 0.8, pairs: 40, interval }], shareOf: [{ share: 0.5, pairs: 2 }], plusMinus: [{ delta: 0.1, sd: 0.2 }],
  pairAgreement: [{ share: 0.8, pairs: 9, kappa: 0.4, kappa_interval: [0.1, 0.7] }],
  alpha: [{ drawn: true, interval, value: 0.93, pairs: 12 }], textOf: ["oak"], checks: [10, 2, 1], refused: ["No such set."],
  readOn: [3], unsent: [2], judged: [3, { budget: { max_comparisons: 40 }, comparisons: 30, stop: null }],
  tooLarge: ["a.csv", 64 * 2 ** 20], unreadable: ["a.csv"], forget: ["a.csv"], found: [4, "system", "a.csv"], faults: [120, 100],
  leaveOut: [3], at: ["line 3", "key"], rows: [30, 20], create: [24, "candidate"], needsTwo: ["candidate"],
  outputs: [{ systems: 4, prompts: 15, outputs: 59, missing: 1, tags: ["category"] }], promptPlace: [1, 15, "p01"],
};
const words = (sentence) => sentence.split(/\s+/).filter(Boolean).length;
const sentences = (text) => text.split(/(?<=[.?!])\s/);

test("no sentence has more than 28 words", () => {
  for (const [name, text] of Object.entries(texts)) {
    if (typeof text === "function") assert.ok(EXAMPLES[name], `give an example of ${name}`);
    const said = typeof text === "function" ? text(...EXAMPLES[name]) : JSON.stringify(Object.values(text).flat());
    const each = typeof text === "function" ? sentences(said) : sentences(said.replaceAll('","', '". "'));
    for (const sentence of typeof text === "string" ? sentences(text) : each) {
      assert.ok(words(sentence) <= LONGEST, `${name}: ${sentence}`);
    }
  }
});

test("a figure has a label of three words, and one sentence about it", () => {
  for (const [label, tip] of [...Object.values(texts.HEADLINE), ...Object.values(texts.FACTS)]) {
    assert.ok(words(label) <= LABEL, label);
    assert.match(tip, /^[A-Z0-9].*\.$/);
    assert.equal(sentences(tip).length, 1, tip);
  }
});

test("all pairs are expected in the right order only where their expected share is one", () => {
  assert.equal(expected(1, [1, 1]), "All of the pairs expected in the right order");
  assert.equal(expected(0.996, [1, 1]), "99% of pairs expected in the right order");
  assert.equal(expected(0.99, [0.996, 1]), "99% of pairs expected in the right order (99 to 100%)");
  assert.equal(expected(0.94, interval), "94% of pairs expected in the right order (90 to 97%)");
});

test("a goal has its own pairs, and one pair a probability", () => {
  assert.equal(expected(1, [1, 1], 23), "All of the 23 pairs of the goal expected in the right order");
  assert.equal(expected(0.8, [0, 1], 1), "80% probability that the pair of the goal is in the right order");
});

test("P(best) is not shown where the signal is not", () => {
  assert.equal(pBest({ p_best: 1 }, { signal: { claimed: false } }), texts.NONE);
  assert.equal(pBest({ p_best: 0.998 }, { signal: { claimed: true } }), "99%");
  assert.equal(texts.evidenceOfSignal({ claimed: true, e_value: 35.2 }), "verdicts depend on the candidates (e-value 35)");
  assert.equal(texts.evidenceOfSignal({ claimed: false, e_value: 3.19 }), "not yet (e-value 3.1, below 20)");
});
