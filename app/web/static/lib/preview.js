// @ts-check
// What the service read in a file or in typed lines, and whether a set can be made of it.
import { element, find } from "./dom.js";
import { counted } from "./numbers.js";

const ROWS = 20;
const EXCERPT = 300; // characters

export function hide() {
  find("#preview").hidden = true;
}

/**
 * @param {Contract.TableRead} preview
 * @param {string} name of what was read
 */
export function show(preview, name) {
  find("#preview-heading").textContent = `${counted(preview.candidates.length, "candidate")} in ${name}`;
  showFaults(preview);
  showColumns(preview);
  showCandidates(preview);
  allowCreating(preview);
  find("#preview").hidden = false;
  find("#preview-heading").focus();
}

/** @param {Contract.TableRead} preview */
function showFaults({ faults, fault_count: count }) {
  find("#report").hidden = !count;
  const limit = count > faults.length ? `; here are the first ${faults.length}` : "";
  find("#report-summary").textContent = `${counted(count, "line")} cannot be used${limit}.`;
  const these = count === 1 ? "this line" : `these ${counted(count, "line")}`;
  find("#skip-label").textContent = `Create the set without ${these}`;
  find("#faults").replaceChildren(...faults.map(({ place, column, wrong, remedy }) =>
    row(heading(column === null ? place : `${place}, column ${column}`), cell(wrong), cell(remedy))));
}

/** @param {Contract.TableRead} preview */
function showColumns({ columns, used }) {
  find("#columns").hidden = !columns.length;
  offer("#key-column", columns, used.key ?? "", "none: number the rows");
  offer("#text-column", columns, used.text ?? "", "none: keys alone");
}

/**
 * @param {string} selector
 * @param {string[]} columns
 * @param {string} chosen
 * @param {string} none
 */
function offer(selector, columns, chosen, none) {
  const options = [...columns.map((name) => [name, name]), [none, ""]];
  find(selector, HTMLSelectElement).replaceChildren(
    ...options.map(([label, value]) => new Option(label, value, value === chosen, value === chosen)));
}

/** @param {Contract.TableRead} preview */
function showCandidates({ candidates }) {
  find("#rows-region").hidden = !candidates.length;
  find("#rows-caption").textContent = candidates.length > ROWS ? `The first ${ROWS}` : "All of them";
  find("#rows").replaceChildren(
    ...candidates.slice(0, ROWS).map(({ key, text }) => row(heading(key), cell(excerpt(text ?? "")))));
}

/** @param {string} text */
function excerpt(text) {
  return text.length > EXCERPT ? `${text.slice(0, EXCERPT)}…` : text;
}

/** @param {...Node} cells */
const row = (...cells) => element("tr", {}, ...cells);

/** @param {string} text */
const heading = (text) => element("th", { scope: "row", dir: "auto" }, text);

/** @param {string} text */
const cell = (text) => element("td", { dir: "auto" }, text);

/**
 * Allows it with two candidates at least, and with bad lines only when the person says to leave them out.
 * @param {Contract.TableRead} preview
 */
function allowCreating({ candidates, fault_count: count }) {
  const skip = find("#skip", HTMLInputElement);
  const create = find("#create", HTMLButtonElement);
  const decide = () => {
    const isEnough = candidates.length > 1;
    const isFaulty = count > 0 && !skip.checked;
    create.disabled = !isEnough || isFaulty;
    create.textContent = `Create the set with ${counted(candidates.length, "candidate")}`;
    find("#create-hint").textContent = hint(isEnough, isFaulty);
  };
  skip.checked = false;
  skip.onchange = decide;
  decide();
}

/**
 * @param {boolean} isEnough
 * @param {boolean} isFaulty
 */
function hint(isEnough, isFaulty) {
  if (!isEnough) return "A set needs two candidates or more.";
  return isFaulty ? "Correct the lines above and check again, or leave them out." : "Nothing has been created so far.";
}
