/** @import { Core } from "../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { FloatOut, TensorInput } from "../../runtime/tensor.js" */
/** @import { RotaryTable } from "../../positional/rotary/rope/rope.js" */
/** @import { Heads } from "../../runtime/heads.js" */
import * as arrays from "../../runtime/arrays.js";
import * as check from "../../runtime/check.js";
import { wrongShape } from "../../runtime/errors.js";
import { apart, mustAgree, readHeads, shapeOf } from "../../runtime/heads.js";
import { fillLinear } from "../../runtime/linear.js";
import { overRows } from "../../runtime/memory.js";
import * as option from "../../runtime/options.js";
import { output } from "../../runtime/result.js";
import { asFloat32 } from "../../runtime/input.js";
import { Tensor } from "../../runtime/tensor.js";
import { readParts } from "../../positional/rotary/rope/convert.js";
import { rotateBy } from "../../positional/rotary/rope/rows.js";
import { readBias, readKeyLengths, readKeyMask } from "./bias.js";
import { tiles } from "./tiles.js";

/** phasor::linear::Sums, in its order. */
const SUMS = /** @type {const} */ (["float32", "float64"]);

/** The option of every function that multiplies. */
const sumOptions = () => ({
  /**
   * In what products are added up: blocks of them in float32 and the blocks in double, but fewer than 32 all in
   * double; or all in double. A block has 32 products, of fewer than 128 products 16, of fewer than 64 products 4.
   */
  accumulate: option.choice(SUMS),
});

/** The options of every function that computes logits. */
const logitOptions = () => ({
  ...sumOptions(),
  /** Multiplies the products q.k. Default: 1/sqrt(D). T5 uses 1. */
  scale: option.number(),
  /** Logits become softcap * tanh(logit / softcap) before the bias is added. Gemma 2 uses 50. At most 1e30. Default: none. */
  softcap: option.number({ above: 0, max: 1e30 }),
  /** Added to the scaled logits, [B, H, Tq, Tk]; leading axes may be left out and any may be 1. -Infinity masks. */
  bias: option.tensor(),
  /** Whether query r, at position r + Tk - Tq, attends only to keys up to its position. */
  causal: option.boolean(),
  /**
   * The keys to attend to, 1 or true, and the keys to ignore, 0 or false; [B, Tk] or [Tk]. The opposite of the
   * key_padding_mask of nn.MultiheadAttention, whose True ignores a key.
   */
  keyMask: option.tensor(),
  /** Rotates q and k first: one table of `rope.table` for both, or { q, k }. */
  rope: option.value(
    /** @type {{cos: TensorInput, sin: TensorInput} | {q: RotaryTable, k: RotaryTable} | undefined} */ (
      undefined
    ),
  ),
  /** The layout of the rotation. HF uses `halves`. Left out, that of a table of `axialRope`. */
  layout: option.choice(["halves", "interleaved"]),
  /** The rotated width R of a head of which only R components turn, as in GPT-NeoX; the others are copied. Default: the whole head. */
  dim: option.integer({ min: 0 }),
  /** The first of the components that turn, where others come before them, as in DeepSeek V4. */
  start: option.integer({ default: 0, min: 0 }),
  /** Whether to rotate back, which is also the gradient. */
  inverse: option.boolean(),
});

/** The options of every function of queries and keys. */
const headOptions = () => ({
  ...logitOptions(),
  /** The axis of q, k and v that holds positions: -2, or -3 for [B, T, H, D]. */
  axis: option.integer({ default: -2, min: -3, max: -2 }),
  /** How many of the Tk keys are in use, or [B], how many of each text; the others are not read. Default: Tk. */
  keyLength: option.value(/** @type {TensorInput | undefined} */ (undefined)),
});

const SCALED_DOT_PRODUCT = option.optionSet(() => ({
  ...headOptions(),
  /** Whether the weights are returned. */
  weights: option.boolean(true),
  /** Filled instead of new arrays. */
  out: option.value(/** @type {{output: FloatOut, weights?: FloatOut} | undefined} */ (undefined)),
}));

const SCORES = option.optionSet(() => ({
  ...headOptions(),
  /** Filled instead of a new array. */
  out: option.out(),
}));

const SOFTMAX = option.optionSet(() => ({
  /** Filled instead of a new array. It may be the scores. */
  out: option.out(),
}));

