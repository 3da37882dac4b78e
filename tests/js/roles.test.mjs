import assert from "node:assert/strict";
import { test } from "node:test";
import { missing, parameters, rolesOf, withRole } from "../../app/web/static/lib/roles.js";

const USED = { key: null, text: null, system: "model", systems: [], prompt: null, prompt_text: "asked", output: "said", tags: [] };

test("roles are those that the service recognised", () => {
  assert.deepEqual(rolesOf({ kind: "systems", layout: "long", used: USED }), { model: "system", asked: "prompt", said: "output" });
});

test("a role leaves the column that had it, but for systems", () => {
  assert.deepEqual(withRole({ a: "system", b: "prompt" }, "c", "system"), { b: "prompt", c: "system" });
  assert.deepEqual(withRole({ a: "systems" }, "b", "systems"), { a: "systems", b: "systems" });
  assert.deepEqual(withRole({ a: "winner" }, "b", "p_first"), { b: "p_first" });
  assert.deepEqual(withRole({ a: "winner" }, "a", ""), {});
});

test("what a table still needs is asked for", () => {
  assert.deepEqual(missing("long", { a: "system" }), ["prompt", "output"]);
  assert.deepEqual(missing("wide", { a: "prompt", b: "systems" }), ["systems"]);
  assert.deepEqual(missing("battles", { a: "first", b: "second" }), ["winner"]);
  assert.deepEqual(missing("battles", { a: "first", b: "second", c: "p_first" }), []);
  assert.deepEqual(missing("texts", {}), []);
});

test("parameters name columns; a text without a key or a text says so", () => {
  assert.deepEqual(parameters("texts", { a: "text", b: "system" }), [["text", "a"], ["key", ""]]);
  assert.deepEqual(parameters("battles", { a: "first", b: "second", c: "winner", d: "system" }),
    [["first", "a"], ["second", "b"], ["winner", "c"]]);
});
