/** @import { Core } from "./wasm.js" */
/** @import { Tensor, TensorInput } from "./tensor.js" */
import { haveOneBuffer } from "./arrays.js";
import { integer, isObject } from "./check.js";
import { wrongShape } from "./errors.js";
import { put, putPart } from "./memory.js";
import { asFloat32 } from "./input.js";

/**
 * A table of V rows of D numbers: those of `embedding`, or any object that looks up rows synchronously.
 * @typedef {object} Table
 * @property {number} vocabulary  V
 * @property {number} dim  D
 * @property {(ids: Int32Array) => Tensor} lookup  float32 [T, D]: the rows of ids [T]
 */

/**
 * What functions take as a table: a tensor or nested arrays [V, D], or a table, whose rows are read where
 * they are.
 * @typedef {TensorInput | Table} TableInput
 */

/**
 * Rows of float32 numbers as kernels read them: in WASM memory, in an array, drawn, unpacked or looked up.
 * @typedef {object} Rows
 * @property {number} N  how many
 * @property {number} D  numbers of each
 * @property {readonly number[]} shape  [N, D]; an array may have more axes, [..., D]
 * @property {Float32Array} [data]  of an array
 * @property {boolean} resident  the rows are in WASM memory as float32: `place` returns their address
 * @property {(first: number, count: number, tileAt: number) => number} place  the address of consecutive
 *   rows: their own if resident, else tileAt, to which they are copied
 * @property {(ids: Int32Array, idsAt: number, to: number) => void} [gather]  copies the rows of ids, which
 *   are also at idsAt, to an address; resident rows have none
 * @property {() => void} live  throws `DisposedError` once the rows are freed
 * @property {number} [squaresAt]  address of the squared lengths, if they are known
 * @property {number} [sketchAt]  address of a copy in whole numbers (src/analysis/nearest/sketch.h)
 * @property {{at: number, scalesAt: number, dtype: number}} [codes]  addresses of rows of 16 bits, or of int8 and of
 *   their scales: a row is scale * code; `dtype` is that of src/embedding/embedding/quantized.h
 * @property {{lengths: number, directions: number}} [errorsAt]  addresses of the error bounds of rows that
 *   were rounded (src/embedding/embedding/quantized.h)
 * @property {Trainable} [trainable]  of weights that gradients and optimizers may change
 */

/**
 * @typedef {object} Trainable
 * @property {number} padding  the row that gets no gradient; -1 for none
 * @property {(idsAt: number, count: number) => void} [renormalize]  applies maxNorm to distinct rows
 */

/** @type {WeakMap<object, {core: Core, rows: Rows}>} */
const tables = new WeakMap();

/**
 * Lets functions read a table's rows without looking them up through its public methods.
 * @param {object} table @param {Core} core @param {Rows} rows
 */
export function registerTable(table, core, rows) {
  tables.set(table, { core, rows });
}

/**
 * Reads an argument that is a table, or an array of rows.
 * @param {Core} core @param {unknown} value @param {string} name
 * @param {"[V, D]" | "[..., D]"} [shape]
 * @returns {Rows}
 * @throws {TypeError | RangeError}
 */
export function readTable(core, value, name, shape = "[V, D]") {
  if (!isTable(value)) return arrayRows(core, readVectors(value, name, shape));
  const known = tables.get(value);
  return known?.core === core ? known.rows : foreignRows(core, value, name);
}

/** @param {unknown} value @returns {value is Table} */
function isTable(value) {
  return isObject(value) && "vocabulary" in value && "lookup" in value;
}

/**
 * The rows of a table that this core's memory does not hold.
 * @param {Core} core @param {Table} table @param {string} name
 * @returns {Rows}
 */
function foreignRows(core, table, name) {
  const N = integer(table.vocabulary, `${name}.vocabulary`);
  const D = integer(table.dim, `${name}.dim`);
  /** @param {Int32Array} ids */
  const look = (ids) => {
    const { data, shape } = asFloat32(table.lookup(ids), `${name}.lookup()`);
    if (shape.join() === [ids.length, D].join()) return data;
    throw wrongShape(`${name}.lookup()`, `[${ids.length}, ${D}]`, shape);
  };
  return {
    N,
    D,
    shape: [N, D],
    resident: false,
    live() {},
    place(first, count, tileAt) {
      put(core, look(Int32Array.from({ length: count }, (_, i) => first + i)), tileAt);
      return tileAt;
    },
    gather: (ids, _, to) => put(core, look(ids), to),
  };
}

/**
 * The rows of an array, copied when they are read.
 * @param {Core} core @param {{data: Float32Array, shape: readonly number[], N: number, D: number}} vectors
 * @returns {Rows & {data: Float32Array}}
 */
export function arrayRows(core, { data, shape, N, D }) {
  return {
    N,
    D,
    shape,
    data,
    resident: false,
    live() {},
    place(first, count, tileAt) {
      putPart(core, data, first * D, (first + count) * D, tileAt);
      return tileAt;
    },
    gather: (ids, _, to) =>
      ids.forEach((id, t) => putPart(core, data, id * D, (id + 1) * D, to + t * D * 4)),
  };
}

/**
 * Rows in WASM memory.
 * @param {number} N @param {number} D @param {number} at @param {() => void} live
 * @returns {Rows}
 */
export function residentRows(N, D, at, live) {
  return {
    N,
    D,
    shape: [N, D],
    resident: true,
    live,
    place(first) {
      live();
      return at + first * D * 4;
    },
  };
}

/**
 * Rows that are computed whenever they are read.
 * @param {number} N @param {number} D
 * @param {{gather: (idsAt: number, count: number, to: number) => void, live: () => void,
 *   place: Rows["place"]}} source
 * @returns {Rows}
 */
export function computedRows(N, D, { gather, live, place }) {
  return {
    N,
    D,
    shape: [N, D],
    resident: false,
    live,
    place(first, count, tileAt) {
      live();
      return place(first, count, tileAt);
    },
    gather(ids, idsAt, to) {
      live();
      gather(idsAt, ids.length, to);
    },
  };
}

/**
 * Rows that writing a result does not change.
 * @param {Core} core @param {Rows} rows @param {Float32Array} result
 */
export function apart(core, rows, result) {
  const { data } = rows;
  const isLost = data && haveOneBuffer(data, result);
  return isLost ? arrayRows(core, { ...rows, data: data.slice() }) : rows;
}

/**
 * Reads an argument that is an array of rows of numbers.
 * @param {unknown} value @param {string} name @param {"[V, D]" | "[..., D]"} [wanted]
 * @returns {{data: Float32Array, shape: readonly number[], N: number, D: number}}
 */
export function readVectors(value, name, wanted = "[V, D]") {
  const { data, shape } = asFloat32(value, name, { rows: true });
  const D = shape[shape.length - 1];
  if ((wanted === "[V, D]" ? shape.length !== 2 : shape.length === 0) || D === 0) {
    throw wrongShape(name, `${wanted} with D > 0`, shape);
  }
  return { data, shape, N: data.length / D, D };
}
