import * as texts from "../../../app/web/static/lib/texts/annotate.js";
import { testSentences } from "../sentences.mjs";

testSentences(texts, { refused: ["No such set."], readOn: [3], unsent: [2], keyTaken: ["s", "Skip"], progress: [3, 12, 40] });
