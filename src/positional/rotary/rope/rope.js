/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { Positions } from "../../../runtime/positions.js" */
/** @import { OptionsOf } from "../../../runtime/options.js" */
/** @import { RotaryCache } from "./cache.js" */
/** @import { FloatOut, Tensor, TensorInput } from "../../../runtime/tensor.js" */
/** @import { PairOut } from "./rows.js" */
import { checkStatus } from "../../../runtime/errors.js";
import { take } from "../../../runtime/memory.js";
import * as option from "../../../runtime/options.js";
import { withFrequencies } from "../../../runtime/phase.js";
import { output } from "../../../runtime/result.js";
import { rotaryCache } from "./cache.js";
import {
  convert,
  CONVERT,
  fromFullWidth,
  FROM_FULL_WIDTH,
  LAYOUTS,
  readParts,
  toComplex,
  toFullWidth,
  TO_FULL_WIDTH,
} from "./convert.js";
import { readGiven, rotateBy } from "./rows.js";
import { readSpectrum } from "./scaling.js";
import { SPECTRUM, TABLE, tableOf } from "./table.js";

/**
 * Cosines and sines from `rope.table`: each [T, R/2] or [B, T, R/2].
 * @typedef {{cos: Tensor, sin: Tensor}} RotaryTable
 *
 * Queries and keys, which may have different numbers of heads.
 * @typedef {{q: TensorInput, k: TensorInput}} QueriesAndKeys
 */

const FREQUENCIES = option.optionSet(() => ({
  ...SPECTRUM(),
  /** The length of the sequence, required for `dynamic` and `longrope` scaling. */
  length: option.integer({ min: 0 }),
  /** Filled instead of a new array. */
  out: option.out(),
}));

const APPLY = option.optionSet(() => ({
  /** The components that form a pair: `halves` (i, i + R/2) as in HF, or `interleaved` (2i, 2i+1). Left out, that of a table of `axialRope`. */
  layout: option.choice(LAYOUTS, "halves"),
  /** The rotated width R of a head of which only R components turn, as in GPT-NeoX; the others are copied. Default: the whole head. */
  dim: option.integer({ min: 0 }),
  /** The first of the components that turn, where others come before them, as in DeepSeek V4. */
  start: option.integer({ default: 0, min: 0 }),
  /** Whether to rotate back, which is also the gradient. */
  inverse: option.boolean(),
  /** The axis of x that holds positions: -2, or -3 for x [B, T, H, D]. */
  axis: option.integer({ default: -2, min: -3, max: -2 }),
  /** The row of the table for the first position of x; the others follow. Default: the table has rows for x alone. */
  offset: option.integer({ min: 0 }),
  /** The row of the table for each position of x, [T] or [B, T]. */
  positions: option.tensor(),
  /** Filled instead of a new array; may be x itself. For queries and keys, two arrays {q, k}. */
  out: option.outParts(/** @type {FloatOut | PairOut | undefined} */ (undefined)),
}));

const CACHE = option.optionSet(() => ({
  ...SPECTRUM(),
  /** The components that form a pair: `halves` (i, i + R/2) as in HF, or `interleaved` (2i, 2i+1). */
  layout: option.choice(LAYOUTS, "halves"),
  /** The length of the sequence, required for `dynamic` and `longrope` scaling: all positions have its frequencies. */
  length: option.integer({ min: 0 }),
  /** Frequencies [R/2] in radians per token to use instead of those of base and scaling. */
  frequencies: option.tensor(),
  /** How many positions are computed at once; further ones when they come. */
  capacity: option.integer({ default: 64 }),
}));

/**
 * Rotary position embedding, RoPE (Su et al. 2021).
 * @param {Core} core
 */
