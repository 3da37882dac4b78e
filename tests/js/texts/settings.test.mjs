import assert from "node:assert/strict";
import { test } from "node:test";
import * as texts from "../../../app/web/static/lib/texts/settings.js";
import { testFigures, testSentences } from "../sentences.mjs";

const NO_RULE = { goal: null, concordance: null, top_k: null, rank_width: null, entropy_change: null, error_level: 0.05 };
const NO_GOAL = { top_k: null, against: null, pair: null };

testSentences(texts, {
  status: [{ status: "paused" }], project: [{ project: null }], model: [{ expert: "soft-bt", prior: "unit" }],
  goal: [{ goal: { ...NO_GOAL, pair: ["a", "b"] } }], stop: [{ stop: { ...NO_RULE, goal: 0.95, concordance: 0.9, top_k: 2, rank_width: 2, entropy_change: 0.01 } }],
  budget: [{ budget: { max_comparisons: 300 } }], overlap: [{ overlap: { share: 0.2, judges: 2 } }], target: [{ inference_target: "auto" }],
  editJudge: ["ann"], fault: ["unknown candidate"], price: [12.5],
});
testFigures([...Object.values(texts.LABELS), ...Object.values(texts.JUDGE_COLUMNS)]);

test("a setting is a sentence that says what it does", () => {
  const stop = (rule) => texts.stop({ stop: rule && { ...NO_RULE, ...rule } });
  assert.equal(stop({ goal: 0.95 }), "Stop when the goal is known with 95% confidence.");
  assert.equal(stop({ concordance: 0.9, top_k: 1, error_level: 0.001 }),
    "Stop when 90% of pairs are expected in the right order. Or when the best candidate is known with 99.9% confidence.");
  assert.equal(stop({ rank_width: 0 }), "Stop when every rank interval is at most 0 wide, with 95% confidence.");
  assert.match(stop(null), /^No stop rule/);
  assert.equal(texts.goal({ goal: { ...NO_GOAL, top_k: 3 } }), "Find the best 3 candidates.");
  assert.equal(texts.budget({ budget: { max_comparisons: null } }), "No limit.");
});
