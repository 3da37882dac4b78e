// @ts-check
// LaTeX as MathML, by KaTeX, which is loaded when the first formula is seen.
import { MOST_ELEMENTS, elementsIn } from "./markup.js";

const MOST_FORMULAS = 300; // of a text; the others stay as they were written
const NEEDLESS = /<annotation[^]*<\/annotation>| style="[^"]*"/g; // the source, and what the page's policy forbids
const DEFINES = /\\(?:[egx]?def|let|futurelet|(?:re)?newcommand|providecommand)(?![a-z])/i; // a macro, which may grow without end
const WORDS = /[a-z]{2,} +[a-z]{2,}/i;

/** @type {typeof import("katex").default | null | undefined} */
let katex; // null where it is missing

/**
 * Whether what stands between marks is mathematics, and no price or path.
 * @param {string} tex
 */
export function looksLikeMathematics(tex) {
  if (/\\[a-z]/i.test(tex)) return true;
  if (WORDS.test(tex)) return false;
  return /[\\^_=+<>]/.test(tex) || (/[a-z]/i.test(tex) && !/[a-z]{3,}/i.test(tex));
}

/**
 * Replaces formulas by MathML: at once, or when KaTeX has arrived.
 * @param {ParentNode} place
 * @param {(markup: string) => DocumentFragment} sanitised
 */
export function showFormulas(place, sanitised) {
  const formulas = [...place.querySelectorAll("code[data-tex]")].slice(0, MOST_FORMULAS);
  if (!formulas.length) return;
  if (katex === undefined) load().then(() => typeset(formulas, sanitised));
  else typeset(formulas, sanitised);
}

async function load() {
  const address = "../vendor/katex.js"; // a script that leaves a global name
  await import(address).catch(() => {});
  katex = /** @type {any} */ (globalThis).katex ?? null;
}

/**
 * Leaves what KaTeX does not understand as it was written, and what is more than a page bears.
 * @param {Element[]} formulas
 * @param {(markup: string) => DocumentFragment} sanitised
 */
function typeset(formulas, sanitised) {
  let left = MOST_ELEMENTS;
  for (const code of formulas) {
    const markup = mathml(code.getAttribute("data-tex") ?? "", code.hasAttribute("data-display"));
    const elements = elementsIn(markup);
    if (!markup || elements > left) continue;
    left -= elements;
    code.replaceWith(sanitised(markup));
  }
}

/**
 * @param {string} tex
 * @param {boolean} displayMode
 */
function mathml(tex, displayMode) {
  if (DEFINES.test(tex)) return "";
  try {
    const markup = katex?.renderToString(tex, {
      output: "mathml", displayMode, throwOnError: true, strict: "ignore", trust: false, maxExpand: 200, maxSize: 20,
    });
    return markup?.replace(NEEDLESS, "") ?? "";
  } catch {
    return "";
  }
}
