/** @import { Core } from "../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { Tensor, TensorInput } from "../../runtime/tensor.js" */
import * as arrays from "../../runtime/arrays.js";
import * as check from "../../runtime/check.js";
import { wrongShape } from "../../runtime/errors.js";
import { readMask } from "../../runtime/mask.js";
import { overRows } from "../../runtime/memory.js";
import * as option from "../../runtime/options.js";
import { output } from "../../runtime/result.js";
import { asFloat32 } from "../../runtime/input.js";

/** In the order of phasor::pooling::Mode. */
const MODES = /** @type {const} */ (["mean", "cls", "last", "weighted", "max", "mean-sqrt-len"]);

const MAX = MODES.indexOf("max");

/** In the order of phasor::pooling::Activation. */
const ACTIVATIONS = /** @type {const} */ (["identity", "tanh", "relu", "sigmoid", "silu"]);

/** The most modes side by side. */
const MOST_MODES = 64;

/** torch.nn.functional.normalize */
const EPS = 1e-12;

/** @typedef {typeof MODES[number]} Mode */

const APPLY = option.optionSet(() => ({
  /** Which tokens count: 1 or true, and 0 or false for padding, [B, T] or [T]. Default: all. */
  mask: option.tensor(),
  /**
   * How the tokens become one vector: `mean`, `cls` (the first), `last`, `weighted` (the mean with weights 1, 2, 3,
   * ... by position), `max`, or `mean-sqrt-len` (the sum divided by the square root of their number). A list gives
   * the vectors of several modes side by side.
   */
  mode: option.value(/** @type {Mode | readonly Mode[]} */ ("mean")),
  /** The number of columns to keep, the first ones, as Matryoshka models allow. Default: all. */
  dim: option.integer({ default: undefined }),
  /** Whether to divide each vector by its Euclidean length, after the columns are cut. */
  normalize: option.boolean(),
  /** The number of tokens to leave out at the beginning of each text, for models that do not pool their prompt. */
  promptLength: option.integer({ default: 0, min: 0 }),
  /** Filled instead of a new array. */
  out: option.out(),
}));

const DENSE = option.optionSet(() => ({
  /** One addend for each output [N]. Default: none. */
  bias: option.tensor(),
  /** The function that is applied to each output. */
  activation: option.choice(ACTIVATIONS),
  /** Filled instead of a new array. */
  out: option.out(),
}));

/**
 * Sentence vectors: the hidden states of a text's tokens pooled to one vector, as Sentence Transformers does, and the
 * linear layer behind it.
 * @param {Core} core
 */
