import assert from "node:assert/strict";
import { test } from "node:test";

import { doubtOf, winsByKey } from "../../app/web/static/lib/verdict-doubt.js";

const verdict = (seq, judge, surprise, winner = "first", weight = 1) => ({ seq, judge, surprise, winner, weight });
const pair = (...verdicts) => ({ first: { key: "a", text: "A" }, second: { key: "b", text: "B" }, verdicts, agreement: 0.5 });

test("what surprises is one verdict, one judge, or all together", () => {
  assert.equal(doubtOf([]).kind, "unknown");
  assert.equal(doubtOf([pair(verdict(1, "ann", null))]).kind, "unknown");
  const calm = pair(verdict(1, "ann", 1.2), verdict(2, "ben", 0.1));
  assert.equal(doubtOf([calm]).kind, "split");
  assert.equal(doubtOf([{ ...calm, agreement: 1 }]).kind, "fits");
  assert.equal(doubtOf([{ ...pair(verdict(1, "ann", 1.2)), agreement: null }]).kind, "fits");
  assert.equal(doubtOf([pair(verdict(1, "ann", 3))]).kind, "alone");
  const one = doubtOf([pair(verdict(1, "ann", 3), verdict(2, "ben", 0.5), verdict(3, "ben", 2))]);
  assert.deepEqual([one.kind, one.seq, one.judge, one.share], ["verdict", 1, "ann", 3 / 5.5]);
  const judge = doubtOf([pair(verdict(1, "ann", 2), verdict(2, "ann", 2), verdict(3, "ann", 2), verdict(4, "ben", 0.2))]);
  assert.deepEqual([judge.kind, judge.judge, judge.share, judge.verdicts], ["judge", "ann", 6 / 6.2, 3]);
  const several = [pair(verdict(1, "ann", 2), verdict(2, "ben", 2))];
  assert.equal(doubtOf(several).kind, "item");
  assert.equal(doubtOf(several.map((each) => ({ ...each, agreement: 1 }))).kind, "unusual");
});

test("wins are counted by key, half for a tie", () => {
  const byKey = winsByKey([pair(verdict(1, "ann", 1), verdict(2, "ben", 1, "tie"), verdict(3, "cid", 1, "second"), verdict(4, "dan", 1, "both_bad"))]);
  assert.deepEqual(byKey.get("a"), { text: "A", wins: 2, verdicts: 4 });
  assert.deepEqual(byKey.get("b"), { text: "B", wins: 2, verdicts: 4 });
});
