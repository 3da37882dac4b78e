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
