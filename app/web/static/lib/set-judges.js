// @ts-check
// The judges of a set: kind, model and price of each, and the temperature with which the set reads it.
import { element, find, icon } from "./dom.js";
import { who } from "./feed.js";
import { closePanel, openPanel } from "./panel.js";
import { get, patch, put } from "./service.js";
import { address, read } from "./set-page.js";
import { field, input, numberOf, valueOf } from "./settings.js";
import { NONE } from "./texts/common.js";
import * as words from "./texts/settings.js";
import { toast } from "./toast.js";

const MOST = 1000; // judges that one request lists

/** @type {Contract.JudgeOut[]} */
let judges = [];

/** @param {Contract.SetOut} set */
export async function loadJudges(set) {
  /** @type {Contract.Activity} */
  const { judges: here } = await read("/activity", { limit: 1 });
  const names = new Set([...here.map(({ judge }) => judge), ...Object.keys(set.temperatures)]);
  /** @type {Contract.JudgePage} */
  const { judges: listed } = await get(`/v1/judges?limit=${MOST}`);
  const missing = [...names].filter((name) => !listed.some((judge) => judge.name === name));
  judges = [...listed.filter(({ name }) => names.has(name)), ...await Promise.all(missing.map((name) => get(pathOf(name))))];
  showJudges(set);
}

/** @param {string} name */
const pathOf = (name) => `/v1/judges/${encodeURIComponent(name)}`;

/** @param {Contract.SetOut} set */
function showJudges(set) {
  const heads = Object.values(words.JUDGE_COLUMNS).map(([label, tip], n) =>
    element("th", { scope: "col", className: n > 1 ? "num" : "" }, element("span", { className: "term", "data-tip": tip }, label)));
  const rows = judges.map((judge) => row(judge, set));
  const empty = element("tr", {}, element("td", { colSpan: "5", className: "faint" }, words.NO_JUDGES));
  find("#judges").replaceChildren(element("thead", {}, element("tr", {}, ...heads, element("td"))), element("tbody", {}, ...(rows.length ? rows : [empty])));
}

/**
 * @param {Contract.JudgeOut} judge
 * @param {Contract.SetOut} set
 */
function row(judge, set) {
  const { name, kind, model, cost_per_1000: price } = judge;
  const edit = element("button", { type: "button", className: "quiet", "aria-label": words.editJudge(name) }, icon("edit"), words.EDIT);
  edit.addEventListener("click", () => openForm(judge, set));
  return element("tr", {}, element("th", { scope: "row" }, who(name, kind)), element("td", { dir: "auto" }, model ?? words.KINDS[kind ?? ""]),
    element("td", { className: "num" }, price === null ? NONE : words.price(price)),
    element("td", { className: "num" }, String(set.temperatures[name] ?? 1)), element("td", { className: "num" }, edit));
}

/**
 * @param {Contract.JudgeOut} judge
 * @param {Contract.SetOut} set
 */
function openForm(judge, set) {
  const kind = choice("kind", words.KINDS, judge.kind ?? ""), repeats = choice("repeats", words.REPEATING, String(judge.repeats ?? ""));
  const fault = element("p", { className: "error", role: "alert" });
  const { model: [modelLabel], price: [priceLabel, priceTip], temperature: [heat] } = words.JUDGE_COLUMNS;
  const form = element("form", {},
    field(words.KIND, kind), field(modelLabel, input("model", { value: judge.model ?? "", maxLength: "1000" })),
    field(words.CONFIGURATION, input("configuration", { value: judge.configuration ?? "", maxLength: "1000" }), words.CONFIGURATION_HINT),
    field(priceLabel, input("price", { type: "number", min: "0", step: "any", value: String(judge.cost_per_1000 ?? "") }), priceTip),
    field(heat, input("temperature", { type: "number", min: "0.01", max: "100", step: "any", value: String(set.temperatures[judge.name] ?? 1), required: "true" }), words.TEMPERATURE_HINT),
    field(words.REPEATS, repeats, words.REPEATS_HINT), fault, element("button", { className: "main" }, words.SAVE));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await saveJudge(form, judge.name, set);
      closePanel();
      toast(words.SAVED);
    } catch (error) {
      fault.textContent = error instanceof Error ? error.message : "";
    }
  });
  openPanel({ title: judge.name, content: [form] });
}

/**
 * @param {string} name
 * @param {Record<string, string>} options label by value
 * @param {string} value
 */
function choice(name, options, value) {
  const select = element("select", { name }, ...Object.entries(options).map(([each, label]) => element("option", { value: each }, label)));
  select.value = value;
  return select;
}

/**
 * @param {HTMLFormElement} form
 * @param {string} name
 * @param {Contract.SetOut} set
 */
async function saveJudge(form, name, set) {
  const repeats = { true: true, false: false }[valueOf(form, "repeats")] ?? null;
  const described = await put(pathOf(name), { kind: valueOf(form, "kind") || null, model: valueOf(form, "model") || null, cost_per_1000: numberOf(form, "price"), repeats, configuration: valueOf(form, "configuration") || null });
  const temperature = numberOf(form, "temperature") ?? 1;
  if (temperature !== (set.temperatures[name] ?? 1)) {
    const { [name]: _, ...others } = set.temperatures;
    Object.assign(set, await patch(address(""), { temperatures: temperature === 1 ? others : { ...others, [name]: temperature } }));
  }
  judges = judges.map((judge) => (judge.name === name ? described : judge));
  showJudges(set);
}
