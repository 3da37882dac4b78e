// @ts-check
// Deleted sets, to restore.
import { find } from "../lib/dom.js";
import { post } from "../lib/service.js";

document.addEventListener("click", async ({ target }) => {
  const button = target instanceof Element ? target.closest("[data-restore]") : null, id = button?.closest("tr")?.dataset.key;
  if (!(button instanceof HTMLButtonElement) || !id) return;
  button.disabled = true;
  try {
    await post(`/v1/sets/${id}/restore`, {});
    location.assign(`/sets/${id}`);
  } catch (error) {
    button.disabled = false;
    find("#problem").hidden = false;
    find("#problem").textContent = error instanceof Error ? error.message : "";
  }
});
