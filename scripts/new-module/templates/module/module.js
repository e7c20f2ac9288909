/** @import { Core } from "__UP__/../runtime/wasm.js" */
/** @import { Piece } from "__UP__/../runtime/memory.js" */
/** @import { OptionsOf } from "__UP__/../runtime/options.js" */
/** @import { Tensor } from "__UP__/../runtime/tensor.js" */
import * as check from "__UP__/../runtime/check.js";
import { overRows } from "__UP__/../runtime/memory.js";
import * as option from "__UP__/../runtime/options.js";
import { output } from "__UP__/../runtime/result.js";

const TABLE = option.optionSet(() => ({
  /** FILL IN each option: a sentence that stands alone in a tooltip. */
  out: option.out(),
}));

/**
 * __TITLE__: FILL IN what it is, with author and year.
 * @param {Core} core
 */
export function __EXPORT__(core) {
  const { raw } = core;

  const module = {
    /**
     * FILL IN: Computes ...
     *
     *     table[t, d] = FILL IN
     *
     * @param {number} length  positions T
     * @param {number} dim  width D
     * @param {OptionsOf<typeof TABLE>} [options]
     * @returns {Tensor} float32 [T, D]
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @example
     * __EXPORT__.table(2, 1).toArray()
     * // [[0], [1]]
     */
    table(length, dim, options = {}) {
      const { out } = TABLE.read(options);
      const T = check.integer(length, "length", 0);
      const D = check.integer(dim, "dim");
      const result = output(out, [T, D]);
      /** @type {Piece[]} */
      const pieces = [{ data: result.data, row: D, direction: "out" }];
      overRows(core, T, pieces, (rows, from, [at]) => raw.__NAME___table(from, rows, D, at));
      return result.done();
    },
  };
  return option.withOptions(module, { table: TABLE });
}
