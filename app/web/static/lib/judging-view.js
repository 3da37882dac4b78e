// @ts-check
// What the judging page shows.
import { diff, render } from "./diff.js";
import { find, findAll } from "./dom.js";
import { showText } from "./rich-text.js";
import { goesOn } from "./statuses.js";
import { LATE, SENT, TOO_LONG, progress, readOn, unsent } from "./texts/annotate.js";

/** @typedef {import("./pairs.js").Pair} Pair */

const SENT_MS = 2500;
const ORDERS = { balanced: 1, as_selected: 1, both: 2, each: 2 };

/** @type {Record<Contract.AskStatus, string>} */
const REASONS = JSON.parse(find("#annotate").dataset.reasons ?? "{}"); // why there is no pair, and what to do
let sentTimer = 0;

/**
 * @param {string} text none hides the place
 * @param {string} id of the place
 */
export function say(text, id = "message") {
  const place = find(`#${id}`);
  place.textContent = text;
  place.hidden = !text;
}

/** @param {string} judge none asks for a name */
export function showWho(judge) {
  find("#who").hidden = Boolean(judge);
  for (const part of findAll("#bar, #tools")) part.hidden = !judge;
  find("#options", HTMLDetailsElement).open = false;
  find("#judge").textContent = judge;
  find(judge ? "#question" : "#name").focus();
}

/** @param {Pair | undefined} pair none leaves nothing to answer */
export function showPair(pair) {
  find("#pair").hidden = !pair;
  for (const button of findAll("#answers button:not([data-action=undo])", HTMLButtonElement)) button.disabled = !pair;
  if (!pair) return;
  showTexts(pair);
  for (const box of findAll("#prompt-text, #first, #second")) box.scrollTop = 0;
  find(".sides").scrollLeft = 0;
}

/** @param {string} id */
const isChecked = (id) => find(`#${id}`, HTMLInputElement).checked;

/** @param {boolean} isPossible */
export function showUndo(isPossible) {
  find("#answers [data-action=undo]").setAttribute("aria-disabled", String(!isPossible));
}

/** @param {Pair} pair */
export function showTexts(pair) {
  const [first, second] = [pair.first, pair.second].map((side) => side.text ?? side.key);
  const prompt = pair.item?.prompt ?? "";
  find("#prompt").hidden = !prompt;
  showText(find("#prompt-text"), prompt, { raw: isChecked("source") });
  const isMarked = isChecked("differences");
  const pieces = isMarked ? diff(first, second) : null;
  [first, second].forEach((text, place) => {
    const box = find(place ? "#second" : "#first");
    showText(box, text, { raw: isMarked || isChecked("source") });
    if (pieces) render(box, pieces[place]);
  });
  say(isMarked && !pieces ? TOO_LONG : "", "too-long");
}

/**
 * @param {Contract.AskStatus} status
 * @param {Pair | undefined} pair
 */
export function showStatus(status, pair) {
  if (!pair) say(REASONS[status]);
  else if (pair.late) say(LATE);
  const isOver = !pair && !goesOn(status);
  find("#again").hidden = !isOver;
  for (const button of findAll("#answers button:not([data-action=undo])")) button.style.visibility = isOver ? "hidden" : "";
}

/** @param {number} seconds */
export function showCountdown(seconds) {
  say(seconds ? readOn(seconds) : "", "countdown");
  for (const button of findAll(".verdict")) button.setAttribute("aria-disabled", String(seconds > 0));
}

/**
 * @param {boolean} isOffline
 * @param {number} count
 */
export function showWaiting(isOffline, count) {
  say(isOffline && count ? unsent(count) : "", "waiting");
}

/** @param {string} kind of what the service has now */
export function showSent(kind) {
  clearTimeout(sentTimer);
  find("#sent").textContent = SENT[kind];
  sentTimer = setTimeout(() => (find("#sent").textContent = ""), SENT_MS);
}

/**
 * @param {number} today verdicts of this judge
 * @param {Contract.SetOut} set
 */
export function showProgress(today, set) {
  const goal = goalOf(set);
  say(progress(today, set.comparisons, goal), "progress");
  const bar = find("#share", HTMLProgressElement);
  bar.hidden = goal === null;
  Object.assign(bar, { max: goal || 1, value: set.comparisons });
}

/**
 * The budget, or all pairs where nothing else ends the set and none is judged twice.
 * @param {Contract.SetOut} set
 */
function goalOf({ budget, stop, overlap, comparisons, candidates, items, order }) {
  if (budget?.max_comparisons) return budget.max_comparisons;
  const all = ((candidates * (candidates - 1)) / 2) * Math.max(items, 1) * ORDERS[order];
  return stop || overlap || comparisons > all ? null : all;
}

/** @param {string} side that comes into view on a phone */
export function viewSide(side) {
  find(`#${side}`).parentElement?.scrollIntoView({ inline: "start", block: "nearest" });
}

/** Keeps the tabs of a phone to the side in view. */
export function followSwipes() {
  const sides = find(".sides");
  sides.addEventListener("scroll", () => {
    const isSecond = Math.abs(sides.scrollLeft) > (sides.scrollWidth - sides.clientWidth) / 2;
    for (const tab of findAll(".side-tabs button")) {
      tab.setAttribute("aria-pressed", String((tab.dataset.action === "view_second") === isSecond));
    }
  });
}