const LINEAR = option.optionSet(() => ({
  ...sumOptions(),
  /** Added to each row, [N]. Default: none. */
  bias: option.tensor(),
  /** Filled instead of a new array. */
  out: option.out(),
}));

const MULTI_HEAD = option.optionSet(() => ({
  ...logitOptions(),
  /** The number of heads H, which divides E. Required. */
  heads: option.integer(),
  /** W_in [3 E, E], the rows of q, k and v in this order. Required. */
  inProjection: option.tensor(),
  /** b_in [3 E]. Default: none. */
  inBias: option.tensor(),
  /** W_out [E, E]. Required. */
  outProjection: option.tensor(),
  /** b_out [E]. Default: none. */
  outBias: option.tensor(),
}));

/**
 * The result of attention by its option `weights`: there may be some where that is a boolean of either value.
 * @template {boolean} Shown
 * @typedef {[Shown] extends [false] ? {output: Tensor} : boolean extends Shown ? {output: Tensor, weights?: Tensor} : {output: Tensor, weights: Tensor}} Attended
 */

/**
 * The values of `logitOptions`.
 * @typedef {object} LogitOptions
 * @property {"float32" | "float64"} accumulate
 * @property {number | undefined} scale
 * @property {number | undefined} softcap
 * @property {unknown} bias
 * @property {boolean} causal
 * @property {unknown} keyMask
 * @property {unknown} rope
 * @property {number} [dim]
 * @property {number} start
 * @property {boolean} inverse
 * @property {{layout?: "halves" | "interleaved", dim?: number, start?: number, inverse?: boolean}} given  as the call
 *   names them: the default of the layout is that of the table
 * @property {unknown} [keyLength]
 */

/**
 * Scaled dot-product and multi-head attention (Vaswani et al. 2017) with any positional scheme: a bias,
 * rotated queries and keys, or none.
 * @param {Core} core
 */
