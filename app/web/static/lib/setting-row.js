// @ts-check
// One setting: a sentence that says what holds, and a form in its place while somebody edits it.
import { element, icon } from "./dom.js";
import { Refusal } from "./service.js";
import * as words from "./texts/settings.js";

const SHOWN_MS = 4000; // that a change is acknowledged

/**
 * A setting of a record: how it reads, the fields of its form, and the change that they ask for.
 * @template Of
 * @typedef {object} Setting
 * @property {import("./texts/common.js").Explained} label
 * @property {(record: Of) => string} sentence
 * @property {(record: Of) => (Node | string)[]} [fields] none where it cannot change
 * @property {(form: HTMLFormElement, record: Of) => Partial<Of>} [changes]
 */

/**
 * The line of a setting. `save` sends a change and gives the record after it.
 * @template Of
 * @param {Setting<Of>} setting
 * @param {{ record: () => Of, save: (changes: Partial<Of>) => Promise<unknown>, button?: HTMLElement }} options
 */
export function settingRow({ label: [label, tip], sentence, fields, changes }, { record, save, button }) {
  const says = element("p", { className: "says", dir: "auto" });
  const mark = element("span", { className: "mark", role: "status" });
  const edit = button ?? element("button", { type: "button", className: "quiet", "aria-label": `${words.EDIT}: ${label}` }, icon("edit"), words.EDIT);
  const line = element("div", { className: "setting", "data-setting": label },
    element("h3", {}, element("span", { className: "term", "data-tip": tip }, label)), says, mark, ...(fields || button ? [edit] : []));
  /** @type {HTMLFormElement | null} */
  let form = null;

  function show(shown = record()) {
    says.textContent = sentence(shown);
  }

  function open() {
    form ??= made();
    says.replaceWith(form);
    edit.hidden = true;
    mark.replaceChildren();
    /** @type {HTMLElement | null} */ (form.querySelector("input:checked, input, select"))?.focus();
  }

  function close() {
    form?.replaceWith(says);
    edit.hidden = false;
  }

  function made() {
    const cancel = element("button", { type: "button" }, words.CANCEL);
    const fault = element("p", { className: "error", role: "alert", hidden: "true" });
    const created = element("form", { className: "editing" }, ...(fields?.(record()) ?? []), fault,
      element("p", { className: "row" }, element("button", { className: "main" }, words.SAVE), cancel));
    cancel.addEventListener("click", () => {
      close();
      form = null;
      edit.focus();
    });
    created.addEventListener("submit", (event) => {
      event.preventDefault();
      send(created, fault);
    });
    return created;
  }

  /**
   * Shows the change at once; where it is refused, the form comes back with what was written and what is wrong with it.
   * @param {HTMLFormElement} sent
   * @param {HTMLElement} fault
   */
  async function send(sent, fault) {
    const change = changes?.(sent, record()) ?? {};
    clearFaults(sent, fault);
    close();
    show({ ...record(), ...change });
    mark.replaceChildren(words.SAVING);
    try {
      await save(change);
      form = null;
      acknowledge();
      edit.focus();
    } catch (error) {
      open();
      showFaults(sent, fault, error);
    }
    show();
  }

  function acknowledge() {
    const badge = element("span", { className: "badge good" }, icon("check"), words.SAVED);
    mark.replaceChildren(badge);
    setTimeout(() => badge.remove(), SHOWN_MS);
  }

  edit.addEventListener("click", button ? () => {} : open);
  show();
  return { line, show, acknowledge };
}

/**
 * @param {HTMLFormElement} form
 * @param {HTMLElement} fault
 */
function clearFaults(form, fault) {
  fault.hidden = true;
  for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
  for (const line of form.querySelectorAll(".field .error")) line.remove();
}

/**
 * What is wrong, beside the field that a pointer names, or below all of them.
 * @param {HTMLFormElement} form
 * @param {HTMLElement} fault
 * @param {unknown} error
 */
function showFaults(form, fault, error) {
  const faults = error instanceof Refusal ? error.errors : [];
  let isShown = false;
  for (const { pointer, detail } of faults) {
    const field = [...form.querySelectorAll("[data-pointer]")].find((each) => pointer.startsWith(/** @type {HTMLElement} */ (each).dataset.pointer ?? ""));
    const place = field?.closest(".field");
    if (!field || !place) continue;
    field.setAttribute("aria-invalid", "true");
    place.append(element("p", { className: "error", role: "alert", dir: "auto" }, words.fault(detail)));
    if (!isShown && field instanceof HTMLElement) field.focus();
    isShown = true;
  }
  if (isShown) return;
  fault.hidden = false;
  fault.textContent = error instanceof Error ? error.message : String(error);
}
