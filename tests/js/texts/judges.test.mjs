import * as texts from "../../../app/web/static/lib/texts/judges.js";
import { testFigures, testSentences } from "../sentences.mjs";

const pair = { judges: ["ann", "bea"], share: 0.8, pairs: 9, kappa: 0.4, kappa_interval: [0.1, 0.7] };

testSentences(texts, {
  moves: [2], duration: [1500], perHour: [42], shareOfPairs: [{ share: 0.8, pairs: 40, interval: [0.7, 0.9] }],
  see: ["ann"],
  spoken: ["ann", "80% of 40 pairs (70 to 90%)"], pairAgreement: [pair], twoJudges: [pair],
  alpha: [{ drawn: true, interval: [0.9, 0.97], value: 0.93, pairs: 12 }], textOf: ["oak"],
});
const headings = [...Object.values(texts.COLUMNS), ...Object.values(texts.STATUSES)].map(({ label, tip }) => [label, tip]);
testFigures([...headings, ...Object.values(texts.MORE_FACTS), ...Object.values(texts.TOTALS)]);
