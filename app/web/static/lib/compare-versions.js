// @ts-check
// The ranking at one version against that at another: who moved, and who moved beyond the interval of then.
import { axis, domainOf, intervalMark } from "./chart.js";
import { element } from "./dom.js";
import { figureList } from "./figures.js";
import { moves } from "./moves.js";
import { counted } from "./numbers.js";
import { read } from "./set-page.js";
import { dataTable } from "./table.js";
import { ranks } from "./texts/common.js";
import * as words from "./texts/compare.js";

/**
 * The earlier version by default.
 * @param {number} version
 */
export const half = (version) => Math.floor(version / 2);

/** @type {import("../pages/compare.js").Mode} */
export async function compareVersions(place, state, signal) {
  const now = Number(place.dataset.version), earlier = Number(state.get().a || half(now));
  const later = state.get().b ? Number(state.get().b) : null;
  const numbers = element("div", {}), table = element("table", { className: "table versions", "aria-label": words.MOVES });
  /** @type {import("./moves.js").Move[]} */
  let rows = [];
  const rendered = dataTable(table, { columns: () => columns(rows), state, rowKey: ({ key }) => key });

  async function load() {
    /** @type {Contract.Ranking[]} */
    const [then, latest] = await Promise.all([earlier, later].map((version) => read("/ranking", { as_of: version }, { signal })));
    rows = moves(then, latest);
    const moved = rows.filter(({ move }) => move), far = rows.filter(({ isBeyond }) => isBeyond), made = latest.comparisons - then.comparisons;
    numbers.replaceChildren(
      element("p", { id: "answer-line", dir: "auto" }, words.leaders(then.ranking[0]?.key, latest.ranking[0]?.key, then.version, latest.version)),
      figureList([
        [...words.FIGURES.between, made.toLocaleString("en"), counted(made, "comparison").split(" ")[1]],
        [...words.FIGURES.moved, String(moved.length), words.ofCandidates(rows.length)],
        [...words.FIGURES.beyond, String(far.length), words.ofCandidates(rows.length)],
      ]));
  }

  await load();
  place.replaceChildren(numbers, element("p", { className: "faint" }, words.READ_VERSIONS), table);
  rendered.show(rows);
  return async (_, isNewer) => {
    if (isNewer && later === null) await load();
    rendered.show(rows);
  };
}

/** @param {import("./moves.js").Move[]} rows */
function columns(rows) {
  const domain = domainOf(rows.flatMap(({ before, after }) => [before, after]).map(({ score, interval }) => ({ value: score, interval })), [0]);
  return /** @type {import("./table.js").Column<import("./moves.js").Move>[]} */ ([
    { id: "rank", label: words.COLUMNS.rank[0], tip: words.COLUMNS.rank[1], isNumber: true, startsUp: true, value: ({ after }) => after.rank, cell: ({ after }) => String(after.rank) },
    { id: "key", label: words.COLUMNS.key[0], tip: words.COLUMNS.key[1], isHeading: true, startsUp: true, value: ({ key }) => key, cell: ({ key }) => key },
    { id: "move", label: words.COLUMNS.move[0], tip: words.COLUMNS.move[1], value: ({ move }) => move, cell: moveBadge },
    { id: "then", label: words.COLUMNS.then[0], tip: words.COLUMNS.then[1], isNumber: true, startsUp: true, value: ({ before }) => before.rank, cell: ({ before }) => `${before.rank}${before.rank_interval ? ` (${ranks(before.rank_interval)})` : ""}` },
    { id: "plot", label: element("span", {}, element("span", { className: "visually-hidden" }, words.COLUMNS.plot[0]), axis(domain, String)), tip: words.COLUMNS.plot[1], cell: ({ key, before, after }) => element("div", { className: "two" },
      intervalMark({ value: before.score, interval: before.interval }, domain, { text: words.scoreThen(key, before.score), zero: 0, side: "first" }),
      intervalMark({ value: after.score, interval: after.interval }, domain, { text: words.scoreNow(key, after.score), zero: 0, side: "second" })) },
  ]);
}

/** @param {import("./moves.js").Move} move */
function moveBadge({ move, isBeyond }) {
  const text = move ? `${move > 0 ? "↑" : "↓"} ${Math.abs(move)}` : "–";
  return element("span", { className: "row" }, element("span", { "aria-label": words.movedBy(move) }, text),
    ...(isBeyond ? [element("span", { className: "badge doubt" }, words.BEYOND)] : []));
}
