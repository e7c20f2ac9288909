/** @import { ScaleName } from "./colors.js" */
/** @import { Surface } from "./figure.js" */
import { indices, paint } from "./colors.js";
import { maker } from "./dom.js";
import { dataUrl, indexedPng } from "./png.js";

/**
 * Draws the cells of a matrix as pixels, for heatmap and bias.
 *
 * @typedef {object} Cells
 * @property {ArrayLike<number>} values  row-major
 * @property {number} rows
 * @property {number} columns
 * @property {number} low  the value of the first color
 * @property {number} high  that of the last
 * @property {ScaleName} colors
 */

/**
 * A canvas with one pixel for each cell, scaled by CSS, and over it the mark of one cell.
 *
 * @param {Document} document
 */
export function raster(document) {
  const make = maker(document);
  const canvas = make("canvas");
  const cell = make("div", { class: "phasor-cell", hidden: "" });
  const element = make("div", { class: "phasor-raster" }, canvas, cell);
  let [rows, columns] = [0, 0];

  return {
    element,

    /** @param {Cells} cells @param {Surface} surface */
    paint(cells, { colors }) {
      [rows, columns] = [cells.rows, cells.columns];
      fill(canvas, columns, rows, (pixels) =>
        paint(cells.values, cells.low, cells.high, colors[cells.colors], pixels),
      );
    },

    /** Cells finer than pixels are averaged. @param {number} width @param {number} height  px */
    smooth(width, height) {
      const density = document.defaultView?.devicePixelRatio ?? 1;
      const fine = density * Math.min(width / columns, height / rows) < 1;
      canvas.classList.toggle("phasor-averaged", fine);
    },

    /** @param {{row: number, column: number} | null} at */
    mark(at) {
      cell.hidden = at === null;
      if (at) place(cell, at.row / rows, at.column / columns, 1 / rows, 1 / columns);
    },

    /**
     * The cell at a point of an element around it.
     * @param {Element} around @param {number} x @param {number} y  px from its corner
     */
    at(around, x, y) {
      if (rows === 0 || columns === 0) return null;
      const outer = around.getBoundingClientRect();
      const { left, top, width, height } = canvas.getBoundingClientRect();
      const column = Math.floor(((x + outer.left - left) / width) * columns);
      const row = Math.floor(((y + outer.top - top) / height) * rows);
      return row >= 0 && row < rows && column >= 0 && column < columns ? { row, column } : null;
    },
  };
}

/**
 * The position of a part in the whole, as fractions.
 * @param {HTMLElement} part
 * @param {number} top @param {number} left @param {number} height @param {number} width
 */
export function place(part, top, left, height, width) {
  part.style.top = `${top * 100}%`;
  part.style.left = `${left * 100}%`;
  part.style.height = `${height * 100}%`;
  part.style.width = `${width * 100}%`;
}

/**
 * @param {HTMLCanvasElement} canvas @param {number} width @param {number} height
 * @param {(pixels: Uint32Array) => void} write
 */
export function fill(canvas, width, height, write) {
  canvas.width = width;
  canvas.height = height;
  const context = width > 0 && height > 0 ? canvas.getContext("2d") : null;
  if (!context) return; // documents without canvases, such as linkedom's, return none
  const image = context.createImageData(width, height);
  write(new Uint32Array(image.data.buffer));
  context.putImageData(image, 0, 0);
}

/**
 * The cells as a data: address of a PNG.
 * @param {Cells} cells @param {Surface} surface
 */
export function cellsUrl(cells, surface) {
  return dataUrl(cellsPng(cells, surface, 1));
}

/**
 * @param {Cells} cells @param {Surface} surface @param {number} scale  pixels per cell, in each direction
 * @returns {Uint8Array}
 */
export function cellsPng({ values, rows, columns, low, high, colors }, surface, scale) {
  const found = indices(values, low, high);
  const [width, height] = [columns * scale, rows * scale];
  const pixels = new Uint8Array(width * height);
  for (let y = 0; y < height; ++y) {
    const row = Math.floor(y / scale) * columns;
    for (let x = 0; x < width; ++x) pixels[y * width + x] = found[row + Math.floor(x / scale)];
  }
  return indexedPng(pixels, width, height, surface.colors[colors]);
}

export const rasterStyle = `
.phasor-figure .phasor-raster { position: relative; }
.phasor-figure .phasor-raster canvas {
  display: block;
  width: 100%;
  height: 100%;
  image-rendering: pixelated;
}
.phasor-figure .phasor-raster canvas.phasor-averaged { image-rendering: auto; }
.phasor-figure :is(.phasor-cell, .phasor-frame) { position: absolute; pointer-events: none; }
.phasor-figure .phasor-cell {
  outline: 2px solid var(--phasor-ink);
  box-shadow: 0 0 0 3px var(--phasor-paper);
}
.phasor-figure .phasor-cell.phasor-noted { outline-width: 1.5px; outline-style: dashed; box-shadow: none; }
.phasor-figure .phasor-frame { inset: 0 0 auto; border: 2px solid var(--phasor-ink); }
`;
