// @ts-check
// Judging pairs: ask for them, show one, send its verdict, and go on while the connection is away.
import { Backoff, nap } from "../lib/backoff.js";
import { find, findAll } from "../lib/dom.js";
import * as view from "../lib/judging-view.js";
import { RENEWAL_MS, lease, release, renew } from "../lib/leases.js";
import { Pairs, without } from "../lib/pairs.js";
import { introduce } from "../lib/people.js";
import { Queue, waiting } from "../lib/queue.js";
import { ReadingTime } from "../lib/reading-time.js";
import { scrollTogether } from "../lib/scroll.js";
import { Unreachable, get } from "../lib/service.js";
import { goesOn } from "../lib/statuses.js";
import * as texts from "../lib/texts/annotate.js";
import { broken } from "../lib/texts/common.js";

const { say } = view;
const AHEAD = 2; // pairs held: the one in view and one to go on with while offline
const PAUSE_MS = 500; // before the next question, where there was no pair
const { set: setId = "", readingSeconds } = find("#annotate").dataset;

/**
 * What became of a pair before: seq is null until the service has the vote, which is taken back then where unwanted.
 * @typedef {{ pair: Pair, key: string, seq: number | null, isUnwanted: boolean }} Vote
 * @typedef {import("../lib/pairs.js").Pair} Pair
 * @typedef {import("../lib/queue.js").Entry} Entry
 * @typedef {"first" | "second" | "tie" | "both_bad"} Winner
 */
const SKIPPED = "skipped";

let judge = localStorage.getItem("nextpair.judge") ?? "";
/** @type {(Vote | typeof SKIPPED)[]} */
let earlier = []; // the latest last
/** @type {Pair | undefined} */
let inView;
let inViewSince = 0; // milliseconds
/** @type {Contract.SetOut | undefined} */
let set; // as last read
let isAskWanted = false;
let isAsking = false;

const pairs = new Pairs();
const backoff = new Backoff();
const readingTime = new ReadingTime(Number(readingSeconds) || 0, view.showCountdown);
const queue = new Queue({
  onAnswer: accepted,
  onRefusal: refused,
  onEmpty: refill,
  onChange: () => view.showWaiting(queue.offline, waiting().length),
});

// Asking

async function refill() {
  isAskWanted = true;
  if (isAsking) return;
  isAsking = true;
  while (isAskWanted && judge) {
    isAskWanted = false;
    isAskWanted = (await ask()) || isAskWanted;
  }
  isAsking = false;
}

/** Whether to ask again. */
async function ask() {
  try {
    const answer = await lease(setId, judge, AHEAD + waiting().length);
    backoff.reset();
    return await receive(answer);
  } catch (error) {
    return await failed(error);
  }
}

/** @param {Contract.Assignments} answer */
async function receive({ status, assignments }) {
  const mine = assignments.filter((pair) => pair.judge === judge);
  release(assignments.filter((pair) => pair.judge !== judge).map((pair) => pair.id));
  for (const { id, reason } of pairs.take(mine)) sendSkip(id, reason);
  if (mine.length) introduce(judge).catch(() => {}); // the next visit tries again
  show(status);
  readProgress();
  if (pairs.current || !goesOn(status)) return false;
  await nap(PAUSE_MS);
  return true;
}

/** @param {unknown} error */
async function failed(error) {
  if (!(error instanceof Unreachable)) {
    say(error instanceof Error ? error.message : String(error), "error");
    return false;
  }
  if (!pairs.current) say(texts.OFFLINE);
  await backoff.wait();
  return true;
}

async function keepLeases() {
  const { ids } = pairs;
  if (document.hidden || !ids.length) return;
  const renewed = await renew(ids).catch(() => ids);
  pairs.drop(without(ids, renewed));
  show("open");
}

// Showing

/** @param {Contract.AskStatus} status */
function show(status) {
  if (pairs.current !== inView) present(pairs.current);
  view.showStatus(status, inView);
}

/** @param {Pair | undefined} pair */
function present(pair) {
  if (!inView) say("");
  inView = pair;
  inViewSince = performance.now();
  readingTime.start();
  view.showPair(pair);
}

async function readProgress() {
  set = await get(`/v1/sets/${setId}`).catch(() => set);
  countJudged(0);
}

/** @param {number} change */
function countJudged(change) {
  const name = `nextpair.judged.${setId}.${judge}`;
  const count = Number(sessionStorage.getItem(name) ?? 0) + change;
  sessionStorage.setItem(name, String(count));
  if (set) view.showProgress(count, set);
}

// Telling

/** @param {Winner} winner */
function vote(winner) {
  if (!inView || !readingTime.isOver) return;
  const key = addVerdict(inView, winner);
  countJudged(+1);
  pairs.putAway();
  goOn({ pair: inView, key, seq: null, isUnwanted: false });
}

/**
 * @param {Pair} pair
 * @param {Winner} winner
 */
function addVerdict(pair, winner) {
  if (pair.id) {
    const latency = Math.round(performance.now() - inViewSince);
    return queue.add(`/v1/assignments/${pair.id}/verdict`, { winner, latency_ms: latency });
  }
  const [first, second, item] = [pair.first.key, pair.second.key, pair.item?.key ?? null];
  return queue.add(`/v1/sets/${setId}/comparisons`, { comparisons: [{ first, second, item, winner, judge }] });
}

