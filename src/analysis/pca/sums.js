/**
 * Sums over rows. They are made by segments of rows, each from zero, which are then added up in the order of the rows:
 * code that has whole segments can compute their part of the sums, with the same bits.
 */
/** @import { Core } from "../../runtime/wasm.js" */
/** @import { Rows } from "../../runtime/table.js" */
import { checkStatus } from "../../runtime/errors.js";
import { put, take, tileBytes, tileRows, withMemory } from "../../runtime/memory.js";
import { clear, MOST_ROWS, tilesOf } from "./tiles.js";

/** Rows of a segment; src/worker/plans.js has the same number. */
const SEGMENT = 1024;

/**
 * In what products are added up.
 * @typedef {"float32" | "float64"} Sums
 */

/**
 * What is summed over rows.
 * @typedef {object} Asked
 * @property {Float64Array} center  [D]
 * @property {Float64Array} vectors  what the rows less the center are multiplied by (krylov.h): [b, D] for sums in
 *   float32, [b / 4, D, 4] in float64; empty for no products
 * @property {Sums} sums
 * @property {"columns" | "moments" | "trace" | "nothing"} also  what else: the columns, and a key of all rows; what the
 *   columns are from the center, and squares; squares alone
 */

/**
 * @typedef {object} Found
 * @property {Float64Array} products  [b / 4, D, 4]
 * @property {Float64Array} columns  [D]
 * @property {number} last  the squares, or the key
 */

/** The sums as they follow each other. @param {Float64Array} sums @param {number} D @returns {Found} */
export function read(sums, D) {
  const at = sums.length - D - 1;
  const [products, columns] = [sums.subarray(0, at), sums.subarray(at, at + D)];
  return { products, columns, last: sums[at + D] };
}

/**
 * Sums over all rows.
 * @param {Core} core @param {Rows} rows @param {Asked} asked
 * @returns {Float64Array} as `read` takes them
 */
export function sumsOf(core, rows, asked) {
  const sums = new Float64Array(asked.vectors.length + rows.D + 1);
  overSegments(core, rows, 0, asked, (segment) => {
    for (let i = 0; i < sums.length; ++i) sums[i] += segment[i];
  });
  return sums;
}

/**
 * Sums over each segment, one after the other.
 * @param {Core} core @param {Rows} rows
 * @param {number} first  the number of the first of these rows among all rows
 * @param {Asked} asked
 */
export function segmentsOf(core, rows, first, asked) {
  const size = asked.vectors.length + rows.D + 1;
  const sums = new Float64Array(Math.ceil(rows.N / SEGMENT) * size);
  let at = 0;
  overSegments(core, rows, first, asked, (segment) => {
    sums.set(segment, at);
    at += size;
  });
  return sums;
}

/**
 * @param {Core} core @param {Rows} rows @param {number} first @param {Asked} asked
 * @param {(sums: Float64Array) => void} use  gets the sums of every segment, where they are
 */
function overSegments(core, rows, first, asked, use) {
  const { raw } = core;
  const { N, D } = rows;
  const { center, vectors } = asked;
  const b = vectors.length / D;
  const isNarrow = b > 0 && asked.sums === "float32";
  const size = vectors.length + D + 1;
  const step = Math.max(4, Math.min(tileRows(D * 4, SEGMENT), MOST_ROWS) & ~3); // whole fours
  const pieces = [size * 8, D * 8, vectors.length * 8, (4 + 2 * b) * (D + 4) * 8];
  const tileSize = tileBytes(rows, Math.min(step, N));
  withMemory(core, [...pieces, tileSize], (sumsAt, centerAt, vectorsAt, workAt, tile) => {
    const columnsAt = sumsAt + vectors.length * 8;
    const narrow = /** @type {const} */ ([workAt, D, b]);
    const addOthers = others(core, asked.also, D, centerAt, columnsAt);
    /** @param {number} at @param {number} count */
    const add = (at, count) => {
      checkStatus(addOthers(at, count));
      if (isNarrow) return raw.pca_multiply_f32(...narrow, at, count);
      return b && raw.pca_multiply(at, count, D, centerAt, vectorsAt, b, workAt, sumsAt);
    };
    put(core, center, centerAt);
    put(core, vectors, vectorsAt);
    if (isNarrow) checkStatus(raw.pca_begin_f32(...narrow, centerAt, vectorsAt));
    for (let from = 0; from < N; from += SEGMENT) {
      clear(core, sumsAt, size);
      // A key begins with the number of a row, so that the order of segments counts.
      if (asked.also === "columns") raw.HEAPF64[columnsAt / 8 + D] = first + from;
      tilesOf(rows, step, tile, add, from, Math.min(from + SEGMENT, N));
      if (isNarrow) checkStatus(raw.pca_end_f32(...narrow, sumsAt));
      use(raw.HEAPF64.subarray(sumsAt / 8, sumsAt / 8 + size));
    }
  });
}

/**
 * The kernel of the sums that are no products.
 * @param {Core} core @param {Asked["also"]} also @param {number} D
 * @param {number} centerAt @param {number} columnsAt
 * @returns {(tileAt: number, count: number) => number}
 */
function others({ raw }, also, D, centerAt, columnsAt) {
  const lastAt = columnsAt + D * 8;
  if (also === "columns") {
    return (at, count) => {
      const key = raw.HEAPF64[lastAt / 8] | 0;
      raw.HEAPF64[lastAt / 8] = raw.pca_mix(at, count, D, key) >>> 0;
      return raw.pca_add_columns(at, count, D, columnsAt);
    };
  }
  if (also === "trace") return (at, count) => raw.pca_add_trace(at, count, D, centerAt, lastAt);
  if (also === "nothing") return () => 0;
  return (at, count) => raw.pca_add_moments(at, count, D, centerAt, columnsAt, lastAt);
}

/**
 * Copies of some rows.
 * @param {Core} core @param {Rows} rows @param {Int32Array} ids
 * @returns {Float32Array} [T, D]
 */
export function rowsOf(core, rows, ids) {
  const { D } = rows;
  const found = new Float32Array(ids.length * D);
  withMemory(core, [D * 4], (at) => {
    ids.forEach((id, t) => take(core, rows.place(id, 1, at), D, found, t * D));
  });
  return found;
}
