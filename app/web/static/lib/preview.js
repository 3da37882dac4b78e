// @ts-check
// What the service read in a file or in typed lines, its faults, and whether a set can be made of it.
import { element, find } from "./dom.js";
import { showOutputs } from "./outputs.js";
import * as texts from "./texts/new-set.js";

/**
 * @param {Contract.TableRead} read
 */
export function show(read) {
  find("#preview-heading").textContent = texts.found(sizeOf(read));
  find("#recognised").textContent = texts.recognised(read.kind, read.missing);
  find("#warnings").hidden = !read.warnings.length;
  find("#warnings").replaceChildren(...read.warnings.map((warning) => element("li", { dir: "auto" }, warning)));
  showFaults(read);
  find("#outputs").hidden = read.kind !== "systems";
  if (read.kind === "systems") showOutputs(read);
}

/** @param {Contract.TableRead} read */
function sizeOf({ kind, candidates, items, comparisons }) {
  const outputs = candidates.reduce((sum, { outputs }) => sum + Object.keys(outputs ?? {}).length, 0);
  const judges = new Set(comparisons.map(({ judge }) => judge)).size;
  return { kind, candidates: candidates.length, items: items.length, outputs, verdicts: comparisons.length, judges };
}

/** @param {Contract.TableRead} read */
function showFaults({ faults, fault_count: count }) {
  find("#report").hidden = !count;
  find("#report-summary").textContent = texts.faults(count, faults.length);
  find("#skip-label").textContent = texts.leaveOut(count);
  find("#skip", HTMLInputElement).checked = false;
  find("#faults").replaceChildren(...faults.map(({ place, column, wrong, remedy }) => element(
    "tr", {}, element("th", { scope: "row", dir: "auto" }, texts.at(place, column)), cell(wrong), cell(remedy))));
}

/** @param {string} text */
const cell = (text) => element("td", { dir: "auto" }, text);

/**
 * Why no set can be made of it yet; empty where one can be: two candidates, and no bad lines but those left out.
 * @param {Contract.TableRead} read
 */
export function obstacle({ kind, candidates, fault_count: count }) {
  if (candidates.length < 2) return texts.needsTwo(kind);
  return count > 0 && !find("#skip", HTMLInputElement).checked ? texts.CORRECT_LINES : "";
}
