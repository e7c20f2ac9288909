/** @import { Lens, Sheet } from "./view.js" */
import { LONGEST, outline } from "./shapes.js";

/**
 * Writes marks directly into pixels. A canvas draws 50,000 paths in a quarter of a second; copying a small picture of
 * the mark as often takes a twentieth of that.
 */

/**
 * The picture of a mark: the pixels that it covers, relative to its center, and the coverage of each.
 * @typedef {{dx: Int8Array, dy: Int8Array, cover: Uint8Array, reach: number}} Stamp
 */

/** Coverage below this, of 255, is invisible and is skipped, because it would cost time for each of 50,000 points. */
const FAINT = 16;

/** @type {Map<string, Stamp>} */
const made = new Map();

/**
 * @param {Document} document
 * @param {number} shape @param {number} radius  in the canvas's own pixels, up to 50
 * @returns {Stamp}
 */
export function stampOf(document, shape, radius) {
  const key = `${shape} ${radius}`;
  const known = made.get(key);
  if (known) return known;
  const reach = Math.ceil(radius * LONGEST);
  const size = 2 * reach + 1; // the middle is a pixel's
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
  const covered = Array.from({ length: size * size }, (_, at) => at).filter(
    (at) => data[4 * at + 3] > FAINT,
  );
  const stamp = {
    dx: Int8Array.from(covered, (at) => (at % size) - reach),
    dy: Int8Array.from(covered, (at) => Math.floor(at / size) - reach),
    cover: Uint8Array.from(covered, (at) => data[4 * at + 3]),
    reach,
  };
  if (made.size >= 64) made.clear(); // a pinch goes through many sizes
  made.set(key, stamp);
  return stamp;
}

/**
 * The pixels on which marks are stamped, in device pixels.
 *
 * @typedef {object} Pixels
 * @property {Int32Array} colors  rows x columns, as ImageData has them: bytes R, G, B, A
 * @property {number} columns
 * @property {number} rows
 */

/**
 * A stamp with its ink, for pixels of some width. Red and blue are mixed together, with a byte of
 * room above each; then green.
 *
 * @typedef {object} Ink
 * @property {Stamp} stamp
 * @property {Int32Array} steps  from the middle's pixel to each that is covered
 * @property {Int32Array} rests  256 - weight of each, where 256 hides all that is below
 * @property {Int32Array} redBlues  the ink's, times the weight
 * @property {Int32Array} greens
 */

/**
 * @param {Pixels} pixels @param {Stamp} stamp
 * @param {number} color  a pixel @param {number} strength  0 to 1
 * @returns {Ink}
 */
export function inked({ columns }, stamp, color, strength) {
  const weights = Int32Array.from(stamp.cover, (part) => Math.round((part / 255) * strength * 256));
  return {
    stamp,
    steps: Int32Array.from(stamp.dx, (dx, k) => stamp.dy[k] * columns + dx),
    rests: weights.map((weight) => 256 - weight),
    redBlues: weights.map((weight) => Math.imul(color & 0xff00ff, weight)),
    greens: weights.map((weight) => (color & 0x00ff00) * weight),
  };
}

const OPAQUE = 0xff000000;

/**
 * Stamps a mark for each point.
 *
 * @param {Pixels} pixels
 * @param {Ink[]} inks  by group
 * @param {Uint8Array} groups  of the points
 * @param {Uint32Array} order  indices, from the lowest mark to the uppermost
 * @param {Sheet} sheet
 * @param {Lens} lens  from the sheet to these pixels
 */
export function stampAll({ colors, columns, rows }, inks, groups, order, { u, v }, lens) {
  const { k, left, top } = lens;
  for (let n = 0; n < order.length; ++n) {
    const i = order[n];
    const { stamp, steps, rests, redBlues, greens } = inks[groups[i]];
    const { dx, dy, reach } = stamp;
    const column = Math.round(u[i] * k + left);
    const row = Math.round(v[i] * k + top);
    // Written so that NaN is outside.
    const seen = column > -reach && column < columns + reach && row > -reach && row < rows + reach;
    if (!seen) continue;
    const whole = column >= reach && column < columns - reach && row >= reach && row < rows - reach;
    const middle = row * columns + column;
    for (let p = 0; p < steps.length; ++p) {
      if (!whole) {
        const [x, y] = [column + dx[p], row + dy[p]];
        if (x < 0 || x >= columns || y < 0 || y >= rows) continue;
      }
      const at = middle + steps[p];
      const below = colors[at];
      const rest = rests[p];
      const redBlue = redBlues[p] + Math.imul(below & 0xff00ff, rest);
      const green = greens[p] + Math.imul(below & 0x00ff00, rest);
      colors[at] = OPAQUE | ((redBlue >>> 8) & 0xff00ff) | ((green >>> 8) & 0x00ff00);
    }
  }
}

/**
 * A color of CSS, whatever its notation, as a pixel.
 * @param {Document} document @param {string} color
 */
export function pixelOf(document, color) {
  probe ??= document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const context = /** @type {CanvasRenderingContext2D} */ (probe);
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  return new Int32Array(context.getImageData(0, 0, 1, 1).data.buffer)[0];
}

/** @type {CanvasRenderingContext2D | null | undefined} */
let probe;
