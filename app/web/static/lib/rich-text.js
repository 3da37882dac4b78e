// @ts-check
// Texts of candidates and prompts, as they are.

/**
 * @param {Element} place
 * @param {string} text
 */
export function showText(place, text) {
  place.textContent = text;
}
