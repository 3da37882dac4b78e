// @ts-check
// What the judging page shows.
import { diff, render } from "./diff.js";
import { find, findAll } from "./dom.js";
import { goesOn } from "./statuses.js";
import { LATE, TOO_LONG, judged, readOn, unsent } from "./texts/annotate.js";

/** @typedef {import("./pairs.js").Pair} Pair */

/** @type {Record<Contract.AskStatus, string>} */
const REASONS = JSON.parse(find("#annotate").dataset.reasons ?? "{}"); // why there is no pair, and what to do

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

/**
 * @param {number} count of this judge, in this session
 * @param {Contract.SetOut} set
 */
export const showProgress = (count, set) => say(judged(count, set), "progress");
