// @ts-check
// After a set is made: how to connect the judges that were chosen. The address keeps it, so a reload shows it again.
import { element, find, icon } from "./dom.js";
import { adviceFor } from "./judge-advice.js";
import { get } from "./service.js";
import { onlyHere } from "./only-here.js";
import * as texts from "./texts/new-set.js";
import { toast } from "./toast.js";

/** @typedef {import("./judge-advice.js").Judge} Judge */

/**
 * Shows the judges' blocks, or goes to the results where none was chosen.
 * @param {string} id
 * @param {string} name
 * @param {Judge[]} judges
 * @param {boolean} hasPrompts
 * @param {number} price of one comparison; NaN where it is not known
 */
export function showDone(id, name, judges, hasPrompts, price) {
  if (!judges.length) return location.assign(`/sets/${id}`);
  history.replaceState(null, "", `/sets/new?${new URLSearchParams({ created: id, judges: judges.join(","), ...(price >= 0 && { price: `${price}` }) })}`);
  find("#new-set").hidden = true;
  find("#done").hidden = false;
  find("#open-results", HTMLAnchorElement).href = `/sets/${id}`;
  find("#title").textContent = texts.created(name);
  find("#title").dir = "auto";
  find("#advice").replaceChildren(...judges.map((judge) => block(judge, id, hasPrompts, price)));
  find("#title").focus();
  scrollTo(0, 0);
}

/**
 * @param {Judge} judge
 * @param {string} id
 * @param {boolean} hasPrompts
 * @param {number} price
 */
function block(judge, id, hasPrompts, price) {
  const { title, tip } = texts.ADVICE[judge];
  const copies = adviceFor(judge, location.origin, id, hasPrompts, price).map(copy);
  const note = judge === "people" ? onlyHere() : [];
  return element("section", { className: "card" }, element("h2", {}, title), element("p", {}, tip), ...copies, ...note);
}

/** @param {{ label: string, content: string }} advice */
function copy({ label, content }) {
  const button = element("button", { type: "button", "aria-label": `${texts.COPY}: ${label}` }, icon("copy"), texts.COPY);
  const code = element("pre", { tabIndex: "0", "aria-label": label }, element("code", {}, content));
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(content);
    } catch {
      getSelection()?.selectAllChildren(code);
      document.execCommand("copy"); // without https there is no clipboard
    }
    toast(texts.COPIED);
  });
  return element("div", { className: "copy" }, element("div", { className: "row spread" }, element("h3", {}, label), button), code);
}

const { created, judges, price } = Object.fromEntries(new URLSearchParams(location.search));
if (created) {
  const known = /** @type {Judge[]} */ (Object.keys(texts.ADVICE).filter((judge) => (judges ?? "").split(",").includes(judge)));
  get(`/v1/sets/${encodeURIComponent(created)}`).then(({ id, name, items }) => showDone(id, name, known, items > 0, Number(price || NaN)), () => {});
}
