// Judges: bins of confidence put together, and the order of the heat table.
import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.document = { querySelector: () => null, body: { append() {} } };
globalThis.HTMLElement = Object;
const { gapOf, joined } = await import("../../app/web/static/lib/judge-charts.js");

const bin = (confidence, accuracy, verdicts) => ({ low: confidence, high: confidence + 1 / 30, confidence, accuracy, verdicts });
const total = (bins) => bins.reduce((sum, { verdicts }) => sum + verdicts, 0);
const right = (bins) => bins.reduce((sum, { verdicts, accuracy }) => sum + verdicts * accuracy, 0);

test("bins put together keep their verdicts and how many were right", () => {
  const bins = Array.from({ length: 15 }, (_, n) => bin(0.5 + n / 30, (n * 7 % 15) / 15, 1 + (n * 11 % 6)));
  for (const parts of [1, 3, 8, 15]) {
    const large = joined(bins, parts);
    assert.equal(total(large), total(bins));
    assert.ok(Math.abs(right(large) - right(bins)) < 1e-9);
    assert.ok(large.length <= parts + 1);
    assert.deepEqual(large.map(({ confidence }) => confidence), large.map(({ confidence }) => confidence).toSorted());
  }
});

test("a bin that has its share stands alone, and no bins are none", () => {
  assert.deepEqual(joined([], 8), []);
  const large = [bin(0.6, 0.5, 50), bin(0.9, 1, 50)];
  assert.deepEqual(joined(large, 2), large);
});

test("confidence is off by the mean gap of the dots that are drawn", () => {
  assert.equal(gapOf([]), 0);
  assert.ok(Math.abs(gapOf([bin(0.6, 0.5, 30), bin(0.9, 1, 10)]) - 0.1) < 1e-9);
});