export function attention(core) {
  const { raw } = core;
  const computeTiles = tiles(core);
  const kernels = {
    float32: raw.attention_linear_layer_f32,
    float64: raw.attention_linear_layer_f64,
  };

  const module = {
    /**
     * Computes attention: for every query the weighted mean of the values, and the weights.
     *
     *     weights = softmax(scale q k^T + bias),   output[i] = sum_j weights[i, j] v[j]
     *
     * q [B, H, Tq, D], k [B, Hk, Tk, D], v [B, Hk, Tk, Dv]; the batch axis, or it and the heads' axis,
     * may be left out of all three. If k and v have fewer heads (Hk divides H), query head h uses key head
     * floor(h / (H / Hk)). The weights and output of a query without any key are zeros; a masked key
     * contributes nothing, even if its key or value is NaN.
     * With `axis: -3`, q, k, v and the output are [B, T, H, D], or without the batch axis [T, H, D].
     * k and v may be longer than the keys in use, as a cache is: of the keys from `keyLength` on nothing is
     * read, their weights are 0, and all else is as of k and v that end there, bit for bit.
     * Accuracy: weights within 1.2e-7 relative of the softmax of the float32 logits (`scores`); output
     * within (B / 2 + 2) 2^-24 sum_j |weights[i, j] v[j]| of their weighted sum, B as `scores` states
     * for as many products as the query sees keys, and rounded once, in the range that `scores` states. For fewer than 32 keys and
     * with `accumulate: "float64"` the sum is in double, in any range.
     *
     * @template {boolean} [Shown=true]
     * @param {{q: TensorInput, k: TensorInput, v: TensorInput}} inputs  queries, keys and values
     * @param {OptionsOf<typeof SCALED_DOT_PRODUCT> & {weights?: Shown}} [options]
     * @returns {Attended<Shown>} float32
     *   [B, H, Tq, Dv] and [B, H, Tq, Tk], with the axes that q has; with `weights: false` the output alone
     * @throws {TypeError | RangeError} if an argument has the wrong type or shapes do not agree
     * @see Vaswani et al. 2017, Attention is all you need, https://arxiv.org/abs/1706.03762, section 3.2
     * @see Ainslie et al. 2023, GQA, https://arxiv.org/abs/2305.13245 (grouped heads)
     * @example
     * const k = [[1, 0], [0, 1]];
     * attention.scaledDotProduct({ q: [[0, 0]], k, v: [[2], [4]] }).output.toArray()
     * // [[3]]
     * const cache = [[1], [2], [NaN]]; // the third is not in use yet
     * const step = { q: [[0]], k: cache, v: cache };
     * attention.scaledDotProduct(step, { keyLength: 2, weights: false }).output.toArray()
     * // [[1.5]]
     */
    scaledDotProduct(inputs, options = {}) {
      const { q, k, v } = readInputs(inputs);
      const { out, axis, weights, ...logits } = SCALED_DOT_PRODUCT.read(options);
      const heads = {
        q: readHeads(q, "q", axis),
        k: readHeads(k, "k", axis),
        v: readHeads(v, "v", axis),
      };
      mustAgree(heads.v, "v", heads.q, { T: heads.k.T, H: heads.k.H });
      const parts = check.parts(out, weights ? ["output", "weights"] : ["output"]);
      const into = parts ? { output: parts.output ?? null, weights: parts.weights ?? null } : {};
      const attended = compute(heads, { ...logits, given: options }, into, weights);
      return /** @type {any} */ (attended);
    },

    /**
     * Computes the logits, of which `scaledDotProduct` takes the softmax.
     *
     *     scores[i, j] = scale q_i . k_j + bias[i, j],   -Infinity where key j is masked
     *
     * Accuracy: the product q_i . k_j is added up in blocks of B, each in float32, the blocks in double:
     * within (B / 2 + 2) 2^-24 sum_d |q_id k_jd|. B is 32, for D < 128 16, for D < 64 4. Where D < 32 and with
     * `accumulate: "float64"` it is added up in double. Times the scale it is rounded once; one more rounding
     * for a bias, three for a cap.
     * Range of blocks in float32: products below 2^-126 add up to D 2^-150, before the scale; where a product
     * or a block's sum reaches 2^128, the result is infinite or NaN. In double neither happens.
     *
     * @param {TensorInput} q  queries [B, H, Tq, D], [H, Tq, D] or [Tq, D]
     * @param {TensorInput} k  keys [B, Hk, Tk, D], [Hk, Tk, D] or [Tk, D]
     * @param {OptionsOf<typeof SCORES>} [options]
     * @returns {Tensor} float32 [B, H, Tq, Tk], with the axes that q has; -Infinity from `keyLength` on
     * @throws {TypeError | RangeError} if an argument has the wrong type or shapes do not agree
     * @see Vaswani et al. 2017, https://arxiv.org/abs/1706.03762, section 3.2.1
     * @example
     * attention.scores([[1, 1, 1, 1]], [[1, 2, 3, 4], [5, 6, 7, 8]]).toArray()
     * // [[5, 13]]
     */
    scores(q, k, options = {}) {
      const { out, axis, ...logits } = SCORES.read(options);
      const heads = { q: readHeads(q, "q", axis), k: readHeads(k, "k", axis) };
      return compute(heads, { ...logits, given: options }, { weights: out }).weights;
    },

    /**
     * Computes the softmax of logits along their last axis.
     *
     *     softmax[..., j] = e^(x_j - max x) / sum_n e^(x_n - max x)
     *
     * A row of -Infinity, where every key is masked, becomes zeros; a row with NaN becomes NaN. Where numbers are
     * Infinity, they share the whole weight, and PyTorch gives NaN.
     * Accuracy: relative 1.2e-7; a row sums to 1 within 1.2e-7.
     *
     * @param {TensorInput} scores  [..., N]
     * @param {OptionsOf<typeof SOFTMAX>} [options]
     * @returns {Tensor} float32, the shape of scores
     * @throws {TypeError | RangeError} if an argument has the wrong type
     * @see Vaswani et al. 2017, https://arxiv.org/abs/1706.03762, section 3.2.1
     * @example
     * attention.softmax([[0, 0], [5, -Infinity]]).toArray()
     * // [[0.5, 0.5], [1, 0]]
     */
    softmax(scores, options = {}) {
      const { out } = SOFTMAX.read(options);
      const { data, shape } = asFloat32(scores, "scores");
      if (shape.length === 0) throw new RangeError("scores must have an axis; got shape []");
      const N = shape[shape.length - 1];
      const result = output(out, shape);
      const pieces = /** @type {const} */ ([
        { data, row: N },
        { data: result.data, row: N, direction: "out" },
      ]);
      const rows = N === 0 ? 0 : data.length / N;
      overRows(core, rows, pieces, (count, _, [from, to]) =>
        raw.attention_softmax(from, count, N, to),
      );
      return result.done();
    },

    /**
     * Applies a linear layer, as the one that computes queries, keys and values from token vectors.
     *
     *     y[..., n] = sum_d x[..., d] weights[n, d] + bias[n]          y = x W^T + b, as nn.Linear
     *
     * Accuracy: the sum within (B / 2 + 2) 2^-24 sum_d |x[..., d] weights[n, d]|, B as `scores` states, rounded
     * once, in the range stated there; one more rounding for the bias. Where D < 32 and with
     * `accumulate: "float64"` the sum is in double, in any range.
     *
     * @param {TensorInput} x  [..., D]
     * @param {TensorInput} weights  [N, D]
     * @param {OptionsOf<typeof LINEAR>} [options]
     * @returns {Tensor} float32 [..., N]
     * @throws {TypeError | RangeError} if an argument has the wrong type or shapes do not agree
     * @see Vaswani et al. 2017, https://arxiv.org/abs/1706.03762, section 3.2.2
     * @example
     * attention.linear([[1, 2]], [[1, 0], [1, 1], [0, 3]], { bias: [10, 20, 30] }).toArray()
     * // [[11, 23, 36]]
     */
    linear(x, weights, options = {}) {
      const { accumulate, bias, out } = LINEAR.read(options);
      const rows = asFloat32(x, "x");
      const D = rows.shape[rows.shape.length - 1];
      if (rows.shape.length === 0 || D === 0) {
        throw wrongShape("x", "[..., D]", rows.shape);
      }
      const matrix = asFloat32(weights, "weights");
      if (matrix.shape.length !== 2 || matrix.shape[1] !== D) {
        throw wrongShape("weights", `[N, ${D}]`, matrix.shape);
      }
      const [N] = matrix.shape;
      const added = readVector(bias, "bias", N);
      const shape = [...rows.shape.slice(0, -1), N];
      const result = output(out, shape);
      fillLinear(core, rows.data, matrix.data, added, D, result.data, kernels[accumulate]);
      return result.done();
    },

    /**
     * Computes multi-head self-attention, as nn.MultiheadAttention does.
     *
     *     q, k, v = x W_in^T + b_in (rows of W_in: q, k, v),  heads are consecutive columns,
     *     output = (the heads' outputs side by side) W_out^T + b_out
     *
     * `keyMask` is true for the tokens that count; PyTorch's `key_padding_mask` is true for padding.
     *
     * Accuracy: as `linear` and `scaledDotProduct`.
     *
     * @param {TensorInput} x  tokens [B, T, E] or [T, E]
     * @param {OptionsOf<typeof MULTI_HEAD>} options
     * @returns {{output: Tensor, weights: Tensor}} float32 [B, T, E], and the weights of every head
     *   [B, H, T, T], with the axes that x has
     * @throws {TypeError | RangeError} if an argument has the wrong type or shapes do not agree
     * @see Vaswani et al. 2017, https://arxiv.org/abs/1706.03762, section 3.2.2
     * @example
     * const inProjection = [[1, 0], [0, 1], [1, 0], [0, 1], [1, 0], [0, 1]]; // q = k = v = x
     * const outProjection = [[2, 0], [0, 2]];
     * attention.multiHead([[1, 0], [1, 0]], { heads: 1, inProjection, outProjection }).output.toArray()
     * // [[2, 0], [2, 0]]
     */
    multiHead(x, options) {
      const { heads, inProjection, inBias, outProjection, outBias, ...logits } =
        MULTI_HEAD.read(options);
      const kernel = kernels[logits.accumulate];
      const { data, shape, B, T, E } = readTokens(x);
      const H = check.integer(heads, "heads");
      if (E % H !== 0) throw new RangeError(`heads must divide ${E}, the width of x; got ${H}`);
      const inWeights = readMatrix(inProjection, "inProjection", 3 * E, E);
      const outWeights = readMatrix(outProjection, "outProjection", E, E);
      const inAdded = readVector(inBias, "inBias", 3 * E);
      const outAdded = readVector(outBias, "outBias", E);

      const projected = arrays.float32s(B * T * 3 * E, "the projections");
      fillLinear(core, data, inWeights, inAdded, E, projected, kernel);
      const lead = [...shape.slice(0, -2), H];
      const sizes = { lead, B, H, T, D: E / H };
      const [q, k, v] = [0, 1, 2].map((part) => splitHeads(projected, sizes, part));
      const attended = compute({ q, k, v }, { ...logits, given: options }, {});
      const result = arrays.float32s(B * T * E, "the heads");
      fillLinear(
        core,
        mergeHeads(attended.output.data, sizes),
        outWeights,
        outAdded,
        E,
        result,
        kernel,
      );
      return { output: new Tensor(result, shape), weights: attended.weights };
    },
  };

  /**
   * The logits, or with values all of attention.
   * @template {boolean} [Shown=true]
   * @param {{q: Heads, k: Heads, v?: Heads}} heads @param {LogitOptions} options
   * @param {{output?: unknown, weights?: unknown}} out
   * @param {Shown} [shown]  whether the weights are a result
   * @returns {Attended<Shown>} without values,
   *   `output` is empty
   */
  function compute({ q, k, v }, options, out, shown) {
    mustAgree(k, "k", q, { D: q.D });
    const { B, H, T: Tq, D } = q;
    const Tk = k.T;
    const lengths = readKeyLengths(options.keyLength, B, Tk);
    const keep = readKeyMask(options.keyMask, B, Tk);
    const bias = readBias(options.bias === undefined && keep ? [0] : options.bias, [B, H, Tq, Tk]);
    const rotated = rotate(core, { q, k }, options);
    const { sums, weights } = results(q, Tk, v, out, shown);
    const apartFromResults = (/** @type {Float32Array} */ data) =>
      apart(data, sums.data, weights?.data);
    const inputs = {
      q: { ...q, data: apartFromResults(rotated.q) },
      k: { ...k, data: apartFromResults(rotated.k) },
      v: v && { ...v, data: apartFromResults(v.data) },
      bias: bias && { ...bias, data: apartFromResults(bias.data) },
      keep,
      lengths,
    };
    const rule = {
      scale: options.scale ?? 1 / Math.sqrt(D),
      softcap: options.softcap ?? 0,
      causal: options.causal,
      sums: SUMS.indexOf(options.accumulate),
    };
    computeTiles(inputs, rule, { output: sums.data, weights: weights?.data });
    return /** @type {any} */ (
      weights ? { output: sums.done(), weights: weights.done() } : { output: sums.done() }
    );
  }

  return option.withOptions(module, {
    scaledDotProduct: SCALED_DOT_PRODUCT,
    scores: SCORES,
    softmax: SOFTMAX,
    linear: LINEAR,
    multiHead: MULTI_HEAD,
  });
}

