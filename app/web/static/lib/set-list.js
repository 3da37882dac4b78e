// @ts-check
// A list of sets: who leads, how sure that is and how far each set is come in beside it, and stay fresh with it.
import { nap } from "./backoff.js";
import { element, find, findAll, redraw } from "./dom.js";
import { Unreachable, get, getPage } from "./service.js";
import { UNKNOWN, andMore, progressOf } from "./texts/set-list.js";

const AT_ONCE = 4; // summaries that are asked for
const NAMED = 2; // leaders that have a place in a cell
const PAUSE_MS = 250;
const COMPUTING = 425, COMPUTING_MS = 1000;
const FRESH_MS = 10_000, WAITING_MS = 2000; // between two looks at the list, and while something is prepared
const OF_LIST = ["q", "project", "state", "sort", "page"]; // parameters of the address
const RANKED = ["leader", "confidence", "progress"]; // columns that a summary fills

/** @typedef {{ mark: string, summary: Contract.SetSummary | null, problem: string }} Known */

/** @type {Map<string, Known>} what is known of a set, by its id */
const known = new Map();
/** @type {Set<string>} ids of those that are asked for */
const asked = new Set();
let searches = 0; // an answer to any but the latest is out of date

const rows = () => findAll("#rows > tr", HTMLTableRowElement);

// What is ranked

/** Shows what is known of each row, and asks for the rest. */
function fill() {
  for (const row of rows()) {
    const facts = known.get(row.dataset.key ?? "");
    if (facts) show(row, facts);
    else for (const column of RANKED) cell(row, column).replaceChildren(element("span", { className: "skeleton" }));
  }
  sortByProgress();
  ask();
}

function ask() {
  for (const { dataset: { key = "", mark = "" } } of rows()) {
    if (asked.size >= AT_ONCE) return;
    if (!asked.has(key) && known.get(key)?.mark !== mark) load(key, mark);
  }
}

/**
 * @param {string} id
 * @param {string} mark
 */
async function load(id, mark) {
  asked.add(id);
  try {
    const summary = await get(`/v1/sets/${id}/summary`);
    known.set(id, { mark: summary.newer_version === null ? mark : "", summary, problem: "" });
  } catch (error) {
    if (error instanceof Unreachable && error.status === COMPUTING) await nap(COMPUTING_MS);
    else known.set(id, { mark, summary: null, problem: error instanceof Error ? error.message : "" });
  }
  asked.delete(id);
  const row = rows().find(({ dataset: { key } }) => key === id), facts = known.get(id);
  if (row && facts) show(row, facts);
  sortByProgress();
  ask();
}

/**
 * @param {HTMLTableRowElement} row
 * @param {Known} facts
 */
function show(row, { summary, problem }) {
  if (!summary) {
    cell(row, "leader").replaceChildren("–");
    cell(row, "confidence").replaceChildren(element("span", { className: "term", "data-tip": problem }, UNKNOWN));
    cell(row, "progress").replaceChildren("–");
    return;
  }
  const { leaders, sentence, confidence, signal_claimed: isClaimed, progress } = summary;
  const more = leaders.length - NAMED, names = [...leaders.slice(0, NAMED), ...(more > 0 ? [andMore(more)] : [])].join(", ");
  row.dataset.share = progress.share === null ? "" : String(progress.share);
  cell(row, "leader").replaceChildren(element("span", { className: isClaimed ? "term" : "term faint", dir: "auto", "data-tip": sentence }, names || "–"));
  cell(row, "confidence").replaceChildren(element("span", { className: confidence.value === null ? "term faint" : "term", "data-tip": confidence.sentence }, confidence.words));
  const isReached = progress.share === 1 && progress.aim !== "budget";
  const bar = element("progress", { className: isReached ? "reached" : "", max: "1", value: String(progress.share ?? 0), "aria-label": progressOf(progress.words) });
  const words = element("span", { className: "term", "data-tip": progress.sentence }, progress.words);
  cell(row, "progress").replaceChildren(words, ...(progress.share === null ? [] : [bar]));
}

/**
 * @param {HTMLTableRowElement} row
 * @param {string} column
 */
function cell(row, column) {
  const place = row.querySelector(`[data-column="${column}"]`);
  if (!(place instanceof HTMLElement)) throw new TypeError(`A row has no ${column}`);
  return place;
}

// Order by progress, which the service does not know before it is computed

const parameters = () => new URLSearchParams(location.search);

