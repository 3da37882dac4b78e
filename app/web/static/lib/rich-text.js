// @ts-check
// Texts of strangers, with safe Markdown, code and LaTeX: what marked makes of them passes DOMPurify's short lists.
import { element } from "./dom.js";
import { markdown } from "./markdown.js";
import { showFormulas } from "./mathematics.js";
import { COPIED, COPY } from "./texts/rich-text.js";

const LONGEST = 100_000; // characters of Markdown; a longer text is shown as it was written
const LONGEST_PARAGRAPH = 10_000; // as marked takes time with the square of a paragraph's length
const COPIED_MS = 1500;

const ADDRESS = /^(?:https?:\/\/|mailto:)/i;
const ADDRESSES = ["href", "src"]; // attributes that ADDRESS is for
const HTML = {
  ALLOWED_TAGS: [
    "a", "blockquote", "br", "code", "del", "em", "h3", "h4", "h5", "h6", "hr", "img", "li", "ol", "p", "pre", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul", "#text",
  ],
  ALLOWED_ATTR: ["align", "alt", "data-display", "data-tex", "href", "src", "start", "title"],
};
const MATHML = {
  ALLOWED_TAGS: [
    "math", "menclose", "mfrac", "mi", "mn", "mo", "mover", "mpadded", "mphantom", "mroot", "mrow", "ms", "mspace",
    "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd", "mtext", "mtr", "munder", "munderover", "#text",
  ],
  ALLOWED_ATTR: [
    "accent", "accentunder", "columnalign", "columnlines", "columnspacing", "depth", "display", "displaystyle", "fence",
    "height", "linethickness", "lspace", "mathvariant", "maxsize", "minsize", "notation", "rowalign", "rowlines",
    "rowspacing", "rspace", "scriptlevel", "separator", "stretchy", "voffset", "width",
  ],
};

/** @typedef {{ toHtml: (text: string) => string | null, purify: import("dompurify").DOMPurify }} Libraries */

/** @type {Libraries | undefined} */
let libraries;
const loading = load();
/** @type {WeakMap<Element, string | null>} */
const wanted = new WeakMap(); // the text of a place that awaits the libraries

/**
 * Shows a text in a place; raw, or without the libraries, as it was written.
 * @param {HTMLElement} place
 * @param {string} text
 * @param {{ raw?: boolean }} [how]
 */
export function showText(place, text, { raw = false } = {}) {
  const isRich = !raw && canBeRich(text);
  wanted.set(place, isRich ? text : null);
  if (isRich && libraries) return showRich(place, text, libraries);
  showPlain(place, text);
  if (isRich) loading.then(() => libraries && wanted.get(place) === text && showRich(place, text, libraries));
}

async function load() {
  const [parser, sanitiser] = ["../vendor/marked.js", "../vendor/purify.js"]; // no files of ours, so no types
  try {
    const [{ Marked }] = await Promise.all([import(parser), import(sanitiser)]);
    libraries = { toHtml: markdown(Marked), purify: /** @type {any} */ (globalThis).DOMPurify };
  } catch {
    // every text is shown as it was written
  }
}

/** @param {string} text */
const canBeRich = (text) =>
  text.length <= LONGEST && text.split(/\n\s*\n/).every((paragraph) => paragraph.length <= LONGEST_PARAGRAPH);

/**
 * @param {HTMLElement} place
 * @param {string} text
 */
function showPlain(place, text) {
  place.classList.remove("rich");
  place.textContent = text;
}

/**
 * @param {HTMLElement} place
 * @param {string} text
 * @param {Libraries} libraries
 */
function showRich(place, text, { toHtml, purify }) {
  const html = asHtml(text, toHtml);
  if (html === null) return showPlain(place, text);
  const fragment = sanitised(purify, html, HTML);
  dress(fragment);
  showFormulas(fragment, (markup) => sanitised(purify, markup, MATHML));
  place.classList.add("rich");
  place.replaceChildren(fragment);
}

/**
 * @param {string} text
 * @param {(text: string) => string | null} toHtml
 */
function asHtml(text, toHtml) {
  try {
    return toHtml(text);
  } catch {
    return null; // nested too deeply
  }
}

/**
 * @param {import("dompurify").DOMPurify} purify
 * @param {string} markup
 * @param {{ ALLOWED_TAGS: string[], ALLOWED_ATTR: string[] }} lists
 */
function sanitised(purify, markup, lists) {
  return purify.sanitize(markup, {
    ...lists, ALLOW_DATA_ATTR: false, ALLOW_ARIA_ATTR: false, RETURN_DOM_FRAGMENT: true,
    ALLOWED_URI_REGEXP: ADDRESS, ADD_URI_SAFE_ATTR: lists.ALLOWED_ATTR.filter((name) => !ADDRESSES.includes(name)),
  });
}

/** @param {DocumentFragment} fragment */
function dress(fragment) {
  for (const link of fragment.querySelectorAll("a")) {
    link.rel = "noopener nofollow";
    link.target = "_blank";
  }
  for (const table of fragment.querySelectorAll("table")) wrap(table, element("div", { class: "wide", tabindex: "0" }));
  for (const code of fragment.querySelectorAll("pre")) {
    code.dir = "ltr";
    code.tabIndex = 0;
    const box = wrap(code, element("div", { class: "code" }));
    if (navigator.clipboard) box.append(copyButton(code.textContent ?? ""));
  }
  for (const block of fragment.children) block.setAttribute("dir", "auto");
}

/**
 * @param {HTMLElement} inner
 * @param {HTMLElement} box
 */
function wrap(inner, box) {
  inner.replaceWith(box);
  box.append(inner);
  return box;
}

/** @param {string} code */
function copyButton(code) {
  const button = element("button", { type: "button", class: "quiet copy" }, COPY);
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code);
    button.textContent = COPIED;
    setTimeout(() => (button.textContent = COPY), COPIED_MS);
  });
  return button;
}
