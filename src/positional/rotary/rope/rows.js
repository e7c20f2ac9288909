/** @import { Core } from "../../../runtime/wasm.js" */
import * as check from "../../../runtime/check.js";
import { checkStatus } from "../../../runtime/errors.js";
import { put, take, tileRows, withMemory } from "../../../runtime/memory.js";

/**
 * The rows of queries or keys: N runs of T positions, each of H rows of D numbers.
 * @typedef {{N: number, T: number, H: number, D: number}} Rows
 *
 * Addresses of cosines and sines, [T, P] each.
 * @typedef {{cos: number, sin: number}} Turns
 */

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
    throw new RangeError(`${name} must have shape ${least}; got [${shape.join(", ")}]`);
  }
  return {
    B: at > 0 ? shape[0] : 1,
    N: check.count(shape.slice(0, at)),
    T: shape[at],
    H: axis === -3 ? shape[at + 1] : 1,
    D: shape[shape.length - 1],
  };
}

/**
 * Rotates rows tile by tile over positions, so that each piece of the table comes in once for all runs that
 * share it; as many runs at once as a tile holds.
 *
 * @param {Core} core @param {Float32Array} data @param {Float32Array} result  as long as data
 * @param {Rows & {P: number, batches: number}} sizes  `batches`: how many tables the runs have, in order
 * @param {{kind: number, inverse: boolean}} how  `kind`: phasor::rope::Layout
 * @param {string} where
 * @param {(batch: number, t: number, count: number, at: Turns) => Turns} place  copies the turns of `count`
 *   positions of a table from t on to addresses, or returns where they are
 */
export function rotateRows(core, data, result, sizes, { kind, inverse }, where, place) {
  const { raw } = core;
  const { N, T, H, D, P, batches } = sizes;
  const step = tileRows(H * D * 4, T);
  const shared = batches === 0 ? 0 : N / batches;
  const most = step < T ? 1 : tileRows(T * H * D * 4, shared);
  const pieces = [most * step * H * D * 4, step * P * 4, step * P * 4];
  withMemory(core, where, pieces, (xAt, cos, sin) => {
    const at = { cos, sin };
    for (let b = 0; b < batches; ++b) {
      for (let t = 0; t < T; t += step) {
        const count = Math.min(step, T - t);
        const size = count * H * D;
        const turns = place(b, t, count, at);
        for (let n = 0; n < shared; n += most) {
          const runs = Math.min(most, shared - n);
          const first = ((b * shared + n) * T + t) * H * D;
          put(core, data.subarray(first, first + runs * size), xAt);
          // Runs of one position are rows of that position.
          const calls = T === 1 ? 1 : runs;
          const rows = (H * runs) / calls;
          for (let run = 0; run < calls; ++run) {
            const from = xAt + run * size * 4;
            checkStatus(
              raw.rope_rotate(from, turns.cos, turns.sin, count, rows, D, 2 * P, kind, inverse),
              where,
            );
          }
          take(core, xAt, runs * size, result, first);
        }
      }
    }
  });
}
