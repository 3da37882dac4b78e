import * as texts from "../../../app/web/static/lib/texts/judge.js";
import { testFigures, testSentences } from "../sentences.mjs";

testSentences(texts, {
  ofLatest: [20], time: [new Date(0), "day"], moment: ["2026-03-01T10:00:00Z"], states: [0.8], rightOf: [0.7, 12],
  calibrated: [{ temperature: 1.3, verdicts: 92, error: 0.08 }], compareWith: ["ann"], failedBy: [["2 refused"]], failed: ["parse_error", 2],
  voidVerdict: [3], restoreVerdict: [3], over: ["oak"],
});
testFigures([...Object.values(texts.COLUMNS).map(({ label, tip }) => [label, tip]), ...Object.values(texts.AGAINST)]);
