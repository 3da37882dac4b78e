import * as texts from "../../../app/web/static/lib/texts/void-verdict.js";
import { testSentences } from "../sentences.mjs";

testSentences(texts, { title: [12], voided: [12], restored: [12] });
