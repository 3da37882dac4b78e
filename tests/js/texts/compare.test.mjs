import assert from "node:assert/strict";
import { test } from "node:test";

import * as texts from "../../../app/web/static/lib/texts/compare.js";
import { testFigures, testSentences } from "../sentences.mjs";

const judgedItem = (key, disagreement, ...winners) => ({ key, disagreement, winners });
const [p1, p2, unjudged] = [judgedItem("p1", 0.4, "oak", "elm"), judgedItem("p2", 0.1, "oak"), judgedItem("p3", null)];
const tally = { wins: 12, ties: 1, losses: 3.5 };
testSentences(texts, {
  unknown: ["oak"], usualVersion: [4], surely: [1], outcomes: [tally], sharesOf: ["oak"], byTag: ["topic"], goalMeans: ["oak", "elm"],
  cost: [0.22, [0.1, null]], place: [1, 24], textOf: ["oak"], expected: ["oak", 0.7], agreement: [0.7], sawFirst: ["elm"], bits: [1.2],
  cell: ["oak", "elm", "even"], ranked: ["oak", 1], observedWins: ["oak", 0.7], expectedWins: ["oak", 0.7], isBetter: ["oak", 0.7],
  leaders: ["oak", "elm", 10, 20], ofCandidates: [4], movedBy: [2], scoreThen: ["oak", 1], scoreNow: ["oak", 1],
  against: ["ann", "bob"], noSharedPair: ["ann", "bob"], agree: ["ann", "bob", { share: 0.7, pairs: 12 }, true], disputed: [3, true], between: [[0.1, 0.6]],
  disagreeMore: [p1, p2], winMost: [p1, p2],
});
testFigures([...Object.values(texts.FIGURES), ...Object.values(texts.CELLS), ...Object.values(texts.COLUMNS), ...Object.values(texts.JUDGE_ROWS)]);
test("two prompts are told apart by disagreement and by winners", () => {
  assert.equal(texts.disagreeMore(p2, p1), "Judges disagree more on p1 (0.40) than on p2 (0.10).");
  assert.equal(texts.disagreeMore(p1, { ...p2, disagreement: 0.401 }), "Judges disagree on p1 as much as on p2 (0.40).");
  assert.equal(texts.disagreeMore(p1, unjudged), "Disagreement is unknown: no pair on p3 has two verdicts.");
  assert.equal(texts.winMost(p1, p2), "oak and elm lead on p1, oak on p2, by wins minus losses.");
  assert.equal(texts.winMost(p2, p2), "oak leads on both, by wins minus losses.");
  assert.equal(texts.winMost(p1, unjudged), "There is no verdict on p3 yet.");
});
