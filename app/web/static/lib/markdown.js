// @ts-check
// Markdown with LaTeX, as HTML that is still to be sanitised. HTML in it stays text, so that judges see what was written.
import { elementsIn } from "./markup.js";
import { looksLikeMathematics } from "./mathematics.js";

const PICTURE = /^data:image\/(?:png|jpeg|webp|gif);base64,[a-z\d+/=\s]+$/i;
const MOST_CELLS = 10_000; // of a text's tables: each row is filled up to its header's width
const MOST_ADDRESSES = 100_000; // characters in a text's links, each of which repeats the address that it refers to
const PLAIN = new Set(["paragraph", "text", "space", "escape", "br"]); // kinds of tokens in a text without Markdown
const BLOCK = /^ {0,3}(\$\$|\\\[)([^]+?)(?:\$\$|\\\])[ \t]*(?:\n|$)/;
const INLINE = [
  /^(\$\$)([^$]+?)\$\$/,
  /^(\\\[)([^]+?)\\\]/,
  /^(\\\()([^]+?)\\\)/,
  /^(\$)(?!\s)((?:\\.|[^$\\\n])+?)(?<!\s)\$(?!\d)/,
];

/** @typedef {import("marked").Tokens.Generic} Token */

/**
 * A function from Markdown to HTML; null where there is no Markdown in a text, or more of it than a page bears.
 * @param {typeof import("marked").Marked} Marked
 * @returns {(text: string) => string | null}
 */
export function markdown(Marked) {
  /** @type {number[]} */
  let depths = []; // of the headings that the next one may stand below
  let cells = 0;
  const marked = new Marked({ gfm: true, breaks: true, extensions: [formula("block"), formula("inline")] });
  marked.use({
    tokenizer: {
      html: nothing,
      code: nothing, // by indentation
      table(source) {
        const [, head, , rows = ""] = this.rules.block.table.exec(source) ?? [];
        if (head) cells += head.split("|").length * rows.split("\n").length;
        return cells > MOST_CELLS ? undefined : false;
      },
      tag: (source) => {
        const [raw] = /^<br *\/?>/i.exec(source) ?? [];
        return raw ? /** @type {any} */ ({ type: "br", raw }) : undefined;
      },
      del: (source) => (source.startsWith("~~") ? false : undefined),
    },
    renderer: {
      heading({ depth, tokens }) {
        depths = [...depths.filter((other) => other < depth), depth];
        const name = `h${Math.min(2 + depths.length, 6)}`; // below the page's own, and none is left out
        return `<${name}>${this.parser.parseInline(tokens)}</${name}>`;
      },
      image: ({ href, text }) => {
        if (PICTURE.test(href)) return `<img src="${escaped(href)}" alt="${escaped(text)}">`;
        return `<a href="${escaped(href)}">${escaped(text || href)}</a>`;
      },
      checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
    },
  });
  return (text) => {
    cells = 0;
    depths = [];
    const tokens = marked.lexer(text);
    if (cells > MOST_CELLS || isPlain(tokens) || addressed(marked, tokens) > MOST_ADDRESSES) return null;
    const html = marked.parser(tokens);
    return elementsIn(html) === Infinity ? null : html;
  };
}

/**
 * The characters of all addresses and titles.
 * @param {import("marked").Marked} marked
 * @param {import("marked").TokensList} tokens
 */
function addressed(marked, tokens) {
  let characters = 0;
  marked.walkTokens(tokens, (/** @type {Token} */ { href, title }) => {
    characters += (href?.length ?? 0) + (title?.length ?? 0);
  });
  return characters;
}

/** @param {"block" | "inline"} level */
function formula(level) {
  const isBlock = level === "block";
  const begin = isBlock ? /\n(?= {0,3}(?:\$\$|\\\[))/ : /\$|\\[([]/;
  return {
    name: `${level}Formula`,
    level,
    start: (/** @type {string} */ source) => begin.exec(source)?.index,
    tokenizer(/** @type {string} */ source) {
      for (const pattern of isBlock ? [BLOCK] : INLINE) {
        const [raw, mark, tex] = pattern.exec(source) ?? [];
        if (!raw || !(mark === "$$" || looksLikeMathematics(tex))) continue;
        return { type: `${level}Formula`, raw, tex, isDisplay: mark === "$$" || mark === "\\[" };
      }
      return undefined;
    },
    renderer(/** @type {Token} */ { raw, tex, isDisplay }) {
      const code = `<code data-tex="${escaped(tex)}"${isDisplay ? ' data-display="1"' : ""}>${escaped(raw.trim())}</code>`;
      return isBlock ? `<p>${code}</p>` : code;
    },
  };
}

/**
 * @param {Token[]} tokens
 * @returns {boolean}
 */
function isPlain(tokens) {
  return tokens.every(({ type, tokens: inner, raw }) => PLAIN.has(type) && raw !== "<br>" && isPlain(inner ?? []));
}

const nothing = () => undefined;

/** @param {string} text */
function escaped(text) {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
