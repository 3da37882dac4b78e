import * as texts from "../../../app/web/static/lib/texts/compare.js";
import { testSentences } from "../sentences.mjs";

testSentences(texts, { cell: ["oak", "elm", "even"], ranked: ["oak", 1], observedWins: ["oak", 0.7], isBetter: ["oak", 0.7] });