export function rope(core) {
  const module = {
    /**
     * Computes the angular frequency of each pair, in radians per token, with `scaling` applied.
     *
     *     theta_i = base^(-2i/R),  i = 0 .. R/2 - 1
     *
     *     linear        theta_i / factor
     *     dynamic       base' = base (factor n / maxLength - (factor - 1))^(R/(R-2)),
     *                   n = max(length, maxLength)
     *     ntk           base' = base alpha^(R/(R-2))
     *     yarn          theta_i / factor for slow pairs, theta_i for fast ones, a ramp between those
     *                   of betaSlow (1) and betaFast (32) rotations in originalLength: linear in i
     *                   with ramp "index", as in HF; with "turns", as in the paper,
     *                   gamma theta_i + (1 - gamma) theta_i / factor,
     *                   gamma = (r - betaSlow) / (betaFast - betaSlow) within 0 and 1,
     *                   r = originalLength theta_i / (2 pi)
     *     longrope      theta_i / shortFactor_i, or / longFactor_i if length > originalLength
     *     llama3        theta_i below the wavelength originalLength / highFreqFactor, theta_i / factor
     *                   above originalLength / lowFreqFactor, a ramp between
     *     proportional  theta_i / factor for i < floor(partialRotaryFactor R/2), else 0; R is the
     *                   whole head's width here
     *
     * A factor < 1 and factors in the wrong order throw; HF only warns. The ratio to the unscaled
     * frequencies shows which pairs a scaling keeps (1) and which it divides (1 / factor).
     * Accuracy: `exact` is correctly rounded without scaling, within 0.501 ULP with it. `torch` is
     * within 2 ULP of PyTorch's, scaled within 5 ULP of the unscaled frequency. There `yarn` with ramp
     * "turns", which HF does not have, takes the steps of `llama3`.
     *
     * @param {number} dim  rotated width R, even
     * @param {OptionsOf<typeof FREQUENCIES>} [options]
     * @returns {{frequencies: Tensor, attentionFactor: number, softmaxFactor: number}} float32 [R/2];
     *   the factor of the cosines and sines of `table` (yarn, longrope; otherwise 1); the factor of the
     *   softmax scale in DeepSeek's models (yarn with mscaleAllDim; otherwise 1)
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Su et al. 2021, RoFormer, https://arxiv.org/abs/2104.09864, section 3.2.2; Peng et al.
     *   2023, YaRN, https://arxiv.org/abs/2309.00071; Ding et al. 2024, LongRoPE,
     *   https://arxiv.org/abs/2402.13753; Hugging Face transformers, modeling_rope_utils.py
     * @example
     * rope.frequencies(4).frequencies.toArray()
     * // [1, 0.009999999776482582]
     * rope.frequencies(4, { scaling: { type: "linear", factor: 4 } }).frequencies.toArray()
     * // [0.25, 0.0024999999441206455]
     */
    frequencies(dim, options = {}) {
      const { out, ...rest } = FREQUENCIES.read(options);
      const spectrum = readSpectrum(core, dim, rest);
      const { pairs, attentionFactor, softmaxFactor } = spectrum;
      const frequencies = output(out, [pairs]);
      if ("frequencies" in spectrum) {
        frequencies.data.set(spectrum.frequencies);
      } else {
        withFrequencies(core, spectrum, false, [pairs * 4], (workspace, size, [at]) => {
          checkStatus(core.raw.phase_read_frequencies(workspace, size, at, pairs));
          take(core, at, pairs, frequencies.data);
        });
      }
      return { frequencies: frequencies.done(), attentionFactor, softmaxFactor };
    },

    /**
     * Computes the cosines and sines that `apply` rotates by.
     *
     *     cos[t, i] = cos(position_t * theta_i),   sin[t, i] = sin(position_t * theta_i),
     *     both times the attention factor of a scaling
     *
     * Accuracy: `exact` is within 0.501 ULP for |position| <= 2^20 and 2.99e-8 absolute up to 2^31
     * (times the factor's next power of two), for given frequencies as the doubles that they are.
     * Scaled frequencies are rounded to double up to position 2^20, which makes 3.03e-8 of the
     * formula, and are not rounded beyond. `torch` is within 1 ULP of the sine of PyTorch's own
     * float32 angle, times the float32 factor, where the frequency has the bits of PyTorch's; most
     * have, and each ULP between them turns the angle by up to 1.2e-7 of itself.
     *
     * @param {Positions} lengthOrPositions  a length T for positions 0 .. T-1, or positions [T] or
     *   [B, T]: whole or fractional, negative too, |position| <= 2^31
     * @param {number} dim  rotated width R, even
     * @param {OptionsOf<typeof TABLE>} [options]
     * @returns {RotaryTable} float32 [..., T, R/2] each
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Su et al. 2021, RoFormer, https://arxiv.org/abs/2104.09864, section 3.2.2
     * @example
     * rope.table([1], 2).cos.toArray()
     * // [[0.5403022766113281]]
     */
    table(lengthOrPositions, dim, options = {}) {
      return tableOf(core, lengthOrPositions, dim, options);
    },

    /**
     * Rotates the pairs of each row of x by the angle of its position.
     *
     *     a' = a cos - b sin,   b' = b cos + a sin      for each pair (a, b)
     *
     * Layout `interleaved` pairs components (2i, 2i+1) [r i r i]: RoFormer, GPT-J, Meta's LLaMA.
     * `halves` pairs (i, i + R/2) [r r i i]: GPT-NeoX and LLaMA, Mistral, Qwen in HF. With `dim` R only
     * R components of a head turn, from `start` on; without it the table must be as wide as the head.
     * Queries and keys {q, k} are rotated in one call. `offset` and `positions` pick rows of a whole table.
     * Accuracy: within 1.7e-7 of the pair's length, and 2^-149 where that is below 2^-126.
     *
     * @template {TensorInput | QueriesAndKeys} Input
     * @param {Input} x  queries or keys [..., T, D], or both, {q, k}; not changed unless it is `out`
     * @param {{cos: TensorInput, sin: TensorInput}} table  [T, R/2], or [B, T, R/2] for x [B, ..., T, D], with R = D
     *   unless `dim` says otherwise; with `offset` or `positions`, it may have any number of rows
     * @param {OptionsOf<typeof APPLY>} [options]
     * @returns {[Input] extends [TensorInput] ? Tensor : [Input] extends [QueriesAndKeys] ? {q: Tensor, k: Tensor} : Tensor | {q: Tensor, k: Tensor}}
     *   float32, the shape of x
     * @throws {TypeError | RangeError} if an argument has the wrong type or shapes do not agree
     * @see Su et al. 2021, RoFormer, https://arxiv.org/abs/2104.09864, section 3.4.2
     * @example
     * rope.apply([[1, 0]], rope.table([1], 2)).toArray()
     * // [[0.5403022766113281, 0.8414709568023682]]
     * const whole = rope.table(8, 2);
     * const { q, k } = rope.apply({ q: [[1, 0]], k: [[0, 1]] }, whole, { offset: 1 });
     * k.toArray() // [[-0.8414709568023682, 0.5403022766113281]]
     */
    apply(x, table, options = {}) {
      const read = APPLY.view(options);
      const given = readGiven(x, read.out);
      // What is inherited is the default, which a table may have another for.
      const layout = Object.hasOwn(read, "layout") ? read.layout : undefined;
      const { axis, dim, start, inverse, offset, positions } = read;
      const rule = { axis, dim, start, inverse, layout, offset, positions };
      const turned = rotateBy(core, given, readParts(table, "table"), rule).map((one) =>
        one.done(),
      );
      return /** @type {any} */ (turned.length > 1 ? { q: turned[0], k: turned[1] } : turned[0]);
    },

    /**
     * Keeps cosines and sines in WASM memory, and rotates queries and keys by them: for the steps of a
     * decoder, which each need one position.
     *
     * `apply(q, k, { position })` rotates as `rope.apply` does with `rope.table` of the same options, bit for
     * bit, without a table to pass. The cache has all positions from 0 on. It doubles where it is too short.
     * The queries may have more heads than the keys. `position` may be a list, one first position for each
     * batch; `positions` are those of all tokens, [T] or [B, T], for left padding.
     * Accuracy: as `table` and `apply`.
     *
     * @param {number} dim  rotated width R, even
     * @param {OptionsOf<typeof CACHE>} [options]
     * @returns {RotaryCache} in WASM memory until `dispose()`
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @throws {OutOfMemoryError} if memory for the positions cannot be allocated
     * @see Su et al. 2021, RoFormer, https://arxiv.org/abs/2104.09864, section 3.4.2
     * @example
     * const cache = rope.cache(2);
     * const { q, k } = cache.apply([[1, 0]], [[0, 1]], { position: 1 });
     * q.toArray() // [[0.5403022766113281, 0.8414709568023682]]
     * k.toArray() // [[-0.8414709568023682, 0.5403022766113281]]
     * cache.dispose();
     */
    cache(dim, options = {}) {
      const { layout, capacity, ...rest } = CACHE.read(options);
      const { pairs } = readSpectrum(core, dim, rest);
      const compute = (/** @type {number} */ offset, /** @type {number} */ count) =>
        module.table(count, dim, { ...rest, offset });
      return rotaryCache(core, 2 * pairs, layout, capacity, compute);
    },

    convert,
    fromFullWidth,
    toFullWidth,
    toComplex,
  };
  return option.withOptions(
    module,
    {
      frequencies: FREQUENCIES,
      table: TABLE,
      apply: APPLY,
      cache: CACHE,
      convert: CONVERT,
      fromFullWidth: FROM_FULL_WIDTH,
      toFullWidth: TO_FULL_WIDTH,
    },
    { method: "table", family: "rotation" },
  );
}
