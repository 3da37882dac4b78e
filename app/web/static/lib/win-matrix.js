// @ts-check
// The win matrix as both of its pictures need it: its cells, what one says, and what the reader can choose.
import { element } from "./dom.js";
import { cellsOf } from "./matrix-cells.js";
import { Refusal, getText } from "./service.js";
import { address, read, showProblem } from "./set-page.js";
import * as words from "./texts/compare.js";

const NEVER = 255, SCALE = 200; // what a cell says of a pair never compared, and of one that the row always wins

export const DEEPEST = 0.45; // share of the colour of a side in a cell of certainty
/** What cells show until the reader chooses. */
export const USUAL = "win-rate";

/** @typedef {"observed" | "win-rate" | "expected"} Of */

/** The matrix of a set, best first. */
export class WinMatrix {
  /**
   * @param {Contract.Matrix} answer
   * @param {number[]} [exact] cells that are not rounded; those that are of another version are not taken
   */
  constructor({ keys, cells, of }, exact = []) {
    this.exact = exact;
    this.keys = keys;
    this.of = /** @type {Of} */ (of);
    this.cells = Uint8Array.from(atob(cells), (character) => character.charCodeAt(0));
  }

  /**
   * Share or probability that the row wins; null where nothing is known.
   * @param {number} row
   * @param {number} column
   */
  share(row, column) {
    const place = row * this.keys.length + column, cell = this.cells[place], exact = this.exact[place];
    if (row === column || cell === NEVER) return null;
    return Math.abs(exact - cell / SCALE) < 1 / SCALE ? exact : cell / SCALE;
  }

  /**
   * @param {number} row
   * @param {number} column
   */
  described(row, column) {
    const { keys } = this, share = this.share(row, column);
    const outcome = row === column ? words.SAME : share === null ? words.NEVER_COMPARED : words.MATRIX_SAYS[this.of](keys[row], share);
    return words.cell(words.ranked(keys[row], row + 1), words.ranked(keys[column], column + 1), outcome);
  }
}

/**
 * The matrix of this name; as it was observed, with the reason, where the ranking cannot say more.
 * @param {Of} of
 * @param {AbortSignal} signal
 * @param {{ isExact?: boolean }} [options] whether cells are read to the last digit, which few candidates allow
 */
export async function readMatrix(of, signal, { isExact = false } = {}) {
  try {
    const answer = await read("/matrix", { of }, { signal });
    return new WinMatrix(answer, isExact ? cellsOf(await getText(address("/matrix", { of, format: "csv" }), { signal })) : []);
  } catch (error) {
    if (of === "observed" || !(error instanceof Refusal)) throw error;
    showProblem(error);
    return new WinMatrix(await read("/matrix", { of: "observed" }, { signal }));
  }
}

/**
 * What cells show, to choose from, and the legend.
 * @param {Of} chosen
 * @param {(of: Of) => void} onChoose
 */
export function matrixBar(chosen, onChoose) {
  const buttons = /** @type {[Of, import("./texts/common.js").Explained][]} */ (Object.entries(words.CELLS)).map(([of, [label, tip]]) => {
    const button = element("button", { type: "button", "data-of": of, "data-tip": tip, "aria-pressed": String(of === chosen) }, label);
    button.addEventListener("click", () => onChoose(of));
    return button;
  });
  const swatch = (/** @type {string} */ name, /** @type {string} */ label) => element("span", {}, element("span", { className: `swatch ${name}` }), label);
  return element("div", { className: "row spread matrix-bar" },
    element("div", { className: "chips", role: "group", "aria-label": words.CELLS_SHOW }, ...buttons),
    element("p", { className: "legend faint" }, swatch("first", words.ROW_WINS), swatch("second", words.COLUMN_WINS), ...(chosen === "observed" ? [swatch("never", words.NEVER)] : [])));
}
