// @ts-check
// Tooltips: what data-tip says of an element shows while it is pointed at, has the focus, or was tapped.

const GAP = 6; // pixels between an element and its tip
const EDGE = 8; // pixels that stay free at the edge of the window
const tip = document.createElement("div");
Object.assign(tip, { id: "tip", hidden: true });
tip.setAttribute("role", "tooltip");

/** @type {Element | null} */
let described = null;

/** @param {EventTarget | null} target */
const explained = (target) => (target instanceof Element ? target.closest("[data-tip]") : null);

/** @param {Element} element */
function show(element) {
  if (described !== element) hide();
  described = element;
  (element.closest("dialog, main") ?? document.body).append(tip); // within a landmark, and above a dialog
  tip.textContent = element.getAttribute("data-tip");
  tip.hidden = !tip.textContent;
  element.setAttribute("aria-describedby", tip.id);
  place(element.getBoundingClientRect());
}

/** @param {DOMRect} box */
function place(box) {
  const { offsetWidth: width, offsetHeight: height } = tip;
  const left = Math.min(Math.max(box.left + box.width / 2 - width / 2, EDGE), innerWidth - width - EDGE);
  const isRoomBelow = box.bottom + GAP + height < innerHeight;
  tip.style.left = `${left}px`;
  tip.style.top = `${isRoomBelow ? box.bottom + GAP : box.top - GAP - height}px`;
}

function hide() {
  described?.removeAttribute("aria-describedby");
  described = null;
  tip.hidden = true;
}

for (const name of ["pointerover", "focusin"]) {
  document.addEventListener(name, ({ target }) => {
    const element = explained(target);
    if (element) show(element);
    else if (name === "pointerover" && described && !described.matches(":focus-visible")) hide();
  });
}
document.addEventListener("focusout", hide);
document.addEventListener("keydown", ({ key }) => key === "Escape" && hide());
document.addEventListener("scroll", hide, { capture: true, passive: true });

/** Makes a term that is no control reachable by keyboard, and an open tip say what its term says now. */
function keepUp() {
  for (const term of document.querySelectorAll(".term:not([tabindex])")) term.setAttribute("tabindex", "0");
  if (described?.isConnected === false) hide();
  else if (described && described.getAttribute("data-tip") !== tip.textContent) show(described);
}
new MutationObserver(keepUp).observe(document.body, { childList: true, subtree: true, attributeFilter: ["data-tip"] });
keepUp();
