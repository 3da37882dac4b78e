// @ts-check
// Entries of the log, newest first: a new one slides in, one that stays is left as it is.
import { compareAddress } from "./candidate-panel.js";
import { element, icon } from "./dom.js";
import { outcome } from "./outcome.js";
import * as words from "./texts/activity.js";
import { UNDO, VOID } from "./texts/void-verdict.js";

const SLIDE_MS = 120;
const isStill = matchMedia("(prefers-reduced-motion: reduce)");

/** @typedef {{ onVoid: (entry: Contract.LogEntry) => void, onUndo: (seq: number) => void }} Actions */

/**
 * @param {HTMLElement} place
 * @param {Contract.LogEntry[]} entries
 * @param {Actions} actions
 */
export function drawFeed(place, entries, actions) {
  const drawn = new Map([...place.children].map((line) => [/** @type {HTMLElement} */ (line).dataset.entry, /** @type {HTMLElement} */ (line)]));
  const isFirst = ![...drawn.keys()].some(Boolean);
  const known = new Set([...drawn.values()].map((line) => line.dataset.seq));
  const lines = entries.map((entry) => drawn.get(JSON.stringify(entry)) ?? line(entry, actions));
  const focused = document.activeElement?.closest(".entry");
  place.replaceChildren(...lines);
  if (focused instanceof HTMLElement) {
    const again = lines.find(({ dataset }) => dataset.seq === focused.dataset.seq);
    /** @type {HTMLElement | null | undefined} */ (again?.querySelector("button, a"))?.focus({ preventScroll: true });
  }
  if (isFirst || isStill.matches) return;
  for (const each of lines.filter(({ dataset }) => !known.has(dataset.seq))) {
    const height = each.getBoundingClientRect().height;
    each.animate([{ maxHeight: "0", minHeight: "0", opacity: 0, paddingBlock: "0" }, { maxHeight: `${height}px`, minHeight: "0", opacity: 1 }], SLIDE_MS);
  }
}

/**
 * @param {Contract.LogEntry} entry
 * @param {Actions} actions
 */
function line(entry, { onVoid, onUndo }) {
  const isVoid = entry.kind === "void", isVoided = !isVoid && entry.voided_by !== null;
  const actions = element("span", { className: "act" });
  for (const name of badges(entry)) {
    const [label, tip] = words.BADGES[name];
    actions.append(element("span", { className: `badge${name === "late" ? " doubt" : ""}`, "data-tip": tip }, isVoid ? words.voidOf(entry.voids ?? 0) : label));
  }
  if (isVoid && entry.restored_by === null) actions.append(button(UNDO, "undo", () => onUndo(entry.voids ?? 0)));
  if (!isVoid && !isVoided) actions.append(button(VOID, "", () => onVoid(entry)));
  const state = isVoid ? " is-void" : isVoided ? " is-voided" : "";
  return element("li", { className: `entry${state}`, "data-seq": String(entry.seq), "data-entry": JSON.stringify(entry) },
    timeOf(entry.created_at, words.entry(entry.seq)), isVoid ? element("span") : who(entry.judge, entry.judge_kind), what(entry), actions);
}

/** @param {Contract.LogEntry} entry */
const badges = ({ kind, voided_by, restores, late }) => [
  ...(kind === "void" ? ["void"] : voided_by === null ? [] : ["voided"]),
  ...(restores === null ? [] : ["restored"]), ...(late && kind !== "void" ? ["late"] : []),
];

/**
 * @param {string} label
 * @param {string} sign
 * @param {() => void} act
 */
function button(label, sign, act) {
  const created = element("button", { type: "button", className: "quiet" }, ...(sign ? [icon(sign)] : []), label);
  created.addEventListener("click", act);
  return created;
}

/** @param {Contract.LogEntry} entry */
function what(entry) {
  const { keys: [one, other], verb, note, isTie } = outcome(entry);
  const pair = element("a", { href: compareAddress(one, other), "data-tip": words.COMPARE },
    element(isTie ? "bdi" : "b", { dir: "auto" }, one), ` ${verb} `, element("bdi", {}, other));
  const more = [entry.kind === "void" ? words.verdictVoided(entry.judge) : "", note, entry.item ?? "", entry.reason === null ? "" : words.because(entry.reason)];
  return element("span", { className: "what" }, pair,
    ...more.filter(Boolean).map((each) => element("span", { className: "faint", dir: "auto" }, ` · ${each}`)));
}

/**
 * A judge's name with the sign of its kind.
 * @param {string} name
 * @param {Contract.JudgeKind | null} kind
 */
export function who(name, kind) {
  const sign = kind === "human" ? [icon("person")] : kind === "llm" ? [icon("model")] : [];
  return element("span", { className: "who" }, ...sign, element("span", { className: "clip", dir: "auto" }, name));
}

/**
 * How long ago it was; the tip has the moment itself.
 * @param {string} moment
 * @param {string} [what]
 */
export function timeOf(moment, what = "") {
  const time = element("time", { dateTime: moment, "data-tip": `${what}${new Date(moment).toLocaleString("en")}` });
  time.textContent = words.ago((Date.now() - Date.parse(moment)) / 1000);
  return time;
}

/** Brings all relative times up to date. */
export function refreshTimes() {
  for (const time of document.querySelectorAll("time")) {
    time.textContent = words.ago((Date.now() - Date.parse(time.dateTime)) / 1000);
  }
}
