// @ts-check
// The columns of a judge's latest verdicts.
import { element } from "./dom.js";
import { percent } from "./numbers.js";
import { NONE } from "./texts/common.js";
import * as words from "./texts/judge.js";
import { duration } from "./texts/judges.js";
import { RESTORE, VOID } from "./texts/void-verdict.js";

/**
 * @param {Contract.LatestVerdict[]} verdicts
 * @param {{ onVoid: (seq: number) => void, onRestore: (seq: number) => void }} acts
 * @returns {import("./table.js").Column<Contract.LatestVerdict>[]}
 */
export function verdictColumns(verdicts, { onVoid, onRestore }) {
  const { COLUMNS: columns } = words;
  const key = (/** @type {string} */ name) => element("bdi", {}, name);
  return [
    { id: "at", ...columns.at, value: ({ created_at: at }) => at, cell: ({ created_at: at }) => element("time", { dateTime: at }, words.moment(at)) },
    { id: "item", ...columns.item, value: ({ item }) => item, startsUp: true, cell: ({ item }) => key(item ?? ""), isHidden: verdicts.every(({ item }) => item === null) },
    { id: "first", ...columns.first, value: ({ first }) => first, startsUp: true, cell: ({ first }) => key(first) },
    { id: "second", ...columns.second, value: ({ second }) => second, startsUp: true, cell: ({ second }) => key(second) },
    { id: "verdict", ...columns.verdict, value: ({ p_first: p }) => Math.abs(p - 0.5), cell: verdictOf },
    { id: "latency", ...columns.latency, isNumber: true, value: ({ latency_ms: latency }) => latency, isHidden: verdicts.every(({ latency_ms: latency }) => latency === null),
      cell: ({ latency_ms: latency }) => (latency === null ? NONE : duration(latency)) },
    { id: "act", label: element("span", { className: "visually-hidden" }, VOID), cell: ({ seq, voided_by: by }) => {
      const button = element("button", { type: "button", className: "quiet", "aria-label": by === null ? words.voidVerdict(seq) : words.restoreVerdict(seq) },
        by === null ? VOID : RESTORE);
      button.addEventListener("click", () => (by === null ? onVoid(seq) : onRestore(seq)));
      return button;
    } },
  ];
}

/** @param {Contract.LatestVerdict} verdict */
function verdictOf({ first, second, p_first: p, winner }) {
  if (winner === "both_bad") return words.BOTH_BAD;
  if (p === 0.5) return words.TIE;
  const name = element("strong", { dir: "auto", className: p > 0.5 ? "first" : "second" }, p > 0.5 ? first : second);
  const over = element("span", { className: "over", dir: "auto" }, words.over(p > 0.5 ? second : first));
  return element("span", {}, name, over, ...(winner === null ? [` ${percent(Math.max(p, 1 - p))}%`] : []));
}
