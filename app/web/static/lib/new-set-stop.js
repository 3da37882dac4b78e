// @ts-check
// The stop and the budget that are proposed until a person chooses others: a stop that most sets like this one reach.
import { find } from "./dom.js";
import { budgetOf, estimateQuery, pairsIn } from "./estimate.js";
import { get } from "./service.js";
import * as texts from "./texts/new-set.js";

const budgetField = find("#max_comparisons", HTMLInputElement);
const shareField = find("#concordance", HTMLInputElement);
const why = find("#stop-why");
let isChosen = false; // a person chose when to stop
let isTyped = false; // a person wrote the budget
let asked = ""; // the query that the proposal answers

/**
 * A budget of no more than what is there to compare.
 * @param {Contract.TableRead} read
 */
export function proposeBudget(read) {
  if (!isTyped) budgetField.value = String(budgetOf(read));
  find("#stop-budget-hint").textContent = texts.pairsExist(pairsIn(read));
}

/**
 * Chooses 95% where most sets like this one reach that, else the highest share that they reach, else a budget.
 * @param {{ candidates: number, items: number }} size
 * @param {import("./estimate.js").Plan} plan
 */
export async function proposeStop(size, plan) {
  const query = isChosen ? "" : estimateQuery(size, { ...plan, stop: "known" })?.toString() ?? "";
  if (!query || query === asked) return;
  asked = query;
  /** @type {Contract.Estimate | null} */
  const estimate = await get(`/v1/estimate?${query}`).catch(() => null);
  if (!estimate || isChosen || query !== asked) return;
  const { high, reachable_concordance: share } = estimate;
  const isUsual = high !== null || (share === null && !size.items); // one pair of texts opens again and again
  find(`#stop-${isUsual ? "known" : share !== null ? "share" : "budget"}`, HTMLInputElement).checked = true;
  if (share !== null) shareField.value = String(Math.round(100 * share));
  why.textContent = isUsual ? "" : texts.proposed(share);
}

/** @param {Event} event */
function noteChoice({ target }) {
  isTyped ||= target === budgetField;
  isChosen = true;
  why.textContent = "";
}

find("#stop").addEventListener("input", noteChoice);
