/** @import { Core } from "../../runtime/wasm.js" */
import { float32s } from "../../runtime/check.js";
import { checkStatus } from "../../runtime/errors.js";
import { withMemory, take, tileRows } from "../../runtime/memory.js";
import { asFloat32, Tensor } from "../../runtime/tensor.js";

/**
 * The rows of a gradient that are not 0, each once and in ascending order.
 *
 * PyTorch's sparse gradient of a lookup is uncoalesced: it has one row for each token, and duplicates. Here
 * duplicates are summed in double, in the order of the ids, and rounded once.
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
    throw new RangeError(
      `${name} must have shape [${shape.join(", ")}]; got [${given.shape.join(", ")}]`,
    );
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
 * @param {Core} core @param {string} where
 * @param {{vocabulary: number, dim: number, sparse: Sparse}} size
 * @param {Int32Array} ids  the row of each contribution
 * @param {Float64Array} factors  the factor of each contribution
 * @param {(n: number, heap: Float32Array, at: number) => void} write  writes the n-th contribution
 * @returns {GradientOf<Sparse>}
 */
export function sumByRow(core, where, { vocabulary: V, dim: D, sparse }, ids, factors, write) {
  const { raw } = core;
  const rows = distinct(ids);
  const R = rows.length;
  const { order, starts } = sorted(ids, rows);
  const values = sparse
    ? float32s(R * D, `a gradient of ${R} rows`)
    : float32s(V * D, `a dense gradient of ${V} x ${D}`);

  const group = tileRows(D * 8, R);
  const step = tileRows(D * 4, ids.length);
  const pieces = [group * D * 8, group * D * 4, step * D * 4, step * 4, step * 8];
  if (R > 0) {
    withMemory(core, where, pieces, (sumsAt, outAt, gradientsAt, slotsAt, factorsAt) => {
      raw.HEAPU8.fill(0, sumsAt, sumsAt + group * D * 8);
      for (let first = 0; first < R; first += group) {
        const last = Math.min(R, first + group);
        let slot = 0;
        for (let from = starts[first]; from < starts[last]; from += step) {
          const N = Math.min(step, starts[last] - from);
          for (let k = 0; k < N; ++k) {
            while (starts[first + slot + 1] <= from + k) ++slot;
            const n = order[from + k];
            write(n, raw.HEAPF32, gradientsAt / 4 + k * D);
            raw.HEAP32[slotsAt / 4 + k] = slot;
            raw.HEAPF64[factorsAt / 8 + k] = factors[n];
          }
          checkStatus(
            raw.embedding_accumulate(gradientsAt, N, D, slotsAt, factorsAt, sumsAt, last - first),
            where,
          );
        }
        checkStatus(raw.embedding_round_sums(sumsAt, (last - first) * D, outAt), where);
        if (sparse) take(core, outAt, (last - first) * D, values, first * D);
        else {
          for (let r = first; r < last; ++r)
            take(core, outAt + (r - first) * D * 4, D, values, rows[r] * D);
        }
      }
    });
  }
  const gradient = sparse
    ? Object.freeze({ rows: new Tensor(rows, [R]), values: new Tensor(values, [R, D]) })
    : new Tensor(values, [V, D]);
  return /** @type {GradientOf<Sparse>} */ (gradient);
}

/**
 * Groups contributions by row, in their order: those of rows[r] are
 * order[starts[r]] .. order[starts[r+1]-1].
 * @param {Int32Array} ids @param {Int32Array} rows  the distinct ids
 */
function sorted(ids, rows) {
  const slots = new Map(Array.from(rows, (row, r) => [row, r]));
  const slotOf = ids.map((id) => /** @type {number} */ (slots.get(id)));
  const starts = new Int32Array(rows.length + 1);
  for (const slot of slotOf) ++starts[slot + 1];
  for (let r = 0; r < rows.length; ++r) starts[r + 1] += starts[r];
  const next = starts.slice();
  const order = new Int32Array(ids.length);
  for (let n = 0; n < ids.length; ++n) order[next[slotOf[n]]++] = n;
  return { order, starts };
}
