// @ts-check
// Makes a set of what was read. Done again after a failure, it goes on where it stopped: nothing is there twice.
import { randomId } from "./ids.js";
import { post } from "./service.js";

const BATCH = 5000; // comparisons in one request

/** A set on its way: the body keeps its Idempotency-Key, and verdicts their ids. */
export function creation() {
  let sent = { body: "", key: "" };
  let id = ""; // of the set, once it is there
  let done = 0; // comparisons

  return {
    /** Whether the set is there, with or without all of its comparisons. */
    get id() {
      return id;
    },
    /**
     * @param {object} set
     * @param {object[]} comparisons
     * @param {(done: number) => void} onProgress
     */
    async create(set, comparisons, onProgress) {
      const body = JSON.stringify(set);
      if (sent.body !== body) sent = { body, key: randomId() };
      if (!id) ({ id } = await post("/v1/sets", set, { headers: { "Idempotency-Key": sent.key }, signal: null }));
      while (done < comparisons.length) {
        onProgress(done);
        await post(`/v1/sets/${id}/comparisons`, { comparisons: comparisons.slice(done, done + BATCH) }, { signal: null });
        done += BATCH;
      }
      return id;
    },
  };
}
