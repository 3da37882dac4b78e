import assert from "node:assert/strict";
import { test } from "node:test";

import { moves } from "../../app/web/static/lib/moves.js";

const row = (key, rank, rank_interval = null) => ({ key, rank, rank_interval });

test("a move is by how many ranks, and beyond the rank interval of then where it leaves that", () => {
  const then = { ranking: [row("oak", 1, [1, 2]), row("elm", 2, [1, 3]), row("ash", 3, [2, 3])] };
  const now = { ranking: [row("ash", 1), row("elm", 2), row("oak", 3), row("fir", 4)] };
  assert.deepEqual(moves(then, now).map(({ key, move, isBeyond }) => [key, move, isBeyond]),
    [["ash", 2, true], ["elm", 0, false], ["oak", -2, true]]);
});

test("without rank intervals nobody is beyond one", () => {
  assert.equal(moves({ ranking: [row("oak", 1)] }, { ranking: [row("oak", 9)] })[0].isBeyond, false);
});
