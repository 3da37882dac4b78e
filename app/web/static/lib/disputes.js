// @ts-check
// A pair on which judges name different winners: both texts side by side, and below each who is for it.
import { element } from "./dom.js";
import { BETTER_BY, TIED_BY, textOf } from "./texts/judges.js";

/** @typedef {Pick<Contract.PairVerdict, "judge" | "kind" | "p_first" | "winner">} Verdict */

/** @param {Pick<Contract.JudgedPair, "item" | "first" | "second"> & { verdicts: Verdict[] }} dispute */
export function disputeArticle({ item, first, second, verdicts }) {
  const prompt = item ? [filled(element("div", { className: "prompt", dir: "auto" }), item.prompt ?? item.key)] : [];
  const undecided = verdicts.filter(({ winner }) => winner !== "first" && winner !== "second");
  return element("article", { className: "dispute" },
    ...prompt,
    element("div", { className: "sides" },
      side(first, verdicts.filter(({ winner }) => winner === "first")),
      side(second, verdicts.filter(({ winner }) => winner === "second"))),
    ...(undecided.length ? [said(TIED_BY, undecided)] : []));
}

/**
 * @param {Contract.Shown} shown
 * @param {Verdict[]} verdicts of those who are for it
 */
function side({ key, text }, verdicts) {
  const region = { className: "text", dir: "auto", role: "group", "aria-label": textOf(key), tabindex: "0" };
  return element("section", {},
    element("h3", { dir: "auto" }, key),
    ...(text ? [filled(element("div", region), text)] : []),
    said(BETTER_BY, verdicts));
}

/**
 * @param {HTMLElement} place
 * @param {string} text
 */
function filled(place, text) {
  place.textContent = text;
  import("./rich-text.js").then(({ showText }) => showText(place, text)); // whose libraries few visits need
  return place;
}

/**
 * @param {string} words
 * @param {Verdict[]} verdicts
 */
function said(words, verdicts) {
  const judges = verdicts.flatMap(({ judge, kind, p_first: p }, at) =>
    [at ? "; " : " ", element("bdi", {}, judge), `${kind ? `, ${kind}` : ""} (${Math.round(100 * Math.max(p, 1 - p))}%)`]);
  return element("p", { className: "said" }, `${words}:`, ...judges);
}
