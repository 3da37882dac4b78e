import * as texts from "../../../app/web/static/lib/texts/rich-text.js";
import { testSentences } from "../sentences.mjs";

testSentences(texts);
