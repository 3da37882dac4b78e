import * as texts from "../../../app/web/static/lib/texts/project.js";
import { testSentences } from "../sentences.mjs";

const place = { win_rate: 0.62, win_rate_interval: [0.55, 0.68], rank_interval: [1, 2], rank: 1 };

testSentences(texts, {
  criterionTip: [{ name: "Tone", attribute: "clarity", comparisons: 90 }], weightOf: ["Clarity"], logits: [-0.4], elo: [70], points: [0.2], placed: [place],
  overall: [{ win_rate: 0.62, interval: [0.55, 0.68] }], differs: ["oak", "+0.42", ["+0.10", "+0.74"]], scored: ["+0.42", ["+0.10", "+0.74"]],
});
