/** @import { Lens, Sheet } from "./view.js" */
import { outline } from "./shapes.js";

/**
 * Marks written straight into pixels. A canvas draws 50,000 paths in a quarter of a second; copying
 * a small picture of the mark so many times takes a twentieth of that.
 */

/**
 * A mark's picture: how much of each pixel it covers.
 * @typedef {{size: number, cover: Uint8Array}} Stamp
 */

/** @type {Map<string, Stamp>} */
const made = new Map();

/**
 * @param {Document} document
 * @param {number} shape @param {number} radius  in the canvas's own pixels
 * @returns {Stamp}
 */
export function stampOf(document, shape, radius) {
  const key = `${shape} ${radius}`;
  const known = made.get(key);
  if (known) return known;
  const size = 2 * Math.ceil(radius * 1.4) + 1; // no shape reaches farther; the middle is a pixel's
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [size, size];
  const context = /** @type {CanvasRenderingContext2D} */ (
    canvas.getContext("2d", { willReadFrequently: true })
  );
  const { Path2D } = /** @type {typeof globalThis} */ (
    /** @type {unknown} */ (document.defaultView)
  );
  context.fill(new Path2D(outline(shape, size / 2, size / 2, radius)));
  const { data } = context.getImageData(0, 0, size, size);
  const stamp = {
    size,
    cover: Uint8Array.from({ length: size * size }, (_, k) => data[4 * k + 3]),
  };
  if (made.size >= 64) made.clear(); // a pinch goes through many sizes
  made.set(key, stamp);
  return stamp;
}

/**
 * Pixels that marks are stamped on, in the canvas's own pixels.
 *
 * @typedef {object} Pixels
 * @property {Uint32Array} colours  rows x columns, as ImageData has them: bytes R, G, B, A
 * @property {number} columns
 * @property {number} rows
 */

/**
 * A stamp with its ink.
 *
 * @typedef {object} Ink
 * @property {number} size
 * @property {Uint16Array} weights  of each of its pixels, 0 to 256: how much it hides what is below
 * @property {number} redBlue  mixed together, with a byte of room above each
 * @property {number} green
 */

/**
 * @param {Stamp} stamp @param {number} colour  a pixel @param {number} strength  0 to 1
 * @returns {Ink}
 */
export function inked({ size, cover }, colour, strength) {
  const weights = Uint16Array.from(cover, (part) => Math.round((part / 255) * strength * 256));
  return { size, weights, redBlue: colour & 0xff00ff, green: colour & 0x00ff00 };
}

/**
 * Stamps a mark for each point.
 *
 * @param {Pixels} pixels
 * @param {(Ink | undefined)[]} inks  by group
 * @param {Uint8Array} groups  of the points
 * @param {Uint32Array} order  indices, from the lowest mark to the uppermost
 * @param {Sheet} sheet
 * @param {Lens} lens  from the sheet to these pixels
 */
export function stampAll({ colours, columns, rows }, inks, groups, order, { u, v }, lens) {
  const { k, left, top } = lens;
  for (const i of order) {
    const { size, weights, redBlue, green } = /** @type {Ink} */ (inks[groups[i]]);
    const half = size >> 1;
    const column = Math.round(u[i] * k + left) - half;
    const row = Math.round(v[i] * k + top) - half;
    // Written so that NaN is outside.
    if (!(column > -size && column < columns && row > -size && row < rows)) continue;
    const [fromX, toX] = [Math.max(0, -column), Math.min(size, columns - column)];
    const [fromY, toY] = [Math.max(0, -row), Math.min(size, rows - row)];
    for (let y = fromY; y < toY; ++y) {
      let at = (row + y) * columns + column + fromX;
      for (let x = fromX; x < toX; ++x, ++at) {
        const weight = weights[y * size + x];
        if (weight === 0) continue;
        const below = colours[at];
        const rest = 256 - weight;
        const mixed =
          (((Math.imul(redBlue, weight) + Math.imul(below & 0xff00ff, rest)) >>> 8) & 0xff00ff) |
          (((green * weight + (below & 0x00ff00) * rest) >>> 8) & 0x00ff00);
        colours[at] = mixed | 0xff000000;
      }
    }
  }
}

/**
 * A colour of CSS, whatever its notation, as a pixel.
 * @param {Document} document @param {string} colour
 */
export function pixelOf(document, colour) {
  probe ??= document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const context = /** @type {CanvasRenderingContext2D} */ (probe);
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  return new Uint32Array(context.getImageData(0, 0, 1, 1).data.buffer)[0];
}

/** @type {CanvasRenderingContext2D | null | undefined} */
let probe;
