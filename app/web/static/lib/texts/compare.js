// @ts-check
// Texts of comparing candidates, items, versions and judges, and of the win matrix.
import { chance, counted, decimal, money, percent } from "../numbers.js";

/** @typedef {import("./common.js").Explained} Explained */

// Choosing

/** @type {Record<string, string>} */
export const CHOOSE = { "": "Choose a candidate", items: "Choose a prompt", judges: "Choose a judge" };
export const NOW = "Now";
/** @param {string} value */
export const unknown = (value) => `There is no ${value} here. Choose one from the list.`;

// Candidates

export const FIGURES = /** @satisfies {Record<string, Explained>} */ ({
  win_rate: ["Win rate", "Expected share of verdicts that A wins against B, with its 95% interval."],
  better: ["P(A better)", "Probability that A is better than B, by the set's own ranking."],
  verdicts: ["Verdicts between them", "Comparisons of just these two that count."],
  between: ["Between them", "Comparisons that were added from the earlier version to the later one."],
  moved: ["Moved", "Candidates whose rank is another one now."],
  beyond: ["Beyond interval", "Candidates whose rank is now outside their rank interval of then."],
  same: ["Same winner", "Share of the pairs that both judged on which they name the same winner."],
  kappa: ["Kappa", "Agreement beyond chance: 1 is perfect, and 0 is chance."],
});
/** @param {number} p a share of draws, which are never all there are */
export const surely = (p) => (p === 1 ? ">99%" : p === 0 ? "<1%" : chance(p));
export const KNOWN = "known";
const votes = (/** @type {number} */ count) => Number(count.toFixed(2)).toLocaleString("en");
/** @param {Pick<Contract.PairTally, "wins" | "ties" | "losses">} tally */
export const outcomes = ({ wins, ties, losses }) =>
  `${votes(wins)} won, ${ties ? `${votes(ties)} tied, ` : ""}${votes(losses)} lost`;
export const WHO_SAYS = "Who says so";
/** @param {string} key */
export const sharesOf = (key) => `Mean verdict for ${key}, with 95% intervals. A tie is half a win; a probability counts as it is, so 60% is less than a win.`;
export const SOURCE = "Source";
export const INTERVAL = "Interval";
export const SHARE = "Share";
export const VERDICTS = "Verdicts";
export const RANKING = "Ranking's estimate";
export const ALL_VERDICTS = "All verdicts";
export const BY_JUDGE = "By judge";
/** @param {string} tag */
export const byTag = (tag) => `By ${tag}`;
export const NO_VERDICT = "no verdict";

export const WHAT_DECIDES = "What would decide it";
export const DECIDED = "Decided";
export const TOO_MANY = "This set has too many candidates to forecast that.";
export const SET_GOAL = "Make this the goal";
export const IS_GOAL = "This pair is the set's goal already.";
export const JUDGE_PAIRS = "Judge pairs";
export const COPY = "Copy command";
export const COPY_TIP = "Copies the request that makes this pair the goal, for a terminal.";
export const COPIED = "The command is copied.";
export const CANCEL = "Cancel";
export const UNDO = "Undo";
export const GOAL_TITLE = "Change the goal?";
export const GOAL_SET = "Judges now get the pairs that tell most about these two.";
/**
 * @param {string} first
 * @param {string} second
 */
export const goalMeans = (first, second) =>
  `Judges then get the pairs that tell most about ${first} and ${second}. The set stops once it knows with 95% confidence which is better.`;
/**
 * @param {number} amount
 * @param {[number, number | null] | null} interval
 */
export const cost = (amount, interval) => {
  const between = !interval ? "" : interval[1] === null ? ` (${money(interval[0])} or more)` : ` (${money(interval[0])} to ${money(interval[1])})`;
  return `They cost about ${money(amount)}${between} at the prices of your judges.`;
};

export const HEAD_TO_HEAD = "Head to head";
export const DIFFERENCES = "Word differences";
export const UNLIKE = "These texts share few words, so differences are not marked.";
export const SORT = "Order of the pairs";
export const ORDERS = { surprise: "Most surprising", disagreement: "Most disputed", recent: "Latest" };
export const PREVIOUS = "Previous";
export const NEXT = "Next";
/**
 * @param {number} at
 * @param {number} total
 */
