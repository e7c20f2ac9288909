/** @import { Core } from "../../runtime/wasm.js" */
/** @import { Rows } from "../../runtime/table.js" */
import { checkStatus } from "../../runtime/errors.js";
import { put, take } from "../../runtime/memory.js";

/** The most rows of a tile: four columns of this many rows fit into the first-level cache. */
export const MOST_ROWS = 256;

/**
 * Runs a kernel over tiles of rows.
 * @typedef {(kernel: (tileAt: number, count: number, from: number) => number) => void} OverTiles
 */

/**
 * @param {{N: number, place: Rows["place"]}} rows @param {number} step @param {number} tile
 * @param {Parameters<OverTiles>[0]} kernel
 * @param {number} [first] @param {number} [end]  the rows, if not all
 */
export function tilesOf(rows, step, tile, kernel, first = 0, end = rows.N) {
  for (let from = first; from < end; from += step) {
    const count = Math.min(step, end - from);
    checkStatus(kernel(rows.place(from, count, tile), count, from));
  }
}

/**
 * Computes the mean of rows, and leaves it at an address too.
 * @param {Core} core @param {Rows} rows @param {OverTiles} overTiles @param {number} meanAt
 */
export function meanOf(core, { N, D }, overTiles, meanAt) {
  const mean = new Float64Array(D);
  put(core, mean, meanAt);
  overTiles((tileAt, count) => core.raw.pca_add_columns(tileAt, count, D, meanAt));
  take(core, meanAt, D, mean);
  if (!mean.every(Number.isFinite)) refuseInfinite(core, "x", D, overTiles);
  for (let d = 0; d < D; ++d) mean[d] /= N;
  put(core, mean, meanAt);
  return mean;
}

/** Names the first number that is not finite. @param {Core} core @param {string} name @param {number} D @param {OverTiles} overTiles */
export function refuseInfinite(core, name, D, overTiles) {
  overTiles((tileAt, count, from) => {
    const numbers = core.raw.HEAPF32.subarray(tileAt >>> 2, (tileAt >>> 2) + count * D);
    const bad = numbers.findIndex((x) => !Number.isFinite(x));
    if (bad < 0) return 0;
    throw new RangeError(
      `${name} must contain finite numbers; got ${numbers[bad]} at ${from * D + bad}`,
    );
  });
}

/** Sets doubles to 0. @param {Core} core @param {number} at @param {number} count */
export function clear(core, at, count) {
  core.raw.HEAPF64.fill(0, at / 8, at / 8 + count);
}

/** A copy of doubles. @param {Core} core @param {number} at @param {number} count */
export function doublesAt(core, at, count) {
  const numbers = new Float64Array(count);
  take(core, at, count, numbers);
  return numbers;
}
