// @ts-check
// What the service read in a file or in typed lines, and whether a set can be made of it.
import { element, find, findAll } from "./dom.js";
import { showOutputs } from "./outputs.js";
import * as texts from "./texts/new-set.js";

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
  const ofSystems = preview.kind === "systems";
  find("#preview-heading").textContent = texts.found(preview.candidates.length, noun(preview), name);
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
  find("#report-summary").textContent = texts.faults(count, faults.length);
  find("#skip-label").textContent = texts.leaveOut(count);
  find("#faults").replaceChildren(...faults.map(({ place, column, wrong, remedy }) =>
    row(heading(texts.at(place, column)), cell(wrong), cell(remedy))));
}

/** @param {Contract.TableRead} preview */
function showColumns({ columns, used, kind, layout }) {
  find("#columns").hidden = !columns.length;
  showLayout(layout ?? kind);
  offer("#key-column", columns, used.key ?? "", texts.NUMBERED);
  offer("#text-column", columns, used.text ?? "", texts.KEYS_ONLY);
  offer("#system-column", columns, used.system ?? "", texts.CHOOSE);
  offer("#prompt-column", columns, used.prompt ?? used.prompt_text ?? "", texts.CHOOSE);
  offer("#output-column", columns, used.output ?? "", texts.CHOOSE);
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
  find("#rows-caption").textContent = texts.rows(candidates.length, ROWS);
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
    create.textContent = texts.create(candidates.length, noun(preview));
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
  if (!isEnough) return texts.needsTwo(noun);
  return isFaulty ? texts.CORRECT_LINES : texts.NOTHING_CREATED;
}
