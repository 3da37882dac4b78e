// @ts-check
// The settings of a set: each with its sentence, its form, and the change that the form asks for.
import { element } from "./dom.js";
import * as words from "./texts/settings.js";

/** @typedef {Contract.SetOut} SetOut */
/** @typedef {import("./setting-row.js").Setting<SetOut>} SetSetting */

/**
 * A field with its label and a hint.
 * @param {string} label
 * @param {HTMLElement} control
 * @param {string} [hint]
 */
export function field(label, control, hint = "") {
  return element("div", { className: "field" }, element("label", {}, element("span", {}, label), control),
    ...(hint ? [element("p", { className: "hint" }, hint)] : []));
}

/**
 * @param {string} name
 * @param {Record<string, string>} values `list` names the choices that are offered
 */
export function input(name, { list = "", ...values }) {
  const created = element("input", { name, autocomplete: "off", "data-pointer": `/${name}`, ...values });
  if (list) created.setAttribute("list", list);
  return created;
}

/**
 * @param {HTMLFormElement} form
 * @param {string} name
 */
export const valueOf = (form, name) => String(new FormData(form).get(name) ?? "").trim();

/**
 * A number, or null where nothing is written.
 * @param {HTMLFormElement} form
 * @param {string} name
 */
export const numberOf = (form, name) => (valueOf(form, name) === "" ? null : Number(valueOf(form, name)));

const NUMBER = { type: "number", inputMode: "decimal" };
/** @param {number | null | undefined} share */
const inPercent = (share) => (share === null || share === undefined ? "" : String(Number((100 * share).toPrecision(6))));

/**
 * A choice with its fields behind it: a radio button, or a box to tick.
 * @param {{ type: "radio" | "checkbox", name: string, value: string, isChecked: boolean, isDisabled?: boolean }} choice
 * @param {string} label
 * @param {...(Node | string)} behind
 */
function choice({ type, name, value, isChecked, isDisabled = false }, label, ...behind) {
  const box = element("input", { type, name, value });
  box.checked = isChecked;
  box.disabled = isDisabled;
  for (const each of behind) {
    if (each instanceof HTMLInputElement) each.addEventListener("input", () => { box.checked = true; });
  }
  return element("div", { className: "field choice-line" }, element("div", { className: "row" }, element("label", {}, box, label), ...behind));
}

/** @type {SetSetting} */
const name = {
  label: words.LABELS.name,
  sentence: ({ name: shown }) => shown,
  fields: ({ name: shown }) => [field(words.LABELS.name[0], input("name", { value: shown, required: "true", maxLength: "200" }))],
  changes: (form) => ({ name: valueOf(form, "name") }),
};

/** @type {SetSetting} */
const project = {
  label: words.LABELS.project,
  sentence: words.project,
  fields: ({ project: shown }) => [field(words.LABELS.project[0], input("project", { value: shown ?? "", maxLength: "200" }), words.PROJECT_HINT)],
  changes: (form) => ({ project: valueOf(form, "project") || null }),
};

/** @type {SetSetting} */
const question = { label: words.LABELS.question, sentence: ({ question: shown }) => shown };
/** @type {SetSetting} */
const model = { label: words.LABELS.model, sentence: words.model };

/** @type {SetSetting} */
const goal = {
  label: words.LABELS.goal,
  sentence: words.goal,
  fields: ({ goal: { top_k: best, against, pair } }) => {
    const chosen = pair ? "pair" : against ? "against" : best ? "top_k" : "order";
    const radio = (/** @type {keyof typeof words.GOALS} */ value) => ({ type: /** @type {const} */ ("radio"), name: "goal", value, isChecked: chosen === value });
    const key = (/** @type {string} */ of, /** @type {string} */ label, /** @type {string} */ value, /** @type {string} */ place) =>
      input(of, { value, list: "keys", "aria-label": label, "data-pointer": `/goal/${place}` });
    return [
      choice(radio("order"), words.GOALS.order),
      choice(radio("top_k"), words.GOALS.top_k, input("top_k", { ...NUMBER, min: "1", value: String(best ?? 1), "aria-label": words.GOALS.top_k, "data-pointer": "/goal/top_k" })),
      choice(radio("against"), words.GOALS.against, key("against", words.GOALS.against, against ?? "", "against")),
      choice(radio("pair"), words.GOALS.pair, key("one", words.GOALS.pair, pair?.[0] ?? "", "pair"), words.OTHER, key("other", words.OTHER, pair?.[1] ?? "", "pair")),
    ];
  },
  changes: (form) => {
    const none = { top_k: null, against: null, pair: null };
    switch (valueOf(form, "goal")) {
      case "top_k": return { goal: { ...none, top_k: numberOf(form, "top_k") } };
      case "against": return { goal: { ...none, against: valueOf(form, "against") } };
      case "pair": return { goal: { ...none, pair: [valueOf(form, "one"), valueOf(form, "other")] } };
      default: return { goal: none };
    }
  },
};

