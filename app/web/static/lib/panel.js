// @ts-check
// The panel at the side of a page: one at a time, beside what it is about.
import { element } from "./dom.js";
import { CLOSE } from "./texts/common.js";

/** @type {{ dialog: HTMLDialogElement, opener: Element | null, onClose: () => void } | null} */
let shown = null;

/**
 * Opens the panel, or fills the one that is open.
 * @param {{ title: string, content: (Node | string)[], onClose?: () => void, isWide?: boolean }} panel
 */
export function openPanel({ title, content, onClose = () => {}, isWide = false }) {
  const opener = shown ? shown.opener : document.activeElement;
  const dialog = shown?.dialog ?? document.body.appendChild(element("dialog"));
  dialog.className = isWide ? "panel wide" : "panel";
  const heading = element("h2", { id: "panel-title", tabIndex: "-1", dir: "auto" }, title);
  const close = element("button", { type: "button", className: "quiet" }, CLOSE);
  close.addEventListener("click", closePanel);
  dialog.setAttribute("aria-labelledby", heading.id);
  dialog.replaceChildren(element("div", { className: "panel-head" }, heading, close), ...content);
  dialog.scrollTop = 0;
  if (!dialog.open) dialog.show();
  shown = { dialog, opener, onClose };
  heading.focus();
}

export function closePanel() {
  if (!shown) return;
  const { dialog, opener, onClose } = shown;
  shown = null;
  dialog.remove();
  const place = opener?.isConnected ? opener : sameRow(opener);
  if (place instanceof HTMLElement) place.focus({ preventScroll: true });
  onClose();
}

/**
 * The control that opens the row of one that was drawn again since.
 * @param {Element | null} opener
 */
function sameRow(opener) {
  const key = opener?.closest("tr")?.dataset.key;
  return key === undefined ? null : document.querySelector(`tr[data-key="${CSS.escape(key)}"] .open`);
}

document.addEventListener("keydown", (event) => {
  const isElsewhere = event.target instanceof Element && event.target.closest("dialog:not(.panel), input, textarea, select");
  if (event.key === "Escape" && !isElsewhere) closePanel();
});
