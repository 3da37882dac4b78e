// @ts-check
// What every page of a set needs: its id, addresses below it, answers that take computing, a place for trouble.
import { nap } from "./backoff.js";
import { copyButton } from "./copy.js";
import { element, find, findAll } from "./dom.js";
import { onlyHere } from "./only-here.js";
import { Unreachable, get } from "./service.js";
import { goesOn } from "./statuses.js";
import { LINK_COPIED, STILL_COMPUTING, TRY_AGAIN, closed } from "./texts/common.js";
import { toast } from "./toast.js";

const COMPUTING = 425;
const MOST_TRIES = 60; // while the service computes
const PAUSE_MS = 1000;
const MOST_ROWS = 1000; // of a page of a list

export const setId = find("#page").dataset.set;
/** @type {Record<string, string>} what each status means, and what to do then */
export const STATUSES = JSON.parse(find("#page").dataset.statuses ?? "{}");
find("#copy-link").addEventListener("click", () => {
  navigator.clipboard.writeText(location.href).then(() => toast(LINK_COPIED)).catch(showProblem);
});
find("#invite > div").append(element("div", { className: "row" }, copyButton(find("#invite a", HTMLAnchorElement).href)), ...onlyHere());
find("#invite").addEventListener("toggle", () => warnWhereClosed().catch(showProblem));
document.addEventListener("click", ({ target }) => {
  for (const menu of findAll("details.menu[open]")) if (!(target instanceof Node && menu.contains(target))) menu.removeAttribute("open");
});
document.addEventListener("keydown", ({ key }) => {
  const menu = document.querySelector("details.menu[open]");
  if (key !== "Escape" || !menu) return;
  menu.removeAttribute("open");
  menu.querySelector("summary")?.focus();
});
document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

/** Says so where the address of an invitation gives no pairs now. */
async function warnWhereClosed() {
  /** @type {Contract.Preview} */
  const { status } = await read("/next-pair", { count: 1 }), notice = find("#no-pairs");
  notice.hidden = goesOn(status);
  notice.textContent = closed(STATUSES[status] ?? "");
}

/** @typedef {Record<string, string | number | boolean | null | undefined>} Query */

/**
 * @param {string} path below that of the set
 * @param {Query} [query] null and undefined are left out
 */
export function address(path, query = {}) {
  const values = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const parameters = new URLSearchParams(values.map(([name, value]) => [name, String(value)])).toString();
  return `/v1/sets/${setId}${path}${parameters ? `?${parameters}` : ""}`;
}

/**
 * The answer, asked for again while the service computes it; `onComputing` is called meanwhile.
 * @param {string} path
 * @param {Query} [query]
 * @param {{ signal?: AbortSignal | null, onComputing?: () => void }} [options]
 */
export async function read(path, query = {}, { signal = null, onComputing = () => {} } = {}) {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    try {
      return await get(address(path, query), { signal });
    } catch (error) {
      if (!(error instanceof Unreachable) || error.status !== COMPUTING) throw error;
      onComputing();
    }
    await nap(PAUSE_MS);
  }
  throw new Error(STILL_COMPUTING);
}

/**
 * All that is listed there, page by page.
 * @param {string} path
 * @param {string} name of the list in a page
 * @param {Query} query
 * @param {AbortSignal} signal
 */
export async function readAll(path, name, query, signal) {
  const listed = [];
  for (let after = /** @type {number | null} */ (0); after !== null;) {
    const page = await read(path, { ...query, after, limit: MOST_ROWS }, { signal });
    listed.push(...page[name]);
    after = page.next_after;
  }
  return listed;
}

/** Makes a signal for every new question about one thing, which withdraws the question before. */
export function latestOnly() {
  let latest = new AbortController();
  return () => {
    latest.abort();
    latest = new AbortController();
    return latest.signal;
  };
}

/**
 * Shows what went wrong, or with null that nothing did; a question that was withdrawn is nothing wrong.
 * @param {unknown} error
 * @param {() => void} [again] what a button tries again
 */
export function showProblem(error, again) {
  if (error instanceof DOMException && error.name === "AbortError") return;
  const problem = find("#problem");
  problem.hidden = !error;
  problem.textContent = error instanceof Error ? error.message : "";
  if (!error || !again) return;
  const button = element("button", { type: "button" }, TRY_AGAIN);
  button.addEventListener("click", again);
  problem.append(" ", button);
}
