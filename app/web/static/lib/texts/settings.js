// @ts-check
// Texts of the settings of a set: each of them as a sentence, and its form.
import { counted, percent } from "../numbers.js";

export const EDIT = "Edit";
export const SAVE = "Save";
export const CANCEL = "Cancel";
export const SAVING = "Saving…";
export const SAVED = "Saved";
export const PAUSE = "Pause";
export const RESUME = "Resume";
export const FIXED = "It cannot change once the set is made.";

/** @type {Record<string, import("./common.js").Explained>} */
export const LABELS = {
  status: ["Status", "Whether judges get pairs now."],
  name: ["Name", "Name of the set, on its pages and in lists."],
  project: ["Project", "Sets of a project stand side by side, and share what they learn about judges."],
  question: ["Question", "The question that judges answer."],
  goal: ["Goal", "What pairs are chosen for."],
  stop: ["Stop rule", "When judges get no more pairs, because enough is known."],
  budget: ["Budget", "The number of comparisons after which judges get no more pairs."],
  overlap: ["Overlap", "A random share of the pairs goes to several judges, to measure their agreement."],
  target: ["Ranking about", "The question that ranks and intervals answer."],
  model: ["Comparison model", "How a score difference relates to a verdict."],
};
export const JUDGE_COLUMNS = /** @satisfies {Record<string, import("./common.js").Explained>} */ ({
  judge: ["Judge", "Name of a person, a model or a program."],
  model: ["Model", "The model behind the judge."],
  price: ["Price per 1,000", "Dollars for 1,000 comparisons, failed requests included."],
  temperature: ["Temperature", "Above 1 the judge's probabilities are read as less sure, below 1 as surer."],
});
/** @param {number} dollars */
export const price = (dollars) => `$${dollars.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 4 })}`;
/** @type {Record<string, string>} */
export const KINDS = { "": "not described", human: "person", llm: "model" };

/** @param {Pick<Contract.SetOut, "status">} set */
export const status = ({ status: now }) => (now === "paused" ? "Paused: judges get no pairs." : "Judges get pairs.");
/** @param {Pick<Contract.SetOut, "project">} set */
export const project = ({ project: name }) => name ?? "No project.";
/** @param {Pick<Contract.SetOut, "expert" | "prior">} set */
export const model = ({ expert, prior }) => `${expert}, with the prior ${prior}. ${FIXED}`;

/** @param {Pick<Contract.SetOut, "goal">} set */
export function goal({ goal: { top_k: best, against, pair } }) {
  if (pair) return `Find which is better: ${pair[0]} or ${pair[1]}.`;
  if (against) return `Find the candidates that are better than ${against}.`;
  if (best) return best === 1 ? "Find the best candidate." : `Find the best ${best} candidates.`;
  return "Find the order of all candidates.";
}

/** @param {number} share */
const confidence = (share) => `${Number((100 * share).toPrecision(4))}%`;

/** @param {Pick<Contract.SetOut, "stop">} set */
export function stop({ stop: rule }) {
  if (!rule) return "No stop rule: judges get pairs until the budget is used up, or no pair is left.";
  const sure = confidence(1 - rule.error_level), { goal: level, concordance, top_k: best, rank_width: width, entropy_change: nats } = rule;
  const parts = [
    level ? `the goal is known with ${confidence(level)} confidence` : "",
    concordance ? `${confidence(concordance)} of pairs are expected in the right order` : "",
    best ? `the best ${best === 1 ? "candidate is" : `${best} candidates are`} known with ${sure} confidence` : "",
    width === null ? "" : `every rank interval is at most ${width} wide, with ${sure} confidence`,
    nats ? `no comparison would lower the entropy by more than ${nats} nats` : "",
  ].filter(Boolean);
  return `Stop when ${parts.join(". Or when ")}.`;
}

/** @param {Pick<Contract.SetOut, "budget">} set */
export const budget = ({ budget: limit }) =>
  (limit?.max_comparisons ? `At most ${counted(limit.max_comparisons, "comparison")}.` : "No limit.");

/** @param {Pick<Contract.SetOut, "overlap">} set */
export const overlap = ({ overlap: shared }) =>
  (shared ? `${percent(shared.share)}% of the pairs go to ${shared.judges} judges.` : "Each pair goes to one judge.");

/** @type {Record<Contract.InferenceTargetName | "auto", string>} */
export const TARGETS = {
  auto: "Chosen from what was judged, and by whom.",
  "all-pairs": "What these judges would say of all pairs.",
  "new-items": "The order on other prompts like these.",
  people: "What people would say.",
  latent: "Latent scores behind noisy verdicts.",
};
/** @param {Pick<Contract.SetOut, "inference_target">} set */
export const target = ({ inference_target: name }) => TARGETS[name];

/** What the goal may be. */
export const GOALS = {
  order: "The order of all candidates", top_k: "The best", against: "Those better than", pair: "Which is better of",
};
export const STOPS = {
  goal: ["The goal is known with", "% confidence"],
  concordance: ["Pairs expected in the right order:", "%"],
  top_k: ["The top", "candidates are known"],
  rank_width: ["Every rank interval is at most", "ranks wide"],
  entropy_change: ["A comparison lowers the entropy by at most", "nats"],
  error_level: ["Allowed error of the two rules about ranks:", "%"],
};
/** @param {string} detail what the service says of a field */
export const fault = (detail) => `${detail[0].toUpperCase()}${detail.slice(1).replace(/\.$/, "")}.`;
export const NEEDS_GOAL = "First choose a goal other than the order of all.";
export const NO_RULE = "Judges stop as soon as one of these holds. Choose none to go on to the budget.";
export const OTHER = "or";
export const BUDGET_HINT = "Leave it empty for no limit.";
export const PROJECT_HINT = "Leave it empty for no project.";
export const OVERLAP_SHARE = "Share of pairs, %";
export const OVERLAP_JUDGES = "Judges for each";
export const OVERLAP_HINT = "A share of 0 turns the overlap off.";
export const NO_JUDGES = "No judge yet. Connect one below.";
export const KIND = "Kind";
export const CONFIGURATION = "Configuration";
export const CONFIGURATION_HINT = "Temperature, template. Where it or the model changes, what was measured is forgotten.";
export const REPEATS = "Answers the same again";
export const REPEATS_HINT = "Measured: it is asked a few questions again where that decides a stop.";
export const REPEATING = { "": "measured", true: "always", false: "no, each answer is a new draw" };
export const TEMPERATURE_HINT = "1 leaves the probabilities as they were sent.";
/** @param {string} judge */
export const editJudge = (judge) => `Edit ${judge}`;
