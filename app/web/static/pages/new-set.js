// @ts-check
// A new set: what was typed or chosen is checked and shown, and only then, when asked to, created.
import { find } from "../lib/dom.js";
import { clearErrors, focusFirstError, showError, showMessage } from "../lib/field-errors.js";
import { randomId } from "../lib/ids.js";
import { hide, show } from "../lib/preview.js";
import { Refusal, post, upload } from "../lib/service.js";

/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Field */

const form = find("#new-set", HTMLFormElement);
const lines = find("#lines", HTMLTextAreaElement);
const fileField = find("#file", HTMLInputElement);
const forgetButton = find("#forget", HTMLButtonElement);
const keyColumn = find("#key-column", HTMLSelectElement);
const textColumn = find("#text-column", HTMLSelectElement);
const createButton = find("#create", HTMLButtonElement);
const drop = find("#drop");

/** @type {{ name: string, contents: ArrayBuffer } | null} */
let file = null; // the one chosen; null for typed lines
/** @type {Contract.TableRead | null} */
let preview = null; // what the service read in it
let checks = 0; // an answer to any but the latest is out of date
let sent = { body: "", key: "" }; // a body keeps its Idempotency-Key, so that sending it twice creates one set

// Candidates

/** @param {File | undefined} chosen */
async function choose(chosen) {
  if (!chosen) return;
  const { maxBytes } = form.dataset;
  const isTooLarge = chosen.size > Number(maxBytes);
  forget();
  if (isTooLarge) return complain(`${chosen.name} is too large: this service takes up to ${maxBytes} bytes.`);
  const mine = checks;
  const contents = await chosen.arrayBuffer().catch(() => null);
  if (mine !== checks) return; // another was chosen meanwhile
  if (contents === null) return complain(`${chosen.name} cannot be read: choose a file that is on this device.`);
  file = { name: chosen.name, contents };
  forgetButton.textContent = `Do without ${chosen.name}`;
  forgetButton.hidden = false;
  await check();
}

function forget() {
  file = null;
  forgetButton.hidden = true;
  outdate();
}

function outdate() {
  checks += 1;
  preview = null;
  hide();
  clearErrors("candidates", "create");
}

/** @param {{ key?: string, text?: string }} columns of a file; those left out are guessed */
async function check(columns = {}) {
  outdate();
  const mine = checks;
  const query = new URLSearchParams(file ? { file: file.name, ...columns } : {});
  try {
    /** @type {Contract.TableRead} */
    const answer = await upload(`/v1/tables?${query}`, file ? file.contents : lines.value);
    if (mine !== checks) return;
    preview = answer;
    show(answer, file?.name ?? "your lines");
  } catch (error) {
    if (mine === checks) complain(messageOf(error));
  }
}

/** @param {string} message */
function complain(message) {
  showMessage("candidates", message).focus();
}

// The set

async function create() {
  clearErrors("create", ...fields().map((each) => each.name));
  if (!field("name").value.trim()) showError("name", "Give the set a name.");
  if (!field("question").value.trim()) showError("question", "Write what judges are asked.");
  for (const name of ["max_comparisons", "top_k"]) {
    if (!field(name).checkValidity()) showError(name, "Write a whole number from 1 on.");
  }
  if (!field("share").checkValidity()) showError("share", "Write a whole number from 1 to 100.");
  if (focusFirstError(form)) return;
  createButton.disabled = true;
  try {
    /** @type {Contract.SetOut} */
    const { id } = await send(newSet());
    location.assign(`/sets/${id}`);
  } catch (error) {
    explain(error);
    createButton.disabled = false;
  }
}

function newSet() {
  const value = (/** @type {string} */ name) => field(name).value.trim() || undefined;
  const [budget, best, percent] = [value("max_comparisons"), value("top_k"), value("share")];
  return {
    name: value("name"),
    question: value("question"),
    context: value("context"),
    attribute: value("attribute"),
    project: value("project"),
    candidates: preview?.candidates,
    items: preview?.items,
    selection: { criterion: value("criterion") },
    order: value("order"),
    position_bias: value("position_bias"),
    inference_target: value("inference_target"),
    budget: budget && { max_comparisons: Number(budget) },
    goal: best && { top_k: Number(best) },
    overlap: percent && { share: Number(percent) / 100 },
  };
}

/** @param {object} set */
function send(set) {
  const body = JSON.stringify(set);
  if (sent.body !== body) sent = { body, key: randomId() };
  return post("/v1/sets", set, { headers: { "Idempotency-Key": sent.key }, signal: null });
}

/** @param {unknown} error */
function explain(error) {
  for (const { pointer, detail } of error instanceof Refusal ? error.errors : []) {
    const name = pointer.split("/").pop() ?? "";
    if (fields().some((each) => each.name === name)) showError(name, detail);
  }
  if (focusFirstError(form)) return;
  showMessage("create", messageOf(error)).focus();
}

/** @param {unknown} error */
const messageOf = (error) => (error instanceof Error ? error.message : String(error));

/** Those that have a name, and therefore a place for an error. */
const fields = () => /** @type {Field[]} */ ([...form.elements]).filter((each) => each.name);

/** @param {string} name */
const field = (name) => /** @type {Field} */ (form.elements.namedItem(name));

// Controls

form.addEventListener("submit", (event) => {
  event.preventDefault();
  check();
});
lines.addEventListener("input", () => file ?? outdate());
fileField.addEventListener("click", () => {
  fileField.value = ""; // so that the same file can be chosen again when it is mended
});
fileField.addEventListener("change", () => choose(fileField.files?.[0]));
forgetButton.addEventListener("click", () => {
  forget();
  fileField.value = "";
  fileField.focus();
});
for (const column of [keyColumn, textColumn]) {
  column.addEventListener("change", async () => {
    await check({ key: keyColumn.value, text: textColumn.value });
    column.focus(); // arrow keys change it step by step
  });
}
createButton.addEventListener("click", create);

for (const [name, isOver] of /** @type {const} */ ([["dragover", true], ["dragleave", false], ["drop", false]])) {
  drop.addEventListener(name, (event) => {
    event.preventDefault();
    drop.classList.toggle("over", isOver);
  });
}
drop.addEventListener("drop", ({ dataTransfer }) => {
  if (!dataTransfer) return;
  fileField.files = dataTransfer.files;
  choose(dataTransfer.files[0]);
});