/**
 * The queries and keys, rotated if asked.
 * @param {Core} core @param {{q: Heads, k: Heads}} heads @param {LogitOptions} options
 */
function rotate(core, { q, k }, { rope: tables, given, dim, start, inverse }) {
  const { layout } = given;
  if (tables === undefined) {
    check.refuseIdle(given, ["layout", "dim", "start", "inverse"], "rope");
    return { q: q.data, k: k.data };
  }
  const [ofQ, ofK] = readTables(tables, layout);
  const turn = (
    /** @type {Heads} */ heads,
    /** @type {"q" | "k"} */ name,
    /** @type {typeof ofQ} */ table,
  ) => {
    const { data, D, axis = -2 } = heads;
    const shape = shapeOf(heads, D);
    const result = output(undefined, shape);
    const rule = { axis, dim, start, inverse, layout };
    rotateBy(core, [{ name, data, shape, result }], table.parts, rule, table.name);
    return result.done().data;
  };
  return { q: turn(q, "q", ofQ), k: turn(k, "k", ofK) };
}

/** Tokens [B, T, E] or [T, E]. @param {unknown} x */
function readTokens(x) {
  const { data, shape } = asFloat32(x, "x");
  const rank = shape.length;
  if (rank < 2 || rank > 3 || shape[rank - 1] === 0) {
    throw wrongShape("x", "[B, T, E] or [T, E]", shape);
  }
  const [B, T, E] = [...(rank === 2 ? [1] : []), ...shape];
  return { data, shape, B, T, E };
}

