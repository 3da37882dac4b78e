// @ts-check
// Judging pairs: ask for them, show one, send its verdict, and go on while the connection is away.
import { Backoff, nap } from "../lib/backoff.js";
import { find } from "../lib/dom.js";
import { connect } from "../lib/judging-controls.js";
import * as view from "../lib/judging-view.js";
import { RENEWAL_MS, lease, release, renew } from "../lib/leases.js";
import { Pairs, without } from "../lib/pairs.js";
import { introduce } from "../lib/people.js";
import { Queue, waiting } from "../lib/queue.js";
import { ReadingTime } from "../lib/reading-time.js";
import { askReason } from "../lib/reason-dialog.js";
import { Unreachable, get } from "../lib/service.js";
import { goesOn } from "../lib/statuses.js";
import * as texts from "../lib/texts/annotate.js";
import { broken } from "../lib/texts/common.js";
import { countToday } from "../lib/today.js";
import { kindOf, requestOf } from "../lib/verdicts.js";

const { say } = view;
const AHEAD = 2; // pairs held: the one in view and one to go on with while offline
const PAUSE_MS = 500; // before the next question, where there was no pair
const { set: setId = "", readingSeconds, pair: namedPair } = find("#annotate").dataset;
/** @type {Pick<Pair, "item" | "first" | "second"> | null} */
const named = JSON.parse(namedPair ?? "null"); // the one pair that the address names

/**
 * What became of a pair before: seq is null until the service has the vote, which is taken back then where unwanted.
 * @typedef {{ pair: Pair, key: string, seq: number | null, isUnwanted: boolean }} Vote
 * @typedef {import("../lib/pairs.js").Pair} Pair
 * @typedef {import("../lib/queue.js").Entry} Entry
 * @typedef {import("../lib/verdicts.js").Winner} Winner
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
  if (named) return;
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
  if (!named) view.showStatus(status, inView);
  view.showUndo(earlier.length > 0);
  find("#back").hidden = !named || Boolean(inView);
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
  const count = countToday(`${setId}.${judge}`, change);
  if (set) view.showProgress(count, set);
}

// Telling

/** @param {Winner} winner */
function vote(winner) {
  const pair = inView;
  if (!pair || !readingTime.isOver) return;
  const latency = Math.round(performance.now() - inViewSince);
  const send = (reason = "") => pair === inView && sendVerdict(pair, winner, latency, reason);
  if (!pair.id || !asksWhy()) return send();
  find("#why-heading").textContent = texts.WHY[winner];
  askReason("why", send);
}

/**
 * @param {Pair} pair
 * @param {Winner} winner
 * @param {number} latency in milliseconds
 * @param {string} reason
 */
function sendVerdict(pair, winner, latency, reason) {
  const verdict = { winner, latency_ms: latency, ...(reason && { raw: { reason } }) };
  const key = queue.add(...requestOf(pair, verdict, setId, judge));
  countJudged(+1);
  pairs.putAway();
  goOn({ pair, key, seq: null, isUnwanted: false });
  if (named) say(texts.JUDGED);
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
function accepted({ key, path, body }, { seq, version }) {
  view.showSent(kindOf(path, body));
  if (named) introduce(judge).catch(() => {});
  if (named) readProgress();
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
  view.showUndo(earlier.length > 0);
  say(texts.refused(message), "error");
}

/** @param {string} reason */
function skip(reason) {
  if (named) {
    pairs.putAway();
    show("open");
    return say(texts.PASSED);
  }
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
  view.showUndo(false);
  present(undefined);
}

function begin() {
  view.showWho(judge);
  if (named && !pairs.current) bringNamed();
  queue.run();
}

function bringNamed() {
  if (named) pairs.bringBack(/** @type {any} */ ({ ...named, judge }));
  readProgress();
  show("open");
}

// Controls

const { asksWhy } = connect({
  first: () => vote("first"),
  second: () => vote("second"),
  tie: () => vote("tie"),
  both_bad: () => vote("both_bad"),
  skip: () => inView && askReason("skipping", skip),
  undo,
  rename,
  again: refill,
  redraw: () => inView && view.showTexts(inView),
  hasJudge: () => Boolean(judge),
});
find("#who").addEventListener("submit", (event) => {
  event.preventDefault();
  const name = find("#name", HTMLInputElement);
  judge = name.value.trim();
  if (!judge) return;
  name.value = "";
  localStorage.setItem("nextpair.judge", judge);
  begin();
});

document.addEventListener("visibilitychange", () => !document.hidden && judge && keepLeases().then(refill));
window.addEventListener("pagehide", leave);
window.addEventListener("pageshow", (event) => event.persisted && begin());
setInterval(keepLeases, RENEWAL_MS);
window.addEventListener("error", ({ message }) => say(broken(message), "error"));
window.addEventListener("unhandledrejection", ({ reason }) => say(broken(reason), "error"));
begin();
