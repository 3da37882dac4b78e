// How much of a page a text may take.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { markdown } from "../../app/web/static/lib/markdown.js";
import { elementsIn } from "../../app/web/static/lib/markup.js";

const parser = "../../app/web/static/vendor/marked.js"; // which `make vendor` copies
const { Marked } = await import(parser).catch(() => ({}));
const how = { skip: Marked ? false : "needs marked: make vendor" };
const toHtml = Marked && markdown(Marked);
const LENGTH = 10_000; // characters of a text that is to grow

/** @param {string} part */
const fill = (part) => part.repeat(Math.floor(LENGTH / part.length));

const table = (/** @type {number} */ columns, /** @type {number} */ rows) =>
  `${"|a".repeat(columns)}|\n${"|-".repeat(columns)}|\n${"|a|\n".repeat(rows)}`;

const BOMBS = {
  "a table that pads its rows": table(1250, 1250),
  "many tables": `${table(50, 50)}\n`.repeat(10),
  "a table in a quote": table(1250, 1250).replace(/^/gm, "> "),
  "links to one long address": `[a]: http://e.example/${"x".repeat(LENGTH / 2)}\n\n${"[a] ".repeat(LENGTH / 8)}`,
  "pictures of one long address": `[a]: data:image/png;base64,${"A".repeat(LENGTH / 2)}\n\n${"![][a] ".repeat(LENGTH / 14)}`,
  "one long title": `[a]: /b "${"x".repeat(LENGTH / 2)}"\n\n${"[a] ".repeat(LENGTH / 8)}`,
  "quotes in quotes": `${"> ".repeat(200)}*a*`,
  "lists in lists": `${"- ".repeat(200)}a`,
  "more elements than a page bears": fill("*a* ").concat("\n\n").repeat(10),
};

for (const [name, text] of Object.entries(BOMBS)) {
  test(`${name}: shown as it was written`, how, () => assert.equal(toHtml(text), null));
}

const bomb = new URL("../../../shared/cases/text/table-bomb.md", import.meta.url);
test("the table of 10 KB that became 31 MB", { skip: how.skip || (existsSync(bomb) ? false : "needs ../shared/cases") }, () =>
  assert.equal(toHtml(readFileSync(bomb, "utf8")), null));

test("what is within the limits is rendered", how, () => {
  const rows = `| a | b | c |\n|---|---|---|\n${"| 1 | 2 | 3 |\n".repeat(1000)}`;
  assert.equal(toHtml(rows).match(/<t[hd]>/g).length, 3003);
  for (const text of [`${"> ".repeat(20)}*a*`, "1. a\n   - b\n     - c\n       > d", fill("*a* "), fill("- a\n"), fill("`a` ")]) {
    const html = toHtml(text);
    assert.ok(html && html.length < 20 * text.length, text.slice(0, 20));
  }
  assert.match(toHtml("[a][b] and [c][b]\n\n[b]: https://e.example"), /href="https:\/\/e.example">c</);
});

test("a text after one that was too much is rendered", how, () => {
  toHtml(table(1250, 1250));
  assert.match(toHtml(table(2, 2)), /<table>/);
});

test("elements are counted, and deep ones refused", () => {
  assert.equal(elementsIn("<p>a<br><em>b</em> 1 < 2</p>"), 3);
  assert.equal(elementsIn("<b>".repeat(101)), Infinity);
  assert.equal(elementsIn("<b></b>".repeat(20_001)), Infinity);
});
