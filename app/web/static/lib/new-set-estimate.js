// @ts-check
// How many comparisons the set will take, and what they cost, whenever something that matters has changed.
import { find } from "./dom.js";
import { costs, estimateQuery } from "./estimate.js";
import { get } from "./service.js";
import * as texts from "./texts/new-set.js";

const PAUSE_MS = 200; // without a change, before the service is asked
let timer = 0;
let asked = ""; // the query that the estimate answers
/** @type {Contract.Estimate | null} */
let estimate = null;

/**
 * @param {{ candidates: number, items: number, verdicts: number }} size
 * @param {import("./estimate.js").Plan & { price: number }} plan
 */
export function showEstimate(size, plan) {
  const query = estimateQuery(size, plan)?.toString() ?? "";
  clearTimeout(timer);
  if (query === asked && (estimate || !query)) return draw(size, plan);
  asked = query;
  estimate = null;
  draw(size, plan);
  if (!query) return;
  timer = setTimeout(async () => {
    const answer = await get(`/v1/estimate?${query}`).catch(() => null);
    if (query !== asked) return;
    estimate = answer;
    draw(size, plan);
  }, PAUSE_MS);
}

/**
 * @param {{ verdicts: number }} size
 * @param {import("./estimate.js").Plan & { price: number }} plan
 */
function draw({ verdicts }, plan) {
  const isBudget = plan.stop === "budget" && plan.budget >= 1;
  const already = verdicts ? ` ${texts.thereAlready(verdicts)}` : "";
  const sentence = isBudget ? texts.budget(plan.budget) : estimate?.sentence ?? "";
  find("#estimate").textContent = sentence && `${sentence}${already}`;
  const counts = isBudget ? [plan.budget, plan.budget] : [estimate?.low, estimate?.high].map(rounded);
  find(".price").hidden = plan.isByPeople;
  find("#cost").textContent = plan.price >= 0 ? texts.cost(costs(counts, plan.price), plan.price) : "";
}

/**
 * Two digits that count, as in the sentence.
 * @param {number | null | undefined} count
 */
const rounded = (count) => (count == null ? null : Number(count.toPrecision(2)));
