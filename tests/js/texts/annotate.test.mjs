import * as texts from "../../../app/web/static/lib/texts/annotate.js";
import { testSentences } from "../sentences.mjs";

testSentences(texts, {
  refused: ["No such set."], readOn: [3], unsent: [2],
  judged: [3, { budget: { max_comparisons: 40 }, comparisons: 30, stop: null }],
});
