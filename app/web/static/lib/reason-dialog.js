// @ts-check
// A dialog that asks for a reason: one of the frequent ones, or a line, or none.
import { find, findAll } from "./dom.js";

/**
 * Opens the dialog; the reason may be empty, and closing it does nothing.
 * @param {string} id
 * @param {(reason: string) => void} onReason
 */
export function askReason(id, onReason) {
  const dialog = find(`#${id}`, HTMLDialogElement);
  const form = find(`#${id} form`, HTMLFormElement);
  const done = (/** @type {string} */ reason) => {
    dialog.close();
    form.reset();
    onReason(reason);
  };
  form.onsubmit = (event) => {
    event.preventDefault();
    done(find(`#${id} input`, HTMLInputElement).value.trim());
  };
  for (const chip of findAll(`#${id} [data-reason]`)) chip.onclick = () => done(chip.dataset.reason ?? "");
  dialog.showModal();
}
