/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { Result } from "../../../runtime/result.js" */
/** @import { FloatOut, TensorInput } from "../../../runtime/tensor.js" */
import * as arrays from "../../../runtime/arrays.js";
import * as check from "../../../runtime/check.js";
import { checkStatus, wrongShape } from "../../../runtime/errors.js";
import { readIds } from "../../../runtime/ids.js";
import { putPart, take, tileRows, withAddresses } from "../../../runtime/memory.js";
import { outParts, output } from "../../../runtime/result.js";
import { asFloat32 } from "../../../runtime/input.js";

/**
 * The rows of queries or keys: N runs of T positions, each of H rows of D numbers.
 * @typedef {{N: number, T: number, H: number, D: number}} Rows
 *
 * Addresses of cosines and sines, [T, P] each.
 * @typedef {{cos: number, sin: number}} Turns
 *
 * An argument to rotate: `data` has no memory in common with a result that is written before it is read.
 * @typedef {{name: string, data: Float32Array, shape: readonly number[], result: Result}} Given
 *
 * Where rotated queries and keys are written.
 * @typedef {{q: FloatOut, k: FloatOut}} PairOut
 */

/**
 * Reads x, or queries and keys, and where the results are written, in this order.
 * @param {unknown} x  a tensor, or {q, k} @param {unknown} out
 * @returns {Given[]}
 */
export function readGiven(x, out) {
  const isPair = check.isObject(x) && ("q" in x || "k" in x);
  if (!isPair) return [readOne(x, "x", out, "out")];
  const { q: queries, k: keys } = /** @type {{q?: unknown, k?: unknown}} */ (x);
  const into = outParts(out, ["q", "k"]);
  const q = readOne(queries, "q", into.q, "out.q");
  const k = readOne(keys, "k", into.k, "out.k");
  if (arrays.shares(q.result.target, k.result.target)) {
    throw new RangeError("out.k must share no memory with out.q; got the same");
  }
  if (arrays.shares(q.data, k.result.target)) q.data = q.data.slice();
  if (arrays.shares(k.data, q.result.target)) k.data = k.data.slice();
  return [q, k];
}

/**
 * @param {unknown} x @param {string} name @param {unknown} out @param {string} outName
 * @returns {Given}
 */
function readOne(x, name, out, outName) {
  const { data, shape } = asFloat32(x, name);
  const result = output(out, shape, outName);
  return { name, data: arrays.overlaps(data, result.data) ? data.slice() : data, shape, result };
}

/**
 * Reads x as [N, T, H, D].
 * @param {readonly number[]} shape @param {number} axis  -2 or -3
 * @param {string} [name]
 * @returns {Rows & {B: number}} B is the size of the first axis, if it is not one of these
 */
export function readRows(shape, axis, name = "x") {
  const at = shape.length + axis;
  if (at < 0) {
    const least = axis === -2 ? "[..., T, D]" : "[..., T, H, D]";
    throw wrongShape(name, least, shape);
  }
  return {
    B: at > 0 ? shape[0] : 1,
    N: arrays.count(shape, 0, at),
    T: shape[at],
    H: axis === -3 ? shape[at + 1] : 1,
    D: shape[shape.length - 1],
  };
}

/**
 * Reads which rows of a table turn the positions of x.
 * @param {readonly number[]} shape  of the table's cosines
 * @param {Rows & {B: number}} rows  of x @param {number | undefined} offset @param {unknown} positions
 * @param {string} name  of x
 * @returns {Rows & {P: number, batches: number, isRun: boolean, rowOf: (batch: number, t: number) => number}}
 *   `isRun`: whether the rows of consecutive positions are consecutive
 */
export function readTurns(shape, { B, N, T, H, D }, offset, positions, name) {
  const isRun = positions === undefined;
  if (offset !== undefined && !isRun) {
    throw new RangeError("offset must not be given with positions; got both");
  }
  const P = shape[shape.length - 1];
  if (shape.length < 2 || 2 * P > D) {
    const hint = P === D ? " (rope.fromFullWidth converts a table with repeated columns)" : "";
    throw new RangeError(
      `table.cos must have shape [T, P] or [B, T, P] with 2 P <= ${D}; got [${shape.join(", ")}]${hint}`,
    );
  }
  const length = shape[shape.length - 2];
  const wanted = !isRun ? length : offset === undefined ? T : Math.max(length, T);
  const tables = arrays.count(shape, 0, shape.length - 2);
  if (length !== wanted || (tables !== 1 && (tables !== B || shape.length > 3))) {
    throw wrongShape(
      "table.cos",
      `[${wanted}, ${P}] or [${B}, ${wanted}, ${P}], as ${name} has it`,
      shape,
    );
  }
  const picked = isRun ? undefined : readIds(positions, length, "positions");
  const list = picked?.shape ?? [T];
  const lists = list.length === 1 ? 1 : list[0];
  if (list[list.length - 1] !== T || list.length > 2 || (lists !== 1 && lists !== B)) {
    throw wrongShape("positions", `[${T}] or [${B}, ${T}], as ${name} has it`, list);
  }
  const first = check.integer(offset ?? 0, "offset", 0, isRun ? length - T : 0);
  return {
    N,
    T,
    H,
    D,
    P,
    batches: lists === 1 ? tables : lists,
    isRun,
    rowOf: (b, t) =>
      (tables === 1 ? 0 : b * length) +
      (picked ? picked.data[(lists === 1 ? 0 : b * T) + t] : first + t),
  };
}

/**
 * Rotates rows tile by tile over positions, so that each piece of the table comes in once for all runs that
 * share it; as many runs at once as a tile holds.
 *
 * @param {Core} core @param {Float32Array} data @param {Float32Array} result  as long as data
 * @param {Rows & {P: number, batches: number}} sizes  `batches`: how many tables the runs have, in order
 * @param {{kind: number, inverse: boolean}} how  `kind`: phasor::rope::Layout
 * @param {(batch: number, t: number, count: number, at: Turns) => Turns} place  copies the turns of `count`
 *   positions of a table from t on to addresses, or returns where they are
 */
export function rotateRows(core, data, result, sizes, { kind, inverse }, place) {
  const { raw } = core;
  const { N, T, H, D, P, batches } = sizes;
  const step = tileRows(H * D * 4, T);
  const shared = batches === 0 ? 0 : N / batches;
  const most = step < T ? 1 : tileRows(T * H * D * 4, shared);
  const pieces = [most * step * H * D * 4, step * P * 4, step * P * 4];
  withAddresses(core, pieces, ([xAt, cos, sin]) => {
    const at = { cos, sin };
    for (let b = 0; b < batches; ++b) {
      for (let t = 0; t < T; t += step) {
        const count = Math.min(step, T - t);
        const size = count * H * D;
        const turns = place(b, t, count, at);
        for (let n = 0; n < shared; n += most) {
          const runs = Math.min(most, shared - n);
          const first = ((b * shared + n) * T + t) * H * D;
          putPart(core, data, first, first + runs * size, xAt);
          // Runs of one position are rows of that position.
          const calls = T === 1 ? 1 : runs;
          const rows = (H * runs) / calls;
          for (let run = 0; run < calls; ++run) {
            const from = xAt + run * size * 4;
            checkStatus(
              raw.rope_rotate(from, turns.cos, turns.sin, count, rows, D, 2 * P, kind, inverse),
            );
          }
          take(core, xAt, runs * size, result, first);
        }
      }
    }
  });
}
