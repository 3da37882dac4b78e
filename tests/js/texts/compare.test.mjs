import * as texts from "../../../app/web/static/lib/texts/compare.js";
import { testFigures, testSentences } from "../sentences.mjs";

const tally = { wins: 12, ties: 1, losses: 3.5 };
testSentences(texts, {
  unknown: ["oak"], usualVersion: [4], surely: [1], outcomes: [tally], sharesOf: ["oak"], byTag: ["topic"], goalMeans: ["oak", "elm"],
  cost: [0.22, [0.1, null]], place: [1, 24], textOf: ["oak"], expected: ["oak", 0.7], agreement: [0.7], sawFirst: ["elm"], bits: [1.2],
  cell: ["oak", "elm", "even"], ranked: ["oak", 1], observedWins: ["oak", 0.7], expectedWins: ["oak", 0.7], isBetter: ["oak", 0.7],
  leaders: ["oak", "elm", 10, 20], ofCandidates: [4], movedBy: [2], scoreThen: ["oak", 1], scoreNow: ["oak", 1],
  against: ["ann", "bob"], noSharedPair: ["ann", "bob"], agree: ["ann", "bob", { share: 0.7, pairs: 12 }, true], disputed: [3, true], between: [[0.1, 0.6]],
});
testFigures([...Object.values(texts.FIGURES), ...Object.values(texts.CELLS), ...Object.values(texts.COLUMNS), ...Object.values(texts.JUDGE_ROWS)]);
