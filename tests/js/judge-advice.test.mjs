import assert from "node:assert/strict";
import { test } from "node:test";
import { adviceFor } from "../../app/web/static/lib/judge-advice.js";

const copies = (judge, price) => adviceFor(judge, "http://localhost:8000", "1", false, price).map(({ content }) => content);

test("what a judge gets to copy hands its price to the service, where one is known", () => {
  for (const command of copies("model", 0.0011)) assert.match(command, / --cost-per-1000 1\.1 /);
  assert.match(copies("program", 0)[0], /describe\("my program", cost_per_1000=0\)/);
  for (const text of [...copies("model", NaN), ...copies("program", NaN)]) assert.doesNotMatch(text, /cost/);
});
