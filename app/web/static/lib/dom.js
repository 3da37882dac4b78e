// @ts-check
// Elements looked up and elements made. Texts are untrusted: they go in as text, never as markup.

/**
 * The first element that a selector names, which has to be there and of that kind.
 * @template {Element} [Kind=HTMLElement]
 * @param {string} selector
 * @param {new () => Kind} [kind]
 * @returns {Kind}
 */
export function find(selector, kind = /** @type {any} */ (HTMLElement)) {
  const match = document.querySelector(selector);
  if (!(match instanceof kind)) throw new TypeError(`There is no ${kind.name} at ${selector}`);
  return match;
}

/**
 * All elements of that kind that a selector names.
 * @template {Element} [Kind=HTMLElement]
 * @param {string} selector
 * @param {new () => Kind} [kind]
 * @returns {Kind[]}
 */
export function findAll(selector, kind = /** @type {any} */ (HTMLElement)) {
  const isOfKind = /** @returns {match is Kind} */ (/** @type {Element} */ match) => match instanceof kind;
  return [...document.querySelectorAll(selector)].filter(isOfKind);
}

/**
 * A new element; values are its properties, or else attributes.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string>} [values]
 * @param {...(Node | string)} children
 */
export function element(name, values = {}, ...children) {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(values)) {
    if (key in created) Object.assign(created, { [key]: value });
    else created.setAttribute(key, value);
  }
  created.append(...children);
  return created;
}

const SVG = "http://www.w3.org/2000/svg";

/**
 * A new element of a drawing.
 * @param {string} name
 * @param {Record<string, string | number>} [attributes]
 * @param {...(Node | string)} children
 */
export function drawing(name, attributes = {}, ...children) {
  const created = /** @type {SVGElement} */ (document.createElementNS(SVG, name));
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, String(value));
  created.append(...children);
  return created;
}

/**
 * An icon of icons.svg; the words beside it say what it means.
 * @param {string} name
 */
export const icon = (name) =>
  drawing("svg", { class: "icon", "aria-hidden": "true" }, drawing("use", { href: `/static/icons.svg#${name}` }));

/**
 * Replaces what is in a place. What was opened there stays open, and what had the focus keeps it: children are known by
 * their data-key, and what is in them by its place.
 * @param {Element} place
 * @param {HTMLElement[]} children
 */
export function redraw(place, children) {
  const opened = [...place.querySelectorAll("details[open]")].map((details) => pathOf(place, details));
  const focused = place.contains(document.activeElement) ? pathOf(place, document.activeElement) : null;
  place.replaceChildren(...children);
  const byKey = new Map(children.map((child) => [child.dataset.key, child]));
  for (const path of opened) at(byKey, path)?.setAttribute("open", "");
  if (focused) at(byKey, focused)?.focus({ preventScroll: true });
}

/** @typedef {{ key: string | undefined, places: number[] }} Path of an element: its child of the place, and on from there */

/**
 * @param {Element} place
 * @param {Element | null} inner
 * @returns {Path}
 */
function pathOf(place, inner) {
  const places = [];
  let child = inner;
  for (; child && child.parentElement !== place; child = child.parentElement) {
    places.unshift([...(child.parentElement?.children ?? [])].indexOf(child));
  }
  return { key: child instanceof HTMLElement ? child.dataset.key : undefined, places };
}

/**
 * @param {Map<string | undefined, HTMLElement>} byKey
 * @param {Path} path
 * @returns {HTMLElement | undefined}
 */
function at(byKey, { key, places }) {
  /** @type {Element | undefined} */
  let inner = byKey.get(key);
  for (const place of places) inner = inner?.children[place];
  return inner instanceof HTMLElement ? inner : undefined;
}
