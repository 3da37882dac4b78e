// @ts-check
// The columns of the table of judges: what each shows of a judge, and what sorts it.
import { axis, intervalMark } from "./chart.js";
import { element, icon } from "./dom.js";
import { decimal, money, percent, signed } from "./numbers.js";
import { setId } from "./set-page.js";
import { NONE, PICK } from "./texts/common.js";
import * as words from "./texts/judges.js";

/** @type {Record<string, [colour: string, sign: string]>} */
const SIGNS = { fine: ["good", "check"], random: ["bad", "cross"], inverted: ["bad", "doubt"], changed: ["doubt", "doubt"], unknown: ["neutral", "unknown"] };
/** @type {import("./chart.js").Domain} */
const SHARES = [0, 1];

/** @param {string} name */
export const judgeAddress = (name) => `/sets/${setId}/judges/${encodeURIComponent(name)}`;

/**
 * @param {string} a
 * @param {string} b
 */
export const compareJudges = (a, b) => `/sets/${setId}/compare?${new URLSearchParams({ mode: "judges", a, b })}`;

/** @param {number | null | undefined} share */
export const shareText = (share) => (share === null || share === undefined ? NONE : `${percent(share)}%`);

/** @param {number | null | undefined} value */
export const number = (value) => (value === null || value === undefined ? NONE : decimal(value));

/** @param {Contract.JudgeCard} judge */
export function statusBadge({ status, doubts }) {
  const name = status ?? "unknown", { label, tip } = words.STATUSES[name], [colour, sign] = SIGNS[name];
  return element("span", { className: `badge term ${colour}`, "data-tip": doubts.join(" ") || tip }, icon(sign), label);
}

/**
 * @param {Contract.JudgeCard[]} judges
 * @param {{ pick: (judge: Contract.JudgeCard) => Node, withSkill: boolean }} options
 * @returns {import("./table.js").Column<Contract.JudgeCard>[]}
 */
export function judgeColumns(judges, { pick, withSkill }) {
  const { COLUMNS: columns } = words, isKnown = (/** @type {(judge: Contract.JudgeCard) => unknown} */ figure) =>
    judges.some((judge) => (figure(judge) ?? null) !== null);
  const numeric = (/** @type {keyof typeof columns} */ id, /** @type {(judge: Contract.JudgeCard) => number | null | undefined} */ value,
    /** @type {(value: number) => string} */ format, isHidden = false) =>
    ({ id, ...columns[id], isNumber: true, isHidden, value: (/** @type {Contract.JudgeCard} */ judge) => value(judge) ?? null,
      cell: (/** @type {Contract.JudgeCard} */ judge) => {
        const figure = value(judge);
        return figure === null || figure === undefined ? NONE : format(figure);
      } });
  const people = (/** @type {Contract.JudgeCard} */ { agreement_with_people: agreement }) => agreement?.share ?? null;
  return [
    { id: "pick", label: element("span", { className: "visually-hidden" }, PICK), cell: pick, isHidden: judges.length < 2 },
    { id: "judge", ...columns.judge, value: ({ judge }) => judge, startsUp: true, isHeading: true, cell: nameOf },
    { id: "status", ...columns.status, value: ({ status }) => status ?? null, startsUp: true, cell: statusBadge },
    numeric("verdicts", ({ comparisons }) => comparisons, (count) => count.toLocaleString("en")),
    { id: "plot", label: element("span", {}, words.AGREEMENT_LEGEND, axis(SHARES, shareText, { count: 2 })), isHidden: !isKnown(people), cell: agreementMark },
    numeric("people", people, shareText, !isKnown(people)),
    numeric("others", ({ agreement }) => agreement?.share, shareText),
    { ...numeric("bias", ({ position_bias: bias }) => bias?.delta, signed), cell: biasOf },
    numeric("weight", ({ effective_votes: votes }) => votes, decimal),
    numeric("skill", ({ skill }) => skill, decimal, !withSkill || !isKnown(({ skill }) => skill)),
    numeric("cost", ({ cost }) => cost, money),
    numeric("pace", ({ verdicts_per_hour: pace }) => pace, words.perHour, !isKnown(({ verdicts_per_hour: pace }) => pace)),
    numeric("time", ({ median_latency_ms: latency }) => latency, words.duration, !isKnown(({ median_latency_ms: latency }) => latency)),
    numeric("failures", ({ failure_rate: rate }) => rate, shareText, !judges.some(({ failure_rate: rate }) => rate)),
  ];
}

/** @param {Contract.JudgeCard} judge */
function nameOf({ judge, kind, model }) {
  const description = [kind, model].filter(Boolean).join(", ");
  return element("span", {},
    element("a", { className: "open", href: judgeAddress(judge), dir: "auto" }, judge),
    ...(description ? [element("span", { className: "snippet", dir: "auto" }, description)] : []));
}

/**
 * A bias that is hardly known says so.
 * @param {Contract.JudgeCard} judge
 */
function biasOf({ position_bias: bias }) {
  if (!bias) return NONE;
  return bias.warning ? element("span", { className: "term faint", "data-tip": bias.warning }, signed(bias.delta)) : signed(bias.delta);
}

/** @param {Contract.JudgeCard} judge */
function agreementMark({ judge, agreement_with_people: agreement }) {
  if (!agreement) return "";
  return intervalMark({ value: agreement.share, interval: agreement.interval }, SHARES,
    { text: words.spoken(judge, words.shareOfPairs(agreement)), zero: 0.5 });
}
