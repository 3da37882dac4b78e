// What holds of every file of texts: lib/texts/*.js.
import assert from "node:assert/strict";
import { test } from "node:test";

const LONGEST = 28, LABEL = 3; // words
const words = (sentence) => sentence.split(/\s+/).filter(Boolean).length;
const sentences = (text) => text.split(/(?<=[.?!])\s/);

/**
 * Tests that no sentence is long; a function of texts needs arguments in `examples`, by its name.
 * @param {object} texts
 * @param {Record<string, unknown[]>} [examples]
 */
export function testSentences(texts, examples = {}) {
  test("no sentence has more than 28 words", () => {
    for (const [name, text] of Object.entries(texts)) {
      if (typeof text === "function") assert.ok(examples[name], `give an example of ${name}`);
      const shown = typeof text === "function" ? [text(...examples[name])].flat().join(". ") : JSON.stringify(Object.values(text).flat());
      const each = typeof text === "function" ? sentences(shown) : sentences(shown.replaceAll('","', '". "'));
      for (const sentence of typeof text === "string" ? sentences(text) : each) {
        assert.ok(words(sentence) <= LONGEST, `${name}: ${sentence}`);
      }
    }
  });
}

/**
 * Tests labels of figures and what explains them.
 * @param {[label: string, tip: string][]} explained
 */
export function testFigures(explained) {
  test("a figure has a label of three words, and one sentence about it", () => {
    for (const [label, tip] of explained) {
      assert.ok(words(label) <= LABEL, label);
      assert.match(tip, /^[A-Z0-9].*\.$/);
      assert.equal(sentences(tip).length, 1, tip);
    }
  });
}
