import assert from "node:assert/strict";
import { test } from "node:test";
import * as texts from "../../../app/web/static/lib/texts/activity.js";
import { testFigures, testSentences } from "../sentences.mjs";

testSentences(texts, {
  newer: [3], failed: [{ skipped: 2, timeout: 1 }], ago: [90], holds: [2],
  lease: [{ worker: "gpu-0", until: "12:00" }], sure: [0.8],
  onItem: ["q1"], because: ["clicked the wrong side"], voidOf: [7], verdictVoided: ["bob"], entry: [8], aboutWrongOrder: ["knowledge"],
});
testFigures([...Object.values(texts.FIGURES), ...Object.values(texts.COLUMNS), ...Object.values(texts.BADGES)]);

test("times are rounded down to what is read at a glance", () => {
  assert.deepEqual([0, 59, 60, 3599, 3600, 86_400, 200_000].map(texts.ago),
    ["now", "59 s ago", "1 min ago", "59 min ago", "1 h ago", "1 day ago", "2 days ago"]);
});
