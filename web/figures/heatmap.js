import { scaleLinear } from "d3-scale";
import { make } from "../site/dom.js";
import { diverging, paint } from "./colours.js";

/**
 * A matrix as a picture: one coloured cell a number.
 *
 * @typedef {object} Matrix
 * @property {ArrayLike<number>} values  row-major, rows x columns
 * @property {number} rows
 * @property {number} columns
 * @property {number} limit  the colours go from -limit over 0 to limit; beyond, they stay the same
 * @property {boolean} beyond  there are values beyond the limit, and the legend says so
 * @property {readonly string[]} [rowLabels]  else the rows are numbered from 0
 * @property {number} framed  so many rows from the first on stand in a frame
 * @property {string} description  the text alternative
 */

/**
 * @typedef {object} Heatmap
 * @property {HTMLElement} element
 * @property {(matrix: Matrix) => void} draw
 * @property {(row: number, column: number) => void} select  mark a cell; none where there is no such
 */

/** Numbers of the legend. */
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

/** Pixels that a label needs, downwards and across. */
const LINE = 14;
const WORD = 64;

/** Steps of the keys, in rows and columns; Home and End go to the row's ends. */
const KEYS = /** @type {Record<string, [rows: number, columns: number]>} */ ({
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [-10, 0],
  PageDown: [10, 0],
  Home: [0, -Infinity],
  End: [0, Infinity],
});

const dark = matchMedia("(prefers-color-scheme: dark)");

/**
 * A heat map: rows downwards, columns to the right, axes with ticks, a legend, and a cell that
 * follows the pointer and the arrow keys. Numbers in, an element out.
 *
 * @param {object} options
 * @param {string} options.rowTitle  what a row is
 * @param {string} options.columnTitle  what a column is
 * @param {string} options.label  what a reader who comes by keyboard hears
 * @param {string} [options.describedBy]  id of the element that says the marked cell's value
 * @param {(row: number, column: number) => void} options.onselect  the reader points at a cell
 * @returns {Heatmap}
 */
export function heatmap({ rowTitle, columnTitle, label, describedBy = "", onselect }) {
  const canvas = make("canvas", { role: "img" });
  const frame = make("div", { class: "frame", hidden: true });
  const cell = make("div", { class: "cell", hidden: true });
  const raster = make(
    "div",
    {
      class: "raster",
      tabindex: 0,
      role: "application",
      "aria-roledescription": "heat map",
      "aria-label": label,
      "aria-describedby": describedBy,
    },
    canvas,
    frame,
    cell,
  );
  const rows = axis("row", "top");
  const columns = axis("column", "left");
  const ramp = make("canvas", { width: diverging.light.length, height: 1 });
  const least = make("span");
  const most = make("span");
  const legend = make("div", { class: "legend", "aria-hidden": "true" }, least, ramp, most);
  const element = make(
    "div",
    { class: "heatmap" },
    make("div", { class: "row-title", "aria-hidden": "true" }, rowTitle),
    rows.element,
    raster,
    columns.element,
    make("div", { class: "column-title", "aria-hidden": "true" }, columnTitle),
    legend,
  );

  /** @type {Matrix} */
  let matrix = {
    values: [],
    rows: 0,
    columns: 0,
    limit: 0,
    beyond: false,
    framed: 0,
    description: "",
  };
  let [row, column] = [-1, -1];

  const name = (/** @type {number} */ at) => matrix.rowLabels?.[at] ?? String(at);

  function colour() {
    const colours = dark.matches ? diverging.dark : diverging.light;
    canvas.width = matrix.columns;
    canvas.height = matrix.rows;
    fill(canvas, (pixels) => paint(matrix.values, matrix.limit, colours, pixels));
    fill(ramp, (pixels) => pixels.set(colours));
  }

  /** Ticks and labels, as many as the room allows. */
  function relabel() {
    const { clientWidth: width, clientHeight: height } = raster;
    const fine = devicePixelRatio * Math.min(width / matrix.columns, height / matrix.rows) < 1;
    canvas.classList.toggle("averaged", fine); // cells finer than pixels are averaged
    const each = height / matrix.rows >= LINE;
    rows.label(each ? numbers(matrix.rows) : ticks(matrix.rows, height / 28), name, matrix.rows);
    columns.label(ticks(matrix.columns, width / WORD), String, matrix.columns);
    mark();
  }

  function mark() {
    const marked = row >= 0 && row < matrix.rows && column >= 0 && column < matrix.columns;
    cell.hidden = !marked;
    rows.mark(marked ? row : -1, LINE / raster.clientHeight);
    columns.mark(marked ? column : -1, WORD / 2 / raster.clientWidth);
    if (!marked) return;
    cell.style.left = `${(column / matrix.columns) * 100}%`;
    cell.style.top = `${(row / matrix.rows) * 100}%`;
    cell.style.width = `${100 / matrix.columns}%`;
    cell.style.height = `${100 / matrix.rows}%`;
  }

  /** @param {number} toRow @param {number} toColumn  anywhere; the nearest cell is meant */
  function ask(toRow, toColumn) {
    if (matrix.rows === 0 || matrix.columns === 0) return;
    onselect(nearest(toRow, matrix.rows), nearest(toColumn, matrix.columns));
  }

  /** @param {PointerEvent} event */
  function point({ clientX, clientY }) {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    ask(((clientY - top) / height) * matrix.rows, ((clientX - left) / width) * matrix.columns);
  }

  raster.addEventListener("pointermove", point);
  raster.addEventListener("pointerdown", point);
  raster.addEventListener("keydown", (event) => {
    const step = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : undefined;
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const many = event.shiftKey ? 10 : 1;
    ask(row + step[0] * many, column + step[1] * many);
  });
  dark.addEventListener("change", colour);
  new ResizeObserver(relabel).observe(raster);

  return {
    element,

    draw(next) {
      matrix = next;
      const { rows, limit, beyond, framed, description } = matrix;
      element.style.setProperty("--rows", String(rows));
      canvas.setAttribute("aria-label", description);
      frame.hidden = framed === 0 || rows === 0;
      if (!frame.hidden) frame.style.height = `${(Math.min(framed, rows) / rows) * 100}%`;
      legend.classList.toggle("empty", rows === 0);
      least.textContent = `${beyond ? "≤ " : ""}\u2212${short.format(limit)}`;
      most.textContent = `${beyond ? "≥ " : ""}${short.format(limit)}`;
      colour();
      relabel();
    },

    select(toRow, toColumn) {
      [row, column] = [toRow, toColumn];
      mark();
    },
  };
}

