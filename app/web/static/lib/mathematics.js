// @ts-check
// LaTeX as MathML, by KaTeX, which is loaded when the first formula is seen.

const MOST_FORMULAS = 300; // of a text; the others stay as they were written
const NEEDLESS = /<annotation[^]*<\/annotation>| style="[^"]*"/g; // the source, and what the page's policy forbids
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
  if (katex === undefined) load().then(() => formulas.forEach((code) => typeset(code, sanitised)));
  else for (const code of formulas) typeset(code, sanitised);
}

async function load() {
  const address = "../vendor/katex.js"; // a script that leaves a global name
  await import(address).catch(() => {});
  katex = /** @type {any} */ (globalThis).katex ?? null;
}

/**
 * Leaves what KaTeX does not understand as it was written.
 * @param {Element} code
 * @param {(markup: string) => DocumentFragment} sanitised
 */
function typeset(code, sanitised) {
  const displayMode = code.hasAttribute("data-display");
  try {
    const markup = katex?.renderToString(code.getAttribute("data-tex") ?? "", {
      output: "mathml", displayMode, throwOnError: true, strict: "ignore", trust: false, maxExpand: 200, maxSize: 20,
    });
    if (markup) code.replaceWith(sanitised(markup.replace(NEEDLESS, "")));
  } catch {
    // the LaTeX stays in view
  }
}
