import assert from "node:assert/strict";
import { test } from "node:test";
import { outcome } from "../../app/web/static/lib/outcome.js";

test("a verdict names the better one first, and how sure the judge was", () => {
  const said = (p_first, winner = null) => {
    const { keys, verb, note } = outcome({ first: "a", second: "b", p_first, winner });
    return [keys[0], verb, keys[1], note].filter(Boolean).join(" ");
  };
  assert.deepEqual([said(1), said(0.2), said(0.5), said(0.5, "both_bad"), said(0.999)],
    ["a over b", "b over a 80% sure", "a and b tie", "a and b both bad", "a over b >99% sure"]);
});
