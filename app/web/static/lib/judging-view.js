// @ts-check
// What the judging page shows.
import { diff, render } from "./diff.js";
import { find, findAll } from "./dom.js";
import { counted } from "./numbers.js";
import { goesOn } from "./statuses.js";

/** @typedef {import("./pairs.js").Pair} Pair */

const REASONS = {
  open: "Waiting for the next pair.",
  all_leased: "Others are judging all the pairs that are left. This page asks again by itself.",
  exhausted: "Every pair has been judged as often as this set asks. For several judges of the same pairs, "
    + "give the set an overlap. See the ranking above.",
  cannot_converge: "Every pair was asked, and asking it again would teach nothing. Another judge may go on.",
  budget_reached: "The set has all the comparisons that its budget allows.",
  converged: "The ranking is certain enough: no more comparisons are needed.",
  paused: "The set is paused: no pairs are handed out until it is opened again.",
};
const LATE = "This pair is no longer reserved for you. Your verdict still counts; it will be marked late.";
const TOO_LONG = "These texts are too long to compare word by word.";

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
  for (const tools of findAll("#answers, #tools")) tools.hidden = !judge;
  find("#judge").textContent = judge;
  find(judge ? "#question" : "#name").focus();
}

/** @param {boolean} isVisible */
export function showLegend(isVisible) {
  find("#legend").hidden = !isVisible;
  find("[aria-controls=legend]").setAttribute("aria-expanded", String(isVisible));
}

/** @param {Pair | undefined} pair */
export function showPair(pair) {
  find("#pair").hidden = !pair;
  for (const button of findAll("#answers button:not([data-action=undo])")) button.hidden = !pair;
  if (!pair) return;
  const prompt = pair.item?.prompt ?? "";
  find("#prompt").hidden = !prompt;
  find("#prompt-text").textContent = prompt;
  showTexts(pair);
  for (const box of findAll("#prompt-text, #first, #second")) box.scrollTop = 0;
}

/** @param {Pair} pair */
export function showTexts(pair) {
  const [first, second] = [pair.first, pair.second].map((side) => side.text ?? side.key);
  const isMarked = find("#differences", HTMLInputElement).checked;
  const pieces = isMarked ? diff(first, second) : null;
  render(find("#first"), pieces?.[0] ?? [[first, false]]);
  render(find("#second"), pieces?.[1] ?? [[second, false]]);
  say(isMarked && !pieces ? TOO_LONG : "", "too-long");
}

/**
 * @param {Contract.AskStatus} status
 * @param {Pair | undefined} pair
 */
export function showStatus(status, pair) {
  if (!pair) say(REASONS[status]);
  else if (pair.late) say(LATE);
  find("#again").hidden = Boolean(pair) || goesOn(status);
}

/** @param {number} seconds */
export function showCountdown(seconds) {
  say(seconds ? `Please read on: you can judge in ${seconds} s.` : "", "countdown");
  for (const button of findAll(".verdict")) button.setAttribute("aria-disabled", String(seconds > 0));
}

/**
 * @param {boolean} isOffline
 * @param {number} count
 */
export function showWaiting(isOffline, count) {
  say(isOffline && count ? `Offline, ${counted(count, "vote")} waiting to be sent. This page goes on by itself.` : "", "waiting");
}

/**
 * @param {number} count of this judge, in this session
 * @param {Contract.SetOut} set
 */
export function showProgress(count, { budget, comparisons, stop }) {
  const left = budget?.max_comparisons ? Math.max(0, budget.max_comparisons - comparisons) : null;
  const end = left === null ? (stop ? "it ends when the ranking is certain" : "no end set") : `${left} left`;
  say(`Judged by you in this session: ${count}. Comparisons in the set: ${comparisons}, ${end}.`, "progress");
}