export const place = (at, total) => `${at.toLocaleString("en")} of ${total.toLocaleString("en")}`;
/** @param {string} key */
export const textOf = (key) => `Text of ${key}`;
/**
 * @param {string} key
 * @param {number} p
 */
export const expected = (key, p) => `The ranking expected ${key} with ${chance(p)}.`;
/** @param {number} share */
export const agreement = (share) => `Judges agree on this pair in ${percent(share)}% of cases.`;
export const TIE = "Tie";
/** @param {string} key */
export const sawFirst = (key) => `read ${key} first`;
/** @param {number} bits */
export const bits = (bits) => `surprise ${bits.toFixed(1)} bits`;
export const KINDS = { human: "person", llm: "model" };

// Win matrix

export const WIN_MATRIX = "Win matrix";
export const NO_PAIRS = "There are no pairs yet. Add two or more candidates to the set.";
export const READ_MATRIX = "Each cell is the row's candidate against the column's, in per cent. Open a cell to compare the two.";
export const READ_CANVAS = "Each cell is the row's candidate against the column's. Point at a cell to read it, and open it to compare the two.";
export const CANVAS = "Win matrix: rows against columns, best first. Arrow keys move, Enter opens, plus and minus zoom, 0 shows all.";
export const ROW_AGAINST = "Row against column";
export const CELLS_SHOW = "Cells show";
export const CELLS = /** @satisfies {Record<string, Explained>} */ ({
  "win-rate": ["Win rate", "Expected share of verdicts that the row's candidate wins."],
  observed: ["Observed", "Mean verdict so far on just this pair."],
  expected: ["P(better)", "Probability that the row's candidate is better, by the ranking."],
});
export const ROW_WINS = "row wins";
export const COLUMN_WINS = "column wins";
export const NEVER = "never compared";
export const OPEN = "Compare these two";
export const ZOOM_IN = "Zoom in";
export const ZOOM_OUT = "Zoom out";
export const SHOW_ALL = "Show all";
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
export const observedWins = (key, share) => `${key} won ${percent(share)}% of verdicts`;
/**
 * @param {string} key
 * @param {number} share
 */
export const expectedWins = (key, share) => `${key} is expected to win ${percent(share)}%`;
/**
 * @param {string} key
 * @param {number} probability
 */
export const isBetter = (key, probability) => `${key} is better with probability ${chance(probability)}`;
export const MATRIX_SAYS = { observed: observedWins, "win-rate": expectedWins, expected: isBetter };

// Items

export const CHOOSE_ITEMS = "Choose two prompts above, or tick two rows of ";
export const TO_ITEMS = "Items";
export const BOTH_PROMPTS = "Figures of both prompts";
export const CANDIDATE = "Candidate";
export const WINS = "Wins on each prompt";
export const ABOUT_WINS = "A tie is half a win and half a loss. One prompt has few verdicts, which leaves much to chance.";
export const PROMPTS = "Prompts";
/** @typedef {{ key: string, disagreement: number | null, winners: string[] }} JudgedItem */
/**
 * @param {JudgedItem} a
 * @param {JudgedItem} b
 */
export function disagreeMore(a, b) {
  const unknown = [a, b].filter(({ disagreement }) => disagreement === null);
  if (unknown.length) return `Disagreement is unknown: no pair on ${unknown.map(({ key }) => key).join(" or ")} has two verdicts.`;
  const [less, more] = [a, b].sort((one, other) => Number(one.disagreement) - Number(other.disagreement)), [low, high] = [less, more].map(({ disagreement }) => decimal(Number(disagreement)));
  return low === high ? `Judges disagree on ${a.key} as much as on ${b.key} (${low}).` : `Judges disagree more on ${more.key} (${high}) than on ${less.key} (${low}).`;
}
/**
 * Whether the same candidate wins on both.
 * @param {JudgedItem} a
 * @param {JudgedItem} b
 */
export function winMost(a, b) {
  const without = [a, b].filter(({ winners }) => !winners.length);
  if (without.length) return `There is no verdict on ${without.map(({ key }) => key).join(" or ")} yet.`;
  const [first, second] = [a, b].map(({ winners }) => (winners.length > 2 ? counted(winners.length, "candidate") : winners.join(" and ")));
  const where = String(a.winners) === String(b.winners) ? "both" : `${a.key}, ${second} on ${b.key}`;
  return `${first} ${a.winners.length > 1 ? "lead" : "leads"} on ${where}, by wins minus losses.`;
}

