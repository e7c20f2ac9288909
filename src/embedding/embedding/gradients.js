/** @import { Core } from "../../runtime/wasm.js" */
import { float32s } from "../../runtime/arrays.js";
import { checkStatus, wrongShape } from "../../runtime/errors.js";
import { withMemory, take, tileRows } from "../../runtime/memory.js";
import { asFloat32 } from "../../runtime/input.js";
import { Tensor } from "../../runtime/tensor.js";

/**
 * The rows of a gradient that are not 0, each once and in ascending order.
 *
 * PyTorch's sparse gradient of a lookup is uncoalesced: it has one row for each token, and duplicates. Here
 * duplicates are summed in double, in the order of the ids, and rounded once. A row of one token is a copy.
 * @typedef {object} SparseGradient
 * @property {Tensor<Int32Array>} rows  [R]
 * @property {Tensor} values  [R, D]
 */

/**
 * A dense gradient [V, D], or a sparse one.
 * @template {boolean} Sparse
 * @typedef {Sparse extends true ? SparseGradient : Tensor} GradientOf
 */

/**
 * Reads a gradient of a known shape.
 * @param {unknown} gradient @param {readonly number[]} shape @param {string} name
 * @returns {Float32Array}
 */
export function readGradient(gradient, shape, name) {
  const given = asFloat32(gradient, name);
  if (given.shape.join() !== shape.join()) {
    throw wrongShape(name, `[${shape.join(", ")}]`, given.shape);
  }
  return given.data;
}

/** Counts how often each id occurs. @param {Int32Array} ids @returns {Map<number, number>} */
export function occurrences(ids) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

/** Returns the ids that occur, each once, ascending. @param {Int32Array} ids */
export function distinct(ids) {
  return Int32Array.from(new Set(ids)).sort();
}

/**
 * Sums contributions to the gradients of rows, in their order.
 *
 * @template {boolean} Sparse
 * @param {Core} core
 * @param {{vocabulary: number, dim: number, sparse: Sparse}} size
 * @param {Int32Array} ids  the row of each contribution
 * @param {Float64Array} factors  the factor of each contribution
 * @param {(n: number, to: Float32Array, at: number) => void} write  writes the n-th contribution
 * @param {boolean} [copies]  whether it copies numbers, and so their bits: engines differ in what else they leave of NaN
 * @returns {GradientOf<Sparse>}
 */
export function sumByRow(core, size, ids, factors, write, copies = true) {
  const { vocabulary: V, dim: D, sparse } = size;
  const { raw } = core;
  const { rows, order, starts } = grouped(ids, V);
  const R = rows.length;
  const values = sparse
    ? float32s(R * D, `a gradient of ${R} rows`)
    : float32s(V * D, `a dense gradient of ${V} x ${D}`);
  const placeOf = (/** @type {number} */ r) => (sparse ? r : rows[r]) * D;

  /** The rows with a sum. @type {number[]} */
  const summed = [];
  for (let r = 0; r < R; ++r) {
    const n = order[starts[r]];
    const isAlone = starts[r + 1] === starts[r] + 1 && factors[n] === 1;
    if (copies && isAlone) write(n, values, placeOf(r));
    else summed.push(r);
  }
  const group = tileRows(D * 8, summed.length);
  const step = tileRows(D * 4, ids.length);
  const pieces = [group * D * 8, group * D * 4, step * D * 4, step * 4, step * 8];
  withMemory(core, pieces, (sumsAt, outAt, gradientsAt, slotsAt, factorsAt) => {
    raw.HEAPU8.fill(0, sumsAt, sumsAt + group * D * 8);
    for (let first = 0; first < summed.length; first += group) {
      const some = summed.slice(first, first + group);
      let N = 0;
      const add = () => {
        checkStatus(
          raw.embedding_accumulate(gradientsAt, N, D, slotsAt, factorsAt, sumsAt, some.length),
        );
        N = 0;
      };
      for (const [slot, r] of some.entries()) {
        for (let k = starts[r]; k < starts[r + 1]; ++k) {
          const n = order[k];
          write(n, raw.HEAPF32, gradientsAt / 4 + N * D);
          raw.HEAP32[slotsAt / 4 + N] = slot;
          raw.HEAPF64[factorsAt / 8 + N] = factors[n];
          if (++N === step) add();
        }
      }
      add();
      checkStatus(raw.embedding_round_sums(sumsAt, some.length * D, outAt));
      for (const [slot, r] of some.entries())
        take(core, outAt + slot * D * 4, D, values, placeOf(r));
    }
  });
  const gradient = sparse
    ? Object.freeze({ rows: new Tensor(rows, [R]), values: new Tensor(values, [R, D]) })
    : new Tensor(values, [V, D]);
  return /** @type {GradientOf<Sparse>} */ (gradient);
}

/** A list of all rows takes less time than a Map of those that occur, up to this many rows for each id. */
const SPARSEST = 16;

/**
 * Groups contributions by row, in their order: those of rows[r] are
 * order[starts[r]] .. order[starts[r+1]-1].
 * @param {Int32Array} ids @param {number} V
 * @returns {{rows: Int32Array, order: Int32Array, starts: Int32Array}} the distinct ids, ascending
 */
function grouped(ids, V) {
  if (V > SPARSEST * ids.length) {
    const rows = distinct(ids);
    const slots = new Map(Array.from(rows, (row, r) => [row, r]));
    const slotOf = ids.map((id) => /** @type {number} */ (slots.get(id)));
    return { ...grouped(slotOf, rows.length), rows };
  }
  const next = new Int32Array(V); // how often each occurs, then where its next contribution goes
  for (const id of ids) ++next[id];
  const rows = new Int32Array(V);
  const starts = new Int32Array(V + 1);
  let R = 0;
  let start = 0;
  for (let id = 0; id < V; ++id) {
    if (next[id] === 0) continue;
    rows[R] = id;
    starts[R++] = start;
    start += next[id];
    next[id] = starts[R - 1];
  }
  starts[R] = start;
  const order = new Int32Array(ids.length);
  for (const [n, id] of ids.entries()) order[next[id]++] = n;
  return { rows: rows.slice(0, R), order, starts: starts.subarray(0, R + 1) };
}