/**
 * The results of attention: those that the caller passes, or new ones.
 * @param {Heads} q @param {number} Tk @param {Heads | undefined} v  without values, the logits alone
 * @param {{output?: unknown, weights?: unknown}} out @param {boolean} [shown]  whether there are weights
 */
function results(q, Tk, v, out, shown = true) {
  const sums = output(v ? out.output : undefined, shapeOf(q, v?.D ?? 0), "out.output");
  if (!shown) return { sums };
  const weights = output(out.weights, [...q.lead, q.T, Tk], v ? "out.weights" : "out");
  if (arrays.shares(sums.target, weights.target)) {
    throw new RangeError("out.weights must share no memory with out.output; got the same");
  }
  return { sums, weights };
}

/** What a call takes beside its options. */
const INPUTS = { q: undefined, k: undefined, v: undefined };

/** @param {unknown} inputs @returns {{q: unknown, k: unknown, v: unknown}} */
function readInputs(inputs) {
  if (!check.isRecord(inputs) || ("shape" in inputs && !("q" in inputs))) {
    const got = check.describe(inputs);
    throw new TypeError(`inputs must be one object {q, k, v}; got ${got} as the first argument`);
  }
  return check.options(inputs, INPUTS, "inputs");
}

/**
 * The rotary tables of q and k: one for both, or one each.
 * @param {unknown} tables @param {string} [layout]  that of the call
 */
