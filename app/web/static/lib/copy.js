// @ts-check
// Buttons that copy a text.
import { element, icon } from "./dom.js";
import { COPIED, COPY, COPY_YOURSELF } from "./texts/common.js";
import { toast } from "./toast.js";

/** @param {string} text */
export function copyButton(text) {
  const button = element("button", { type: "button" }, icon("copy"), element("span", {}, COPY));
  button.addEventListener("click", async () => toast((await copied(text)) ? COPIED : COPY_YOURSELF));
  return button;
}

/**
 * Whether the text is in the clipboard now: pages without TLS may not write to it.
 * @param {string} text
 */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
