// @ts-check
// Pairs reserved for a judge on this page.
import { randomId } from "./ids.js";
import { post, postLast } from "./service.js";

const LEASE_SECONDS = 180;
const WAIT_SECONDS = 20;
export const RENEWAL_MS = (LEASE_SECONDS * 1000) / 3;

const worker = `page-${randomId()}`; // keeps two pages of one judge apart

/**
 * Reserves pairs; waits a while where there are none.
 * @param {string} setId
 * @param {string} judge
 * @param {number} count
 * @returns {Promise<Contract.Assignments>}
 */
export function lease(setId, judge, count) {
  const body = { judge, worker, count, lease_seconds: LEASE_SECONDS, wait_seconds: WAIT_SECONDS };
  const wanted = new URLSearchParams(location.search);
  const checkedJudge = wanted.get("rank_sets_with");
  const purpose = checkedJudge ? { rank_sets_with: checkedJudge } : { check_judges: wanted.has("check_judges") };
  return post(`/v1/sets/${setId}/next-pair`, { ...body, ...purpose });
}

/**
 * The ids of those that are still reserved, and now for longer.
 * @param {string[]} ids
 * @returns {Promise<string[]>}
 */
export async function renew(ids) {
  /** @type {Contract.Held} */
  const { held } = await post("/v1/assignments/renew", { assignments: ids, lease_seconds: LEASE_SECONDS });
  return held.map(({ id }) => id);
}

/** @param {string[]} ids */
export function release(ids) {
  if (ids.length) postLast("/v1/assignments/release", { assignments: ids });
}
