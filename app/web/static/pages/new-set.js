// @ts-check
// A new set: what was typed or chosen is checked and shown, and only then, when asked to, created.
import { find } from "../lib/dom.js";
import { clearErrors, focusFirstError, showError, showMessage } from "../lib/field-errors.js";
import { randomId } from "../lib/ids.js";
import { hide, show, showLayout } from "../lib/preview.js";
import { Refusal, post, upload } from "../lib/service.js";
import * as texts from "../lib/texts/new-set.js";

/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Field */

const form = find("#new-set", HTMLFormElement);
const lines = find("#lines", HTMLTextAreaElement);
const fileField = find("#file", HTMLInputElement);
const forgetButton = find("#forget", HTMLButtonElement);
const layout = find("#layout", HTMLSelectElement);
const keyColumn = find("#key-column", HTMLSelectElement);
const textColumn = find("#text-column", HTMLSelectElement);
const systemColumn = find("#system-column", HTMLSelectElement);
const promptColumn = find("#prompt-column", HTMLSelectElement);
const outputColumn = find("#output-column", HTMLSelectElement);
const systemColumns = find("#system-columns");
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
  const most = Number(form.dataset.maxBytes);
  const isTooLarge = chosen.size > most;
  forget();
  if (isTooLarge) return complain(texts.tooLarge(chosen.name, most));
  const mine = checks;
  const contents = await chosen.arrayBuffer().catch(() => null);
  if (mine !== checks) return; // another was chosen meanwhile
  if (contents === null) return complain(texts.unreadable(chosen.name));
  file = { name: chosen.name, contents };
  forgetButton.textContent = texts.forget(chosen.name);
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

/** @param {string[][]} columns of a file, each what it holds and its name; those left out are recognised */
async function check(columns = []) {
  outdate();
  const mine = checks;
  const query = new URLSearchParams(file ? [["file", file.name], ...columns] : []);
  try {
    /** @type {Contract.TableRead} */
    const answer = await upload(`/v1/tables?${query}`, file ? file.contents : lines.value);
    if (mine !== checks) return;
    preview = answer;
    show(answer, file?.name ?? texts.YOUR_LINES);
  } catch (error) {
    if (mine === checks && file && !columns.length && error instanceof Refusal) await offerColumns(file);
    if (mine === checks) complain(messageOf(error));
  }
}

/**
 * Shows the columns of a file in which nothing was recognised, so that a person can name them.
 * @param {{ name: string, contents: ArrayBuffer }} unknown
 */
async function offerColumns(unknown) {
  const mine = checks;
  const query = new URLSearchParams({ file: unknown.name, key: "", text: "" });
  const answer = await upload(`/v1/tables?${query}`, unknown.contents).catch(() => null);
  if (answer && mine === checks) show({ ...answer, candidates: [] }, unknown.name);
}

/** @param {string} message */
function complain(message) {
  showMessage("candidates", message).focus();
}

// The set

async function create() {
  clearErrors("create", ...fields().map((each) => each.name));
  if (!field("name").value.trim()) showError("name", texts.GIVE_NAME);
  if (!field("question").value.trim()) showError("question", texts.GIVE_QUESTION);
  for (const name of ["max_comparisons", "top_k"]) {
    if (!field(name).checkValidity()) showError(name, texts.GIVE_COUNT);
  }
  if (!field("share").checkValidity()) showError("share", texts.GIVE_PERCENT);
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
/** The columns chosen for such rows, or null while one is not. */
function chosenColumns() {
  const boxes = [...systemColumns.querySelectorAll("input")].filter((box) => box.checked);
  const prompt = ["prompt", promptColumn.value];
  const byLayout = {
    texts: [["key", keyColumn.value], ["text", textColumn.value]],
    long: [["system", systemColumn.value], prompt, ["output", outputColumn.value]],
    wide: [prompt, ...boxes.map((box) => ["systems", box.value])],
  };
  const chosen = byLayout[/** @type {keyof typeof byLayout} */ (layout.value)];
  const isWhole = chosen.every(([, column]) => column) && (layout.value !== "wide" || boxes.length > 1);
  return isWhole || layout.value === "texts" ? chosen : null;
}

for (const control of [layout, keyColumn, textColumn, systemColumn, promptColumn, outputColumn, systemColumns]) {
  control.addEventListener("change", async ({ target }) => {
    showLayout(layout.value);
    const columns = chosenColumns();
    if (!columns) return;
    await check(columns);
    const box = target instanceof HTMLInputElement && systemColumns.querySelector(`input[value="${CSS.escape(target.value)}"]`);
    const place = box || control; // where the focus was: arrow keys change a choice step by step
    if (place instanceof HTMLElement) place.focus();
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
