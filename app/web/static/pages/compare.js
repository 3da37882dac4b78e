// @ts-check
// The win matrix, best first: zoomed and read by mouse, touch and keys.
import { find } from "../lib/dom.js";
import { latestOnly, read, showProblem } from "../lib/set-page.js";
import * as texts from "../lib/texts/compare.js";

const NEVER = 255, SCALE = 200; // what a cell says of a pair never compared, and of one that the row always wins
const LEAST = 4; // cells along a side
const ROW = [0, 114, 178], EVEN = [247, 247, 247], COLUMN = [213, 94, 0], UNKNOWN = [160, 170, 180];
const canvas = find("#map", HTMLCanvasElement), choices = find("#choices"), caption = find("#at");
const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
const newSignal = latestOnly();

/**
 * Who wins with what probability: a row of cells for each key.
 * @typedef {{ keys: string[], cells: Uint8Array }} Matrix
 */

/** @type {Matrix} */
let matrix = { keys: [], cells: new Uint8Array() };
let picture = painted(matrix); // a pixel for each cell
let view = { left: 0, top: 0, size: 0 }; // the part of the picture that is shown, in cells
let row = 0, column = 0; // of the cell that is pointed at
let of = "observed"; // what the cells are

const isLoaded = () => view.size > 0;

async function load() {
  const wanted = find("#choices [name=of]:checked", HTMLInputElement).value;
  /** @type {Contract.Matrix} */
  const { keys, cells } = await read("/matrix", { of: wanted }, { signal: newSignal() });
  of = wanted;
  matrix = { keys, cells: Uint8Array.from(atob(cells), (character) => character.charCodeAt(0)) };
  picture = painted(matrix);
  view.size ||= Math.max(keys.length, 1);
  draw();
  showProblem(null);
}

/** @param {Matrix} matrix */
function painted({ keys, cells }) {
  const surface = new OffscreenCanvas(Math.max(keys.length, 1), Math.max(keys.length, 1));
  const image = new ImageData(surface.width, surface.height);
  cells.forEach((cell, n) => image.data.set([...colour(cell), 255], 4 * n));
  const pixels = /** @type {OffscreenCanvasRenderingContext2D} */ (surface.getContext("2d"));
  pixels.putImageData(image, 0, 0);
  return surface;
}

/** @param {number} cell */
function colour(cell) {
  if (cell === NEVER) return UNKNOWN;
  const p = cell / SCALE, end = p > 0.5 ? ROW : COLUMN, far = Math.abs(2 * p - 1);
  return EVEN.map((even, n) => Math.round(even + far * (end[n] - even)));
}

function draw() {
  context.imageSmoothingEnabled = false;
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, view.left, view.top, view.size, view.size, 0, 0, canvas.width, canvas.height);
  const side = canvas.width / view.size;
  context.lineWidth = 2;
  context.strokeRect((column - view.left) * side, (row - view.top) * side, Math.max(side, 4), Math.max(side, 4));
  caption.textContent = describe(matrix);
}

/** @param {Matrix} matrix */
function describe({ keys, cells }) {
  if (keys.length < 2) return texts.NO_PAIRS;
  return texts.cell(texts.ranked(keys[row], row + 1), texts.ranked(keys[column], column + 1), outcome(keys, cells));
}

/**
 * @param {string[]} keys
 * @param {Uint8Array} cells
 */
function outcome(keys, cells) {
  if (row === column) return texts.SAME;
  const cell = cells[row * keys.length + column];
  if (cell === NEVER) return texts.NEVER_COMPARED;
  return (of === "expected" ? texts.isBetter : texts.observedWins)(keys[row], cell / SCALE);
}

/**
 * @param {number} value
 * @param {number} least
 * @param {number} most
 */
const within = (value, least, most) => Math.min(Math.max(value, least), most);

/**
 * Shows a square of cells, as far as there are some.
 * @param {number} left
 * @param {number} top
 * @param {number} size
 */
function show(left, top, size) {
  const n = matrix.keys.length, side = within(size, Math.min(LEAST, n), n);
  view = { left: within(left, 0, n - side), top: within(top, 0, n - side), size: side };
  draw();
}

const showWhole = () => show(0, 0, matrix.keys.length);

/** @param {number} factor */
function zoom(factor) {
  const size = view.size * factor;
  show(column + 0.5 - size / 2, row + 0.5 - size / 2, size);
}

/**
 * @param {number} down
 * @param {number} right
 */
function move(down, right) {
  const last = matrix.keys.length - 1;
  row = within(row + down, 0, last);
  column = within(column + right, 0, last);
  const isInside = (/** @type {number} */ n, /** @type {number} */ start) => n >= start && n < start + view.size;
  if (isInside(row, view.top) && isInside(column, view.left)) draw();
  else zoom(1);
}

/** @param {MouseEvent} event */
function point(event) {
  const box = canvas.getBoundingClientRect(), last = matrix.keys.length - 1;
  row = within(Math.floor(view.top + ((event.clientY - box.top) / box.height) * view.size), 0, last);
  column = within(Math.floor(view.left + ((event.clientX - box.left) / box.width) * view.size), 0, last);
  draw();
}

/** @type {Record<string, () => void>} */
const KEYS = {
  ArrowUp: () => move(-1, 0), ArrowDown: () => move(1, 0), ArrowLeft: () => move(0, -1), ArrowRight: () => move(0, 1),
  "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), 0: showWhole,
};
canvas.addEventListener("keydown", (event) => {
  if (!isLoaded() || !(event.key in KEYS) || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  KEYS[event.key]();
});
canvas.addEventListener("pointermove", (event) => isLoaded() && point(event));
canvas.addEventListener("wheel", (event) => {
  if (!isLoaded()) return;
  event.preventDefault();
  point(event);
  zoom(event.deltaY > 0 ? 1.25 : 0.8);
}, { passive: false });
find("#in").addEventListener("click", () => isLoaded() && zoom(0.5));
find("#out").addEventListener("click", () => isLoaded() && zoom(2));
find("#whole").addEventListener("click", () => isLoaded() && showWhole());
choices.addEventListener("change", () => load().catch(showProblem));
choices.addEventListener("submit", (event) => event.preventDefault());
load().catch(showProblem);
