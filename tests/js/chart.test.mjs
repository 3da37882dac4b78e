// Axes: round ticks, and places that keep the order of values.
import assert from "node:assert/strict";
import { test } from "node:test";

import { along, domainOf, ticks } from "../../app/web/static/lib/chart.js";

test("ticks are round, equally far apart, 3 to 7, and within the domain", () => {
  const widths = Array.from({ length: 600 }, (_, n) => 10 ** (n / 100 - 4)); // of domains that begin anywhere
  const domains = widths.flatMap((width, n) => [-1.37, 0, 0.21, 0.5, 12].map((low) => [low * width + n / 7 % 1 * width, (low + 1) * width + n / 7 % 1 * width]));
  for (const [n, domain] of [[0, 1], [-3.2, 2.7], [0.31, 0.34], [0.47, 0.53], [0, 12_345], [-1e-6, 2e-6], ...domains].entries()) {
    const marks = ticks(domain, 2 + n % 4);
    assert.ok(marks.length >= 3 && marks.length <= 7, `${domain}: ${marks}`);
    assert.ok(marks.every((mark) => mark >= domain[0] - 1e-12 && mark <= domain[1] + 1e-12));
    const step = marks[1] - marks[0], digit = Math.round(step / 10 ** Math.floor(Math.log10(step) + 1e-9));
    assert.ok([1, 2, 5].includes(digit), String(step));
  }
});

test("a domain holds all ends and marks, and is never empty", () => {
  assert.deepEqual(domainOf([{ value: 1, interval: [0.5, 2] }, { value: -1, interval: null }], [0]), [-1, 2]);
  assert.deepEqual(domainOf([], [0]), [-0.5, 0.5]);
  assert.deepEqual(domainOf([{ value: 3, interval: null }], []), [2.5, 3.5]);
});

test("greater values lie further along, within the width", () => {
  const places = [-2, 0, 1, 5].map((value) => parseFloat(along([-2, 5], value)));
  assert.deepEqual(places, places.toSorted((a, b) => a - b));
  assert.ok(places[0] > 0 && places.at(-1) < 100);
});
