// @ts-check
// The win matrix of many candidates: a picture, zoomed and read by mouse, touch and keys.
import { element } from "./dom.js";
import * as words from "./texts/compare.js";
import { DEEPEST, USUAL, matrixBar, readMatrix } from "./win-matrix.js";

const LEAST = 4; // cells along a side
const SIDE = 900; // pixels of the picture

/** @type {import("../pages/compare.js").Mode} */
export async function winCanvas(place, state, signal) {
  const canvas = element("canvas", { id: "map", width: String(SIDE), height: String(SIDE), tabIndex: "0", role: "application", "aria-label": words.CANVAS, "aria-describedby": "at" });
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const caption = element("p", { id: "at", role: "status" }), open = element("button", { type: "button" }, words.OPEN);
  const colours = Object.fromEntries(["first", "second", "n1", "n3", "n8"].map((name) => [name, colour(name)]));
  let matrix = await readMatrix(chosen(), signal);
  let picture = painted();
  let view = { left: 0, top: 0, size: matrix.keys.length }; // the part of the picture that is shown, in cells
  let row = 0, column = 1; // of the cell that is pointed at

  function chosen() {
    return /** @type {import("./win-matrix.js").Of} */ (state.get().of || USUAL);
  }

  function painted() {
    const n = Math.max(matrix.keys.length, 1), surface = new OffscreenCanvas(n, n), image = new ImageData(n, n);
    for (let place = 0; place < matrix.cells.length; place += 1) {
      const share = matrix.share(Math.floor(place / n), place % n);
      const end = share !== null && share > 0.5 ? colours.first : colours.second, depth = DEEPEST * Math.abs(2 * (share ?? 0.5) - 1);
      const from = share === null ? colours.n3 : colours.n1;
      image.data.set([...from.map((even, part) => Math.round(even + depth * (end[part] - even))), 255], 4 * place);
    }
    /** @type {OffscreenCanvasRenderingContext2D} */ (surface.getContext("2d")).putImageData(image, 0, 0);
    return surface;
  }

  function draw() {
    context.imageSmoothingEnabled = false;
    context.clearRect(0, 0, SIDE, SIDE);
    context.drawImage(picture, view.left, view.top, view.size, view.size, 0, 0, SIDE, SIDE);
    const side = SIDE / view.size;
    context.lineWidth = 3;
    context.strokeStyle = `rgb(${colours.n8.join(" ")})`;
    context.strokeRect((column - view.left) * side, (row - view.top) * side, Math.max(side, 8), Math.max(side, 8));
    caption.textContent = matrix.described(row, column);
    open.disabled = row === column;
  }

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
    [row, column] = [within(row + down, 0, last), within(column + right, 0, last)];
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

  const openCell = () => row !== column && state.set({ a: matrix.keys[row], b: matrix.keys[column] }, { push: true });
  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowUp: () => move(-1, 0), ArrowDown: () => move(1, 0), ArrowLeft: () => move(0, -1), ArrowRight: () => move(0, 1),
    "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), 0: () => show(0, 0, matrix.keys.length), Enter: openCell,
  };
  canvas.addEventListener("keydown", (event) => {
    if (!(event.key in keys) || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  canvas.addEventListener("pointermove", point);
  canvas.addEventListener("click", (event) => {
    point(event);
    if (/** @type {PointerEvent} */ (event).pointerType !== "touch") openCell(); // a finger reads a cell first
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    point(event);
    zoom(event.deltaY > 0 ? 1.25 : 0.8);
  }, { passive: false });
  open.addEventListener("click", openCell);
  const zooms = [[words.ZOOM_IN, () => zoom(0.5)], [words.ZOOM_OUT, () => zoom(2)], [words.SHOW_ALL, keys[0]]].map(([label, act]) => {
    const button = element("button", { type: "button" }, /** @type {string} */ (label));
    button.addEventListener("click", /** @type {() => void} */ (act));
    return button;
  });

  function redraw() {
    place.replaceChildren(
      element("p", { className: "faint" }, words.READ_CANVAS), matrixBar(matrix.of, (name) => state.set({ of: name })),
      element("div", { className: "map" }, canvas, element("div", { className: "stack" }, caption, element("div", { className: "row" }, open, ...zooms))));
    draw();
  }
  redraw();
  return async (_, isNewer) => {
    const wanted = chosen(), isSame = matrix.of === wanted;
    if (isSame && !isNewer) return;
    const answer = await readMatrix(wanted, signal);
    if (signal.aborted || wanted !== chosen()) return;
    matrix = answer;
    picture = painted();
    if (isSame) show(view.left, view.top, view.size);
    else redraw();
  };
}

/**
 * The parts of a colour of the theme.
 * @param {string} name
 */
function colour(name) {
  const hex = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  return [1, 3, 5].map((place) => parseInt(hex.slice(place, place + 2), 16));
}

/**
 * @param {number} value
 * @param {number} least
 * @param {number} most
 */
const within = (value, least, most) => Math.min(Math.max(value, least), most);
