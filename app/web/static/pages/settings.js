// @ts-check
// Settings of a set: each a sentence with its form; judges, ways to connect one, files, and deletion.
import { copyButton } from "../lib/copy.js";
import { element, find, findAll } from "../lib/dom.js";
import { loadJudges } from "../lib/set-judges.js";
import { get, patch, remove } from "../lib/service.js";
import { STATUSES, address, read, setId, showProblem } from "../lib/set-page.js";
import { settingRow } from "../lib/setting-row.js";
import { AIMS, GENERAL, RANKING } from "../lib/settings.js";
import { goesOn } from "../lib/statuses.js";
import * as words from "../lib/texts/settings.js";

const page = find("#settings");
/** @type {Contract.SetOut} */
let record;
/** @type {{ line: HTMLElement, show: () => void }[]} */
let rows = [];
/** @type {Contract.AskStatus} what judges meet who ask for a pair */
let asked = "open";

/** @param {Partial<Contract.SetOut>} changes */
async function save(changes) {
  Object.assign(record, await patch(address(""), changes));
  find("h1").textContent = record.name;
  await showStatus();
}

async function showStatus() {
  for (const row of rows) row.show();
  ({ status: asked } = await read("/next-pair", { count: 1 }));
  for (const row of rows) row.show();
}

/**
 * @param {string} place
 * @param {import("../lib/settings.js").SetSetting[]} settings
 */
function fill(place, settings) {
  const lines = settings.map((setting) => settingRow(setting, { record: () => record, save }));
  rows.push(...lines);
  find(place).replaceChildren(...lines.map(({ line }) => line));
}

/** Pausing is a button, not a form. */
function addStatus() {
  const button = element("button", { type: "button" });
  const setting = { label: words.LABELS.status, sentence: (/** @type {Contract.SetOut} */ set) => (goesOn(asked) ? words.status(set) : STATUSES[asked]) };
  const row = settingRow(setting, { record: () => record, save, button });
  const show = () => {
    row.show();
    button.textContent = record.status === "paused" ? words.RESUME : words.PAUSE;
  };
  button.addEventListener("click", async () => {
    try {
      await save({ status: record.status === "paused" ? "open" : "paused" });
      row.acknowledge();
      showProblem(null);
    } catch (error) {
      showProblem(error);
    }
  });
  rows.push({ line: row.line, show });
  find("#aims").append(row.line);
  show();
}

/** Fills in the address under which this page was opened, and lets each command be copied. */
function showCommands() {
  for (const code of findAll("pre[data-command]")) {
    code.textContent = (code.textContent ?? "").replaceAll(page.dataset.origin || location.origin, location.origin);
    code.after(copyButton(code.textContent));
  }
}

function guardDeletion() {
  const form = find("#deletion", HTMLFormElement), typed = find("#typed", HTMLInputElement), button = find("#delete", HTMLButtonElement);
  const check = () => { button.disabled = typed.value.trim() !== record?.name.trim(); };
  typed.addEventListener("input", check);
  check();
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      await remove(address(""));
      location.assign(`/sets/${setId}`);
    } catch (error) {
      showProblem(error);
      check();
    }
  });
}

async function show() {
  try {
    record = page.dataset.record ? JSON.parse(page.dataset.record) : await get(address(""));
    rows = [];
    fill("#general", GENERAL);
    fill("#aims", AIMS);
    addStatus();
    fill("#about", RANKING);
    showProblem(null);
    await showJudges();
  } catch (error) {
    delete page.dataset.record;
    showProblem(error, show);
  }
}

async function showJudges() {
  try {
    await Promise.all([loadJudges(record), showStatus()]);
    showProblem(null);
  } catch (error) {
    showProblem(error, showJudges);
  }
}

showCommands();
guardDeletion();
show();
