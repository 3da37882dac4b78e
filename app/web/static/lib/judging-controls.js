// @ts-check
// Buttons, keys and options of the judging page.
import { find, findAll } from "./dom.js";
import { actionOf } from "./hotkeys.js";
import { followSwipes, viewSide } from "./judging-view.js";
import { keys, resetKeys, showKeys, takeKey } from "./key-list.js";
import { rememberChecked, rememberShown, resize } from "./remembered.js";
import { showText } from "./rich-text.js";
import { scrollTogether } from "./scroll.js";

const BESIDE = "(min-width: 64rem)"; // width at which the instructions stand beside the texts

/**
 * What the page does for a button or key of that name.
 * @typedef {Record<"first" | "second" | "tie" | "both_bad" | "skip" | "undo" | "rename" | "again", () => void>} Judging
 */

/**
 * Connects the controls; whether to ask for reasons is theirs to say.
 * @param {Judging & { redraw: () => void, hasJudge: () => boolean }} page
 */
export function connect({ redraw, hasJudge, ...judging }) {
  const [differences, source, together, withKeys, why] = ["differences", "source", "together", "keys", "ask-why"].map((id) =>
    find(`#${id}`, HTMLInputElement),
  );
  const place = find("#annotate");
  /** @type {Record<string, () => void>} */
  const actions = {
    ...judging,
    guide: guide(),
    differences: () => differences.click(),
    source: () => source.click(),
    smaller: () => resize(place, -1),
    larger: () => resize(place, +1),
    view_first: () => viewSide("first"),
    view_second: () => viewSide("second"),
    help: () => find("#help", HTMLDialogElement).showModal(),
    close: () => findAll("dialog", HTMLDialogElement).forEach((dialog) => dialog.close()),
    reset_keys: resetKeys,
  };
  for (const button of findAll("[data-action]")) {
    button.addEventListener("click", () => actions[button.dataset.action ?? ""]());
  }
  document.addEventListener("keydown", (event) => {
    if (takeKey(event)) return;
    const action = actionOf(keys, event.key);
    if (!action || isTyped(event) || !hasJudge() || !withKeys.checked) return;
    event.preventDefault();
    actions[action]();
  });
  for (const checkbox of [together, withKeys, why]) rememberChecked(checkbox);
  rememberChecked(source, redraw);
  differences.addEventListener("change", redraw);
  scrollTogether(find("#first"), find("#second"), () => together.checked);
  followSwipes();
  resize(place, 0);
  showKeys();
  closeOptionsOutside();
  return { asksWhy: () => why.checked };
}

/** @param {KeyboardEvent} event */
function isTyped({ target, repeat, ctrlKey, metaKey, altKey }) {
  const isInField = target instanceof Element && target.closest("input:not([type=checkbox]), dialog");
  return isInField || repeat || ctrlKey || metaKey || altKey;
}

/** What shows and hides the instructions, where the set has some. */
function guide() {
  const instructions = document.querySelector("#guide");
  if (!(instructions instanceof HTMLElement)) return () => {};
  for (const text of findAll("#guide [data-rich]")) showText(text, text.textContent ?? "");
  return rememberShown(instructions, find("[data-action=guide]"), matchMedia(BESIDE).matches);
}

function closeOptionsOutside() {
  const options = find("#options", HTMLDetailsElement);
  document.addEventListener("pointerdown", ({ target }) => {
    if (target instanceof Node && !options.contains(target)) options.open = false;
  });
  options.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    options.open = false;
    find("#options summary").focus();
  });
}
