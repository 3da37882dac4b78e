// @ts-check
// Outputs of systems that the service read in a table: one prompt at a time, what the systems wrote side by side.
import { element, find } from "./dom.js";
import * as texts from "./texts/new-set.js";

/**
 * Shows the first prompt; buttons step to the others.
 * @param {Contract.TableRead} preview
 */
export function showOutputs(preview) {
  let place = 0;
  const step = (/** @type {number} */ by) => {
    place = Math.min(Math.max(place + by, 0), preview.items.length - 1);
    showPrompt(preview, place);
  };
  find("#previous-prompt", HTMLButtonElement).onclick = () => step(-1);
  find("#next-prompt", HTMLButtonElement).onclick = () => step(1);
  find("#prompt").hidden = !preview.items.length;
  if (preview.items.length) step(0);
}

/**
 * @param {Contract.TableRead} preview
 * @param {number} place
 */
function showPrompt({ candidates, items }, place) {
  const { key, prompt, tags } = items[place];
  find("#prompt-place").textContent = texts.promptPlace(place + 1, items.length, key);
  find("#previous-prompt", HTMLButtonElement).disabled = place === 0;
  find("#next-prompt", HTMLButtonElement).disabled = place === items.length - 1;
  find("#prompt-text").textContent = prompt ?? "";
  find("#prompt-tags").textContent = Object.entries(tags ?? {}).map(([name, value]) => `${name}: ${value}`).join(" · ");
  find("#side-by-side").replaceChildren(...candidates.map((system) => output(system.key, system.outputs?.[key])));
}

/**
 * @param {string} system
 * @param {string | null | undefined} text
 */
function output(system, text) {
  const content = text ? element("p", { dir: "auto" }, text) : element("p", { className: "hint" }, texts.NO_OUTPUT);
  return element("section", {}, element("h3", { dir: "auto" }, system), content);
}
