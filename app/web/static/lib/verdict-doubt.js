// @ts-check
// What surprises a ranking in some verdicts: one of them, one judge, or all of them together.

const GUESS = 1; // bits
const SURPRISING = 1.5; // bits of one verdict
const MOST = 0.5; // of the surprise above a guess, by one verdict
const MOST_OF_JUDGE = 0.67; // by one judge
const AGREED = 0.8, SPLIT = 0.6; // of pairs of verdicts

/**
 * @typedef {"unknown" | "fits" | "split" | "alone" | "verdict" | "judge" | "unusual" | "item"} DoubtKind
 * @typedef {{ kind: DoubtKind, seq: number, judge: string, share: number, verdicts: number }} Doubt `share` of all
 * surprise is of that verdict or judge; `verdicts` are those that surprise.
 */

/**
 * @param {Pick<Contract.JudgedPair, "verdicts" | "agreement">[]} pairs
 * @returns {Doubt}
 */
export function doubtOf(pairs) {
  const verdicts = pairs.flatMap(({ verdicts }) => verdicts);
  const nothing = { seq: 0, judge: "", share: 0, verdicts: 0 };
  if (!verdicts.length || verdicts.some(({ surprise }) => surprise === null)) return { kind: "unknown", ...nothing };
  const surprising = verdicts.filter(({ surprise }) => Number(surprise) >= SURPRISING);
  if (!surprising.length) return { kind: agreementOf(pairs) < SPLIT ? "split" : "fits", ...nothing };
  const all = { seq: 0, judge: "", share: 1, verdicts: surprising.length };
  if (verdicts.length === 1) return { ...all, kind: "alone", judge: verdicts[0].judge };
  const beyond = verdicts.map(({ surprise, weight }) => weight * Math.max(Number(surprise) - GUESS, 0));
  const total = beyond.reduce((sum, each) => sum + each, 0);
  const whole = verdicts.reduce((sum, { surprise, weight }) => sum + weight * Number(surprise), 0);
  /** @param {(verdict: Contract.JudgedPair["verdicts"][number]) => boolean} isTheirs */
  const shareOf = (isTheirs) => verdicts.filter(isTheirs).reduce((sum, { surprise, weight }) => sum + weight * Number(surprise), 0) / whole;
  const top = beyond.indexOf(Math.max(...beyond));
  if (beyond[top] > MOST * total) return { ...all, kind: "verdict", seq: verdicts[top].seq, judge: verdicts[top].judge, share: shareOf(({ seq }) => seq === verdicts[top].seq) };
  /** @type {Map<string, number>} */
  const byJudge = new Map();
  verdicts.forEach(({ judge }, place) => byJudge.set(judge, (byJudge.get(judge) ?? 0) + beyond[place]));
  const [judge, most] = [...byJudge].reduce((a, b) => (b[1] > a[1] ? b : a));
  if (byJudge.size > 1 && most > MOST_OF_JUDGE * total) return { ...all, kind: "judge", judge, share: shareOf((verdict) => verdict.judge === judge) };
  const agreed = pairs.filter((pair) => pair.agreement !== null && pair.verdicts.some(({ surprise }) => Number(surprise) >= SURPRISING));
  const isAgreed = agreed.length > 0 && agreed.every(({ agreement }) => Number(agreement) >= AGREED);
  return { ...all, kind: isAgreed ? "unusual" : "item" };
}

/**
 * Share of pairs of verdicts that name the same winner; 1 where there are none.
 * @param {Pick<Contract.JudgedPair, "verdicts" | "agreement">[]} pairs
 */
function agreementOf(pairs) {
  let agreeing = 0, all = 0;
  for (const { agreement, verdicts: { length } } of pairs) {
    if (agreement === null) continue;
    agreeing += agreement * length * (length - 1);
    all += length * (length - 1);
  }
  return all ? agreeing / all : 1;
}

/**
 * How often each candidate won in these pairs, half for a tie, and in how many verdicts; by key.
 * @param {Pick<Contract.JudgedPair, "first" | "second" | "verdicts">[]} pairs
 */
export function winsByKey(pairs) {
  /** @type {Map<string, { text: string | null, wins: number, verdicts: number }>} */
  const byKey = new Map();
  for (const { first, second, verdicts } of pairs) {
    for (const [{ key, text }, winner] of /** @type {const} */ ([[first, "first"], [second, "second"]])) {
      const known = byKey.get(key) ?? { text, wins: 0, verdicts: 0 };
      const won = verdicts.reduce((sum, verdict) => sum + (verdict.winner === winner ? 1 : verdict.winner === "tie" || verdict.winner === "both_bad" ? 0.5 : 0), 0);
      byKey.set(key, { text, wins: known.wins + won, verdicts: known.verdicts + verdicts.length });
    }
  }
  return byKey;
}