function readTables(tables, layout) {
  const isPair = check.isObject(tables) && ("q" in tables || "k" in tables);
  if (!check.isObject(tables) || !(isPair || "cos" in tables || "sin" in tables)) {
    throw new TypeError(
      `rope must be a table or {q, k}, from rope.table; got ${check.describe(tables)}`,
    );
  }
  if (isPair) check.parts(tables, ["q", "k"], "rope");
  const read = /** @type {const} */ (["q", "k"]).map((part) => {
    const name = isPair ? `rope.${part}` : "rope";
    return { name, parts: readParts(isPair ? /** @type {any} */ (tables)[part] : tables, name) };
  });
  const layouts = read.map(({ parts }) => parts.layout ?? "halves");
  if (layout === undefined && layouts[0] !== layouts[1]) {
    throw new RangeError(
      `layout must be given for tables of two layouts; got "${layouts[0]}" in rope.q and "${layouts[1]}" in rope.k`,
    );
  }
  return read;
}

/**
 * @param {unknown} value @param {string} name @param {number} rows @param {number} columns
 */
function readMatrix(value, name, rows, columns) {
  const { data, shape } = asFloat32(value, name);
  if (shape.length !== 2 || shape[0] !== rows || shape[1] !== columns) {
    throw wrongShape(name, `[${rows}, ${columns}]`, shape);
  }
  return data;
}

/**
 * @param {unknown} value @param {string} name @param {number} length
 * @returns {Float32Array | undefined}
 */
function readVector(value, name, length) {
  if (value === undefined) return undefined;
  const { data, shape } = asFloat32(value, name);
  if (shape.length !== 1 || shape[0] !== length) {
    throw wrongShape(name, `[${length}]`, shape);
  }
  return data;
}

/**
 * The queries (part 0), keys (1) or values (2) of rows [B, T, 3 E], by heads.
 * @param {Float32Array} projected @param {Omit<Heads, "data">} sizes @param {number} part
 * @returns {Heads}
 */
function splitHeads(projected, sizes, part) {
  const { B, H, T, D } = sizes;
  const data = arrays.float32s(B * T * H * D, "the heads");
  eachHead(sizes, (b, h, t, row) => {
    const from = ((b * T + t) * 3 + part) * H * D + h * D;
    data.set(projected.subarray(from, from + D), row * D);
  });
  return { data, ...sizes };
}

/**
 * Rows of heads [B, H, T, D], side by side: [B, T, H D].
 * @param {Float32Array} data @param {Omit<Heads, "data">} sizes
 */
function mergeHeads(data, sizes) {
  const { B, H, T, D } = sizes;
  const merged = arrays.float32s(B * T * H * D, "the heads");
  eachHead(sizes, (b, h, t, row) => {
    merged.set(data.subarray(row * D, (row + 1) * D), ((b * T + t) * H + h) * D);
  });
  return merged;
}

/**
 * Call `visit` for every row of heads [B, H, T, D], with its number.
 * @param {Omit<Heads, "data">} sizes
 * @param {(b: number, h: number, t: number, row: number) => void} visit
 */
function eachHead({ B, H, T }, visit) {
  for (let b = 0; b < B; ++b) {
    for (let h = 0; h < H; ++h) {
      for (let t = 0; t < T; ++t) visit(b, h, t, (b * H + h) * T + t);
    }
  }
}
