// @ts-check
// Activity of a set: who is at work, how far each judge is, and the log as it grows, with voids and their undo.
import { copyButton } from "../lib/copy.js";
import { element, find } from "../lib/dom.js";
import { drawFigures } from "../lib/figures.js";
import { drawFeed, refreshTimes, timeOf, who } from "../lib/feed.js";
import { follow } from "../lib/live.js";
import { chance, percent } from "../lib/numbers.js";
import { onlyHere } from "../lib/only-here.js";
import { outcome } from "../lib/outcome.js";
import { patch } from "../lib/service.js";
import { STATUSES, address, read, setId, showProblem } from "../lib/set-page.js";
import { pageState } from "../lib/state.js";
import { goesOn } from "../lib/statuses.js";
import { dataTable } from "../lib/table.js";
import * as words from "../lib/texts/activity.js";
import { NONE, closed } from "../lib/texts/common.js";
import { PAUSE, RESUME } from "../lib/texts/settings.js";
import { restoreVerdict, voidVerdict } from "../lib/void-verdict.js";
import { oneAtATime } from "../lib/wishes.js";

const SHOWN = 50; // entries of the log
const NEXT = 5; // pairs
const PAUSE_MS = 1000; // between a verdict and the page that shows it
const RECENT_MS = 60_000;
const POLL_MS = 10_000; // leases come and go without a notice

const feed = find("#feed"), newer = find("#newer"), menu = find("#judge", HTMLSelectElement);
const state = pageState({ judge: "", before: "", sort: "-verdicts" });
const load = oneAtATime(show), loadAhead = oneAtATime(showAhead);

/** @type {Contract.Activity | null} */
let activity = null;
/** @type {Contract.Activity | null} the one that waits while somebody points at the log */
let waiting = null;
/** @type {Contract.SetSummary | null} */
let summary = null;
let isPointedAt = false, isDue = false, knownVersion = -1, lookedAt = 0;

const judges = dataTable(find("#judges"), {
  columns: () => columns.map((each) => (each.id === "share" ? { ...each, isHidden: !goal() } : each)), state, rowKey: ({ judge }) => judge,
  onOpen: ({ judge }) => choose(state.get().judge === judge ? "" : judge),
});

/** @type {import("../lib/table.js").Column<Contract.JudgeProgress>[]} */
const columns = [
  column("judge", { value: ({ judge }) => judge, cell: ({ judge, kind }) => opener(judge, kind), isHeading: true, startsUp: true }),
  column("verdicts", { value: ({ verdicts }) => verdicts, cell: ({ verdicts }) => verdicts.toLocaleString("en"), isNumber: true }),
  column("share", { cell: ({ verdicts }) => share(verdicts), }),
  column("hour", { value: (row) => row.last_hour, cell: (row) => row.last_hour.toLocaleString("en"), isNumber: true }),
  column("last", { value: (row) => row.last_at, cell: (row) => (row.last_at ? timeOf(row.last_at) : NONE) }),
  column("failures", { value: ({ failures }) => total(Object.values(failures)), cell: ({ failures }) => words.failed(failures) }),
];

/**
 * @param {keyof typeof words.COLUMNS} id
 * @param {Omit<import("../lib/table.js").Column<Contract.JudgeProgress>, "id" | "label" | "tip">} rest
 */
function column(id, rest) {
  const [label, tip] = words.COLUMNS[id];
  return { id, label, tip, ...rest };
}

/** @param {number[]} counts */
const total = (counts) => counts.reduce((sum, count) => sum + count, 0);

/**
 * @param {string} judge
 * @param {Contract.JudgeKind | null} kind
 */
function opener(judge, kind) {
  const isChosen = state.get().judge === judge;
  return element("button", { type: "button", className: "open", "aria-pressed": String(isChosen) }, who(judge, kind));
}

/** Comparisons in which the set is expected to reach its goal; 0 where that is not known. */
const goal = () => (summary?.progress.comparisons_left == null ? 0 : summary.comparisons + summary.progress.comparisons_left);

/** @param {number} verdicts */
function share(verdicts) {
  const part = Math.min(verdicts / goal(), 1), bar = element("span");
  bar.style.width = `${100 * part}%`;
  return element("span", { className: "share" }, element("span", { "aria-hidden": "true" }, bar), element("span", {}, `${percent(part)}%`));
}

// Loading

