/** @import { Core } from "__UP__/../runtime/wasm.js" */
/** @import { Piece } from "__UP__/../runtime/memory.js" */
/** @import { OptionsOf } from "__UP__/../runtime/options.js" */
/** @import { Tensor } from "__UP__/../runtime/tensor.js" */
import * as arrays from "__UP__/../runtime/arrays.js";
import * as check from "__UP__/../runtime/check.js";
import { overRows } from "__UP__/../runtime/memory.js";
import * as option from "__UP__/../runtime/options.js";
import { distanceBias } from "../distance.js";

const BIAS = option.optionSet(() => ({
  /** The number of keys Tk. Default: `length`. */
  keys: option.integer({ min: 0 }),
  /** The position of the first query. Default: keys - length, so that the last query sees the last key. */
  offset: option.value(/** @type {number | undefined} */ (undefined)),
  /** Sets the bias of keys after the query to -Infinity. Without it the bias is symmetric in distance. */
  causal: option.boolean(),
  /** FILL IN each option: a sentence that stands alone in a tooltip. */
  scale: option.number({ default: 1, min: 0, max: 1024 }),
  /** Filled instead of a new array. */
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
     * FILL IN: Computes the bias that ...
     *
     *     bias[h, i, j] = FILL IN of |i - j|
     *
     * Accuracy: FILL IN.
     *
     * @param {number} heads  H
     * @param {number} length  queries Tq
     * @param {OptionsOf<typeof BIAS>} [options]
     * @returns {Tensor} float32 [H, Tq, Tk]
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see FILL IN author year, title, https://arxiv.org/abs/NUMBER, section
     * @example
     * __EXPORT__.bias(1, 1, { keys: 3 }).toArray()
     * // [[[-2, -1, 0]]]
     */
    bias(heads, length, options = {}) {
      const { causal, scale, ...span } = BIAS.read(options);
      const H = check.integer(heads, "heads");
      return distanceBias(H, length, span, (from, N) => {
        const lines = arrays.float32s(H * N, "the lines");
        /** @type {Piece[]} */
        const pieces = [{ data: lines, row: N, direction: "out" }];
        overRows(core, H, pieces, (rows, head, [at]) =>
          raw.__NAME___line(head, rows, H, from, scale, causal, at, N),
        );
        return lines;
      });
    },
  };
  return option.withOptions(module, { bias: BIAS }, { method: "bias", family: "bias" });
}
