// Judging pairs: ask for them, show one, send its verdict, and go on while the connection is away.
import { Backoff, nap } from "../lib/backoff.js";
import { RENEWAL_MS, ask, release, renew } from "../lib/leases.js";
import { Pairs, without } from "../lib/pairs.js";
import { introduce } from "../lib/people.js";
import { Queue, waiting } from "../lib/queue.js";
import { Reading } from "../lib/reading.js";
import { scrollTogether } from "../lib/scroll.js";
import { Unreachable, get } from "../lib/service.js";
import * as view from "../lib/view.js";

const { element, say } = view;
const AHEAD = 2; // pairs held: the one in view and one to go on with while offline
const { set, readingSeconds } = element("annotate").dataset;

let judge = localStorage.getItem("nextpair.judge") ?? "";
let earlier = []; // what became of the pairs before, the latest last
let shown = null;
let shownAt = 0;
let known = null; // the set as last read
let wanted = false;
let asking = false;

const pairs = new Pairs();
const backoff = new Backoff();
const reading = new Reading(Number(readingSeconds) || 0, view.showCountdown);
const queue = new Queue({
  onAnswer: accepted,
  onRefusal: refused,
  onEmpty: refill,
  onChange: () => view.showWaiting(queue.offline, waiting().length),
});

// Asking

async function refill() {
  wanted = true;
  if (asking) return;
  asking = true;
  while (wanted && judge) {
    wanted = false;
    wanted = (await askOnce()) || wanted;
  }
  asking = false;
}

// Whether to ask again.
async function askOnce() {
  try {
    const answer = await ask(set, judge, AHEAD + waiting().length);
    backoff.reset();
    return await receive(answer);
  } catch (error) {
    return await failed(error);
  }
}

async function receive({ status, assignments }) {
  const mine = assignments.filter((pair) => pair.judge === judge);
  release(assignments.filter((pair) => pair.judge !== judge).map((pair) => pair.id));
  pairs.take(mine);
  if (mine.length) introduce(judge).catch(() => {}); // the next visit tries again
  show(status);
  readProgress();
  if (pairs.current || !view.goesOn(status)) return false;
  await nap(500);
  return true;
}

async function failed(error) {
  if (!(error instanceof Unreachable)) {
    say(error.message, "error");
    return false;
  }
  if (!pairs.current) say("Offline: the service does not answer. This page goes on by itself.");
  await backoff.wait();
  return true;
}

async function keepLeases() {
  const ids = pairs.ids;
  if (document.hidden || !ids.length) return;
  const held = await renew(ids).catch(() => ids);
  pairs.drop(without(ids, held));
  show("open");
}

// Showing

function show(status) {
  if (pairs.current !== shown) present(pairs.current);
  view.showStatus(status, shown);
}

function present(pair) {
  if (!shown) say("");
  shown = pair;
  shownAt = performance.now();
  reading.start();
  view.showPair(pair);
}

async function readProgress() {
  known = await get(`/v1/sets/${set}`).catch(() => known);
  countJudged(0);
}

function countJudged(change) {
  const name = `nextpair.judged.${set}.${judge}`;
  const count = Number(sessionStorage.getItem(name) ?? 0) + change;
  sessionStorage.setItem(name, count);
  if (known) view.showProgress(count, known);
}

// Telling

function vote(winner) {
  if (!shown || !reading.done) return;
  const key = queue.add(...request(shown, winner));
  countJudged(+1);
  goOn({ pair: shown, key, seq: null });
}

function request(pair, winner) {
  if (pair.id) {
    return [`/v1/assignments/${pair.id}/verdict`, { winner, latency_ms: Math.round(performance.now() - shownAt) }];
  }
  const [first, second, item] = [pair.first.key, pair.second.key, pair.item?.key ?? null];
  return [`/v1/sets/${set}/comparisons`, { comparisons: [{ first, second, item, winner, judge }] }];
}

function goOn(entry) {
  earlier.push(entry);
  pairs.putAway();
  say("", "error");
  say("");
  show("open");
}

function accepted({ key }, answer) {
  const entry = earlier.find((each) => each.key === key);
  if (entry) entry.seq = answer.seq ?? answer.version;
  if (entry?.unwanted) takeBack(entry);
}

function refused({ key }, error) {
  if (earlier.some((each) => each.key === key)) countJudged(-1);
  earlier = earlier.filter((each) => each.key !== key);
  say(`The service did not take this: ${error.message}`, "error");
}

function skip(reason) {
  if (shown.id) queue.add(`/v1/assignments/${shown.id}/verdict`, { failure: "skipped", reason: reason || null });
  goOn({ skipped: true });
}

function undo() {
  const last = earlier.at(-1);
  if (!last) say("There is nothing to undo on this page.");
  else if (last.skipped) say("The last pair was skipped, and a skipped pair cannot be undone.");
  else if (last.seq === null) takeBackLater(last);
  else takeBack(last);
}

function takeBackLater(entry) {
  entry.unwanted = true;
  say("Your last vote has not been sent yet. It is taken back as soon as it has arrived.");
}

function takeBack(entry) {
  const { pair, seq } = entry;
  earlier = earlier.filter((each) => each !== entry);
  queue.add(`/v1/sets/${set}/comparisons/${seq}/void`, { reason: `undone by ${judge}` });
  countJudged(-1);
  pairs.bringBack(pair);
  show("open");
  say("Your last vote was taken back. Judge this pair again.");
}

// Who

function rename() {
  leave();
  judge = "";
  known = null;
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

const ACTIONS = {
  first: () => vote("first"),
  second: () => vote("second"),
  tie: () => vote("tie"),
  both_bad: () => vote("both_bad"),
  skip: () => shown && element("skipping").showModal(),
  keep: () => element("skipping").close(),
  undo,
  rename,
  again: refill,
  legend: () => view.showLegend(element("legend").hidden),
  differences: () => element("differences").click(),
};
const KEYS = {
  1: "first", ArrowLeft: "first", 2: "second", ArrowRight: "second", 3: "tie", "=": "tie", 4: "both_bad",
  s: "skip", u: "undo", z: "undo", d: "differences", "?": "legend",
};

function pressed(event) {
  const elsewhere = event.target.closest("input:not([type=checkbox]), dialog") || !judge || !element("keys").checked;
  const action = KEYS[event.key] ?? KEYS[event.key.toLowerCase()];
  if (!action || elsewhere || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  ACTIONS[action]();
}

function submitted(form, act) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    act(form.querySelector("input").value.trim());
    form.reset();
  });
}

submitted(element("who"), (name) => {
  if (!name) return;
  judge = name;
  localStorage.setItem("nextpair.judge", judge);
  begin();
});
submitted(element("skipping").querySelector("form"), (reason) => {
  element("skipping").close();
  skip(reason);
});
for (const button of document.querySelectorAll("[data-action]")) {
  button.addEventListener("click", () => ACTIONS[button.dataset.action]());
}
element("differences").addEventListener("change", () => shown && view.showTexts(shown));
scrollTogether(element("first"), element("second"), () => element("together").checked);

view.showLegend(!matchMedia("(pointer: coarse)").matches);
document.addEventListener("keydown", pressed);
document.addEventListener("visibilitychange", () => !document.hidden && judge && keepLeases().then(refill));
window.addEventListener("pagehide", leave);
window.addEventListener("pageshow", (event) => event.persisted && begin());
setInterval(keepLeases, RENEWAL_MS);
for (const trouble of ["error", "unhandledrejection"]) {
  window.addEventListener(trouble, ({ message, reason }) => say(`Something went wrong: ${message ?? reason}`, "error"));
}
begin();
