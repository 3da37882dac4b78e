// @ts-check
// The win matrix of few candidates: a table whose cells are read by arrow keys and opened by Enter or a click.
import { element, redraw } from "./dom.js";
import { chance, percent } from "./numbers.js";
import * as words from "./texts/compare.js";
import { DEEPEST, USUAL, matrixBar, readMatrix } from "./win-matrix.js";

const MOVES = /** @type {Record<string, [down: number, right: number]>} */ ({
  ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
});

/** @type {import("../pages/compare.js").Mode} */
export async function winTable(place, state, signal) {
  const scrolled = element("div", { className: "scroll matrix-scroll", role: "region", "aria-label": words.WIN_MATRIX, tabIndex: "0" });
  let shown = "";

  /** @param {import("../pages/compare.js").Choices} choices */
  async function show({ of }) {
    const chosen = /** @type {import("./win-matrix.js").Of} */ (of || USUAL);
    const matrix = await readMatrix(chosen, signal, { isExact: true });
    if (signal.aborted || (state.get().of || USUAL) !== chosen) return;
    redraw(scrolled, [grid(matrix, state)]);
    if (shown === chosen && scrolled.isConnected) return;
    shown = chosen;
    const bar = matrixBar(matrix.of, (name) => state.set({ of: name }));
    place.replaceChildren(
      element("p", { className: "faint" }, matrix.keys.length < 2 ? words.NO_PAIRS : words.READ_MATRIX),
      ...(matrix.keys.length < 2 ? [] : [bar, scrolled]));
  }
  await show(state.get());
  let { of } = state.get();
  return async (choices, isNewer) => {
    const isOther = choices.of !== of;
    of = choices.of;
    if (isOther || isNewer) await show(choices);
  };
}

/**
 * @param {import("./win-matrix.js").WinMatrix} matrix
 * @param {import("../pages/compare.js").State} state
 */
function grid(matrix, state) {
  const { keys } = matrix, format = matrix.of === "expected" ? chance : (/** @type {number} */ share) => `${percent(share)}%`;
  /** @type {HTMLElement[][]} */
  const cells = keys.map((_, row) => keys.map((_, column) => cell(row, column)));

  /**
   * @param {number} row
   * @param {number} column
   */
  function cell(row, column) {
    const share = matrix.share(row, column), isSame = row === column;
    const shown = element("td", { role: "gridcell", tabIndex: row === 0 && column === 1 ? "0" : "-1", className: isSame ? "same" : share === null ? "never" : "",
      "data-row": String(row), "data-column": String(column) }, isSame ? "" : share === null ? "–" : format(share).replace("%", ""));
    if (!isSame) shown.dataset.tip = matrix.described(row, column);
    if (share !== null) {
      const side = share > 0.5 ? "--first" : "--second";
      shown.style.background = `color-mix(in srgb, var(${side}) ${(100 * DEEPEST * Math.abs(2 * share - 1)).toFixed(0)}%, var(--n1))`;
    }
    return shown;
  }

  /** @param {HTMLElement} target */
  const open = ({ dataset: { row, column } }) => row !== column && state.set({ a: keys[Number(row)], b: keys[Number(column)] }, { push: true });
  const head = element("tr", {}, element("th", { scope: "col" }, words.ROW_AGAINST),
    ...keys.map((key) => element("th", { scope: "col", dir: "auto" }, element("span", {}, key))));
  const table = element("table", { className: "matrix", "data-key": "matrix", role: "grid", "aria-label": words.WIN_MATRIX },
    element("thead", {}, head),
    element("tbody", {}, ...keys.map((key, row) => element("tr", {},
      element("th", { scope: "row", dir: "auto" }, element("span", { className: "rank" }, String(row + 1)), element("span", {}, key)), ...cells[row]))));
  table.addEventListener("click", ({ target }) => {
    const chosen = target instanceof HTMLElement && target.closest("td");
    if (chosen) open(chosen);
  });
  table.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (!(target instanceof HTMLElement) || target.tagName !== "TD") return;
    if (key === "Enter") open(target);
    if (!(key in MOVES)) return;
    event.preventDefault();
    const next = cells[Number(target.dataset.row) + MOVES[key][0]]?.[Number(target.dataset.column) + MOVES[key][1]];
    if (!next) return;
    target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
  table.style.setProperty("--cell", `${keys.length <= 16 ? 44 : keys.length <= 24 ? 38 : 32}px`);
  return table;
}