export function pooling(core) {
  const { raw } = core;

  const module = {
    /**
     * Pools the hidden states of each text's tokens to one vector, keeps its first `dim` columns, then divides it by
     * its length if `normalize` is true.
     *
     *     mean            sum of x[b, t] / max(n, 1e-9)            over the n tokens t whose mask is 1
     *     cls             x[b, t] of the first token whose mask is 1
     *     last            x[b, t] of the last
     *     weighted        sum of w_t x[b, t] / max(sum of w_t, 1e-9),   w_t = 1, 2, 3, ... from the first on
     *     max             max of x[b, t, d]
     *     mean-sqrt-len   sum of x[b, t] / sqrt(max(n, 1e-9))
     *
     * Padding may be on either side: positions count from the first token whose mask is 1. A text without tokens has
     * the vector 0; with `max` -Infinity, which has no direction, so that `normalize` refuses it, and with `cls` that of
     * t = 0. What is in x at padding does not matter.
     * Accuracy: sums in double, rounded once after the division by the length.
     *
     * @param {TensorInput} x  hidden states [B, T, D] or [T, D]
     * @param {OptionsOf<typeof APPLY>} [options]
     * @returns {Tensor} float32 [B, W] or [W]; W is `dim`, or D times the number of modes
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range, or shapes do not agree
     * @see Reimers and Gurevych 2019, Sentence-BERT, https://arxiv.org/abs/1908.10084, section 3; Kusupati et al.
     *   2022, Matryoshka representation learning, https://arxiv.org/abs/2205.13147
     * @example
     * const hidden = [[[1, 2], [3, 6], [9, 9]]]; // the third token is padding
     * pooling.apply(hidden, { mask: [[1, 1, 0]] }).toArray()
     * // [[2, 4]]
     * pooling.apply(hidden, { mask: [[1, 1, 0]], mode: ["cls", "max"] }).toArray()
     * // [[1, 2, 3, 6]]
     * pooling.apply(hidden, { mask: [[1, 1, 0]], dim: 1, normalize: true }).toArray()
     * // [[1]]
     */
    apply(x, options = {}) {
      const { mask, mode, dim, normalize, promptLength, out } = APPLY.view(options);
      const { data, shape } = asFloat32(x, "x");
      const [T, D] = shape.slice(-2);
      if (shape.length < 2 || shape.length > 3 || T < 1 || D < 1) {
        throw wrongShape("x", "[B, T, D] or [T, D] with T and D >= 1", shape);
      }
      const batch = shape.slice(0, -2);
      const B = arrays.count(batch);
      const modes = readModes(mode);
      const most = Math.min(modes.length * D, 2 ** 31 - 1);
      const W = dim === undefined ? most : check.integer(dim, "dim", 1, most);
      const kept = mask === undefined ? undefined : maskOf(mask, batch, T);
      if (normalize && modes.includes(MAX)) refuseEmpty(kept, B, T, promptLength);
      const result = output(out, [...batch, W]);
      const pieces = /** @type {const} */ ([
        { data, row: T * D },
        { data: kept ?? new Int32Array(), row: kept ? T : 0 },
        { data: modes },
        { data: result.data, row: W, direction: "out" },
        W * 8, // scratch
      ]);
      const rule = { T, D, skip: promptLength, M: modes.length, W, eps: EPS, unit: normalize };
      overRows(core, B, pieces, (count, _, [x, mask, modes, out, scratch]) => {
        const masks = kept ? count * T : 0;
        return raw.pooling_pool({ x, mask, masks, B: count, modes, scratch, out, rule });
      });
      return result.done();
    },

    /**
     * Applies a linear layer and an activation, as the layer Dense of Sentence Transformers does to pooled vectors.
     *
     *     y[..., n] = f(sum_d x[..., d] weight[n, d] + bias[n])
     *
     * Accuracy: everything in double, rounded once.
     *
     * @param {TensorInput} x  [..., D]
     * @param {TensorInput} weight  [N, D]
     * @param {OptionsOf<typeof DENSE>} [options]
     * @returns {Tensor} float32 [..., N]
     * @throws {TypeError | RangeError} if an argument has the wrong type or shapes do not agree
     * @see Sentence Transformers, https://sbert.net/docs/package_reference/sentence_transformer/modules.html
     * @example
     * pooling.dense([[1, 2]], [[1, 0], [0, -1]], { bias: [0.5, 0], activation: "relu" }).toArray()
     * // [[1.5, 0]]
     */
    dense(x, weight, options = {}) {
      const { bias, activation, out } = DENSE.view(options);
      const { data, shape } = asFloat32(x, "x");
      const D = shape.at(-1) ?? 0;
      if (D < 1) {
        throw wrongShape("x", "[..., D] with D >= 1", shape);
      }
      const weights = asFloat32(weight, "weight");
      const N = weights.shape[0];
      if (weights.shape.length !== 2 || weights.shape[1] !== D) {
        throw wrongShape("weight", `[N, ${D}]`, weights.shape);
      }
      const addends = bias === undefined ? undefined : asFloat32(bias, "bias");
      if (addends && (addends.shape.length !== 1 || addends.shape[0] !== N)) {
        throw wrongShape("bias", `[${N}]`, addends.shape);
      }
      const resultShape = [...shape.slice(0, -1), N];
      const result = output(out, resultShape);
      const pieces = /** @type {const} */ ([
        { data, row: D },
        { data: weights.data },
        { data: addends?.data ?? new Float32Array() },
        { data: result.data, row: N, direction: "out" },
      ]);
      const sizes = { D, N, biases: addends ? N : 0, activation: ACTIVATIONS.indexOf(activation) };
      overRows(core, data.length / D, pieces, (B, _, [x, weight, bias, out]) =>
        raw.pooling_dense({ x, weight, bias, out, B, ...sizes }),
      );
      return result.done();
    },
  };
  return option.withOptions(module, { apply: APPLY, dense: DENSE });
}

/** The numbers of the modes for the kernel. @param {unknown} mode */
function readModes(mode) {
  const list = check.isList(mode) ? mode : [mode];
  if (list.length < 1 || list.length > MOST_MODES) {
    throw new RangeError(`mode must have from 1 to ${MOST_MODES} modes; got ${list.length}`);
  }
  return Int32Array.from(list, (each) => MODES.indexOf(check.oneOf(each, "mode", MODES)));
}

/**
 * Throws if a text has no tokens: the maximum of none is -Infinity, which divided by its length is NaN.
 * @param {Int32Array | undefined} kept  [B, T] @param {number} B @param {number} T @param {number} skip
 */
function refuseEmpty(kept, B, T, skip) {
  for (let b = 0; b < B; ++b) {
    const flags = kept?.subarray(b * T, (b + 1) * T) ?? new Int32Array(T).fill(1);
    const first = flags.indexOf(1);
    if (first >= 0 && flags.includes(1, first + skip)) continue;
    const [name, rule] = skip > 0 ? ["promptLength", "leave"] : ["mask", "have"];
    throw new RangeError(
      `${name} must ${rule} a token in each text for mode "max" with normalize; got none in text ${b}`,
    );
  }
}

/**
 * The mask of every token.
 * @param {TensorInput} mask @param {readonly number[]} batch @param {number} T
 */
function maskOf(mask, batch, T) {
  const { data, shape } = readMask(mask, "mask");
  const whole = [...batch, T];
  if (shape.join() === whole.join()) return data;
  if (shape.length !== 1 || shape[0] !== T) {
    const rule = batch.length === 0 ? `[${T}]` : `[${whole.join(", ")}] or [${T}]`;
    throw wrongShape("mask", rule, shape);
  }
  const all = arrays.int32s(arrays.count(whole), "the mask");
  for (let at = 0; at < all.length; at += T) all.set(data, at);
  return all;
}
