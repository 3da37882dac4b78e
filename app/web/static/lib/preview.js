// @ts-check
// What the service read in a file or in typed lines, and whether a set can be made of it.
import { element, find } from "./dom.js";
import { counted } from "./numbers.js";

const ROWS = 20;
const EXCERPT = 300; // characters

/**
 * @typedef {object} CandidatePreview
 * @property {string[]} columns of the file; none of typed lines
 * @property {string | null} key column of the key
 * @property {string | null} text column of the text
 * @property {{ key: string, text: string | null }[]} candidates
 * @property {Fault[]} faults the first of them
 * @property {number} fault_count
 */

/** @typedef {{ place: string, column: string | null, wrong: string, remedy: string }} Fault */

export function hide() {
  find("#preview").hidden = true;
}

/**
 * @param {CandidatePreview} preview
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

/** @param {CandidatePreview} preview */
function showFaults({ faults, fault_count: count }) {
  find("#report").hidden = !count;
  const limit = count > faults.length ? `; here are the first ${faults.length}` : "";
  find("#report-summary").textContent = `${counted(count, "line")} cannot be used${limit}.`;
  const these = count === 1 ? "this line" : `these ${counted(count, "line")}`;
  find("#skip-label").textContent = `Create the set without ${these}`;
  find("#faults").replaceChildren(...faults.map(({ place, column, wrong, remedy }) =>
    row(heading(column === null ? place : `${place}, column ${column}`), cell(wrong), cell(remedy))));
}

/** @param {CandidatePreview} preview */
function showColumns({ columns, key, text }) {
  find("#columns").hidden = !columns.length;
  offer("#key-column", columns, key, "none: number the rows");
  offer("#text-column", columns, text, "none: keys alone");
}

/**
 * @param {string} selector
 * @param {string[]} columns
 * @param {string | null} chosen
 * @param {string} none
 */
function offer(selector, columns, chosen, none) {
  const options = [...columns.map((name) => [name, name]), [none, ""]];
  find(selector, HTMLSelectElement).replaceChildren(
    ...options.map(([label, value]) => new Option(label, value, value === chosen, value === chosen)));
}

/** @param {CandidatePreview} preview */
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
 * @param {CandidatePreview} preview
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
