/** @import { Core, Raw } from "__UP__/../runtime/wasm.js" */
import * as check from "__UP__/../runtime/check.js";
import { overRows } from "__UP__/../runtime/memory.js";
import { Tensor } from "__UP__/../runtime/tensor.js";

/**
 * __TITLE__: FILL IN what it is, with author and year.
 * @param {Core} core
 */
export function __EXPORT__(core) {
  const raw =
    /**
     * @type {Raw & {__NAME___table(first: number, T: number, D: number, out: number): number}}
     */ (core.raw);

  return {
    /**
     * FILL IN: what each element is.
     *
     *     table[t, d] = FILL IN
     *
     * @param {number} length  positions T
     * @param {number} dim  width D
     * @param {{out?: Float32Array | Tensor}} [options]  `out` is filled instead of a new array
     * @returns {Tensor} float32 [T, D]; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @example
     * __EXPORT__.table(2, 1).toArray()
     * // [[0], [1]]
     */
    table(length, dim, options = {}) {
      const where = "__EXPORT__.table";
      const { out } = check.options(options, { out: undefined }, where);
      const T = check.integer(length, "length", 0);
      const D = check.integer(dim, "dim");
      const result = check.destination(out, [T, D]);
      const pieces = [/** @type {const} */ ({ data: result, row: D, way: "out" })];
      overRows(core, where, T, pieces, (rows, from, [at]) => raw.__NAME___table(from, rows, D, at));
      return new Tensor(result, [T, D]);
    },
  };
}
