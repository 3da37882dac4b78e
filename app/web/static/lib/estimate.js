// @ts-check
// What a set will take before it stops: the question to the service, and what the comparisons cost.

/** @typedef {{ goal: string, topK: number, stop: string, share: number, budget: number, isByPeople: boolean }} Plan */

/**
 * The query of GET /v1/estimate; null where the plan lacks a number, or a budget says it all.
 * @param {{ candidates: number, items: number }} size
 * @param {Plan} plan
 */
export function estimateQuery({ candidates, items }, { goal, topK, stop, share, isByPeople }) {
  if (candidates < 2 || stop === "budget" || (goal === "top_k" && !(topK >= 1))) return null;
  if (stop === "share" && !(share > 50 && share < 100)) return null;
  const query = { candidates: `${candidates}`, items: `${items}`, judge: isByPeople ? "human" : "llm", goal, top_k: `${topK || 1}` };
  return new URLSearchParams(stop === "share" ? { ...query, concordance: `${share / 100}` } : query);
}

const USUAL = 200; // comparisons that a budget has where so many pairs are left

/**
 * Pairs that can be compared: two texts, or two outputs of one prompt. Systems without outputs have any.
 * @param {Pick<Contract.TableRead, "candidates" | "items">} read
 */
export function pairsIn({ candidates, items }) {
  const counts = items.length
    ? items.map(({ key }) => candidates.filter(({ outputs }) => !outputs || outputs[key] != null).length)
    : [candidates.length];
  return counts.reduce((sum, count) => sum + count * (count - 1) / 2, 0);
}

/**
 * The budget to propose: what is judged already, and no more than what is left.
 * @param {Pick<Contract.TableRead, "candidates" | "items" | "comparisons">} read
 */
export function budgetOf(read) {
  const judged = new Set(read.comparisons.map(({ first, second, item }) => JSON.stringify([item, [first, second].sort()])));
  return read.comparisons.length + Math.max(Math.min(USUAL, pairsIn(read) - judged.size), 0);
}

/**
 * The bounds in dollars: of what is known of the comparisons.
 * @param {(number | null)[]} comparisons
 * @param {number} price of one, in dollars
 */
export const costs = (comparisons, price) => comparisons.map((count) => (count === null ? null : count * price));

/**
 * Dollars with two digits that count, and cents where there are dollars: $0.0042, $0.60, $12.50, $1,300.
 * @param {number} amount
 */
export function dollars(amount) {
  if (amount === 0) return "$0";
  if (amount < 0.01) return `$${Number(amount.toPrecision(2))}`;
  return `$${amount.toLocaleString("en", amount < 1000 ? { minimumFractionDigits: 2, maximumFractionDigits: 2 } : { maximumFractionDigits: 0 })}`;
}

/**
 * The goal, stop and budget of the set, as the contract has them.
 * @param {Plan} plan
 * @param {string} against the candidate of that goal
 * @param {string[]} pair the two candidates of that goal
 */
export function aims({ goal, topK, stop, share, budget }, against, pair) {
  const goals = /** @type {Record<string, object>} */ ({ top_k: { top_k: topK }, against: { against }, pair: { pair } });
  const known = goal === "ranking" ? { concordance: 0.95 } : { goal: 0.95 };
  return {
    goal: goals[goal],
    stop: stop === "budget" ? undefined : stop === "share" ? { concordance: share / 100 } : known,
    budget: stop === "budget" ? { max_comparisons: budget } : undefined,
  };
}
