// What between two dollar signs is mathematics, and what is a price or a path.
import assert from "node:assert/strict";
import { test } from "node:test";

import { looksLikeMathematics } from "../../app/web/static/lib/mathematics.js";

test("formulas are mathematics", () => {
  for (const tex of ["n", "x_1", "a + b", "f(x)", "O(n^2)", "2n", "\\alpha", "\\text{if it rains}", "x, y", "p < q"]) {
    assert.ok(looksLikeMathematics(tex), tex);
  }
});

test("prices, names and prose are none", () => {
  for (const text of ["5", "5 and ", "20 + tax to A", "HOME", "3.50, then ", "money is good = bad"]) {
    assert.ok(!looksLikeMathematics(text), text);
  }
});
