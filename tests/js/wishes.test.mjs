// Work that is wished for more often than it can be done: it is finished all the same, and the newest wish is met.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";

import { oneAtATime } from "../../app/web/static/lib/wishes.js";

/** Work that ends when it is told to, or by its signal. */
function slowWork() {
  const underway = [], ends = [];
  const work = (signal) => new Promise((resolve) => {
    const call = { finish: () => { ends.push("finished"); resolve(); } };
    underway.push(call);
    signal.addEventListener("abort", () => { ends.push("withdrawn"); resolve(); });
  });
  return { work, underway, ends };
}

test("wishes that come meanwhile never end what is under way, and are met once after it", async () => {
  const { work, underway, ends } = slowWork();
  const wish = oneAtATime(work);
  for (let event = 0; event < 20; event += 1) wish();
  assert.equal(underway.length, 1);
  underway[0].finish();
  await turn();
  assert.equal(underway.length, 2);
  underway[1].finish();
  await turn();
  assert.deepEqual([underway.length, ends], [2, ["finished", "finished"]]);
  wish();
  assert.equal(underway.length, 3);
});

test("a wish that withdraws ends what is under way, and only the newest is met", async () => {
  const { work, underway, ends } = slowWork();
  const wish = oneAtATime(work);
  wish();
  for (let position = 0; position < 5; position += 1) wish({ withdraws: true });
  await turn();
  assert.deepEqual([underway.length, ends], [2, ["withdrawn"]]);
  underway[1].finish();
  await turn();
  assert.deepEqual([underway.length, ends], [2, ["withdrawn", "finished"]]);
});
