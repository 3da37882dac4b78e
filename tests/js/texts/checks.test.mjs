import * as texts from "../../../app/web/static/lib/texts/checks.js";
import { testSentences } from "../sentences.mjs";

testSentences(texts, { checks: [10, 2, 1], badge: [10, 2, 1], now: ["95%"] });
