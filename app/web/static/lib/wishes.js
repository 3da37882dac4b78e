// @ts-check
// Work that is wished for more often than it can be done.

/**
 * Makes wishes for the same work, one at a time: a wish that comes while it is done makes it once more after that, so
 * that whoever wishes often gets results too. A wish that withdraws ends what is under way by its signal.
 * @param {(signal: AbortSignal) => Promise<void>} work
 */
export function oneAtATime(work) {
  /** @type {AbortController | null} */
  let underway = null;
  let isWanted = false;
  async function run() {
    while (isWanted) {
      isWanted = false;
      underway = new AbortController();
      await work(underway.signal);
    }
    underway = null;
  }
  return async ({ withdraws = false } = {}) => {
    isWanted = true;
    if (!underway) await run();
    else if (withdraws) underway.abort();
  };
}
