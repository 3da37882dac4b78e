// @ts-check
// All sentences and labels that scripts show, by page. Texts with figures are functions; nothing here is markup.
import { chance, counted, decimal, percent, signed } from "./numbers.js";

export const NONE = "–";

/** @typedef {[name: string, tip: string]} Explained label, and what it means in one sentence */

// Every page of a set

export const LOADING = "Loading…";
export const COMPUTING = "The service is computing this. The page updates by itself.";
export const STILL_COMPUTING = "The service is still computing this. Reload the page in a minute.";
export const NO_ANSWER = "The service does not answer. Check that it is running, then try again.";
/** @param {number} status */
export const unusable = (status) => `The service answered with status ${status}. Try again.`;
/** @param {string} why */
export const broken = (why) => `This page stopped working: ${why}. Reload it to continue.`;

/** @param {{ version: number, newer_version: number | null }} result */
export const newer = ({ version, newer_version: later }) =>
  later === null ? "" : `This is version ${version}. Version ${later} is being computed.`;

// Ranking

/** @type {Record<Contract.InferenceTargetName, string>} */
export const TARGETS = {
  "all-pairs": "these judges' verdicts on all pairs", "new-items": "new prompts like these",
  people: "what people would prefer", latent: "latent scores",
};
export const WIN_RATE = "Win rate";
export const SCORE = "Score";
export const NOW = "now";
export const OTHER_TARGETS = "Rank by another target: ";
export const NOT_SHOWN = "P(best) is not shown until verdicts depend on the candidates.";
export const HEADLINE = /** @satisfies {Record<string, Explained>} */ ({
  concordance: ["Expected concordance", "Share of pairs of candidates that the ranking is expected to have in the right order."],
  pBest: ["P(best)", "Probability that the first candidate of the ranking is the best."],
  rankInterval: ["Rank interval", "Best and worst plausible rank of the first candidate, at 95%."],
  interval: ["95% interval", "Range of the first candidate's score or win rate, at 95%."],
  signal: ["Evidence of signal", "The e-value compares verdicts with random judging plus position bias; 20 is enough to claim a signal."],
});
/** @param {string} baseline */
export const against = (baseline) => `Against ${baseline}`;
/** @param {string} unit */
export const scoreIn = (unit) => `${SCORE}, ${unit}`;
/** @param {string} key */
export const rankingOf = (key) => `Ranking, ${key}`;

/**
 * @param {Contract.Confidence} confidence
 * @param {number} n candidates
 */
export function expectedConcordance({ expected_concordance: concordance, pairs, interval }, n) {
  if (pairs === 1) return `${chance(concordance)} probability that the pair of the goal is in the right order`;
  const which = pairs < n * (n - 1) / 2 ? `the ${counted(pairs, "pair")} of the goal` : "pairs";
  if (concordance === 1) return `All of ${which === "pairs" ? "the pairs" : which} expected in the right order`;
  const [low, high] = interval.map((share) => chance(share).replace("%", ""));
  const range = low === "100" ? "" : ` (${low} to ${high}%)`;
  return `${chance(concordance)} of ${which} expected in the right order${range}`;
}

/** @param {Contract.ConfidenceForecast} later */
export const forecast = ({ expected_concordance: concordance, comparisons }) =>
  `; forecast: ${chance(concordance)} after ${counted(comparisons, "comparison")}`;

/** @param {Contract.Signal} signal */
export function evidenceOfSignal({ claimed, e_value: e }) {
  if (!claimed) return `not yet (e-value ${Math.floor(10 * e) / 10}, below 20)`;
  const value = e >= 1e6 ? "over a million" : Math.floor(e).toLocaleString("en");
  return `verdicts depend on the candidates (e-value ${value})`;
}

/**
 * A key that is a number stands in quotes.
 * @param {string} key
 * @param {string} value
 */
export const ofCandidate = (key, value) => `${/^\d+$/.test(key) ? `"${key}"` : key}: ${value}`;
/** @param {[number, number]} ranks */
export const ranks = ([best, worst]) => (best === worst ? String(best) : `${best} to ${worst}`);
/** @param {[number, number]} interval */
export const rates = ([low, high]) => `(${percent(low)} to ${percent(high)}%)`;

/** @param {Contract.AgreementWithPeople} agreement */
export const agreementWithPeople = ({ share, pairs, interval }) =>
  `Judges and people name the same winner in ${percent(share)}% of ${counted(pairs, "pair")} ${rates(interval)}.`;

/**
 * @param {string} judge
 * @param {number} temperature
 */
export const overconfident = (judge, temperature) =>
  `${judge} is ${temperature > 1 ? "overconfident" : "underconfident"}: a temperature of ${temperature.toFixed(1)} fits the verdicts of people.`;

/**
 * @param {string} difference
 * @param {string} low
 * @param {string} high
 * @param {number | null} rate of wins; null where the difference is itself one of win rates
 */
