// @ts-check
// A new set: a file or lines are read and shown, then come goal, judges and stop. Nothing is made before it is asked for.
import { onRoles, showRead, showUnknown } from "../lib/column-roles.js";
import { creation } from "../lib/creation.js";
import { find } from "../lib/dom.js";
import { clearErrors, focusFirstError, showError, showMessage } from "../lib/field-errors.js";
import { fields, newSet, offerCandidates, planOf, showKnown, suggestPositionBias, wrongFields } from "../lib/new-set-form.js";
import { showDone } from "../lib/new-set-done.js";
import { showEstimate } from "../lib/new-set-estimate.js";
import { proposeBudget, proposeStop } from "../lib/new-set-stop.js";
import { obstacle, show } from "../lib/preview.js";
import { Refusal, upload } from "../lib/service.js";
import * as texts from "../lib/texts/new-set.js";

const form = find("#new-set", HTMLFormElement);
const lines = find("#lines", HTMLTextAreaElement);
const fileField = find("#file", HTMLInputElement);
const nameField = find("#name", HTMLInputElement);
const forgetButton = find("#forget", HTMLButtonElement);
const createButton = find("#create", HTMLButtonElement);
const sending = find("#sending", HTMLProgressElement);
const drop = find("#drop");
const made = creation();

/** @type {{ name: string, contents: ArrayBuffer } | null} */
let file = null; // the one chosen; null for typed lines
/** @type {Contract.TableRead | null} */
let read = null; // what the service found in it
let checks = 0; // an answer to any but the latest is out of date
let suggested = ""; // the name that a file gave

// Candidates

/** @param {File | undefined} chosen */
async function choose(chosen) {
  if (!chosen) return;
  const most = Number(form.dataset.maxBytes);
  const isTooLarge = chosen.size > most;
  forget();
  if (isTooLarge) return complain(texts.tooLarge(chosen.name, most));
  const mine = checks;
  const contents = await chosen.arrayBuffer().catch(() => null);
  if (mine !== checks) return; // another was chosen meanwhile
  if (contents === null) return complain(texts.unreadable(chosen.name));
  file = { name: chosen.name, contents };
  suggestName(texts.nameOf(chosen.name));
  await check();
}

/** @param {string} name */
function suggestName(name) {
  if (nameField.value === suggested) nameField.value = name.slice(0, nameField.maxLength);
  suggested = nameField.value;
}

function forget() {
  file = null;
  outdate();
  find("#preview").hidden = true;
  showDrop(false);
}

/** @param {boolean} isSmall once something was read */
function showDrop(isSmall) {
  drop.classList.toggle("small", isSmall && file !== null);
  find("#drop-label").textContent = isSmall && file ? texts.DROP_ANOTHER : texts.DROP;
}

function outdate() {
  checks += 1;
  read = null;
  find("#rest").hidden = true;
  find("#end").hidden = true;
  clearErrors("candidates", "create");
}

/** @param {string[][]} columns of a file, each what it holds and its name; those left out are recognised */
async function check(columns = []) {
  outdate();
  const mine = checks;
  const query = new URLSearchParams(file ? [["file", file.name], ...columns] : []);
  drop.setAttribute("aria-busy", "true");
  try {
    /** @type {Contract.TableRead} */
    const answer = await upload(`/v1/tables?${query}`, file ? file.contents : lines.value);
    if (mine === checks) present(answer, !columns.length);
  } catch (error) {
    if (mine === checks && file && !columns.length && error instanceof Refusal) await offerColumns(file);
    if (mine === checks) complain(messageOf(error));
  } finally {
    drop.removeAttribute("aria-busy");
  }
}

/**
 * @param {Contract.TableRead} answer
 * @param {boolean} isFirst whether the columns were recognised, not chosen
 */
function present(answer, isFirst) {
  read = answer;
  show(answer);
  showRead(answer);
  showSource();
  offerCandidates(answer.candidates.map(({ key }) => key));
  if (isFirst) suggestPositionBias(answer);
  proposeBudget(answer);
  find("#rest").hidden = false;
  find("#end").hidden = false;
  if (isFirst) find("#preview-heading").focus();
  update();
}

function showSource() {
  showDrop(true);
  forgetButton.textContent = texts.forget(file?.name ?? texts.YOUR_LINES);
  forgetButton.hidden = false;
  find("#preview").hidden = false;
}

