/** @import { Core } from "../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { Tensor, TensorInput } from "../../runtime/tensor.js" */
import * as arrays from "../../runtime/arrays.js";
import { readLengths } from "../../runtime/axes.js";
import * as check from "../../runtime/check.js";
import { checkStatus } from "../../runtime/errors.js";
import { withMemory, put, take, tileRows } from "../../runtime/memory.js";
import * as option from "../../runtime/options.js";
import { output, outputInt32 } from "../../runtime/result.js";
import { halves } from "../../runtime/seed.js";
import { asFloat32 } from "../../runtime/input.js";

/** The defaults of p and seed are those of Vaswani et al. and of every seeded function. */
const COMMON = () => ({
  /** The probability of dropping an element, from 0 to 1. */
  p: option.number({ default: 0.1, min: 0, max: 1 }),
  /** The mask depends on the seed alone. Pass another seed for every step and layer. */
  seed: option.seed(),
});

const APPLY = option.optionSet(() => ({
  ...COMMON(),
  /** Whether to drop elements. With false the result is x. */
  training: option.boolean(true),
  /** Filled instead of a new array. May be x itself. */
  out: option.out(),
}));

const MASK = option.optionSet(() => ({
  ...COMMON(),
  /** Filled instead of a new array. */
  out: option.outInt32(),
}));

/**
 * Inverted dropout from a seed (Srivastava et al. 2014).
 * @param {Core} core
 */
export function dropout(core) {
  /**
   * @typedef {(seedLow: number, seedHigh: number, first: number, N: number, p: number, at: number) => number} Kernel
   */
  const { raw } = core;

  /**
   * Runs a kernel over elements, tile by tile.
   * @param {Kernel} kernel @param {bigint} seed @param {number} p
   * @param {Float32Array | Int32Array} result @param {Float32Array} [input]
   */
  function overElements(kernel, seed, p, result, input) {
    const N = result.length;
    const step = tileRows(4, N);
    if (N === 0) return;
    withMemory(core, [step * 4], (at) => {
      for (let from = 0; from < N; from += step) {
        const count = Math.min(step, N - from);
        if (input) put(core, input.subarray(from, from + count), at);
        checkStatus(kernel(...halves(seed), from, count, p, at));
        take(core, at, count, result, from);
      }
    });
  }

  const module = {
    /**
     * Sets some elements to 0 and scales the others so that the expected value does not change.
     *
     *     out[i] = mask[i] ? x[i] / (1 - p) : 0          zeros alone with p = 1
     *
     * The gradient is the same call on the incoming gradient with the same p and seed:
     * `dropout.apply(gradient, { p, seed })`.
     * Accuracy: one rounding, within 0.501 ULP.
     *
     * @param {TensorInput} x  any shape; not changed unless it is `out`
     * @param {OptionsOf<typeof APPLY>} [options]
     * @returns {Tensor} float32, the shape of x
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Srivastava et al. 2014, Dropout: a simple way to prevent neural networks from
     *   overfitting, JMLR 15, section 4; Vaswani et al. 2017, https://arxiv.org/abs/1706.03762,
     *   section 5.4
     * @example
     * dropout.apply([1, 2, 3, 4, 5, 6], { p: 0.5, seed: 5 }).toArray()
     * // [0, 0, 6, 8, 0, 12]
     */
    apply(x, options = {}) {
      const { p, seed, training, out } = APPLY.read(options);
      const { data, shape } = asFloat32(x, "x");
      const result = output(out, shape);
      if (training) {
        const input = arrays.overlaps(data, result.data) ? data.slice() : data;
        overElements(raw.dropout_apply, seed, p, result.data, input);
      } else {
        result.data.set(data);
      }
      return result.done();
    },

    /**
     * Computes the mask of `apply`: 1 for the elements that it keeps, 0 for those that it drops.
     * Element i depends only on the seed and i.
     *
     *     mask[i] = 1 if w_i 2^-32 >= p, else 0,   w_i the i-th word of Philox4x32-10
     *
     * The probability of a 0 is p to within 2^-32.
     *
     * @param {number | ArrayLike<number>} shape  a length or a shape
     * @param {OptionsOf<typeof MASK>} [options]
     * @returns {Tensor<Int32Array>} int32, of the shape
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Salmon et al. 2011, Parallel random numbers: as easy as 1, 2, 3 (SC11), section 3.3
     * @example
     * dropout.mask(6, { p: 0.5, seed: 5 }).toArray()
     * // [0, 0, 1, 1, 0, 1]
     */
    mask(shape, options = {}) {
      const { p, seed, out } = MASK.read(options);
      const sizes = check.isObject(shape)
        ? readLengths(shape, "shape")
        : [check.integer(shape, "shape", 0)];
      const result = outputInt32(out, sizes);
      overElements(raw.dropout_mask, seed, p, result.data);
      return result.done();
    },
  };
  return option.withOptions(module, { apply: APPLY, mask: MASK });
}