/** @param {Vote | typeof SKIPPED} outcome of the pair that was put away */
function goOn(outcome) {
  earlier.push(outcome);
  say("", "error");
  say("");
  show("open");
}

/**
 * @param {Entry} entry
 * @param {Partial<Contract.Comparison & Contract.ComparisonsAccepted>} answer
 */
function accepted({ key }, { seq, version }) {
  const sent = earlier.filter((outcome) => outcome !== SKIPPED).find((each) => each.key === key);
  if (!sent) return;
  sent.seq = seq ?? version ?? null;
  if (sent.isUnwanted) takeBack(sent);
}

/**
 * @param {Entry} entry
 * @param {{ message: string }} refusal
 */
function refused({ key }, { message }) {
  const others = earlier.filter((outcome) => outcome === SKIPPED || outcome.key !== key);
  if (others.length < earlier.length) countJudged(-1);
  earlier = others;
  say(texts.refused(message), "error");
}

/** @param {string} reason */
function skip(reason) {
  if (inView?.id) {
    sendSkip(inView.id, reason);
    pairs.putAway();
  } else {
    pairs.skipOnceLeased(reason);
    refill();
  }
  goOn(SKIPPED);
}

/**
 * @param {string} id
 * @param {string} reason
 */
function sendSkip(id, reason) {
  queue.add(`/v1/assignments/${id}/verdict`, { failure: "skipped", reason: reason || null });
}

function undo() {
  const last = earlier.at(-1);
  if (!last) say(texts.NOTHING_TO_UNDO);
  else if (last === SKIPPED) say(texts.SKIPPED);
  else if (last.seq === null) takeBackLater(last);
  else takeBack(last);
}

/** @param {Vote} unsent */
function takeBackLater(unsent) {
  unsent.isUnwanted = true;
  say(texts.UNDO_LATER);
}

/** @param {Vote} unwanted */
function takeBack(unwanted) {
  earlier = earlier.filter((outcome) => outcome !== unwanted);
  queue.add(`/v1/sets/${setId}/comparisons/${unwanted.seq}/void`, { reason: `undone by ${judge}` });
  countJudged(-1);
  pairs.bringBack(unwanted.pair);
  show("open");
  say(texts.UNDONE);
}

// Who

function rename() {
  leave();
  judge = "";
  set = undefined;
  say("", "progress");
  say("");
  view.showWho(judge);
}

function leave() {
  release(pairs.ids);
  pairs.clear();
  earlier = [];
  present(undefined);
}

function begin() {
  view.showWho(judge);
  queue.run();
}

// Controls

const skipping = find("#skipping", HTMLDialogElement);
const legend = find("#legend");
const differences = find("#differences", HTMLInputElement);
const together = find("#together", HTMLInputElement);
const keysOn = find("#keys", HTMLInputElement);

/** @type {Record<string, () => void>} */
const ACTIONS = {
  first: () => vote("first"),
  second: () => vote("second"),
  tie: () => vote("tie"),
  both_bad: () => vote("both_bad"),
  skip: () => inView && skipping.showModal(),
  keep: () => skipping.close(),
  undo,
  rename,
  again: refill,
  legend: () => view.showLegend(Boolean(legend.hidden)),
  differences: () => differences.click(),
};
/** @type {Record<string, string>} */
const KEYS = {
  1: "first", ArrowLeft: "first", 2: "second", ArrowRight: "second", 3: "tie", "=": "tie", 4: "both_bad",
  s: "skip", u: "undo", z: "undo", d: "differences", "?": "legend",
};

/** @param {KeyboardEvent} event */
function pressed(event) {
  const isTyping = event.target instanceof Element && event.target.closest("input:not([type=checkbox]), dialog");
  const action = KEYS[event.key] ?? KEYS[event.key.toLowerCase()];
  if (!action || isTyping || !judge || !keysOn.checked) return;
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  ACTIONS[action]();
}

/**
 * @param {string} selector of a form with one line
 * @param {(line: string) => void} act
 */
function onSubmit(selector, act) {
  const form = find(selector, HTMLFormElement);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    act(find(`${selector} input`, HTMLInputElement).value.trim());
    form.reset();
  });
}

onSubmit("#who", (name) => {
  if (!name) return;
  judge = name;
  localStorage.setItem("nextpair.judge", judge);
  begin();
});
onSubmit("#skipping form", (reason) => {
  skipping.close();
  skip(reason);
});
for (const button of findAll("[data-action]")) {
  button.addEventListener("click", () => ACTIONS[button.dataset.action ?? ""]());
}
differences.addEventListener("change", () => inView && view.showTexts(inView));
scrollTogether(find("#first"), find("#second"), () => together.checked);

view.showLegend(!matchMedia("(pointer: coarse)").matches);
document.addEventListener("keydown", pressed);
document.addEventListener("visibilitychange", () => !document.hidden && judge && keepLeases().then(refill));
window.addEventListener("pagehide", leave);
window.addEventListener("pageshow", (event) => event.persisted && begin());
setInterval(keepLeases, RENEWAL_MS);
window.addEventListener("error", ({ message }) => say(broken(message), "error"));
window.addEventListener("unhandledrejection", ({ reason }) => say(broken(reason), "error"));
begin();
