// @ts-check
// A short message at the foot of the page, with at most one thing to do about it.
import { element } from "./dom.js";

const SHOWN_MS = 8000;
let timer = 0;

/**
 * @param {string} message
 * @param {{ action?: [label: string, act: () => void] }} [options]
 */
export function toast(message, { action } = {}) {
  clearTimeout(timer);
  const place = document.getElementById("toast") ?? document.body.appendChild(element("div", { id: "toast", role: "status" }));
  place.hidden = false;
  place.replaceChildren(element("span", { dir: "auto" }, message));
  if (action) {
    const [label, act] = action;
    const button = element("button", { type: "button" }, label);
    button.addEventListener("click", () => {
      place.hidden = true;
      act();
    });
    place.append(button);
  }
  timer = setTimeout(() => { place.hidden = true; }, SHOWN_MS);
}
