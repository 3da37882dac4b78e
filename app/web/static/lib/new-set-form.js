// @ts-check
// The form of a new set: what was chosen, what is wrong with it, and the set that it makes.
import { find, findAll } from "./dom.js";
import { aims } from "./estimate.js";
import * as texts from "./texts/new-set.js";

/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Field */

const form = find("#new-set", HTMLFormElement);

/** The controls that have a name. */
export const fields = () => /** @type {Field[]} */ ([...form.elements]).filter((each) => each.name);

/** @param {string} name */
const value = (name) => /** @type {Field | RadioNodeList} */ (form.elements.namedItem(name)).value.trim();

/** @param {string} name */
const number = (name) => (value(name) === "" ? NaN : Number(value(name)));

/** @param {string} name */
const isValid = (name) => find(`#${name}`, HTMLInputElement).checkValidity() && value(name) !== "";

/** What was chosen of goal, stop and judges. */
export function planOf() {
  const judges = /** @type {import("./judge-advice.js").Judge[]} */ (
    findAll("[name='judge']", HTMLInputElement).filter((box) => box.checked).map((box) => box.value));
  const isByPeople = judges.length === 1 && judges[0] === "people";
  return {
    goal: value("goal"), topK: number("top_k"), stop: value("stop"), share: number("concordance"),
    budget: number("max_comparisons"), judges, isByPeople,
    price: isByPeople ? NaN : number("price"),
  };
}

/**
 * The candidates that a goal may name; what was chosen stays where it can.
 * @param {string[]} keys
 */
export function offerCandidates(keys) {
  for (const [n, name] of ["against", "first", "second"].entries()) {
    const select = find(`#${name}`, HTMLSelectElement);
    const before = select.value;
    select.replaceChildren(...keys.map((key) => new Option(key, key)));
    if (keys.includes(before)) select.value = before;
    else select.selectedIndex = n === 2 ? Math.min(1, keys.length - 1) : 0;
  }
}

/**
 * Corrects no position bias where verdicts cannot show any, as one system is always first.
 * @param {Contract.TableRead} read
 */
export function suggestPositionBias({ comparisons }) {
  const isAlwaysFirst = comparisons.length > 0 && new Set(comparisons.map(({ first }) => first)).size === 1;
  find("#position_bias", HTMLSelectElement).value = isAlwaysFirst ? "none" : "auto";
  if (isAlwaysFirst) find("#recognised").textContent += ` ${texts.ALWAYS_FIRST}`;
}

/**
 * Says what being 95% sure is, by the goal.
 * @param {string} goal
 */
export function showKnown(goal) {
  find("#stop-known-hint").textContent = texts.KNOWN[/** @type {keyof typeof texts.KNOWN} */ (goal)];
}

/**
 * The fields that are wrong, and why.
 * @param {number} candidates
 * @returns {[string, string][]}
 */
export function wrongFields(candidates) {
  const { goal, topK, stop } = planOf();
  /** @type {[string, boolean, string][]} */
  const rules = [
    ["name", value("name") !== "", texts.GIVE_NAME],
    ["question", value("question") !== "", texts.GIVE_QUESTION],
    ["top_k", goal !== "top_k" || (isValid("top_k") && topK < candidates), texts.GIVE_K],
    ["second", goal !== "pair" || value("first") !== value("second"), texts.GIVE_TWO],
    ["concordance", stop !== "share" || isValid("concordance"), texts.GIVE_SHARE],
    ["max_comparisons", stop !== "budget" || isValid("max_comparisons"), texts.GIVE_COUNT],
    ["share", find("#share", HTMLInputElement).checkValidity(), texts.GIVE_PERCENT],
    ["price", find("#price", HTMLInputElement).checkValidity(), texts.GIVE_PRICE],
  ];
  return rules.filter(([, isRight]) => !isRight).map(([name, , message]) => [name, message]);
}

/**
 * The set, as POST /v1/sets takes it.
 * @param {Contract.TableRead} read
 */
export function newSet({ candidates, items }) {
  const filled = (/** @type {string} */ name) => value(name) || undefined;
  const percent = filled("share");
  return {
    name: filled("name"), question: filled("question"), context: filled("context"), attribute: filled("attribute"),
    project: filled("project"), candidates, items,
    selection: { criterion: value("criterion") }, order: value("order"), position_bias: value("position_bias"),
    inference_target: value("inference_target"), overlap: percent && { share: Number(percent) / 100 },
    ...aims(planOf(), value("against"), [value("first"), value("second")]),
  };
}