export const difference = (difference, low, high, rate) =>
  `${difference}${rate === null ? "%" : ""} (${low} to ${high})${rate === null ? "" : `, wins ${percent(rate)}%`}`;

// Win matrix

export const NO_PAIRS = "There are no pairs yet. Add two or more candidates to the set.";
/**
 * @param {string} row
 * @param {string} column
 * @param {string} outcome
 */
export const cell = (row, column, outcome) => `${row} against ${column}: ${outcome}`;
/**
 * @param {string} key
 * @param {number} rank
 */
export const ranked = (key, rank) => `${key} (rank ${rank})`;
export const SAME = "the same candidate";
export const NEVER_COMPARED = "never compared";
/**
 * @param {string} key
 * @param {number} share
 */
export const observedWins = (key, share) => `${key} wins ${percent(share)}% of verdicts`;
/**
 * @param {string} key
 * @param {number} probability
 */
export const isBetter = (key, probability) => `${key} is better with probability ${chance(probability)}`;

// Judges

export const FACTS = /** @satisfies {Record<string, Explained>} */ ({
  verdicts: ["Verdicts", "Number of verdicts by this judge in this set."],
  skill: ["Skill", "Agreement with the judges taken together, not with the truth, so it needs two judges: 1 is full, 0 is random, below 0 is inverted."],
  discrimination: ["Discrimination", "Weight of the score difference in this judge's verdicts: 0 is random, and 1 is that of people, or the prior's mean where nobody human has judged."],
  bias: ["Position bias, logits", "Above 0 the judge favours the text shown first, below 0 the second."],
  spread: ["Judge effects, sd", "Standard deviation of this judge's own preferences around the common scores, in logits."],
  deviations: ["Largest deviations", "Candidates whose score by this judge differs most from the common score, in logits."],
  relative: ["Relative discrimination", "1 agrees with the ranking as expected, 0 is random judging, below 0 is inverted."],
  people: ["Agrees with people", "Share of common pairs with the same winner as people, with its 95% interval."],
  others: ["Agrees with others", "Share of common pairs with the same winner as the other judges."],
  swapped: ["Agrees when swapped", "Share of pairs shown in both orders with the same winner; few pairs say little."],
  failures: ["Failures", "Share of requests without a usable verdict."],
  time: ["Median time", "Median time from asking to verdict."],
  cost: ["Cost", "Cost of all requests, in the currency of the judge's price."],
  influence: ["Influence", "What changes in the ranking when this judge is left out."],
});
export const NOT_DESCRIBED = "kind and model unknown";
export const NEW_FIRST = "another first place";
/** @param {number} ranks */
export const moves = (ranks) => (ranks ? `up to ${counted(ranks, "rank")}` : "none");
/** @param {number} ms */
export const duration = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);
/** @param {Contract.Rightness} agreement */
export const shareOfPairs = ({ share, pairs, interval }) => `${percent(share)}% of ${pairs} ${rates(interval)}`;
/** @param {Contract.Agreement} agreement */
export const shareOf = ({ share, pairs }) => (share === null ? NONE : `${percent(share)}% of ${counted(pairs, "pair")}`);
/** @param {Contract.JudgeBias} bias */
export const plusMinus = ({ delta, sd }) => `${signed(delta)} ± ${decimal(sd)}`;

/** @param {Contract.PairAgreement} pair */
export function pairAgreement({ share, pairs, kappa, kappa_interval: interval }) {
  const range = interval ? ` (${interval.map(decimal).join(" to ")})` : "";
  const beyondChance = kappa === null ? "" : `, kappa ${decimal(kappa)}${range}`;
  return `${share === null ? NONE : `${percent(share)}%`} of ${counted(pairs, "pair")}${beyondChance}`;
}

/** @param {Contract.Alpha | null} alpha */
export function alpha(alpha) {
  if (!alpha) return "No two judges have judged the same pair. Set an overlap to measure their agreement.";
  const [low, high] = alpha.interval.map(decimal);
  const which = alpha.drawn ? "drawn at random for several judges" : "that several judges judged";
  return `Krippendorff's alpha is ${decimal(alpha.value)} (${low} to ${high}) on ${counted(alpha.pairs, "pair")} ${which}. `
    + "1 is full agreement, and 0 is agreement by chance. Kappa, in the table, is the same for two judges.";
}

export const DISPUTES = "Judges name different winners; the probabilities are theirs. The pair judged last comes last.";
export const NO_DISPUTES = "None: no two judges name different winners of the same pair.";
/** @param {string} key */
export const textOf = (key) => `Text of ${key}`;
export const BETTER_BY = "Better, by";
export const TIED_BY = "Tie, by";

// Diagnostics

