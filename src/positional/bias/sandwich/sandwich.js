/** @import { Tensor } from "../../../runtime/tensor.js" */
/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../../runtime/options.js" */
import * as arrays from "../../../runtime/arrays.js";
import * as check from "../../../runtime/check.js";
import { overRows } from "../../../runtime/memory.js";
import * as option from "../../../runtime/options.js";
import { distanceBias } from "../distance.js";

const BIAS = option.optionSet(() => ({
  /** The number of keys Tk. Default: `length`. */
  keys: option.integer({ min: 0 }),
  /** The position of the first query. Default: keys - length, so that the last query sees the last key. */
  offset: option.value(/** @type {number | undefined} */ (undefined)),
  /** Sets the bias of keys after the query to -Infinity. Without it the bias is symmetric in distance. */
  causal: option.boolean(),
  /** The width D of the sinusoidal encodings, even. */
  dim: option.integer({ default: 128, min: 2, step: 2 }),
  /** The base of the frequencies, at least 1. */
  base: option.number({ default: 10000, min: 1 }),
  /** Filled instead of a new array. */
  out: option.out(),
}));

/**
 * Sandwich, the inner product of sinusoidal encodings as a bias (Chi et al. 2022).
 * @param {Core} core
 */
export function sandwich(core) {
  const { raw } = core;

  const module = {
    /**
     * Computes the bias that Sandwich adds to the logits: the inner product of sinusoidal encodings of
     * width D, scaled down from head to head. It has no learned parameters.
     *
     *     (sum over k = 1 .. D/2 of cos((i - j) base^(-2k/D)) - D/2) / (8 (h + 1) / H)
     *
     * Accuracy: <= 0.501 ULP for distances up to 4096 and base 10000.
     *
     * @param {number} heads  H
     * @param {number} length  queries Tq
     * @param {OptionsOf<typeof BIAS>} [options]
     * @returns {Tensor} float32 [H, Tq, Tk]
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Chi et al. 2022, Dissecting transformer length extrapolation via the lens of receptive field
     *   analysis, https://arxiv.org/abs/2212.10356
     * @example
     * sandwich.bias(1, 1, { keys: 2, dim: 2, base: 1 }).toArray()
     * // [[[-0.057462211698293686, 0]]]
     */
    bias(heads, length, options = {}) {
      const { causal, dim: D, base, ...span } = BIAS.read(options);
      const H = check.integer(heads, "heads");
      const P = check.pairs(D);
      return distanceBias(H, length, span, (from, N) => {
        const values = arrays.float32s(N * H, "the values");
        const pieces = [
          P * 8, // doubles
          /** @type {const} */ ({ data: values, row: H, direction: "out" }),
        ];
        overRows(core, N, pieces, (count, k, [workspace, outPtr]) =>
          raw.sandwich_line(from + k, count, H, base, causal, workspace, P, outPtr),
        );
        return values.map((_, k) => values[(k % N) * H + Math.floor(k / N)]);
      });
    },
  };
  return option.withOptions(module, { bias: BIAS }, { method: "bias", family: "bias" });
}