async function show() {
  const { judge, before } = state.get();
  try {
    /** @type {Contract.Activity} */
    const latest = await read("/activity", { judge: judge || null, before: before || null, limit: SHOWN });
    showProblem(null);
    showFigures(latest);
    showWork(latest);
    if (isPointedAt && activity && !before) hold(latest);
    else showLog(latest);
    lookAhead(latest.version);
  } catch (error) {
    showProblem(error, load);
  }
}

/** Loads soon; wishes that come meanwhile are one. */
function loadSoon() {
  if (isDue || document.hidden) return;
  isDue = true;
  setTimeout(() => {
    isDue = false;
    load();
  }, PAUSE_MS);
}

/** @param {string} judge */
const choose = (judge) => state.set({ judge, before: "" }, { push: true });

// The log

/** @param {Contract.Activity} latest */
function showLog(latest) {
  activity = latest;
  waiting = null;
  newer.hidden = true;
  showJudges(latest.judges);
  drawFeed(feed, latest.entries, { onVoid: voidEntry, onUndo: (seq) => restoreVerdict(seq, showNow) });
  const none = find("#none");
  none.hidden = latest.entries.length > 0;
  none.textContent = state.get().judge ? words.NONE_OF_JUDGE : words.NO_ENTRIES;
  find("#older").hidden = latest.next_before === null;
  find("#newest").hidden = state.get().before === "";
}

/**
 * Keeps the log still under the pointer, and says how much is new. A new row above the log would move it.
 * @param {Contract.Activity} latest
 */
function hold(latest) {
  if (latest.judges.length === activity?.judges.length) showJudges(latest.judges);
  const known = activity?.entries[0]?.seq ?? 0;
  const count = latest.entries.filter(({ seq }) => seq > known).length;
  waiting = count ? latest : null;
  newer.hidden = !count;
  newer.textContent = words.newer(count);
}

/** @param {Contract.LogEntry} entry */
function voidEntry(entry) {
  const { keys: [one, other], verb, note } = outcome(entry);
  const verdict = element("p", { dir: "auto" }, element("b", { dir: "auto" }, one), ` ${verb} `, element("b", { dir: "auto" }, other), ` ${note} (${entry.judge})`);
  voidVerdict(entry.seq, showNow, [verdict, ...(entry.item ? [promptOf(entry.item)] : [])]);
}

/**
 * The prompt of an item, which arrives after the place that it takes.
 * @param {string} item
 */
function promptOf(item) {
  const place = element("div", { className: "text", dir: "auto" }, item);
  read("/pairs", { item, limit: 1 }).then((/** @type {Contract.JudgedPairPage} */ { pairs }) => {
    place.textContent = pairs[0]?.item?.prompt ?? item;
  }).catch(showProblem);
  return place;
}

/** Shows what the person at the page has just done, wherever the pointer is. */
async function showNow() {
  isPointedAt = false;
  await load();
}

// Around it

/** @param {Contract.Activity} latest */
function showFigures(latest) {
  const { judges: all, at_work: work } = latest;
  const done = total(all.map(({ verdicts }) => verdicts));
  const { FIGURES: names } = words;
  drawFigures(find("#figures"), [
    [...names.verdicts, done.toLocaleString("en")],
    [...names.hour, total(all.map((each) => each.last_hour)).toLocaleString("en")],
    [...names.work, String(new Set([...work, ...justJudged(latest)].map(({ judge }) => judge)).size)],
    [...names.left, goal() ? Math.max(goal() - done, 0).toLocaleString("en") : NONE],
  ]);
}

/**
 * Judges of the last minute who hold no pair now: they ask for the next one in a moment.
 * @param {Contract.Activity} latest
 */
function justJudged({ judges: all, at_work: work }) {
  const since = Date.now() - RECENT_MS;
  return all.filter(({ judge, last_at: last }) => last && Date.parse(last) > since && !work.some((each) => each.judge === judge));
}

