import assert from "node:assert/strict";
import { test } from "node:test";
import * as texts from "../../../app/web/static/lib/texts/new-set.js";
import { testSentences } from "../sentences.mjs";

const SIZE = { kind: "battles", candidates: 20, items: 12, outputs: 0, verdicts: 300, judges: 3 };

testSentences(texts, {
  tooLarge: ["a.csv", 64 * 2 ** 20], unreadable: ["a.csv"], forget: ["a.csv"], nameOf: ["a.csv"], found: [SIZE],
  recognised: ["systems", 3], ask: [["system", "prompt", "output"]], roleOf: ["model"], rows: [5, 300], faults: [120, 100],
  leaveOut: [3], at: ["line 3", "key"], needsTwo: ["texts"], promptPlace: [1, 15, "p01"], budget: [200], pairsExist: [3], proposed: [0.8], cost: [[0.6, 1.2], 0.01],
  thereAlready: [15], sending: [5000, 12000], interrupted: ["The service is busy."], created: ["Trees"],
});

test("a heading counts what was found", () => {
  assert.equal(texts.found(SIZE), "300 verdicts of 3 judges on 20 systems and 12 prompts");
  assert.equal(texts.found({ ...SIZE, kind: "systems", outputs: 240 }), "240 outputs of 20 systems on 12 prompts");
  assert.equal(texts.found({ ...SIZE, kind: "texts", items: 0 }), "20 texts");
});

test("a name is that of the file, in words", () => {
  assert.deepEqual(["four_models.csv", "a-b.jsonl.gz", "Über.parquet"].map(texts.nameOf), ["Four models", "A b", "Über"]);
});

test("a cost is a range where there is one", () => {
  assert.equal(texts.cost([0.6, 1.2], 0.01), "$0.60 to $1.20, at $0.01 each.");
  assert.equal(texts.cost([0.6, null], 0.01), "$0.60 or more, at $0.01 each.");
  assert.equal(texts.cost([2, 2], 0.01), "$2.00 at $0.01 each.");
});