/** @type {Record<string, string>} */
export const COUNTING = {
  Signal: "Only the first verdict of each judge on a pair counts, in either order; later ones and ties add no evidence.",
};
/** @type {Record<Contract.CheckVerdict, string>} */
export const VERDICTS = { holds: "Holds", doubt: "Doubt", unknown: "Unknown" };
/**
 * @param {number} holding
 * @param {number} doubts
 * @param {number} unknown
 */
export const checks = (holding, doubts, unknown) =>
  `${holding} of ${counted(holding + doubts + unknown, "check")} hold, ${doubts} in doubt, ${unknown} unknown.`;

// Judging pairs

export const LATE = "This pair is no longer reserved for you. Your verdict still counts, and is marked as late.";
export const TOO_LONG = "These texts are too long to compare word by word.";
export const OFFLINE = "Offline: the service does not answer. This page tries again by itself.";
export const NOTHING_TO_UNDO = "There is nothing to undo on this page.";
export const SKIPPED = "The last pair was skipped, and a skipped pair cannot be undone.";
export const UNDO_LATER = "Your last verdict is not sent yet. It will be taken back once it has arrived.";
export const UNDONE = "Your last verdict was taken back. Judge this pair again.";
/** @param {string} message */
export const refused = (message) => `The service rejected this verdict: ${message}`;
/** @param {number} seconds */
export const readOn = (seconds) => `Please read on: you can judge in ${seconds} s.`;
/** @param {number} count */
export const unsent = (count) => `Offline: ${counted(count, "verdict")} not sent yet. This page sends them by itself.`;

/**
 * @param {number} count of this judge, in this session
 * @param {Contract.SetOut} set
 */
export function judged(count, { budget, comparisons, stop }) {
  const left = budget?.max_comparisons ? Math.max(0, budget.max_comparisons - comparisons) : null;
  const end = left === null ? (stop ? "with a stop rule" : "no limit") : `${left} left in the budget`;
  return `Your verdicts in this session: ${count}. Comparisons in the set: ${comparisons}, ${end}.`;
}

// A new set

export const CHOOSE = "choose a column";
export const NUMBERED = "none: number the rows";
export const KEYS_ONLY = "none: keys only";
export const YOUR_LINES = "your lines";
export const GIVE_NAME = "Give the set a name.";
export const GIVE_QUESTION = "Write the question that judges answer.";
export const GIVE_COUNT = "Write a whole number, 1 or more.";
export const GIVE_PERCENT = "Write a whole number from 1 to 100.";
export const NOTHING_CREATED = "Nothing is created until you press this button.";
export const CORRECT_LINES = "Correct the lines above and check again, or leave them out.";
export const NO_OUTPUT = "no output";
/**
 * @param {string} name
 * @param {number} most bytes
 */
export const tooLarge = (name, most) =>
  `${name} is too large: this service accepts up to ${(most / 2 ** 20).toFixed(0)} MiB. Split the file, or raise NEXTPAIR_MAX_BODY_BYTES.`;
/** @param {string} name */
export const unreadable = (name) => `${name} cannot be read. Choose a file on this device.`;
/** @param {string} name */
export const forget = (name) => `Remove ${name}`;
/**
 * @param {number} count
 * @param {string} noun
 * @param {string} source
 */
export const found = (count, noun, source) => `${counted(count, noun)} in ${source}`;
/**
 * @param {number} count
 * @param {number} listed
 */
export const faults = (count, listed) =>
  `${counted(count, "line")} cannot be used${count > listed ? `; the first ${listed} are listed` : ""}.`;
/** @param {number} count */
export const leaveOut = (count) => `Create the set without ${count === 1 ? "this line" : `these ${counted(count, "line")}`}`;
/**
 * @param {string} place
 * @param {string | null} column
 */
export const at = (place, column) => (column === null ? place : `${place}, column ${column}`);
/**
 * @param {number} count
 * @param {number} most
 */
export const rows = (count, most) => (count > most ? `The first ${most} of ${count}` : "All candidates");
/**
 * @param {number} count
 * @param {string} noun
 */
export const create = (count, noun) => `Create set with ${counted(count, noun)}`;
/** @param {string} noun */
export const needsTwo = (noun) => `A set needs two ${noun}s or more. Add some, then check again.`;
/**
 * @param {{ systems: number, prompts: number, outputs: number, missing: number, tags: string[] }} counts
 */
export function outputs({ systems, prompts, outputs, missing, tags }) {
  const counts = [counted(systems, "system"), counted(prompts, "prompt"), counted(outputs, "output")].join(", ");
  const lacking = missing ? ` ${counted(missing, "output")} missing: pairs without both outputs are not asked.` : "";
  return `${counts}.${lacking}${tags.length ? ` Tags of prompts: ${tags.join(", ")}.` : ""}`;
}
/**
 * @param {number} place
 * @param {number} count
 * @param {string} key
 */
export const promptPlace = (place, count, key) => `Prompt ${place} of ${count}: ${key}`;
