// @ts-check
// The keys of judging: what each does, and new keys that a person chose on this device.

/** @typedef {Record<string, string[]>} Keys by action */

const NAME = "nextpair.hotkeys";
const RESERVED = new Set(["Tab", "Enter", "Escape", " ", "Shift", "Control", "Alt", "Meta", "AltGraph", "CapsLock", "Dead"]);
const SIGNS = /** @type {Record<string, string>} */ ({ ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓" });

/** @type {Keys} */
export const DEFAULT_KEYS = {
  first: ["1", "ArrowLeft"], second: ["2", "ArrowRight"], tie: ["3", "="], both_bad: ["4"], skip: ["s"], undo: ["u", "z"],
  differences: ["d"], source: ["r"], help: ["?"],
};

/** @param {string} key */
export const signOf = (key) => SIGNS[key] ?? key;

/** @param {string} key */
const plain = (key) => (key.length === 1 ? key.toLowerCase() : key);

/**
 * @param {Keys} keys
 * @param {string} key
 */
export const actionOf = (keys, key) => Object.keys(keys).find((action) => keys[action].includes(plain(key)));

/**
 * The keys with one for this action, or why not: the action that has it, or "reserved".
 * @param {Keys} keys
 * @param {string} action
 * @param {string} key
 * @returns {{ keys: Keys } | { obstacle: string }}
 */
export function assigned(keys, action, key) {
  const owner = actionOf(keys, key);
  if (RESERVED.has(key) || /^F\d+$/.test(key)) return { obstacle: "reserved" };
  if (owner && owner !== action) return { obstacle: owner };
  return { keys: { ...keys, [action]: [plain(key)] } };
}

/** @returns {Keys} */
export function readKeys() {
  return { ...DEFAULT_KEYS, ...JSON.parse(localStorage.getItem(NAME) ?? "{}") };
}

/** @param {Keys | null} keys none brings the first ones back */
export function keepKeys(keys) {
  if (keys) localStorage.setItem(NAME, JSON.stringify(keys));
  else localStorage.removeItem(NAME);
}
