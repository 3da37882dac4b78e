// @ts-check
// Messages beside what they are about: NAME-error belongs to NAME, which may be a field.
import { find } from "./dom.js";

/**
 * @param {string} name
 * @param {string} message
 */
export function showMessage(name, message) {
  const line = find(`#${name}-error`);
  line.textContent = message;
  line.hidden = false;
  return line;
}

/**
 * @param {string} name
 * @param {string} message
 */
export function showError(name, message) {
  showMessage(name, message);
  find(`#${name}`).setAttribute("aria-invalid", "true");
}

/** @param {...string} names */
export function clearErrors(...names) {
  for (const name of names) {
    find(`#${name}-error`).hidden = true;
    document.getElementById(name)?.removeAttribute("aria-invalid");
  }
}

/**
 * Whether there is one.
 * @param {HTMLFormElement} form
 */
export function focusFirstError(form) {
  const field = form.querySelector("[aria-invalid]");
  field?.closest("details")?.setAttribute("open", "");
  if (field instanceof HTMLElement) field.focus();
  return Boolean(field);
}
