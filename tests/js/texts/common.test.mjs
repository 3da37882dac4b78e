import * as texts from "../../../app/web/static/lib/texts/common.js";
import { testSentences } from "../sentences.mjs";

testSentences(texts, {
  choose: ["oak"], chooseAnother: ["oak"], compareTwo: ["oak", "elm"],
  unusable: [502], broken: ["x is undefined"], closed: ["The set is paused. Resume it in Settings."], newer: [{ version: 1, newer_version: 2 }], ranks: [[1, 3]], rates: [[0.9, 0.97]],
});
