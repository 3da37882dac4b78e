// @ts-check
// Figures: each has a label with its meaning, a value, and a note in smaller letters.
import { element } from "./dom.js";

/** @typedef {[label: string, tip: string, value: string, note?: Node | string]} Figure */

/**
 * Shows figures in a list. A term that is there already stays, and with it the focus and the tip that is open.
 * @param {HTMLElement} list
 * @param {Figure[]} figures
 */
export function drawFigures(list, figures) {
  if (list.querySelectorAll(".term").length !== figures.length) list.replaceChildren(...figures.map(blank));
  const terms = /** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll(".term")), values = list.querySelectorAll("dd");
  for (const [place, [label, tip, value, note]] of figures.entries()) {
    terms[place].textContent = label;
    terms[place].dataset.tip = tip;
    values[place].replaceChildren(value, ...(note ? [" ", element("small", {}, note)] : []));
  }
}

/**
 * A new list of figures.
 * @param {Figure[]} figures
 */
export function figureList(figures) {
  const list = element("dl", { className: "figures", "data-key": "figures" });
  drawFigures(list, figures);
  return list;
}

const blank = () => element("div", {},
  element("dt", { dir: "auto" }, element("span", { className: "term" })), element("dd", { dir: "auto" }));
