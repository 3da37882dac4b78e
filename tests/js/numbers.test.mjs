// Numbers as people read them: no -0.00, no 1 pairs.
import assert from "node:assert/strict";
import { test } from "node:test";

import { chance, counted, decimal, signed } from "../../app/web/static/lib/numbers.js";

test("one of a thing is no plural, and thousands are set apart", () => {
  assert.deepEqual([0, 1, 2, 1200].map((count) => counted(count, "pair")), ["0 pairs", "1 pair", "2 pairs", "1,200 pairs"]);
});

test("what rounds to nothing has no minus sign", () => {
  assert.deepEqual([-0.001, 0, -0.25, 1].map(decimal), ["0.00", "0.00", "-0.25", "1.00"]);
  assert.deepEqual([-0.001, 0, -0.25, 1].map(signed), ["+0.00", "+0.00", "-0.25", "+1.00"]);
});

test("a probability is in whole per cent, halves up as in Python's words.percent", () => {
  const shown = [0, 0.004, 0.005, 0.845, 0.984, 0.985, 0.999, 1].map(chance);
  assert.deepEqual(shown, ["0%", "<1%", "1%", "85%", "98%", "99%", ">99%", "100%"]);
});