/** @type {{ rule: Exclude<keyof Contract.Stop, "error_level">, usual: number, isPercent?: boolean, bounds: Record<string, string> }[]} */
const RULES = [
  { rule: "goal", usual: 0.95, isPercent: true, bounds: { min: "50.1", max: "99.99", step: "any" } },
  { rule: "concordance", usual: 0.9, isPercent: true, bounds: { min: "50.1", max: "99.99", step: "any" } },
  { rule: "top_k", usual: 1, bounds: { min: "1" } },
  { rule: "rank_width", usual: 2, bounds: { min: "0" } },
  { rule: "entropy_change", usual: 0.01, bounds: { min: "0.000001", step: "any" } },
];

/** @type {SetSetting} */
const stop = {
  label: words.LABELS.stop,
  sentence: words.stop,
  fields: ({ stop: rules, goal: { top_k: best, against, pair } }) => [
    element("p", { className: "hint" }, words.NO_RULE),
    ...RULES.map(({ rule, usual, isPercent, bounds }) => {
      const value = rules?.[rule] ?? null, [before, after] = words.STOPS[rule];
      const isAimless = rule === "goal" && value === null && !best && !against && !pair;
      const shown = isPercent ? inPercent(value ?? usual) : String(value ?? usual);
      const number = input(rule, { ...NUMBER, ...bounds, value: shown, "aria-label": before, "data-pointer": `/stop/${rule}` });
      number.disabled = isAimless;
      const line = choice({ type: "checkbox", name: "rules", value: rule, isChecked: value !== null, isDisabled: isAimless }, before, number, after);
      if (isAimless) line.append(element("p", { className: "hint" }, words.NEEDS_GOAL));
      return line;
    }),
    element("div", { className: "field row" }, element("label", {}, words.STOPS.error_level[0],
      input("error_level", { ...NUMBER, min: "0.01", max: "50", step: "any", value: inPercent(rules?.error_level ?? 0.05), "data-pointer": "/stop/error_level" })), words.STOPS.error_level[1]),
  ],
  changes: (form) => {
    const chosen = new FormData(form).getAll("rules");
    if (!chosen.length) return { stop: null };
    const share = (/** @type {string} */ of) => Number((/** @type {number} */ (numberOf(form, of)) / 100).toPrecision(10));
    const values = RULES.map(({ rule, isPercent }) => [rule, !chosen.includes(rule) ? null : isPercent ? share(rule) : numberOf(form, rule)]);
    return { stop: /** @type {Contract.Stop} */ ({ ...Object.fromEntries(values), error_level: share("error_level") }) };
  },
};

/** @type {SetSetting} */
const budget = {
  label: words.LABELS.budget,
  sentence: words.budget,
  fields: ({ budget: limit }) => [field(words.LABELS.budget[0], input("budget", { ...NUMBER, min: "1", value: String(limit?.max_comparisons ?? "") }), words.BUDGET_HINT)],
  changes: (form) => ({ budget: numberOf(form, "budget") === null ? null : { max_comparisons: numberOf(form, "budget") } }),
};

/** @type {SetSetting} */
const overlap = {
  label: words.LABELS.overlap,
  sentence: words.overlap,
  fields: ({ overlap: shared }) => [
    field(words.OVERLAP_SHARE, input("share", { ...NUMBER, min: "0", max: "100", step: "any", value: inPercent(shared?.share ?? 0.2), "data-pointer": "/overlap/share" }), words.OVERLAP_HINT),
    field(words.OVERLAP_JUDGES, input("judges", { ...NUMBER, min: "2", max: "1000", value: String(shared?.judges ?? 2), "data-pointer": "/overlap/judges" })),
  ],
  changes: (form) => {
    const share = (numberOf(form, "share") ?? 0) / 100;
    return { overlap: share ? { share, judges: numberOf(form, "judges") ?? 2 } : null };
  },
};

/** @type {SetSetting} */
const target = {
  label: words.LABELS.target,
  sentence: words.target,
  fields: ({ inference_target: chosen }) => {
    const menu = element("select", { name: "inference_target", "data-pointer": "/inference_target" },
      ...Object.entries(words.TARGETS).map(([value, says]) => element("option", { value }, says)));
    menu.value = chosen;
    return [field(words.LABELS.target[0], menu)];
  },
  changes: (form) => ({ inference_target: /** @type {SetOut["inference_target"]} */ (valueOf(form, "inference_target")) }),
};

export const GENERAL = [name, project, question];
export const AIMS = [goal, stop, budget, overlap];
export const RANKING = [target, model];
