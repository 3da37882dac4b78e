// What the page shows. Texts are untrusted: they go in as text, never as markup.
import { diff, render } from "./diff.js";

export const element = (id) => document.getElementById(id);

const STATUS = {
  open: "Waiting for the next pair.",
  all_leased: "Others are judging all the pairs that are left. This page asks again by itself.",
  exhausted: "Every pair has been judged: there is nothing left to do. See the ranking above.",
  budget_reached: "The set has all the comparisons that its budget allows.",
  converged: "The ranking is certain enough: no more comparisons are needed.",
  paused: "The set is paused: no pairs are handed out until it is opened again.",
};
const LATE = "This pair is no longer reserved for you. Your verdict still counts; it will be marked late.";
const TOO_LONG = "These texts are too long to compare word by word.";
const GOES_ON = new Set(["open", "all_leased"]);

export const goesOn = (status) => GOES_ON.has(status);

export function say(text, id = "message") {
  element(id).textContent = text;
  element(id).hidden = !text;
}

export function showWho(judge) {
  element("who").hidden = Boolean(judge);
  for (const id of ["answers", "tools"]) element(id).hidden = !judge;
  element("judge").textContent = judge;
  element(judge ? "question" : "name").focus();
}

export function showLegend(visible) {
  element("legend").hidden = !visible;
  document.querySelector("[aria-controls=legend]").setAttribute("aria-expanded", visible);
}

export function showPair(pair) {
  element("pair").hidden = !pair;
  for (const button of document.querySelectorAll("#answers button:not([data-action=undo])")) button.hidden = !pair;
  if (!pair) return;
  const prompt = pair.item?.prompt ?? "";
  element("prompt").hidden = !prompt;
  element("prompt-text").textContent = prompt;
  showTexts(pair);
  for (const id of ["prompt-text", "first", "second"]) element(id).scrollTop = 0;
}

export function showTexts(pair) {
  const [first, second] = [pair.first, pair.second].map((side) => side.text ?? side.key);
  const found = element("differences").checked ? diff(first, second) : [[[first, false]], [[second, false]]];
  render(element("first"), found?.[0] ?? [[first, false]]);
  render(element("second"), found?.[1] ?? [[second, false]]);
  say(found ? "" : TOO_LONG, "too-long");
}

export function showStatus(status, pair) {
  if (!pair) say(STATUS[status]);
  else if (pair.late) say(LATE);
  element("again").hidden = Boolean(pair) || goesOn(status);
}

export function showCountdown(seconds) {
  say(seconds ? `Please read on: you can judge in ${seconds} s.` : "", "countdown");
  for (const button of document.querySelectorAll(".verdict")) button.setAttribute("aria-disabled", seconds > 0);
}

export function showWaiting(offline, count) {
  const votes = count === 1 ? "1 vote" : `${count} votes`;
  say(offline && count ? `Offline, ${votes} waiting to be sent. This page goes on by itself.` : "", "waiting");
}

export function showProgress(mine, set) {
  const left = set.budget?.max_comparisons ? Math.max(0, set.budget.max_comparisons - set.comparisons) : null;
  const end = left === null ? (set.stop ? "it ends when the ranking is certain" : "no end set") : `${left} left`;
  say(`Judged by you in this session: ${mine}. Comparisons in the set: ${set.comparisons}, ${end}.`, "progress");
}
