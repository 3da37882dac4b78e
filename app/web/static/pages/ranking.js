// The ranking: any method, any version, sorted and filtered, live while the newest version is shown.
import { address, element, get, problem, questions, set } from "../lib/api.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 260, HEIGHT = 20;
const choices = document.getElementById("choices");
const body = document.querySelector("#ranking tbody");
const slider = document.getElementById("as-of");
const SHOWN_IN_FULL = 300, SNIPPET = 110; // candidates whose texts are loaded before anybody searches them; characters
const texts = new Map();
const GOES_ON = new Set(["open", "all_leased"]);
const ask = questions();
let shown = null, sorted = { by: "rank", up: true }, loading = null;

const isNow = () => slider.value === slider.max;
const wanted = () => ({ method: choices.method.value, as_of: isNow() ? undefined : slider.value });

async function load() {
  const signal = ask();
  document.getElementById("version").textContent = isNow() ? "now" : slider.value;
  for (const link of document.querySelectorAll("[data-format]")) {
    link.href = address("/ranking", { ...wanted(), format: link.dataset.format });
  }
  try {
    const [ranking, { status }] = await Promise.all([
      get("/ranking", wanted(), undefined, signal), get("/next-pair", { count: 1 }, undefined, signal),
    ]);
    shown = ranking;
    problem(null);
    draw();
    tellStatus(status);
    tellLeader(GOES_ON.has(status));
    warn();
  } catch (error) {
    problem(error);
  }
}

function draw() {
  const find = choices.find.value.toLowerCase();
  const rows = shown.ranking.filter(({ key }) => [key, texts.get(key) ?? ""].some((words) => words.toLowerCase().includes(find)));
  rows.sort((a, b) => (sorted.up ? 1 : -1) * compare(a[sorted.by], b[sorted.by]) || a.rank - b.rank);
  const scale = scaled(shown.ranking);
  document.getElementById("level").textContent = `${Math.round(100 * shown.method.level)}%`;
  body.replaceChildren(...rows.map((row) => line(row, scale)));
}

function compare(a, b) {
  if (a === null || b === null) return (a === null) - (b === null);
  return typeof a === "string" ? a.localeCompare(b) : a - b;
}

function scaled(rows) {
  const ends = rows.flatMap((row) => row.interval ?? [row.score]);
  const low = Math.min(...ends, 0), high = Math.max(...ends, 0), span = high - low || 1;
  return (score) => 4 + (WIDTH - 8) * (score - low) / span;
}

function line(row, scale) {
  const [best, worst] = row.rank_interval ?? [row.rank, row.rank];
  const cells = [row.rank, null, null, row.score.toFixed(2), best === worst ? best : `${best}–${worst}`,
    row.p_best === null ? "–" : row.p_best.toFixed(2), row.tie_group ?? "–", row.comparisons];
  const made = element("tr", {}, ...cells.map((cell) => element("td", {}, cell === null ? "" : String(cell))));
  made.cells[1].replaceWith(element("th", { scope: "row", dir: "auto" }, named(row.key)));
  made.cells[2].append(picture(row, scale));
  return made;
}

// The key, with the text behind it where there is one.
function named(key) {
  const text = texts.get(key);
  if (!text) return key;
  const snippet = text.length > SNIPPET ? `${text.slice(0, SNIPPET)}…` : text;
  return element("details", {}, element("summary", {}, key, element("span", { className: "snippet", dir: "auto" }, snippet)),
    element("span", { dir: "auto" }, text));
}

async function loadTexts() {
  let after = null;
  do {
    const { candidates, next_after } = await get("/candidates", { limit: 1000, after });
    for (const { key, text } of candidates) texts.set(key, text);
    after = next_after;
  } while (after !== null);
  draw();
}

function search() {
  loading ??= loadTexts().catch(problem);
  draw();
}

function tellStatus(status) {
  for (const each of document.querySelectorAll("[data-status]")) each.hidden = each.dataset.status !== status;
}

function tellLeader(goesOn) {
  const [first] = shown.ranking, sure = first?.p_best;
  const known = sure !== undefined && sure !== null && shown.comparisons > 0;
  document.getElementById("leader").textContent = known
    ? `${goesOn ? "Best so far" : "Best"}: ${first.key}, with a probability of ${Math.round(100 * sure)}%.${goesOn && sure < 0.95 ? " Judge more pairs to be surer." : ""}` : "";
}

function warn() {
  const doubts = Object.entries(shown.position_bias ?? {}).filter(([, bias]) => bias.warning);
  document.getElementById("warnings").replaceChildren(
    ...doubts.map(([judge, bias]) => element("li", { className: "doubt", dir: "auto" }, `${judge}: ${bias.warning}`)));
}

function picture(row, scale) {
  const drawing = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "forest", "aria-hidden": "true" });
  drawing.append(shape("line", { class: "zero", x1: scale(0), x2: scale(0), y1: 0, y2: HEIGHT }));
  if (row.interval) {
    const [low, high] = row.interval.map(scale);
    drawing.append(shape("line", { class: "interval", x1: low, x2: high, y1: HEIGHT / 2, y2: HEIGHT / 2 }));
  }
  drawing.append(shape("circle", { cx: scale(row.score), cy: HEIGHT / 2, r: 4 }));
  return drawing;
}

function shape(name, values) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(values)) made.setAttribute(key, value);
  return made;
}

function sortBy(button) {
  sorted = { by: button.dataset.by, up: sorted.by === button.dataset.by ? !sorted.up : button.dataset.by === "rank" || button.dataset.by === "key" };
  for (const each of document.querySelectorAll("#ranking [data-by]")) {
    each.parentElement.setAttribute("aria-sort", each === button ? (sorted.up ? "ascending" : "descending") : "none");
  }
  draw();
}

function follow() {
  const events = new EventSource(`/v1/sets/${set}/events`);
  let soon = null;
  for (const name of ["ranking", "status"]) {
    events.addEventListener(name, (event) => {
      const state = JSON.parse(event.data), now = isNow();
      document.getElementById("comparisons").textContent = state.comparisons;
      slider.max = state.version;
      if (!now) return;
      slider.value = state.version;
      soon ??= setTimeout(() => { soon = null; load(); }, 500);
    });
  }
}

choices.addEventListener("submit", (event) => event.preventDefault());
choices.method.addEventListener("change", load);
choices.find.addEventListener("input", search);
slider.addEventListener("input", load);
for (const button of document.querySelectorAll("#ranking [data-by]")) button.addEventListener("click", () => sortBy(button));
await load();
if (shown && shown.ranking.length <= SHOWN_IN_FULL) loading = loadTexts().catch(problem);
follow();
