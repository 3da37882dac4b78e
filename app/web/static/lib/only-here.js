// @ts-check
// A note beside an address that only this computer reaches.
import { element } from "./dom.js";
import { ONLY_HERE, ONLY_HERE_HOW } from "./texts/common.js";

const HOW_TO = "https://github.com/nextpair/nextpair/blob/main/docs/how-to/reverse-proxy.md";

/** The note, or nothing where others reach the address too. */
export function onlyHere() {
  if (!["localhost", "127.0.0.1", "[::1]"].includes(location.hostname)) return [];
  return [element("p", { className: "hint" }, ONLY_HERE, " ", element("a", { href: HOW_TO }, ONLY_HERE_HOW))];
}
