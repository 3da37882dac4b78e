// @ts-check
// A set that was deleted: it can be restored from here while its days of grace last.
import { post } from "../lib/service.js";

const button = document.getElementById("restore"), problem = document.getElementById("problem");

button?.addEventListener("click", async () => {
  try {
    await post(`/v1/sets/${button.dataset.set}/restore`, {});
    location.reload();
  } catch (error) {
    if (!problem) return;
    problem.hidden = false;
    problem.textContent = error instanceof Error ? error.message : "";
  }
});
