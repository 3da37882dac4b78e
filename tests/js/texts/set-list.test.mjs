import * as texts from "../../../app/web/static/lib/texts/set-list.js";
import { testSentences } from "../sentences.mjs";

testSentences(texts, { progressOf: ["38 of 240"], andMore: [3] });
