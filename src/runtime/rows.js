/** @import { Core } from "./wasm.js" */
/** @import { Tensor, TensorInput } from "./tensor.js" */
import { put } from "./memory.js";
import { asFloat32 } from "./tensor.js";

/**
 * Vectors: a tensor, or a table of `embedding.create` or `embedding.quantize`, of which nothing is
 * copied but a tile at a time.
 * @typedef {TensorInput | VectorTable} VectorsInput
 * @typedef {{readonly vocabulary: number, readonly dim: number, readonly weights: () => Tensor}} VectorTable
 */

/**
 * Rows of float32 numbers, wherever they lie: what rooms read tile by tile.
 * @typedef {object} Rows
 * @property {number} N  how many
 * @property {number} D  numbers of each
 * @property {readonly number[]} shape  [N, D]; of an array also [..., D]
 * @property {Float32Array} [data]  of an array
 * @property {boolean} resident  whether `place` gives an address of their own, so that no tile is needed
 * @property {(first: number, count: number, tileAt: number) => number} place  the address of some
 *   rows, their own or tileAt, where they are put; throws `DisposedError` once they are gone
 * @property {number} [squaresAt]  the squares of their lengths, if they are known: an address
 * @property {{lengths: number, directions: number}} [errorsAt]  of rows that were rounded: how far
 *   they are off at most, as addresses (src/embedding/embedding/quantized.h)
 */

/** @type {WeakMap<object, {core: Core, rows: Rows}>} */
const tables = new WeakMap();

/** Let rooms read a table's rows where they lie. @param {object} table @param {Core} core @param {Rows} rows */
export function offerRows(table, core, rows) {
  tables.set(table, { core, rows });
}

/**
 * Read an argument that is rows of numbers.
 * @param {Core} core @param {unknown} value @param {string} name
 * @param {"[N, D]" | "[..., D]"} [wanted]
 * @returns {Rows}
 * @throws {TypeError | RangeError}
 */
export function readRows(core, value, name, wanted = "[N, D]") {
  const table = /** @type {VectorTable} */ (value);
  const known = typeof value === "object" && value !== null ? tables.get(value) : undefined;
  if (known?.core === core) return known.rows;
  const given = typeof table?.weights === "function" ? table.weights() : value;
  return rowsOf(core, readVectors(given, name, wanted));
}

/**
 * Rows of an array, copied in when they are asked for.
 * @param {Core} core @param {{data: Float32Array, shape: readonly number[], N: number, D: number}} vectors
 * @returns {Rows & {data: Float32Array}}
 */
export function rowsOf(core, { data, shape, N, D }) {
  return {
    ...{ N, D, shape, data, resident: false },
    place(first, count, tileAt) {
      put(core, data.subarray(first * D, (first + count) * D), tileAt);
      return tileAt;
    },
  };
}

/**
 * Rows in WASM memory.
 * @param {number} N @param {number} D @param {() => number} address  throws once they are gone
 * @returns {Rows}
 */
export function residentRows(N, D, address) {
  return { N, D, shape: [N, D], resident: true, place: (first) => address() + first * D * 4 };
}

/**
 * Read an argument that is an array of rows of numbers.
 * @param {unknown} value @param {string} name @param {"[N, D]" | "[..., D]"} [wanted]
 * @returns {{data: Float32Array, shape: number[], N: number, D: number}}
 */
export function readVectors(value, name, wanted = "[N, D]") {
  const { data, shape } = asFloat32(value, name);
  const D = shape[shape.length - 1];
  if ((wanted === "[N, D]" ? shape.length !== 2 : shape.length === 0) || D === 0) {
    throw new RangeError(`${name} must have shape ${wanted} with D > 0; got [${shape.join(", ")}]`);
  }
  return { data, shape, N: data.length / D, D };
}
