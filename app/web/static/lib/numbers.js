// @ts-check
// Numbers as people read them.

/**
 * The count and its noun, which takes an s unless there is one: 1 pair, 1,200 pairs.
 * @param {number} count
 * @param {string} noun
 */
export const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

/**
 * Two decimals; what rounds to 0 has no sign.
 * @param {number} value
 */
export const decimal = (value) => value.toFixed(2).replace(/^-(0\.00)$/, "$1");

/**
 * The same with its sign.
 * @param {number} value
 */
export const signed = (value) => (decimal(value).startsWith("-") ? decimal(value) : `+${decimal(value)}`);

/**
 * A share in whole per cent, without the sign.
 * @param {number} share
 */
export const percent = (share) => Math.round(100 * share);

/**
 * A probability in whole per cent; what is neither certain nor impossible never looks it.
 * @param {number} probability
 */
export function chance(probability) {
  if (probability === 0 || probability === 1) return `${100 * probability}%`;
  if (probability >= 0.995) return ">99%";
  return probability < 0.005 ? "<1%" : `${Math.round(100 * probability)}%`;
}

/**
 * An amount in the currency of the judges' prices, for which a dollar stands.
 * @param {number} cost
 */
export function money(cost) {
  if (cost > 0 && cost < 0.01) return "under $0.01";
  return `$${cost < 100 ? cost.toFixed(2) : Math.round(cost).toLocaleString("en")}`;
}