/**
 * Labels beside rows or columns, one of them marked.
 * @param {"row" | "column"} of @param {"top" | "left"} side
 */
function axis(of, side) {
  const here = make("span", { class: "here", hidden: true });
  const element = make("div", { class: `${of}-axis`, "aria-hidden": "true" }, here);
  /** @type {{at: number, tick: HTMLElement}[]} */
  let placed = [];
  let count = 0;
  let name = (/** @type {number} */ at) => String(at);

  /** @param {HTMLElement} tick @param {number} at */
  function place(tick, at) {
    tick.textContent = name(at);
    const middle = `${((at + 0.5) / count) * 100}%`;
    // Across, the last label must not stick out: a character is about 1ch wide.
    tick.style[side] = of === "row" ? middle : `min(${middle}, 100% - ${name(at).length / 2}ch)`;
    return tick;
  }

  return {
    element,

    /** @param {number[]} places @param {(at: number) => string} names @param {number} total */
    label(places, names, total) {
      [name, count] = [names, total];
      placed = places.map((at) => ({ at, tick: place(make("span"), at) }));
      element.replaceChildren(...placed.map(({ tick }) => tick), here);
    },

    /** @param {number} at  -1: none @param {number} room  what a label needs, of the whole axis */
    mark(at, room) {
      here.hidden = at < 0;
      if (at >= 0) place(here, at);
      for (const { at: other, tick } of placed) {
        tick.hidden = at >= 0 && Math.abs(other - at) < room * count; // the marked one covers it
      }
    },
  };
}

/** Whole ticks over 0 .. count-1. @param {number} count @param {number} wanted */
function ticks(count, wanted) {
  if (count < 1) return [];
  const scale = scaleLinear().domain([0, count - 1]);
  return scale.ticks(Math.max(1, wanted)).filter(Number.isInteger);
}

/** 0 .. count-1. @param {number} count */
function numbers(count) {
  return Array.from({ length: count }, (_, at) => at);
}

/** @param {number} at @param {number} count */
function nearest(at, count) {
  return Math.min(count - 1, Math.max(0, Math.floor(at)));
}

/** @param {HTMLCanvasElement} canvas @param {(pixels: Uint32Array) => void} write */
function fill(canvas, write) {
  if (canvas.width === 0 || canvas.height === 0) return;
  const image = new ImageData(canvas.width, canvas.height);
  write(new Uint32Array(image.data.buffer));
  canvas.getContext("2d")?.putImageData(image, 0, 0);
}
