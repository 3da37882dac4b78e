// @ts-check
// Verdicts on their way to the service.

/** @typedef {"first" | "second" | "tie" | "both_bad"} Winner */

/**
 * The path and body that send a verdict. A comparison without a lease keeps the winner alone.
 * @param {import("./pairs.js").Pair} pair
 * @param {{ winner: Winner, latency_ms: number, raw?: object }} verdict
 * @param {string} setId
 * @param {string} judge
 * @returns {[path: string, body: object]}
 */
export function requestOf({ id, first, second, item }, verdict, setId, judge) {
  if (id) return [`/v1/assignments/${id}/verdict`, verdict];
  const comparison = { first: first.key, second: second.key, item: item?.key ?? null, winner: verdict.winner, judge };
  return [`/v1/sets/${setId}/comparisons`, { comparisons: [comparison] }];
}

/**
 * What a request told the service: a winner, "skip" or "undo".
 * @param {string} path
 * @param {{ winner?: Winner, failure?: string, comparisons?: { winner: Winner }[] }} body
 */
export function kindOf(path, { winner, failure, comparisons }) {
  if (path.endsWith("/void")) return "undo";
  return failure ? "skip" : (winner ?? comparisons?.[0].winner ?? "");
}
