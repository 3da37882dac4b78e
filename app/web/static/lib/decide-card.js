// @ts-check
// What would decide between A and B, what that costs, and the goal that asks for it.
import { element, find, icon } from "./dom.js";
import { address, setId, showProblem } from "./set-page.js";
import { patch } from "./service.js";
import * as words from "./texts/compare.js";
import { toast } from "./toast.js";

const STOP = { goal: 0.95 };

/**
 * @param {Contract.HeadToHead} pair
 * @param {DOMStringMap} ofSet its goal and its stop, as JSON
 */
export function decideCard(pair, ofSet) {
  const { first, second, to_decide: left } = pair;
  const card = element("section", { className: "card decide" }, element("h2", {}, words.WHAT_DECIDES));
  if (!left) {
    card.append(element("p", {}, words.TOO_MANY));
    return card;
  }
  const goal = JSON.parse(ofSet.goal ?? "{}"), isGoal = goal.pair?.includes(first) && goal.pair?.includes(second);
  card.append(
    ...(left.converged ? [element("p", {}, element("span", { className: "badge good" }, icon("check"), words.DECIDED))] : []),
    element("p", { dir: "auto" }, left.sentence),
    ...(left.cost ? [element("p", {}, words.cost(left.cost, left.cost_interval))] : []));
  if (left.converged) return card;
  const set = element("button", { type: "button", className: "main" }, words.SET_GOAL);
  const copy = element("button", { type: "button", "data-tip": words.COPY_TIP }, words.COPY);
  const redraw = () => find(".decide").replaceWith(decideCard(pair, ofSet));
  set.addEventListener("click", () => confirmGoal(pair, ofSet, set, redraw));
  copy.addEventListener("click", () => copyText(command(first, second)));
  card.append(
    ...(isGoal ? [element("p", { className: "faint" }, words.IS_GOAL)] : []),
    element("div", { className: "row" }, isGoal
      ? element("a", { className: "button", href: `/sets/${setId}/annotate` }, words.JUDGE_PAIRS) : set, copy));
  return card;
}

/**
 * @param {Contract.HeadToHead} pair
 * @param {DOMStringMap} ofSet
 * @param {HTMLElement} opener
 * @param {() => void} redraw shows the goal that the set has now
 */
function confirmGoal({ first, second }, ofSet, opener, redraw) {
  const yes = element("button", { type: "button", className: "main" }, words.SET_GOAL);
  const no = element("button", { type: "button" }, words.CANCEL);
  const dialog = element("dialog", { "aria-labelledby": "goal-title" },
    element("h2", { id: "goal-title" }, words.GOAL_TITLE),
    element("p", { dir: "auto" }, words.goalMeans(first, second)),
    element("div", { className: "row" }, yes, no));
  dialog.addEventListener("close", () => {
    dialog.remove();
    opener.focus();
  });
  no.addEventListener("click", () => dialog.close());
  yes.addEventListener("click", async () => {
    dialog.close();
    const before = { goal: JSON.parse(ofSet.goal ?? "{}"), stop: JSON.parse(ofSet.stop ?? "null") };
    if (!await change({ goal: { pair: [first, second] }, stop: STOP }, ofSet)) return;
    redraw();
    toast(words.GOAL_SET, { action: [words.UNDO, () => change(before, ofSet).then(redraw)] });
  });
  document.body.append(dialog);
  dialog.showModal();
}

/**
 * Whether the set has these now.
 * @param {{ goal: object, stop: object | null }} fields
 * @param {DOMStringMap} ofSet
 */
async function change(fields, ofSet) {
  try {
    /** @type {Contract.SetOut} */
    const now = await patch(address(""), fields);
    ofSet.goal = JSON.stringify(now.goal);
    ofSet.stop = JSON.stringify(now.stop);
    return true;
  } catch (error) {
    showProblem(error);
    return false;
  }
}

/** @param {string} text */
async function copyText(text) {
  await navigator.clipboard.writeText(text).then(() => toast(words.COPIED), () => toast(text));
}

/**
 * @param {string} first
 * @param {string} second
 */
function command(first, second) {
  const body = JSON.stringify({ goal: { pair: [first, second] }, stop: STOP }).replaceAll("'", "\\u0027");
  return `curl -X PATCH ${location.origin}${address("")} -H 'Content-Type: application/json' -d '${body}'`;
}