/**
 * Shows the columns of a file in which nothing was recognised, so that a person can name them.
 * @param {{ name: string, contents: ArrayBuffer }} unknown
 */
async function offerColumns(unknown) {
  const mine = checks;
  const answer = await upload(`/v1/tables/preview?${new URLSearchParams({ file: unknown.name })}`, unknown.contents).catch(() => null);
  if (!answer || mine !== checks) return;
  find("#preview-heading").textContent = unknown.name;
  for (const place of ["#recognised", "#report-summary"]) find(place).textContent = "";
  for (const place of ["#report", "#outputs"]) find(place).hidden = true;
  showUnknown(answer);
  showSource();
}

/** @param {string} message */
function complain(message) {
  showMessage("candidates", message).focus();
}

/** Brings the estimate, the stop that is proposed, and whether a set can be made, up to date. */
async function update() {
  if (!read) return;
  const why = obstacle(read);
  createButton.disabled = Boolean(why);
  find("#create-hint").textContent = why;
  const size = { candidates: read.candidates.length, items: read.items.length, verdicts: read.comparisons.length };
  showKnown(planOf().goal);
  await proposeStop(size, planOf());
  showEstimate(size, planOf());
}

// The set

async function create() {
  if (!read) return check();
  clearErrors("create", ...fields().map((each) => each.name).filter((name) => document.getElementById(`${name}-error`)));
  for (const [name, message] of wrongFields(read.candidates.length)) showError(name, message);
  if (focusFirstError(form)) return;
  freeze(true);
  const { comparisons } = read;
  try {
    const id = await made.create(newSet(read), comparisons, (done) => showProgress(done, comparisons.length));
    showDone(id, nameField.value, planOf().judges, read.items.length > 0, planOf().price);
  } catch (error) {
    explain(error);
  }
}

/**
 * @param {number} done
 * @param {number} count
 */
function showProgress(done, count) {
  Object.assign(sending, { max: count, value: done, hidden: false });
  Object.assign(find("#sending-label"), { textContent: texts.sending(done, count), hidden: false });
}

/**
 * While a set is made nothing can change, and once it is there only its verdicts are left to send.
 * @param {boolean} isBusy
 */
function freeze(isBusy) {
  const isThere = Boolean(made.id);
  for (const place of /** @type {NodeListOf<HTMLFieldSetElement>} */ (form.querySelectorAll("fieldset"))) place.disabled = isBusy || isThere;
  for (const control of [fileField, forgetButton, find("#check", HTMLButtonElement)]) control.disabled = isBusy || isThere;
  createButton.disabled = isBusy;
  if (isThere) createButton.textContent = texts.RESUME;
}

/** @param {unknown} error */
function explain(error) {
  freeze(false);
  for (const { pointer, detail } of !made.id && error instanceof Refusal ? error.errors : []) {
    const name = pointer.split("/").pop() ?? "";
    if (document.getElementById(`${name}-error`) && fields().some((each) => each.name === name)) showError(name, detail);
  }
  if (focusFirstError(form)) return;
  showMessage("create", made.id ? texts.interrupted(messageOf(error)) : messageOf(error)).focus();
}

/** @param {unknown} error */
const messageOf = (error) => (error instanceof Error ? error.message : String(error));

// Controls

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!createButton.disabled) create();
});
form.addEventListener("input", ({ target }) => target !== lines && update());
find("#skip").addEventListener("change", update);
find("#check").addEventListener("click", () => {
  forget();
  check();
});
lines.addEventListener("input", () => file ?? forget());
fileField.addEventListener("click", () => {
  fileField.value = ""; // so that the same file can be chosen again when it is mended
});
fileField.addEventListener("change", () => choose(fileField.files?.[0]));
forgetButton.addEventListener("click", () => {
  forget();
  fileField.value = "";
  fileField.focus();
});
onRoles(check);

for (const [name, isOver] of /** @type {const} */ ([["dragover", true], ["dragleave", false], ["drop", false]])) {
  drop.addEventListener(name, (event) => {
    event.preventDefault();
    drop.classList.toggle("over", isOver);
  });
}
drop.addEventListener("drop", ({ dataTransfer }) => {
  if (!dataTransfer || fileField.disabled) return;
  fileField.files = dataTransfer.files;
  choose(dataTransfer.files[0]);
});
