// @ts-check
// Texts of a new set.
import { dollars } from "../estimate.js";
import { counted } from "../numbers.js";

export const YOUR_LINES = "your lines";
export const GIVE_NAME = "Give the set a name.";
export const GIVE_QUESTION = "Write the question that judges answer.";
export const GIVE_COUNT = "Write a whole number, 1 or more.";
export const GIVE_K = "Write a whole number, smaller than the number of candidates.";
export const GIVE_PERCENT = "Write a whole number from 1 to 100.";
export const GIVE_SHARE = "Write a whole number from 51 to 99.";
export const GIVE_PRICE = "Write a price in dollars, or leave it empty.";
export const GIVE_TWO = "Choose two different candidates.";
export const CORRECT_LINES = "Correct these lines and choose the file again, or leave them out.";
export const ALWAYS_FIRST = "One system is always shown first, so its lead may be position bias, which is not corrected.";
export const DROP = "Choose a file";
export const DROP_ANOTHER = "Choose another file";
export const NO_OUTPUT = "no output";
export const NO_ROLE = "not used";
export const COPY = "Copy";
export const COPIED = "Copied.";
export const RESUME = "Resume";
/** What a column may be, by its role. */
export const ROLES = /** @satisfies {Record<string, string>} */ ({
  text: "text", key: "key", system: "system", prompt: "prompt", output: "output", systems: "outputs of a system",
  first: "shown first", second: "shown second", winner: "winner", p_first: "chance of first", item: "prompt", judge: "judge",
});
/** What to ask for a role that no column has yet. */
export const QUESTIONS = /** @satisfies {Record<string, string>} */ ({
  system: "Which column is the system?", prompt: "Which is the prompt?", output: "Which is the output?",
  systems: "Which columns are the outputs of systems?", first: "Which column is shown first?",
  second: "Which is shown second?", winner: "Which says who won?",
});
/** What else the service uses a column for. */
export const ALSO_USED = /** @satisfies {Record<string, string>} */ ({
  tags: "tag", prompt_text: "prompt text", weight: "votes",
});
/** What the second choice of the stop says, by the goal. */
export const KNOWN = /** @satisfies {Record<string, string>} */ ({
  ranking: "95% of pairs are expected in the right order.",
  top_k: "The best are known with 95% confidence.",
  against: "You know who is better, with 95% confidence.",
  pair: "You know which one is better, with 95% confidence.",
});
/** What to do with what can be copied, by the judge. */
export const ADVICE = /** @satisfies {Record<string, { title: string, tip: string }>} */ ({
  people: { title: "People", tip: "Send this address. Whoever opens it gives a name and judges pairs." },
  model: { title: "A model", tip: "Run one of these commands. It judges until the set stops." },
  program: { title: "Your program", tip: "Replace my_judge by your function. It returns the probability that the first is better." },
});

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
/** @param {string} file */
export function nameOf(file) {
  const words = file.replace(/(\.[a-z]+)+$/i, "").replaceAll(/[_-]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
/**
 * @param {{ kind: string, candidates: number, items: number, outputs: number, verdicts: number, judges: number }} size
 */
export function found({ kind, candidates, items, outputs, verdicts, judges }) {
  if (kind === "texts") return counted(candidates, "text");
  const [systems, prompts] = [counted(candidates, "system"), counted(items, "prompt")];
  if (kind === "systems") return `${counted(outputs, "output")} of ${systems} on ${prompts}`;
  return `${counted(verdicts, "verdict")} of ${counted(judges, "judge")} on ${systems}${items ? ` and ${prompts}` : ""}`;
}
/**
 * @param {string} kind
 * @param {number} missing outputs
 */
export function recognised(kind, missing) {
  const lacking = missing ? ` ${counted(missing, "output")} missing: pairs without both outputs are not asked.` : "";
  if (kind === "texts") return "Each row is one text. All of them compete.";
  if (kind === "battles") return "Each row is a verdict on two systems. They become the set's first comparisons.";
  return `Systems answer the same prompts, and judges compare two answers to one prompt.${lacking}`;
}
/** @param {string[]} roles */
export const ask = (roles) => roles.map((role) => QUESTIONS[/** @type {keyof typeof QUESTIONS} */ (role)]).join(" ");
/** @param {string} column */
export const roleOf = (column) => `Role of column ${column}`;
/**
 * @param {number} shown
 * @param {number} count
 */
export const rows = (shown, count) => (count > shown ? `The first ${shown} of ${counted(count, "row")}` : "All rows");
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
/** @param {string} kind */
export const needsTwo = (kind) => `A set needs two ${kind === "texts" ? "texts" : "systems"} or more. Add some, and choose the file again.`;
/**
 * @param {number} place
 * @param {number} count
 * @param {string} key
 */
export const promptPlace = (place, count, key) => `Prompt ${place} of ${count}: ${key}`;
/** @param {number} pairs */
export const pairsExist = (pairs) => `After so many comparisons. ${pairs === 1 ? "1 pair exists" : `${counted(pairs, "pair")} exist`}.`;
/**
 * Why a stop other than the usual one is proposed.
 * @param {number | null} share that most sets like this reach; null where they reach none
 */
export const proposed = (share) => (share === null
  ? "A budget is proposed: sets like this may never get even 80% of pairs in the right order."
  : `${Math.round(100 * share)}% is proposed: 9 of 10 simulated sets like this get there. “When 95% sure” may never be met.`);
/** @param {number} comparisons */
export const budget = (comparisons) => `At most ${counted(comparisons, "comparison")}.`;
/**
 * @param {(number | null)[]} bounds in dollars
 * @param {number} price
 */
export function cost([low, high], price) {
  const each = `at ${dollars(price)} each`;
  if (low === null) return "";
  if (high === null) return `${dollars(low)} or more, ${each}.`;
  return dollars(low) === dollars(high) ? `${dollars(low)} ${each}.` : `${dollars(low)} to ${dollars(high)}, ${each}.`;
}
/** @param {number} verdicts */
export const thereAlready = (verdicts) => `Your file brings ${counted(verdicts, "verdict")} already.`;
/**
 * @param {number} done
 * @param {number} count
 */
export const sending = (done, count) => `${done.toLocaleString("en")} of ${counted(count, "verdict")} sent`;
/** @param {string} why */
export const interrupted = (why) => `${why} The set exists, and what was sent is kept. Resume to send the rest.`;
/** @param {string} name */
export const created = (name) => `“${name}” is ready`;
