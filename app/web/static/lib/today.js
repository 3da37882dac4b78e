// @ts-check

/**
 * How much was done today on this device.
 * @param {string} what
 * @param {number} change to it
 * @returns {number}
 */
export function countToday(what, change) {
  const name = `nextpair.judged.${what}`;
  const day = new Date().toDateString();
  const kept = JSON.parse(localStorage.getItem(name) ?? "null");
  const count = (kept?.day === day ? kept.count : 0) + change;
  localStorage.setItem(name, JSON.stringify({ day, count }));
  return count;
}
