import * as texts from "../../../app/web/static/lib/texts/judges.js";
import { testSentences, testFigures } from "../sentences.mjs";

testSentences(texts, {
  moves: [2], duration: [1500], shareOfPairs: [{ share: 0.8, pairs: 40, interval: [0.7, 0.9] }], shareOf: [{ share: 0.5, pairs: 2 }],
  plusMinus: [{ delta: 0.1, sd: 0.2 }], pairAgreement: [{ share: 0.8, pairs: 9, kappa: 0.4, kappa_interval: [0.1, 0.7] }],
  alpha: [{ drawn: true, interval: [0.9, 0.97], value: 0.93, pairs: 12 }], textOf: ["oak"],
});
testFigures(Object.values(texts.FACTS));
