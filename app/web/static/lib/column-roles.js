// @ts-check
// The first rows of a table, with what each column means in its header, for a person to correct.
import { element, find } from "./dom.js";
import { ROLES, guessed, layoutOf, missing, parameters, rolesOf, withRole } from "./roles.js";
import * as texts from "./texts/new-set.js";

/** @typedef {import("./roles.js").Layout} Layout */

const TYPED = 5; // rows of typed lines that are shown
const select = find("#layout", HTMLSelectElement);

/** @type {string[]} */
let columns = [];
/** @type {import("./roles.js").Roles} */
let roles = {};
/** @type {Map<string, string>} */
let notes = new Map(); // what else a column is used for

/**
 * @param {Contract.TableRead} read
 */
export function showRead(read) {
  columns = read.columns;
  roles = rolesOf(read);
  notes = notesOf(read, roles);
  select.value = layoutOf(read);
  if (columns.length) return draw(read.rows, read.row_count);
  const lines = read.candidates.slice(0, TYPED).map(({ key, text }) => [key, text ?? ""]);
  draw(lines, read.candidates.length, ["key", "text"]);
}

/**
 * A table in which nothing was recognised.
 * @param {Contract.TablePreview} preview
 */
export function showUnknown(preview) {
  columns = preview.columns;
  notes = new Map();
  const guess = guessed(columns);
  roles = guess.roles;
  select.value = guess.layout;
  draw(preview.rows, preview.row_count);
}

/**
 * @param {Contract.TableRead} read
 * @param {import("./roles.js").Roles} roles
 */
function notesOf({ used }, roles) {
  /** @type {Map<string, string>} */
  const also = new Map(used.tags.map((column) => [column, texts.ALSO_USED.tags]));
  if (used.prompt_text && !roles[used.prompt_text]) also.set(used.prompt_text, texts.ALSO_USED.prompt_text);
  if (used.weight) also.set(used.weight, texts.ALSO_USED.weight);
  return also;
}

/**
 * @param {string[][]} rows
 * @param {number} count
 * @param {string[]} [plain] names of columns that have no roles
 */
function draw(rows, count, plain) {
  find("#columns").hidden = Boolean(plain);
  find("#rows-region").hidden = !rows.length;
  find("#rows-caption").textContent = texts.rows(rows.length, count);
  const heads = plain ? plain.map((name) => element("th", { scope: "col" }, name)) : columns.map(header);
  find("#roles").replaceChildren(element("tr", {}, ...heads));
  find("#rows").replaceChildren(...rows.map((cells) =>
    element("tr", {}, ...cells.map((text) => element("td", { dir: "auto" }, element("div", { className: "cell" }, text))))));
  ask();
}

/** @param {string} column */
function header(column) {
  const choice = element("select", { "aria-label": texts.roleOf(column) });
  choice.dataset.column = column;
  const offered = select.value ? ROLES[/** @type {Layout} */ (select.value)] : [];
  choice.append(new Option(notes.get(column) ?? texts.NO_ROLE, ""),
    ...offered.map((role) => new Option(texts.ROLES[/** @type {keyof typeof texts.ROLES} */ (role)], role)));
  choice.value = offered.includes(roles[column]) ? roles[column] : "";
  choice.classList.toggle("used", Boolean(choice.value));
  choice.disabled = !offered.length;
  return element("th", { scope: "col" }, element("span", { className: "column", dir: "auto" }, column), choice);
}

/** Asks for the roles that are missing. */
function ask() {
  const lacking = select.value ? missing(/** @type {Layout} */ (select.value), roles) : [];
  find("#ask").textContent = texts.ask(lacking);
  return lacking.length > 0 || !select.value;
}

/**
 * Calls back with the parameters of a request once a person has changed what rows or columns are, if none is missing.
 * @param {(columns: string[][]) => Promise<void>} onChosen
 */
export function onRoles(onChosen) {
  select.addEventListener("change", () => {
    find("#roles").replaceChildren(element("tr", {}, ...columns.map(header)));
    if (!ask()) choose(select);
  });
  find("#roles").addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLSelectElement) || target.dataset.column === undefined) return;
    roles = withRole(roles, target.dataset.column, target.value);
    find("#roles").replaceChildren(element("tr", {}, ...columns.map(header)));
    focusColumn(target.dataset.column);
    if (!ask()) choose(target);
  });

  /** @param {HTMLSelectElement} changed */
  async function choose(changed) {
    await onChosen(parameters(/** @type {Layout} */ (select.value), roles));
    if (changed === select) select.focus();
    else focusColumn(changed.dataset.column ?? "");
  }
}

/** @param {string} column */
function focusColumn(column) {
  const choice = document.querySelector(`#roles select[data-column="${CSS.escape(column)}"]`);
  if (choice instanceof HTMLElement) choice.focus();
}
