import assert from "node:assert/strict";
import { test } from "node:test";
import { aims, budgetOf, costs, dollars, estimateQuery, pairsIn } from "../../app/web/static/lib/estimate.js";

const PLAN = { goal: "ranking", topK: NaN, stop: "known", share: 90, budget: 200, isByPeople: true };

test("the estimate is asked for what the form says, where it is whole", () => {
  const size = { candidates: 4, items: 15 };
  assert.equal(`${estimateQuery(size, PLAN)}`, "candidates=4&items=15&judge=human&goal=ranking&top_k=1");
  assert.equal(estimateQuery(size, { ...PLAN, stop: "share" })?.get("concordance"), "0.9");
  assert.equal(estimateQuery(size, { ...PLAN, stop: "budget" }), null);
  assert.equal(estimateQuery(size, { ...PLAN, goal: "top_k" }), null);
  assert.equal(estimateQuery({ candidates: 1, items: 0 }, PLAN), null);
});

test("a budget is no more than the pairs that are left", () => {
  const texts = { candidates: [{ key: "a" }, { key: "b" }, { key: "c" }], items: [], comparisons: [] };
  const both = { p: "P", q: "Q" }, systems = { ...texts, candidates: [{ outputs: both }, { outputs: both }, { outputs: { p: "P", q: null } }], items: [{ key: "p" }, { key: "q" }] };
  assert.deepEqual([pairsIn(texts), pairsIn(systems), budgetOf(texts)], [3, 4, 3]);
  const judged = [{ first: "a", second: "b" }, { first: "b", second: "a" }];
  assert.equal(budgetOf({ ...texts, comparisons: judged }), 2 + 2);
  assert.equal(budgetOf({ ...texts, candidates: Array(1000).fill({}) }), 200);
});

test("costs are in dollars, small ones too", () => {
  assert.deepEqual(costs([60, null], 0.01), [0.6, null]);
  assert.deepEqual([0, 0.00425, 0.6, 12.5, 1300].map(dollars), ["$0", "$0.0043", "$0.60", "$12.50", "$1,300"]);
});

test("goal and stop are those of the contract", () => {
  assert.deepEqual(aims(PLAN, "a", ["a", "b"]), { goal: undefined, stop: { concordance: 0.95 }, budget: undefined });
  assert.deepEqual(aims({ ...PLAN, goal: "against" }, "a", []), { goal: { against: "a" }, stop: { goal: 0.95 }, budget: undefined });
  assert.deepEqual(aims({ ...PLAN, goal: "pair", stop: "budget" }, "", ["a", "b"]),
    { goal: { pair: ["a", "b"] }, stop: undefined, budget: { max_comparisons: 200 } });
});