function sortByProgress() {
  const sort = parameters().get("sort") ?? "", isDown = sort.startsWith("-"), heading = document.querySelector("th[data-column=progress]");
  if (!heading) return;
  const isOurs = sort.replace("-", "") === "progress";
  heading.setAttribute("aria-sort", !isOurs ? "none" : isDown ? "descending" : "ascending");
  if (!isOurs) return;
  for (const other of findAll(".sets th[aria-sort]")) if (other !== heading) other.setAttribute("aria-sort", "none");
  const shares = new Map(rows().map((row) => [row, row.dataset.share ? Number(row.dataset.share) : null]));
  const sorted = rows().toSorted((one, other) => {
    const [a, b] = [shares.get(one) ?? null, shares.get(other) ?? null];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return isDown ? b - a : a - b;
  });
  if (sorted.some((row, place) => row !== rows()[place])) redraw(find("#rows"), sorted);
}

function offerSorting() {
  const heading = document.querySelector("th.term[data-column=progress]");
  if (!heading) return;
  const link = element("a", { href: "#", role: "button" }, heading.textContent?.trim() ?? "");
  link.addEventListener("click", (event) => {
    event.preventDefault();
    const changed = parameters();
    changed.set("sort", changed.get("sort") === "-progress" ? "progress" : "-progress");
    history.replaceState(null, "", `${location.pathname}?${changed}`);
    sortByProgress();
  });
  heading.classList.remove("term");
  heading.removeAttribute("tabindex");
  heading.replaceChildren(link);
}

// The list itself

/**
 * Whether the list at that address is shown now. What is known of its sets is shown with it.
 * @param {string} path
 */
async function showList(path) {
  searches += 1;
  const mine = searches;
  const page = await getPage(path).catch(() => null); // who is offline can still press Search
  if (!page || mine !== searches) return false;
  const places = ["#rows", "#count", "#found"].map((place) => [document.querySelector(place), page.querySelector(place)]);
  const [[oldRows, newRows], [oldCount, newCount], [oldFound, newFound]] = places;
  if (!newFound || !oldFound || Boolean(oldCount) !== Boolean(newCount)) find("#list").replaceChildren(...(page.getElementById("list")?.childNodes ?? []));
  else if (oldRows && newRows && sameBut(oldFound, newFound)) redraw(oldRows, /** @type {HTMLElement[]} */ ([...newRows.children]));
  else oldFound.replaceChildren(...newFound.childNodes);
  if (oldCount && newCount) oldCount.textContent = newCount.textContent;
  offerSorting();
  fill();
  return true;
}

/**
 * Whether two lists have the same headings, and links to the same further pages.
 * @param {Element} one
 * @param {Element} other
 */
function sameBut(one, other) {
  const links = (/** @type {Element} */ list) => findIn(list, "nav a, thead a:not([role])").map((link) => link.getAttribute("href")).join(" ");
  return links(one) === links(other);
}

/**
 * @param {Element} place
 * @param {string} selector
 */
const findIn = (place, selector) => [...place.querySelectorAll(selector)];

/**
 * The address of this page with other parameters of the list; those of other parts of the page stay.
 * @param {Iterable<[string, string]>} values
 */
function addressOf(values) {
  const changed = parameters();
  for (const name of OF_LIST) changed.delete(name);
  for (const [name, value] of values) if (value) changed.set(name, value);
  return `${location.pathname}${changed.size ? `?${changed}` : ""}`;
}

async function search() {
  const values = [...new FormData(find("#search", HTMLFormElement))].map(([name, value]) => /** @type {[string, string]} */ ([name, String(value)]));
  const path = addressOf(values);
  if (await showList(path)) history.replaceState(null, "", path);
}

/** @param {MouseEvent} event on a heading that sorts, or on a link to another page of the list */
async function follow(event) {
  const link = event.target instanceof Element ? event.target.closest(".sets thead a, .pages a") : null;
  if (!(link instanceof HTMLAnchorElement) || link.getAttribute("role") || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const column = link.closest("th")?.dataset.column, path = addressOf(new URL(link.href).searchParams);
  history.pushState(null, "", path);
  if (!(await showList(path))) location.assign(path);
  if (column) find(`.sets th[data-column="${column}"] a`).focus();
  else find("#main").scrollIntoView();
}

function refresh() {
  const list = find("#list"), isMenuOpen = document.activeElement instanceof HTMLSelectElement;
  setTimeout(refresh, list.querySelector("[data-waiting]") ? WAITING_MS : FRESH_MS);
  if (!document.hidden && !isMenuOpen) showList(location.pathname + location.search);
}

/** Fills the list of sets of this page, and keeps it fresh. */
export function followList() {
  let typed = 0;
  document.addEventListener("input", ({ target }) => {
    if (!(target instanceof Element) || !target.closest("#search")) return;
    clearTimeout(typed);
    typed = setTimeout(search, PAUSE_MS);
  });
  document.addEventListener("click", follow);
  addEventListener("popstate", () => showList(location.pathname + location.search));
  offerSorting();
  fill();
  setTimeout(refresh, find("#list").querySelector("[data-waiting]") ? WAITING_MS : FRESH_MS);
}
