// @ts-check
// The event stream of a set.

/**
 * Follows a set until the page goes away. The stream reconnects by itself.
 * @param {string} setId
 * @param {{ onState?: (state: Pick<Contract.SetOut, "version" | "comparisons" | "candidates" | "status">) => void, onComparison?: (comparison: Contract.Comparison) => void }} listeners
 */
export function follow(setId, { onState, onComparison }) {
  const events = new EventSource(`/v1/sets/${setId}/events`);
  for (const name of ["ranking", "status"]) events.addEventListener(name, ({ data }) => onState?.(JSON.parse(data)));
  if (onComparison) events.addEventListener("comparison", ({ data }) => onComparison(JSON.parse(data)));
}
