/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../../runtime/options.js" */
/** @import { TensorInput } from "../../../runtime/tensor.js" */
import * as arrays from "../../../runtime/arrays.js";
import * as check from "../../../runtime/check.js";
import { wrongShape } from "../../../runtime/errors.js";
import { overRows } from "../../../runtime/memory.js";
import * as option from "../../../runtime/options.js";
import { output } from "../../../runtime/result.js";
import { halves } from "../../../runtime/seed.js";
import { readSpan } from "../../../runtime/span.js";
import { asFloat32 } from "../../../runtime/input.js";
import { Tensor } from "../../../runtime/tensor.js";

const BIAS = option.optionSet(() => ({
  /** The number of keys Tk. Default: `length`. */
  keys: option.integer({ min: 0 }),
  /** The position of the first query. Default: keys - length, so that the last query sees the last key. */
  offset: option.value(/** @type {number | undefined} */ (undefined)),
  /** Sets the bias of keys after the query to -Infinity. Without it the bias is symmetric in distance. */
  causal: option.boolean(),
  /** The scale c of the distance inside the logarithm, above 0. Training begins with 0.1. */
  c: option.number({ default: 0.1, above: 0, max: check.MOST }),
  /** The learned |L|: from this position on, the distance is normalized by the query's position. Training begins with 512. */
  threshold: option.number({ default: 512, min: 0, max: check.MOST }),
  /** Filled instead of a new array. */
  out: option.out(),
}));

const WEIGHTS = option.optionSet(() => ({
  /** The number of hidden units M. */
  hidden: option.integer({ default: 32 }),
  /** The seed of the random numbers, 0 .. 2^64-1. */
  seed: option.seed(),
}));

/**
 * The network of M hidden units, `nn.Sequential(Linear(1, M), ReLU(), Linear(M, H))`.
 * @typedef {object} FireWeights
 * @property {TensorInput} w1  the weights of the first layer, [M] or [M, 1]
 * @property {TensorInput} b1  the bias of the first layer, [M]
 * @property {TensorInput} w2  the weights of the second layer, [H, M]
 * @property {TensorInput} b2  the bias of the second layer, [H]
 */

/**
 * FIRE, a small network of the distance, normalized by the query's position (Li et al. 2023).
 * @param {Core} core
 */
export function fire(core) {
  const { raw } = core;

  const module = {
    /**
     * Computes the bias that FIRE adds to the logits.
     *
     *     x = ln(1 + c |i - j|) / (ln(1 + c max(i, threshold)) + 1e-6)
     *     bias[h, i, j] = b2_h + sum over m of w2_hm max(w1_m x + b1_m, 0)
     *
     * Accuracy: in double, rounded once.
     *
     * @param {FireWeights} weights  learned, or from `fire.weights`
     * @param {number} length  queries Tq
     * @param {OptionsOf<typeof BIAS>} [options]
     * @returns {Tensor} float32 [H, Tq, Tk]
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Li et al. 2023, Functional interpolation for relative positions improves long context
     *   transformers, https://arxiv.org/abs/2310.04418
     * @example
     * const line = { w1: [1], b1: [0], w2: [[-1]], b2: [0.25] };
     * fire.bias(line, 1, { keys: 2, c: 1, threshold: 3 }).toArray()
     * // [[[-0.24999964237213135, 0.25]]]
     */
    bias(weights, length, options = {}) {
      const { keys, offset, causal, c, threshold, out } = BIAS.read(options);
      const { w1, b1, w2, b2 } = readWeights(weights);
      const { Tq, Tk, first } = readSpan(length, keys, offset);
      const [H, M] = [b2.length, b1.length];
      const line = { M, H, c, threshold, first, Tq, Tk, causal };
      const shape = [H, Tq, Tk];
      const result = output(out, shape);
      const pieces = /** @type {const} */ ([
        { data: w1 },
        { data: b1 },
        { data: w2 },
        { data: b2 },
        { data: result.data, row: Tk, direction: "out" },
      ]);
      overRows(core, Tk === 0 ? 0 : H * Tq, pieces, (rows, row, ptrs) => {
        const [w1, b1, w2, b2, out] = ptrs;
        return raw.fire_bias({ w1, b1, w2, b2, out, row, rows, line });
      });
      return result.done();
    },

    /**
     * Draws the network's initial weights as PyTorch initializes its Linear layers: uniform in [-1, 1)
     * in the first layer, and in [-1/sqrt(M), 1/sqrt(M)) in the second.
     *
     * @param {number} heads  H
     * @param {OptionsOf<typeof WEIGHTS>} [options]
     * @returns {{w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor}} float32 [M], [M], [H, M], [H]
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Li et al. 2023, FIRE, https://arxiv.org/abs/2310.04418; PyTorch, torch.nn.Linear
     * @example
     * fire.weights(12).w2.shape
     * // [12, 32]
     */
    weights(heads, options = {}) {
      const { hidden: M, seed } = WEIGHTS.read(options);
      const H = check.integer(heads, "heads");
      const [low, high] = halves(seed);
      const all = arrays.float32s(2 * M + H * M + H, "the weights");
      const pieces = [/** @type {const} */ ({ data: all, row: all.length, direction: "out" })];
      overRows(core, 1, pieces, (_, __, [outPtr]) => raw.fire_weights(low, high, H, M, outPtr));
      let next = 0;
      const part = (/** @type {number[]} */ ...shape) => {
        const size = arrays.count(shape);
        return new Tensor(all.slice(next, (next += size)), shape);
      };
      return { w1: part(M), b1: part(M), w2: part(H, M), b2: part(H) };
    },
  };
  return option.withOptions(module, { bias: BIAS, weights: WEIGHTS });
}

const LAYERS = ["w1", "b1", "w2", "b2"];

/** @param {unknown} weights */
function readWeights(weights) {
  const layers = Object(check.parts(weights, LAYERS, "weights"));
  const [w1, b1, w2, b2] = LAYERS.map((name) => readLayer(layers[name], name));
  const [M, H] = [b1.data.length, b2.data.length];
  checkShape(b1, [M]);
  checkShape(b2, [H]);
  checkShape(w1, [M], [M, 1]);
  checkShape(w2, [H, M]);
  return { w1: w1.data, b1: b1.data, w2: w2.data, b2: b2.data };
}

/** @typedef {{name: string, data: Float64Array, shape: readonly number[]}} Layer */

/** @param {unknown} value @param {string} name @returns {Layer} */
function readLayer(value, name) {
  const { data, shape } = asFloat32(value, `weights.${name}`);
  const odd = data.findIndex((x) => !Number.isFinite(x));
  if (odd >= 0) throw new RangeError(`weights.${name} must be finite; got ${data[odd]} at ${odd}`);
  return { name, data: Float64Array.from(data), shape };
}

/** @param {Layer} layer @param {number[][]} shapes  one of them */
function checkShape({ name, shape }, ...shapes) {
  if (shapes.some((allowed) => allowed.join() === shape.join())) return;
  throw wrongShape(`weights.${name}`, `[${shapes[0].join(", ")}]`, shape);
}
