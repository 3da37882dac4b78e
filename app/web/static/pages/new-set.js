// A new set: what was typed or chosen is checked and shown, and only then, when asked to, created.
import { Refusal, post } from "../lib/asking.js";
import { clearErrors, focusFirstError, showError, showMessage } from "../lib/field-errors.js";
import { randomId } from "../lib/ids.js";
import { hide, show } from "../lib/preview.js";

const at = (id) => document.getElementById(id);
const form = at("new-set");
let source = null; // what is checked: {file, content}, file being null for typed lines
let preview = null; // what the service found in it
let checks = 0; // an answer to any but the latest is out of date
let sent = { body: null, key: null }; // a body keeps its Idempotency-Key, so that sending it twice creates one set

async function choose(file) {
  if (!file) return;
  const tooLarge = file.size > Number(form.dataset.maxBytes);
  forget();
  if (tooLarge) return complain(`${file.name} is too large: this service takes up to ${form.dataset.maxBytes} bytes.`);
  const mine = checks;
  const content = await file.arrayBuffer().catch(() => null);
  if (mine !== checks) return; // another was chosen meanwhile
  if (content === null) return complain(`${file.name} cannot be read: choose a file that is on this device.`);
  source = { file: file.name, content };
  at("forget").textContent = `Do without ${file.name}`;
  at("forget").hidden = false;
  await check();
}

function forget() {
  source = null;
  at("forget").hidden = true;
  outdate();
}

function outdate() {
  checks += 1;
  preview = null;
  hide();
  clearErrors("candidates", "create");
}

async function check(columns = {}) {
  outdate();
  const mine = checks;
  const { file, content } = source ?? { file: null, content: at("lines").value };
  const query = new URLSearchParams(file === null ? {} : { file, ...columns });
  try {
    const found = await post(`/sets/new/candidates?${query}`, content, { "Content-Type": "application/octet-stream" });
    if (mine !== checks) return;
    preview = found;
    show(preview, file ?? "your lines");
  } catch (error) {
    if (mine === checks) complain(error.message);
  }
}

function complain(message) {
  showMessage("candidates", message).focus();
}

async function create() {
  clearErrors("create", ...[...form.elements].map((element) => element.name).filter(Boolean));
  if (!form.elements.name.value.trim()) showError("name", "Give the set a name.");
  if (!form.elements.question.value.trim()) showError("question", "Write what judges are asked.");
  if (!form.elements.max_comparisons.checkValidity()) showError("max_comparisons", "Write a whole number from 1 on.");
  if (focusFirstError(form)) return;
  at("create").disabled = true;
  try {
    location.assign(`/sets/${(await send(JSON.stringify(newSet()))).id}`);
  } catch (error) {
    explain(error);
    at("create").disabled = false;
  }
}

function newSet() {
  const value = (name) => form.elements[name].value.trim() || undefined;
  const budget = value("max_comparisons");
  return {
    name: value("name"),
    question: value("question"),
    context: value("context"),
    attribute: value("attribute"),
    project: value("project"),
    candidates: preview.candidates,
    selection: { criterion: value("criterion") },
    order: value("order"),
    position_bias: value("position_bias"),
    budget: budget && { max_comparisons: Number(budget) },
  };
}

function send(body) {
  if (sent.body !== body) sent = { body, key: randomId() };
  return post("/v1/sets", body, { "Content-Type": "application/json", "Idempotency-Key": sent.key });
}

function explain(error) {
  const places = error instanceof Refusal ? error.errors : [];
  for (const { pointer, detail } of places) {
    const name = pointer.split("/").pop();
    if (form.elements[name]) showError(name, detail);
  }
  if (focusFirstError(form)) return;
  showMessage("create", error.message).focus();
}

function columns() {
  return { key: at("key-column").value, text: at("text-column").value };
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  check();
});
at("lines").addEventListener("input", () => source ?? outdate());
at("file").addEventListener("click", () => {
  at("file").value = ""; // so that the same file can be chosen again when it is mended
});
at("file").addEventListener("change", () => choose(at("file").files[0]));
at("forget").addEventListener("click", () => {
  forget();
  at("file").value = "";
  at("file").focus();
});
at("columns").addEventListener("change", async (event) => {
  await check(columns());
  event.target.focus(); // arrow keys change it step by step
});
at("create").addEventListener("click", create);

const drop = at("drop");
for (const [name, over] of [["dragover", true], ["dragleave", false], ["drop", false]]) {
  drop.addEventListener(name, (event) => {
    event.preventDefault();
    drop.classList.toggle("over", over);
  });
}
drop.addEventListener("drop", ({ dataTransfer }) => {
  at("file").files = dataTransfer.files;
  choose(dataTransfer.files[0]);
});
