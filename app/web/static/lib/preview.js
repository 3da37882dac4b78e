// @ts-check
// What the service read in a file or in typed lines, and whether a set can be made of it.
import { element, find, findAll } from "./dom.js";
import { counted } from "./numbers.js";
import { showOutputs } from "./outputs.js";

const ROWS = 20;
const EXCERPT = 300; // characters
const CHOOSE = "choose a column";

export function hide() {
  find("#preview").hidden = true;
}

/**
 * @param {Contract.TableRead} preview
 * @param {string} name of what was read
 */
export function show(preview, name) {
  const ofSystems = preview.kind === "systems";
  find("#preview-heading").textContent = `${counted(preview.candidates.length, noun(preview))} in ${name}`;
  showFaults(preview);
  showColumns(preview);
  find("#outputs").hidden = !ofSystems;
  find("#rows-region").hidden = ofSystems || !preview.candidates.length;
  if (ofSystems) showOutputs(preview);
  else showCandidates(preview);
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
function showColumns({ columns, used, kind, layout }) {
  find("#columns").hidden = !columns.length;
  showLayout(layout ?? kind);
  offer("#key-column", columns, used.key ?? "", "none: number the rows");
  offer("#text-column", columns, used.text ?? "", "none: keys alone");
  offer("#system-column", columns, used.system ?? "", CHOOSE);
  offer("#prompt-column", columns, used.prompt ?? used.prompt_text ?? "", CHOOSE);
  offer("#output-column", columns, used.output ?? "", CHOOSE);
  find("#system-columns").replaceChildren(...columns.map((column) => {
    const box = element("input", { type: "checkbox", value: column });
    box.checked = used.systems.includes(column);
    return element("label", { dir: "auto" }, box, ` ${column}`);
  }));
}

/**
 * Shows the choices of columns that rows of this kind have.
 * @param {string} layout texts, long or wide
 */
export function showLayout(layout) {
  find("#layout", HTMLSelectElement).value = layout;
  for (const field of findAll("#columns [data-of]")) field.hidden = !field.dataset.of?.split(" ").includes(layout);
}

/**
 * @param {string} selector
 * @param {string[]} columns
 * @param {string} chosen
 * @param {string} none what it means to choose none
 */
function offer(selector, columns, chosen, none) {
  const options = [...columns.map((name) => [name, name]), [none, ""]];
  find(selector, HTMLSelectElement).replaceChildren(
    ...options.map(([label, value]) => new Option(label, value, value === chosen, value === chosen)));
}

/** @param {Contract.TableRead} preview */
function showCandidates({ candidates }) {
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
function allowCreating(preview) {
  const { candidates, fault_count: count } = preview;
  const skip = find("#skip", HTMLInputElement);
  const create = find("#create", HTMLButtonElement);
  const decide = () => {
    const isEnough = candidates.length > 1;
    const isFaulty = count > 0 && !skip.checked;
    create.disabled = !isEnough || isFaulty;
    create.textContent = `Create the set with ${counted(candidates.length, noun(preview))}`;
    find("#create-hint").textContent = hint(isEnough, isFaulty, noun(preview));
  };
  skip.checked = false;
  skip.onchange = decide;
  decide();
}

/** @param {Contract.TableRead} preview */
const noun = ({ kind }) => (kind === "systems" ? "system" : "candidate");

/**
 * @param {boolean} isEnough
 * @param {boolean} isFaulty
 * @param {string} noun
 */
function hint(isEnough, isFaulty, noun) {
  if (!isEnough) return `A set needs two ${noun}s or more.`;
  return isFaulty ? "Correct the lines above and check again, or leave them out." : "Nothing has been created so far.";
}
