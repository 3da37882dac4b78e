// How many pairs are in the right order: all of them only where that is certain.
import assert from "node:assert/strict";
import { test } from "node:test";

import { inOrder } from "../../app/web/static/lib/in-order.js";

const said = (concordance, interval, pairs = 276) => inOrder({ expected_concordance: concordance, pairs, interval, forecast: [] }, 24);

test("all pairs are in the right order only where their expected share is one", () => {
  assert.equal(said(1, [1, 1]), "All of the pairs are in the right order.");
  assert.equal(said(0.996, [1, 1]), "About 99% of the pairs are in the right order.");
  assert.equal(said(0.99, [0.996, 1]), "About 99% of the pairs are in the right order (99 to 100%).");
  assert.equal(said(0.94, [0.9, 0.97]), "About 94% of the pairs are in the right order (90 to 97%).");
});

test("a goal has its own pairs, and one pair a probability", () => {
  assert.equal(said(1, [1, 1], 23), "All of the 23 pairs that matter to the goal are in the right order.");
  assert.equal(said(0.8, [0, 1], 1), "The order that was asked for is right with a probability of 80%.");
});