// Versions

export const MOVES = "Moves between the two versions";
export const READ_VERSIONS = "In the plot, blue is the earlier version (A), and orange the later one (B).";
/** @param {number} version */
export const usualVersion = (version) => `Version ${version}`;
export const BEYOND = "beyond its interval";
export const COLUMNS = /** @satisfies {Record<string, Explained>} */ ({
  rank: ["Rank", "Rank in the later version."],
  key: ["Candidate", "Key of the candidate."],
  move: ["Move", "Ranks gained or lost since the earlier version."],
  then: ["Rank then", "Rank in the earlier version, with its rank interval."],
  plot: ["Score", "Score with its interval in the earlier version, and in the later one."],
});
/**
 * @param {string | undefined} then
 * @param {string | undefined} now
 * @param {number} earlier
 * @param {number} later
 */
export const leaders = (then, now, earlier, later) => {
  if (!now) return NO_PAIRS;
  return then === now ? `${now} leads at version ${earlier} and at version ${later}.` : `${now} leads at version ${later}; ${then} led at version ${earlier}.`;
};
/** @param {number} count */
export const ofCandidates = (count) => `of ${counted(count, "candidate")}`;
/** @param {number} move */
export const movedBy = (move) => (move ? `${move > 0 ? "up" : "down"} ${counted(Math.abs(move), "rank")}` : "no move");
/**
 * @param {string} key
 * @param {number} score
 */
export const scoreThen = (key, score) => `${key} then: ${score.toFixed(2)}`;
/**
 * @param {string} key
 * @param {number} score
 */
export const scoreNow = (key, score) => `${key} now: ${score.toFixed(2)}`;

// Judges

export const JUDGES = "Judges";
export const PAIRS = "Pairs";
export const AGREEMENT = "Agreement of each two judges";
export const BESIDE = "The two judges beside each other";
export const FIGURE = "Figure";
export const DISPUTES = "Pairs they dispute";
/**
 * @param {number} count
 * @param {boolean} isDrawn whether their agreement counts only pairs drawn for the overlap
 */
export const disputed = (count, isDrawn) => `They name different winners on ${counted(count, "pair")} of all that both judged${isDrawn ? ", not only of those drawn" : ""}.`;
export const ONE_JUDGE = "Only one judge has judged so far. A second judge on the same pairs shows how far they agree.";
export const CHOOSE_JUDGES = "Open two judges to compare them. Those that agree least come first.";
export const NO_SHARED_PAIRS = "No two judges have judged the same pair yet. Set an overlap to have several judges on each pair.";
/**
 * @param {string} a
 * @param {string} b
 */
export const against = (a, b) => `${a} and ${b}`;
/**
 * @param {string} a
 * @param {string} b
 */
export const noSharedPair = (a, b) => `${a} and ${b} have judged no pair in common.`;
const DRAWN = " drawn at random for several judges";
/**
 * @param {string} a
 * @param {string} b
 * @param {Contract.PairAgreement} shared
 * @param {boolean} isDrawn whether only pairs drawn for the overlap are counted
 */
export const agree = (a, b, { share, pairs }, isDrawn) => (share === null
  ? `${a} and ${b} share ${counted(pairs, "pair")}${isDrawn ? DRAWN : ""}, without a winner on any.`
  : `${a} and ${b} name the same winner on ${percent(share)}% of ${counted(pairs, "pair")}${isDrawn ? DRAWN : ""}.`);
/** @param {[number, number]} interval */
export const between = ([low, high]) => `(${low.toFixed(2)} to ${high.toFixed(2)})`;
export const JUDGE_ROWS = /** @satisfies {Record<string, Explained>} */ ({
  comparisons: ["Verdicts", "Verdicts of this judge that count."],
  bias: ["Position bias", "Preference for the first position in logits, ± two standard deviations."],
  people: ["Agrees with people", "Share of pairs on which this judge and people name the same winner."],
  others: ["Agrees with others", "Share of all common pairs on which this judge and the others name the same winner."],
  discrimination: ["Relative discrimination", "1 follows the candidates as all others predict, and 0 is random judging."],
  deviations: ["Largest deviations", "Candidates that this judge rates most above or below the common score, in logits."],
  cost: ["Cost", "Cost of all its requests, at the price that describes the judge."],
});
