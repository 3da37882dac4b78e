import * as texts from "../../../app/web/static/lib/texts/new-set.js";
import { testSentences } from "../sentences.mjs";

testSentences(texts, {
  tooLarge: ["a.csv", 64 * 2 ** 20], unreadable: ["a.csv"], forget: ["a.csv"], found: [4, "system", "a.csv"], faults: [120, 100],
  leaveOut: [3], at: ["line 3", "key"], rows: [30, 20], create: [24, "candidate"], needsTwo: ["candidate"],
  outputs: [{ systems: 4, prompts: 15, outputs: 59, missing: 1, tags: ["category"] }], promptPlace: [1, 15, "p01"],
});
