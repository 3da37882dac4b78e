import * as texts from "../../../app/web/static/lib/texts/items.js";
import { testFigures, testSentences } from "../sentences.mjs";

const doubt = { kind: "verdict", seq: 12, judge: "gpt-4", share: 0.7, verdicts: 3 };
testSentences(texts, {
  share: [0.5], figure: [0.2], against: [["oak", "elm"]], placeOf: [3, 40], found: [100, 900, "pair"], filter: ["Judge", "ann"],
  withoutFilter: ["ann"], rankingOn: ["code"], open: ["oak"], textOf: ["oak"], voidOf: [12, "ann"], 
  expects: ["oak", 0.7], disagreementOf: [0.4], expectation: [["oak", "elm"], 0.3], wins: [2.5, 4], summary: [3, 40, "prompt"], advice: [doubt],
});
for (const kind of ["unknown", "fits", "split", "alone", "judge", "unusual", "item"]) testSentences({ advice: texts.advice }, { advice: [{ ...doubt, kind }] });
testFigures([...Object.values(texts.COLUMNS), ...Object.values(texts.VERDICT_COLUMNS)].map(({ label, tip }) => [label, tip]));
