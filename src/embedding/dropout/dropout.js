/** @import { Core, Raw } from "../../runtime/wasm.js" */
/** @import { TensorInput } from "../../runtime/tensor.js" */
import * as check from "../../runtime/check.js";
import { checkStatus } from "../../runtime/errors.js";
import { withMemory, put, take, tileRows } from "../../runtime/memory.js";
import { halves, readSeed } from "../../runtime/seed.js";
import { asFloat32, Tensor } from "../../runtime/tensor.js";

const MODES = /** @type {const} */ (["train", "evaluate"]);

/**
 * Dropout (Srivastava et al. 2014), inverted and seeded.
 * @param {Core} core
 */
export function dropout(core) {
  /**
   * @typedef {(seedLow: number, seedHigh: number, first: number, N: number, p: number, at: number) => number} Kernel
   */
  const raw = /** @type {Raw & {dropout_mask: Kernel, dropout_apply: Kernel}} */ (core.raw);

  /**
   * Run a kernel over elements, tile by tile.
   * @param {string} where @param {Kernel} kernel @param {bigint} seed @param {number} p
   * @param {Float32Array | Int32Array} result @param {Float32Array} [given]
   */
  function overElements(where, kernel, seed, p, result, given) {
    const N = result.length;
    const step = tileRows(4, N);
    if (N === 0) return;
    withMemory(core, where, [step * 4], (at) => {
      for (let from = 0; from < N; from += step) {
        const count = Math.min(step, N - from);
        if (given) put(core, given.subarray(from, from + count), at);
        checkStatus(kernel(...halves(seed), from, count, p, at), where);
        take(core, at, count, result, from);
      }
    });
  }

  return {
    /**
     * Some elements set to 0, the others enlarged so that the mean stays.
     *
     *     out[i] = mask[i] ? x[i] / (1 - p) : 0
     *
     * Inverted, so that evaluation needs no factor: in mode `evaluate` the result is x. The gradient
     * is the same call on the incoming gradient, with the same p and seed: `dropout.apply(gradient,
     * { p, seed })`. Accuracy: one rounding, within 0.501 ULP.
     *
     * @param {TensorInput} x  any shape; not changed unless it is `out`
     * @param {object} [options]
     * @param {number} [options.p]  the chance of an element to be dropped, 0 <= p < 1; default 0.1
     *   as in Vaswani et al.
     * @param {number | bigint} [options.seed]  0 .. 2^64-1; default 0. Take another for every step
     *   and layer: the mask depends on it alone
     * @param {typeof MODES[number]} [options.mode]  `train` (default) or `evaluate`
     * @param {Float32Array | Tensor} [options.out]  filled instead of a new array; may be x itself
     * @returns {Tensor} float32, the shape of x; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see Srivastava et al. 2014, Dropout: a simple way to prevent neural networks from
     *   overfitting, JMLR 15, section 4; Vaswani et al. 2017, https://arxiv.org/abs/1706.03762,
     *   section 5.4
     * @example
     * dropout.apply([1, 2, 3, 4, 5, 6], { p: 0.5, seed: 5 }).toArray()
     * // [0, 0, 6, 8, 0, 12]
     */
    apply(x, options = {}) {
      const where = "dropout.apply";
      const defaults = { p: 0.1, seed: 0, mode: "train", out: undefined };
      const given = check.options(options, defaults, where);
      const p = readChance(given.p);
      const seed = readSeed(given.seed);
      const mode = check.oneOf(given.mode, "mode", MODES);
      const { data, shape } = asFloat32(x, "x");
      const result = check.destination(given.out, shape);
      if (mode === "evaluate") {
        result.set(data);
      } else {
        const from = check.overlaps(data, result) ? data.slice() : data;
        overElements(where, raw.dropout_apply, seed, p, result, from);
      }
      return new Tensor(result, shape);
    },

    /**
     * Which elements `apply` keeps: 1 kept, 0 dropped. Element i depends on the seed and i alone.
     *
     *     mask[i] = 1 if w_i 2^-32 >= p, else 0,   w_i the i-th word of Philox4x32-10
     *
     * @param {number | readonly number[]} shape  a length or a shape
     * @param {object} [options]
     * @param {number} [options.p]  the chance of a 0, 0 <= p < 1, to within 2^-32; default 0.1
     * @param {number | bigint} [options.seed]  0 .. 2^64-1; default 0
     * @param {Int32Array | Tensor<Int32Array>} [options.out]  filled instead of a new array
     * @returns {Tensor<Int32Array>} int32, of the shape; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see Salmon et al. 2011, Parallel random numbers: as easy as 1, 2, 3 (SC11), section 3.3
     * @example
     * dropout.mask(6, { p: 0.5, seed: 5 }).toArray()
     * // [0, 0, 1, 1, 0, 1]
     */
    mask(shape, options = {}) {
      const where = "dropout.mask";
      const given = check.options(options, { p: 0.1, seed: 0, out: undefined }, where);
      const p = readChance(given.p);
      const seed = readSeed(given.seed);
      const list = Array.isArray(shape) ? shape : [shape];
      const sizes = Array.from(list, (size) => check.integer(size, "shape", 0));
      const result = check.destinationInt32(given.out, sizes);
      overElements(where, raw.dropout_mask, seed, p, result);
      return new Tensor(result, sizes);
    },
  };
}

/** @param {unknown} p */
function readChance(p) {
  return check.finite(p, "p", "a number from 0 to below 1", (number) => number >= 0 && number < 1);
}
