// @ts-check
// The list of keys, where each can be changed.
import { element, find, findAll } from "./dom.js";
import { assigned, keepKeys, readKeys, signOf } from "./hotkeys.js";
import { KEY_ACTIONS, PRESS_KEY, keyTaken } from "./texts/annotate.js";

export let keys = readKeys();
/** @type {string | null} */
let awaited = null; // the action that gets the next key

export function showKeys() {
  for (const sign of findAll("[data-key-of]")) sign.textContent = signOf(keys[sign.dataset.keyOf ?? ""][0]);
  find("#key-list").replaceChildren(...Object.entries(KEY_ACTIONS).map(([action, label]) => row(action, label)));
}

/**
 * @param {string} action
 * @param {string} label
 */
function row(action, label) {
  const signs = keys[action].map((key) => element("kbd", {}, signOf(key)));
  const button = element("button", { type: "button", "aria-label": `${label}: ${keys[action].map(signOf).join(", ")}` });
  button.append(...(awaited === action ? [PRESS_KEY] : signs));
  button.addEventListener("click", () => {
    awaited = action;
    explain("");
    button.replaceChildren(PRESS_KEY);
  });
  button.addEventListener("blur", () => {
    awaited = null;
    button.replaceChildren(...signs);
  });
  return element("div", {}, element("dt", {}, label), element("dd", {}, button));
}

/** @param {string} text */
function explain(text) {
  find("#key-problem").textContent = text;
}

/**
 * Takes the key that was asked for; whether one was.
 * @param {KeyboardEvent} event
 */
export function takeKey(event) {
  if (!awaited) return false;
  event.preventDefault();
  if (["Shift", "Control", "Alt", "Meta"].includes(event.key)) return true; // on the way to another
  const action = awaited;
  const outcome = event.key === "Escape" ? { keys } : assigned(keys, action, event.key);
  awaited = null;
  if ("obstacle" in outcome) explain(keyTaken(signOf(event.key), KEY_ACTIONS[outcome.obstacle] ?? ""));
  else change(outcome.keys);
  showKeys();
  const place = Object.keys(KEY_ACTIONS).indexOf(action);
  findAll("#key-list button")[place]?.focus();
  return true;
}

/** @param {import("./hotkeys.js").Keys} chosen */
function change(chosen) {
  keys = chosen;
  keepKeys(chosen);
}

export function resetKeys() {
  keepKeys(null);
  keys = readKeys();
  explain("");
  showKeys();
}
