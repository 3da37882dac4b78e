// @ts-check
// What a person set on a page, kept on this device.

/**
 * A checkbox that stays as it was left.
 * @param {HTMLInputElement} checkbox
 * @param {() => void} [onChange]
 */
export function rememberChecked(checkbox, onChange = () => {}) {
  const name = `nextpair.${checkbox.id}`;
  const kept = localStorage.getItem(name);
  if (kept !== null) checkbox.checked = kept === "true";
  checkbox.addEventListener("change", () => {
    localStorage.setItem(name, String(checkbox.checked));
    onChange();
  });
}

/**
 * Shows or hides a part, as it was left.
 * @param {HTMLElement} part
 * @param {HTMLElement} button that shows and hides it
 * @param {boolean} isShownFirst
 * @returns {() => void} what the button does
 */
export function rememberShown(part, button, isShownFirst) {
  const name = `nextpair.${part.id}`;
  const show = (/** @type {boolean} */ isShown) => {
    part.hidden = !isShown;
    button.setAttribute("aria-expanded", String(isShown));
  };
  show((localStorage.getItem(name) ?? String(isShownFirst)) === "true");
  return () => {
    show(part.hidden);
    localStorage.setItem(name, String(!part.hidden));
  };
}

const SIZES = [13, 14, 16, 18, 20, 24, 28]; // pixels
const SIZE = "nextpair.text-size";

/**
 * Sets the size of texts in a place, by a step from the one before.
 * @param {HTMLElement} place
 * @param {number} step
 */
export function resize(place, step) {
  const now = Math.max(SIZES.indexOf(Number(localStorage.getItem(SIZE) ?? 16)), 0);
  const size = SIZES[Math.min(Math.max(now + step, 0), SIZES.length - 1)];
  localStorage.setItem(SIZE, String(size));
  place.style.setProperty("--text-size", `${size}px`);
}
