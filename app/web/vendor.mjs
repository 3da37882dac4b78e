// Copies what the pages use of npm packages into static/vendor/, with their licences: `npm run vendor`.
import { cpSync, mkdirSync, rmSync } from "node:fs";

const FILES = {
  "marked.js": "marked/lib/marked.esm.js",
  "marked.LICENSE.txt": "marked/LICENSE",
  "purify.js": "dompurify/dist/purify.min.js",
  "purify.LICENSE.txt": "dompurify/LICENSE",
  "katex.js": "katex/dist/katex.min.js",
  "katex.LICENSE.txt": "katex/LICENSE",
  "inter-latin.woff2": "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
  "inter-latin-ext.woff2": "@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2",
  "inter.LICENSE.txt": "@fontsource-variable/inter/LICENSE",
};
const here = import.meta.dirname;

rmSync(`${here}/static/vendor`, { recursive: true, force: true });
mkdirSync(`${here}/static/vendor`);
for (const [name, source] of Object.entries(FILES)) cpSync(`${here}/node_modules/${source}`, `${here}/static/vendor/${name}`);