/** @param {Contract.Activity} latest */
function showWork(latest) {
  const lines = latest.at_work.map(({ judge, kind, worker, pairs, since, until }) => {
    const tip = words.lease({ worker, until: new Date(until).toLocaleTimeString("en") });
    const holds = element("span", { className: "faint term", "data-tip": tip }, words.holds(pairs), " · ");
    holds.append(timeOf(since));
    return element("li", {}, who(judge, kind), holds);
  });
  for (const { judge, kind, last_at: last } of justJudged(latest)) {
    const verdict = element("span", { className: "faint" }, words.LAST_VERDICT, " ");
    verdict.append(timeOf(last ?? ""));
    lines.push(element("li", {}, who(judge, kind), verdict));
  }
  find("#work").replaceChildren(...(lines.length ? lines : [element("li", { className: "faint" }, words.NOBODY_NOW)]));
}

/** @param {Contract.JudgeProgress[]} all */
function showJudges(all) {
  find(".of-judges").hidden = !all.length;
  find("#awaited").hidden = true;
  judges.show(all);
  const names = [...new Set([...all.map(({ judge }) => judge), state.get().judge])].filter(Boolean).toSorted();
  const shown = [...menu.options].slice(1).map(({ value }) => value);
  if (names.join("\n") !== shown.join("\n")) {
    menu.replaceChildren(menu.options[0], ...names.map((name) => element("option", { value: name }, name)));
  }
  menu.value = state.get().judge;
}

/**
 * What takes the ranking comes when it is ready: the log does not wait for it.
 * @param {number} version
 */
function lookAhead(version) {
  if (version === knownVersion || Date.now() - lookedAt < POLL_MS) return;
  knownVersion = version;
  lookedAt = Date.now();
  loadAhead();
}

async function showAhead() {
  await Promise.all([showGoal(), showNext()].map((each) => each.catch(showProblem)));
}

/** How far the set is to its goal. */
async function showGoal() {
  summary = await read("/summary");
  if (!summary || !activity) return;
  const { share: part, sentence } = summary.progress;
  const bar = find("#whole", HTMLProgressElement);
  bar.hidden = part === null;
  bar.value = part ?? 0;
  find("#to-goal").textContent = sentence;
  showFigures(activity);
  showJudges(activity.judges);
}

async function showNext() {
  /** @type {Contract.Preview} */
  const { pairs, status } = await read("/next-pair", { count: NEXT });
  find("#closed").hidden = goesOn(status);
  find("#closed span").textContent = closed(STATUSES[status] ?? "");
  const lines = pairs.map(({ first, second, item, why }) => element("li", {},
    element("span", { dir: "auto" }, element("bdi", {}, first.key), " or ", element("bdi", {}, second.key), ...(item ? [" ", element("span", { className: "faint" }, words.onItem(item.key))] : [])),
    element("span", { className: "faint term", "data-tip": words.aboutWrongOrder(why.criterion) }, chance(why.probability_of_reordering))));
  find("#next").replaceChildren(...(lines.length ? lines : [element("li", {}, `${words.NO_NEXT} ${STATUSES[status] ?? ""}`)]));
}

function showInvitation() {
  const place = find("#address", HTMLAnchorElement);
  place.textContent = place.href;
  place.after(copyButton(place.href));
  find("#closed").parentElement?.append(...onlyHere());
}

async function pauseOrResume() {
  const button = find("#pause", HTMLButtonElement);
  try {
    const { status } = await patch(address(""), { status: button.dataset.status === "paused" ? "open" : "paused" });
    button.dataset.status = status;
    button.textContent = status === "paused" ? RESUME : PAUSE;
    await showNext();
  } catch (error) {
    showProblem(error);
  }
}

function begin() {
  find("#pause").addEventListener("click", pauseOrResume);
  showInvitation();
  const mouse = (/** @type {boolean} */ isOver) => (/** @type {PointerEvent} */ { pointerType }) => {
    if (pointerType !== "mouse") return;
    isPointedAt = isOver;
    if (!isOver && waiting) showLog(waiting);
  };
  feed.addEventListener("pointerenter", mouse(true));
  feed.addEventListener("pointerleave", mouse(false));
  newer.addEventListener("click", () => waiting && showLog(waiting));
  menu.addEventListener("change", () => choose(menu.value));
  find("#older").addEventListener("click", () => state.set({ before: String(activity?.next_before ?? "") }, { push: true }));
  find("#newest").addEventListener("click", () => state.set({ before: "" }, { push: true }));
  state.onChange(() => showNow());
  follow(setId ?? "", { onState: loadSoon });
  setInterval(refreshTimes, POLL_MS);
  setInterval(loadSoon, POLL_MS);
  document.addEventListener("visibilitychange", loadSoon);
  load();
}

begin();
