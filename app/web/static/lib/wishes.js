// @ts-check
// Work that is wished for more often than it can be done.

const PAUSE_MS = 500; // between a wish and its work

/**
 * Makes wishes for work that is done once for all wishes of a moment.
 * @param {() => void} work
 */
export function soon(work) {
  let timer = 0;
  return () => {
    timer ||= setTimeout(() => {
      timer = 0;
      work();
    }, PAUSE_MS);
  };
}

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
