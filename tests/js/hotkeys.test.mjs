// Keys of judging: one action each, and no key that the browser needs.
import assert from "node:assert/strict";
import { test } from "node:test";

import { DEFAULT_KEYS, actionOf, assigned } from "../../app/web/static/lib/hotkeys.js";

test("each key does one thing, in either case", () => {
  const all = Object.values(DEFAULT_KEYS).flat();
  assert.equal(new Set(all).size, all.length);
  assert.equal(actionOf(DEFAULT_KEYS, "S"), "skip");
  assert.equal(actionOf(DEFAULT_KEYS, "x"), undefined);
});

test("a new key takes the place of the earlier ones", () => {
  const { keys } = assigned(DEFAULT_KEYS, "first", "A");
  assert.deepEqual(keys.first, ["a"]);
  assert.equal(actionOf(keys, "1"), undefined);
  assert.deepEqual(assigned(keys, "first", "a"), { keys });
});

test("a key of another action, or of the browser, is refused", () => {
  assert.deepEqual(assigned(DEFAULT_KEYS, "first", "S"), { obstacle: "skip" });
  for (const key of ["Tab", "Enter", "Escape", " ", "F5"]) {
    assert.deepEqual(assigned(DEFAULT_KEYS, "first", key), { obstacle: "reserved" });
  }
});
