// @ts-check
// Voids a verdict for a reason that a person gives, and offers to undo it.
import { element } from "./dom.js";
import { post } from "./service.js";
import { address, showProblem } from "./set-page.js";
import * as words from "./texts/void-verdict.js";
import { toast } from "./toast.js";

/**
 * @param {number} seq
 * @param {() => void} onChanged called once the verdict no longer counts, and once it counts again
 * @param {Node[]} [about] what the verdict says
 */
export async function voidVerdict(seq, onChanged, about = []) {
  const reason = await reasonFor(seq, about);
  if (!reason) return;
  try {
    await post(address(`/comparisons/${seq}/void`), { reason });
    toast(words.voided(seq), { action: [words.UNDO, () => restoreVerdict(seq, onChanged)] });
    onChanged();
  } catch (error) {
    showProblem(error);
  }
}

/**
 * @param {number} seq
 * @param {() => void} onChanged
 */
export async function restoreVerdict(seq, onChanged) {
  try {
    await post(address(`/comparisons/${seq}/restore`), {});
    toast(words.restored(seq));
    onChanged();
  } catch (error) {
    showProblem(error);
  }
}

/**
 * Asks for the reason; "" where the person decides otherwise.
 * @param {number} seq
 * @param {Node[]} about
 * @returns {Promise<string>}
 */
function reasonFor(seq, about) {
  const input = element("input", { id: "void-reason", name: "reason", maxLength: "2000", autocomplete: "off" });
  input.required = true;
  const chips = words.REASONS.map((reason) => {
    const chip = element("button", { type: "button" }, reason);
    chip.addEventListener("click", () => { input.value = reason; });
    return chip;
  });
  const cancel = element("button", { type: "button" }, words.CANCEL);
  const form = element("form", { method: "dialog" },
    element("h2", { id: "void-title" }, words.title(seq)), ...about, element("p", {}, words.ABOUT_VOID),
    element("div", { className: "field" }, element("label", { htmlFor: input.id }, words.REASON), input, element("div", { className: "chips" }, ...chips)),
    element("div", { className: "row" }, element("button", { className: "danger" }, words.VOID), cancel));
  const dialog = document.body.appendChild(element("dialog", { "aria-labelledby": "void-title" }, form));
  cancel.addEventListener("click", () => dialog.close());
  return new Promise((resolve) => {
    form.addEventListener("submit", () => resolve(input.value.trim()));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve("");
    });
    dialog.showModal();
    input.focus();
  });
}
