// Marked differences: no character is lost, no shared word is marked, and no more is marked than has to be.
import assert from "node:assert/strict";
import { test } from "node:test";

import { diff, likeness } from "../../app/web/static/lib/diff.js";

const text = (pieces) => pieces.map(([piece]) => piece).join("");
const marked = (pieces) => pieces.filter(([, differs]) => differs).map(([piece]) => piece);
const shared = (pieces) => text(pieces.filter(([, differs]) => !differs));

test("words that differ are marked, and neighbours are one piece", () => {
  const [first, second] = diff("The sky is blue today.", "The sky was very blue today.");
  assert.deepEqual(first, [["The sky ", false], ["is", true], [" blue today.", false]]);
  assert.deepEqual(marked(second), ["was very"]);
});

test("equal texts are one piece without a mark", () => {
  assert.deepEqual(diff("Air scatters.", "Air scatters."), [[["Air scatters.", false]], [["Air scatters.", false]]]);
});

test("texts that share nothing are marked whole", () => {
  assert.deepEqual(diff("ash", "birch"), [[["ash", true]], [["birch", true]]]);
});

test("an empty text has no pieces", () => {
  assert.deepEqual(diff("", ""), [[], []]);
  assert.deepEqual(diff("", "ash"), [[], [["ash", true]]]);
});

test("a word that is there twice is shared once with a text that has it once", () => {
  const [first, second] = diff("ha ha", "ha");
  assert.deepEqual([text(first), shared(first), marked(second)], ["ha ha", "ha", []]);
});

test("case, accents, other scripts and symbols of several code units are told apart as words", () => {
  assert.deepEqual(marked(diff("Café", "café")[0]), ["Café"]);
  assert.deepEqual(marked(diff("مرحبا بالعالم", "مرحبا بكم")[1]), ["بكم"]);
  assert.deepEqual(marked(diff("a 👩‍🚀 b", "a 👩‍🔬 b")[0]), ["👩‍🚀"]);
});

test("only what differs counts for the length that can be compared", () => {
  const words = (letter, count) => Array.from({ length: count }, (_, n) => `${letter}${n}`).join(" ");
  assert.equal(diff(words("a", 4000), words("b", 4000)), null);
  const [first] = diff(`${words("a", 9000)} ash ${words("c", 9000)}`, `${words("a", 9000)} elm ${words("c", 9000)}`);
  assert.deepEqual(marked(first), ["ash"]);
});

test("as much is shared as the definition of the longest common subsequence allows", () => {
  const random = generator(7);
  const below = (limit) => Math.floor(random() * limit);
  const lines = () => Array.from({ length: below(9) }, () => "xyz"[below(3)]).join("\n");
  for (let round = 0; round < 300; round += 1) {
    const [a, b] = [lines(), lines()]; // each letter and each end of line is a word
    const [first, second] = diff(a, b);
    assert.deepEqual([text(first), text(second)], [a, b]);
    assert.equal(shared(first), shared(second));
    assert.equal(shared(first).length, longest(a, b));
    for (const pieces of [first, second]) assert.ok(alternates(pieces.map(([, differs]) => differs)));
  }
});

test("likeness is the share of the letters that both texts have in common", () => {
  const of = (first, second) => likeness(diff(first, second));
  assert.equal(of("ash  elm", "ash\nelm"), 1);
  assert.equal(of("ash elm", "ash oak"), 0.5);
  assert.equal(of("ash", "birch"), 0);
  assert.equal(of("", ""), 1);
  assert.equal(of("ash elm yew", "ash"), 6 / 12);
});

const alternates = (values) => values.every((value, n) => n === 0 || value !== values[n - 1]);

function longest(a, b) {
  const lengths = [...Array(a.length + 1)].map(() => Array(b.length + 1).fill(0));
  for (let i = 1; i <= a.length; i += 1) {
    for (let j = 1; j <= b.length; j += 1) {
      const extended = lengths[i - 1][j - 1] + Number(a[i - 1] === b[j - 1]);
      lengths[i][j] = Math.max(lengths[i - 1][j], lengths[i][j - 1], extended);
    }
  }
  return lengths[a.length][b.length];
}

// Numbers from 0 to 1, the same ones for a seed (Park and Miller's).
function generator(seed) {
  let state = seed;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}
