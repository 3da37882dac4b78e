// @ts-check
// A against B: candidates, items, versions or judges. What is chosen is in the address; each mode is a module of its own.
import { compareCandidates } from "../lib/compare-candidates.js";
import { compareItems } from "../lib/compare-items.js";
import { compareJudges } from "../lib/compare-judges.js";
import { compareVersions, half } from "../lib/compare-versions.js";
import { find, findAll } from "../lib/dom.js";
import { follow } from "../lib/live.js";
import { setId, showProblem } from "../lib/set-page.js";
import { pageState } from "../lib/state.js";
import * as words from "../lib/texts/compare.js";
import { oneAtATime, soon } from "../lib/wishes.js";

/** @typedef {{ mode: string, a: string, b: string, of: string, order: string, at: string, differences: string, sort: string }} Choices */
/** @typedef {import("../lib/state.js").PageState<Choices>} State */
/** @typedef {(choices: Choices, isNewer: boolean) => void | Promise<void>} Update shows choices that need no other comparison, or a newer version */
/** @typedef {(place: HTMLElement, state: State, signal: AbortSignal) => Promise<Update | void>} Mode */

/** @type {Record<string, Mode>} */
const MODES = { "": compareCandidates, items: compareItems, versions: compareVersions, judges: compareJudges };
const place = find("#compared"), options = find("#options");
const [a, b] = ["#a", "#b"].map((selector) => find(selector, HTMLInputElement));
const state = pageState({ mode: "", a: "", b: "", of: "", order: "surprise", at: "", differences: "yes", sort: "" });
let shown = ""; // what was asked for
let asking = new AbortController();
/** @type {Update | void} */
let update;

async function show() {
  const { mode, a: first, b: second } = state.get(), wanted = JSON.stringify([mode, first, second]);
  showChoices();
  if (wanted === shown) return update?.(state.get(), false);
  shown = wanted;
  update = undefined;
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  place.setAttribute("aria-busy", "true");
  showProblem(null);
  try {
    const ready = await (MODES[mode] ?? compareCandidates)(place, state, signal);
    if (signal.aborted) return;
    update = ready;
  } catch (error) {
    if (!signal.aborted) {
      place.replaceChildren();
      showProblem(error);
    }
  }
  if (!signal.aborted) place.removeAttribute("aria-busy");
}

function showChoices() {
  const { mode, a: first, b: second } = state.get();
  for (const button of findAll("[data-mode]")) button.setAttribute("aria-pressed", String(button.dataset.mode === mode));
  if (document.activeElement !== a) a.value = first;
  if (document.activeElement !== b) b.value = second;
  const isVersion = mode === "versions";
  a.placeholder = isVersion ? words.usualVersion(half(Number(place.dataset.version))) : words.CHOOSE[mode] ?? words.CHOOSE[""];
  b.placeholder = isVersion ? words.NOW : a.placeholder;
  a.inputMode = b.inputMode = isVersion ? "numeric" : "text";
  if (!mode && options.dataset.of !== "keys") {
    const keys = /** @type {HTMLTemplateElement} */ (find("#keys", HTMLTemplateElement));
    options.replaceChildren(keys.content.cloneNode(true));
    options.dataset.of = "keys";
  }
  find("#clear").hidden = !first && !second;
  find("#swap").hidden = isVersion || !first || !second;
}

/**
 * Takes what was typed once it is something that there is; candidates beyond those suggested may be typed too.
 * @param {HTMLInputElement} input
 */
function choose(input) {
  const value = input.value.trim(), isNumber = /^\d+$/.test(value);
  const isOffered = [...options.querySelectorAll("option")].some((option) => option.value === value);
  const isAllOffered = Number(place.dataset.candidates) === options.childElementCount || ["items", "judges"].includes(state.get().mode);
  const isKnown = !value || (state.get().mode === "versions" ? isNumber && Number(value) <= Number(place.dataset.version) : isOffered || !isAllOffered);
  const complaint = find("#unknown");
  complaint.hidden = isKnown;
  complaint.textContent = isKnown ? "" : words.unknown(value);
  input.setAttribute("aria-invalid", String(!isKnown));
  if (isKnown) state.set({ [input.name]: value, at: "" }, { push: true });
}

for (const input of [a, b]) {
  input.addEventListener("change", () => choose(input));
  input.addEventListener("focus", () => input.select());
}
for (const button of findAll("[data-mode]")) {
  button.addEventListener("click", () => state.set({ mode: button.dataset.mode, a: "", b: "", at: "", sort: "" }, { push: true }));
}
find("#swap").addEventListener("click", () => state.set({ a: state.get().b, b: state.get().a }));
find("#clear").addEventListener("click", () => state.set({ a: "", b: "", at: "" }, { push: true }));
find("#choices").addEventListener("submit", (event) => event.preventDefault());
state.onChange(show);
show();
const renew = soon(oneAtATime(async () => {
  try {
    await update?.(state.get(), true);
  } catch (error) {
    showProblem(error);
  }
}));
follow(setId ?? "", { onState: ({ version }) => {
  if (version <= Number(place.dataset.version)) return;
  place.dataset.version = String(version);
  renew();
} });
