// Pairs reserved for a judge on this page.
import { randomId } from "./ids.js";
import { post, postLast } from "./service.js";

const LEASE_SECONDS = 180;
const WAIT_SECONDS = 20;
export const RENEWAL_MS = (LEASE_SECONDS * 1000) / 3;

const worker = `page-${randomId()}`; // keeps two pages of one judge apart
const checked = new URLSearchParams(location.search).get("rank_sets_with");

export function ask(set, judge, count) {
  const body = { judge, worker, count, lease_seconds: LEASE_SECONDS, wait_seconds: WAIT_SECONDS };
  return post(`/v1/sets/${set}/next-pair`, checked ? { ...body, rank_sets_with: checked } : body);
}

// The ids of those that are still held.
export async function renew(ids) {
  const { held } = await post("/v1/assignments/renew", { assignments: ids, lease_seconds: LEASE_SECONDS });
  return held.map((lease) => lease.id);
}

export function release(ids) {
  if (ids.length) postLast("/v1/assignments/release", { assignments: ids });
}
