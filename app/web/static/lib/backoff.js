// @ts-check
// Waits longer after each failure in a row, but no longer than until the browser is online again.
const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;

/** @param {number} milliseconds */
export const nap = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const online = () => new Promise((resolve) => window.addEventListener("online", resolve, { once: true }));

export class Backoff {
  #pause = FIRST_MS;

  async wait() {
    await Promise.race([nap(this.#pause), online()]);
    this.#pause = Math.min(2 * this.#pause, LONGEST_MS);
  }

  reset() {
    this.#pause = FIRST_MS;
  }
}
