// Who beats whom as a heat map, best first; zoomed and read by mouse, touch and keys.
import { get, problem, questions } from "../lib/api.js";

const NEVER = 255, SCALE = 200, LEAST = 4;
const ROW = [0, 114, 178], EVEN = [247, 247, 247], COLUMN = [213, 94, 0], UNKNOWN = [160, 170, 180];
const canvas = document.getElementById("map"), choices = document.getElementById("choices");
const context = canvas.getContext("2d");
const ask = questions();
let found = null, picture = null, view = null, at = [0, 0];

async function load() {
  const answer = await get("/matrix", { of: choices.of.value }, undefined, ask());
  found = { keys: answer.keys, cells: Uint8Array.from(atob(answer.cells), (c) => c.charCodeAt(0)) };
  picture = painted(found);
  view ??= { left: 0, top: 0, size: Math.max(found.keys.length, 1) };
  draw();
  problem(null);
}

function painted({ keys, cells }) {
  const made = new OffscreenCanvas(Math.max(keys.length, 1), Math.max(keys.length, 1));
  const image = new ImageData(made.width, made.height);
  cells.forEach((cell, n) => image.data.set([...colour(cell), 255], 4 * n));
  made.getContext("2d").putImageData(image, 0, 0);
  return made;
}

function colour(cell) {
  if (cell === NEVER) return UNKNOWN;
  const p = cell / SCALE, end = p > 0.5 ? ROW : COLUMN, far = Math.abs(2 * p - 1);
  return EVEN.map((even, n) => Math.round(even + far * (end[n] - even)));
}

function draw() {
  context.imageSmoothingEnabled = false;
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, view.left, view.top, view.size, view.size, 0, 0, canvas.width, canvas.height);
  const cell = canvas.width / view.size;
  context.lineWidth = 2;
  context.strokeRect((at[1] - view.left) * cell, (at[0] - view.top) * cell, Math.max(cell, 4), Math.max(cell, 4));
  tell();
}

function tell() {
  const place = document.getElementById("at"), { keys, cells } = found;
  if (keys.length < 2) { place.textContent = "There are no pairs."; return; }
  const [row, column] = at, cell = cells[row * keys.length + column];
  const said = row === column ? "the same" : cell === NEVER ? "never compared" : `wins with ${(cell / SCALE).toFixed(2)}`;
  place.textContent = `${keys[row]} (rank ${row + 1}) against ${keys[column]} (rank ${column + 1}): ${said}`;
}

const within = (value, least, most) => Math.min(Math.max(value, least), most);

function look(left, top, size) {
  const n = found.keys.length;
  size = within(size, Math.min(LEAST, n), n);
  view = { left: within(left, 0, n - size), top: within(top, 0, n - size), size };
  draw();
}

function zoom(factor) {
  const size = view.size * factor;
  look(at[1] + 0.5 - size / 2, at[0] + 0.5 - size / 2, size);
}

function move(down, right) {
  const last = found.keys.length - 1;
  at = [within(at[0] + down, 0, last), within(at[1] + right, 0, last)];
  const inside = (n, from) => n >= from && n < from + view.size;
  if (inside(at[0], view.top) && inside(at[1], view.left)) draw(); else zoom(1);
}

function point(event) {
  const box = canvas.getBoundingClientRect(), last = found.keys.length - 1;
  const along = (from, start, length) => within(Math.floor(start + from / length * view.size), 0, last);
  at = [along(event.clientY - box.top, view.top, box.height), along(event.clientX - box.left, view.left, box.width)];
  draw();
}

const KEYS = {
  ArrowUp: () => move(-1, 0), ArrowDown: () => move(1, 0), ArrowLeft: () => move(0, -1), ArrowRight: () => move(0, 1),
  "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), 0: () => look(0, 0, found.keys.length),
};
canvas.addEventListener("keydown", (event) => {
  if (!found || !(event.key in KEYS) || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  KEYS[event.key]();
});
canvas.addEventListener("pointermove", (event) => found && point(event));
canvas.addEventListener("wheel", (event) => { if (found) { event.preventDefault(); point(event); zoom(event.deltaY > 0 ? 1.25 : 0.8); } }, { passive: false });
document.getElementById("in").addEventListener("click", () => found && zoom(0.5));
document.getElementById("out").addEventListener("click", () => found && zoom(2));
document.getElementById("whole").addEventListener("click", () => found && look(0, 0, found.keys.length));
choices.addEventListener("change", () => load().catch(problem));
choices.addEventListener("submit", (event) => event.preventDefault());
load().catch(problem);
