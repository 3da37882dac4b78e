// @ts-check
// Deleted sets, to restore. Their buttons wait for this script: before it, a click would do nothing.
import { find, findAll } from "../lib/dom.js";
import { post } from "../lib/service.js";

for (const button of findAll("[data-restore]", HTMLButtonElement)) {
  button.disabled = false;
  button.addEventListener("click", () => restore(button));
}

/** @param {HTMLButtonElement} button */
async function restore(button) {
  button.disabled = true;
  try {
    await post(`/v1/sets/${button.dataset.restore}/restore`, {});
    location.assign(`/sets/${button.dataset.restore}`);
  } catch (error) {
    button.disabled = false;
    find("#problem").hidden = false;
    find("#problem").textContent = error instanceof Error ? error.message : "";
  }
}
