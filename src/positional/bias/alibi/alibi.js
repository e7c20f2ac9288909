/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../../runtime/options.js" */
import * as arrays from "../../../runtime/arrays.js";
import * as check from "../../../runtime/check.js";
import { wrongShape } from "../../../runtime/errors.js";
import { readMask } from "../../../runtime/mask.js";
import { KEPT_BYTES, NONE, overRows } from "../../../runtime/memory.js";
import * as option from "../../../runtime/options.js";
import { output } from "../../../runtime/result.js";
import { readSpan } from "../../../runtime/span.js";
import { asFloat32 } from "../../../runtime/input.js";
import { Tensor } from "../../../runtime/tensor.js";
import { distanceBias } from "../distance.js";

const FORMS = /** @type {const} */ (["linear", "symmetric", "causal", "press"]);
/** In the order of the C++ enum. */
const DTYPES = /** @type {const} */ (["float32", "float16", "bfloat16"]);

const DEFAULT_BIAS_MAX = 8;
const biasMax = option.number({ above: 0, max: 126 });

const SLOPES = option.optionSet(() => ({
  /** The last slope of a power of two of heads is 2^-biasMax. Above 0, at most 126. */
  biasMax: option.number({ default: DEFAULT_BIAS_MAX, above: 0, max: 126 }),
  /** The number format that each slope is rounded to. Falcon uses `bfloat16`. */
  dtype: option.choice(DTYPES),
  /** Filled instead of a new array. */
  out: option.out(),
}));

const BIAS = option.optionSet(() => ({
  /** The number of keys Tk. Default: `length`. */
  keys: option.integer({ min: 0 }),
  /** The position of the first query. Default: keys - length, so that the last query sees the last key. */
  offset: option.value(/** @type {number | undefined} */ (undefined)),
  /** How the bias depends on distance, and whether later keys are masked. */
  form: option.choice(FORMS, "symmetric"),
  /** As in `alibi.slopes`. Pass either `biasMax` or `slopes`. Default: 8. */
  biasMax,
  /** Slopes [H] to use instead of those of `alibi.slopes`. A head with slope 0 has no bias. */
  slopes: option.tensor(),
  /** Filled instead of a new array. */
  out: option.out(),
}));

const KEY_BIAS = option.optionSet(() => ({
  /** The key whose bias is 0. */
  zero: option.choice(["first", "last"]),
  /** [B, Tk], 1 or true for tokens, 0 or false for padding. */
  mask: option.tensor(),
  /** As in `alibi.slopes`. Pass either `biasMax` or `slopes`. Default: 8. */
  biasMax,
  /** Slopes [H] to use instead of those of `alibi.slopes`. A head with slope 0 has no bias. */
  slopes: option.tensor(),
  /** The number format that slope, position and product are each rounded to. */
  dtype: option.choice(DTYPES),
  /** Filled instead of a new array. */
  out: option.out(),
}));

/**
 * Attention with linear biases, ALiBi (Press, Smith, Lewis 2022).
 * @param {Core} core
 */
export function alibi(core) {
  const { raw } = core;

  /** The slopes that were computed last: a model has the same in every layer. */
  let last = { H: 0, biasMax: 0, dtype: "", slopes: NONE };

  /**
   * @param {number} H @param {number} biasMax @param {typeof DTYPES[number]} dtype
   * @returns {Float32Array} not to be written to
   */
  function slopesOf(H, biasMax, dtype) {
    if (last.H === H && last.biasMax === biasMax && last.dtype === dtype) return last.slopes;
    const slopes = arrays.float32s(H, "slopes");
    const pieces = [/** @type {const} */ ({ data: slopes, row: H, direction: "out" })];
    overRows(core, 1, pieces, (_, __, [at]) =>
      raw.alibi_slopes(biasMax, DTYPES.indexOf(dtype), at, H),
    );
    if (slopes.byteLength <= KEPT_BYTES) last = { H, biasMax, dtype, slopes };
    return slopes;
  }

  /**
   * The slopes that the caller passes, or the paper's.
   * @param {unknown} heads @param {{slopes?: unknown, biasMax?: number}} options
   */
  function readSlopes(heads, { slopes, biasMax }) {
    const H = check.integer(heads, "heads");
    if (slopes === undefined) return slopesOf(H, biasMax ?? DEFAULT_BIAS_MAX, "float32");
    if (biasMax !== undefined) throw new RangeError("slopes must come without biasMax; got both");
    const { data, shape } = asFloat32(slopes, "slopes");
    if (shape.length !== 1 || shape[0] !== H) {
      throw wrongShape("slopes", `[${H}]`, shape);
    }
    const odd = data.findIndex((slope) => !Number.isFinite(slope));
    if (odd >= 0) throw new RangeError(`slopes must be finite; got ${data[odd]} at ${odd}`);
    return data;
  }

  /**
   * The lines of these slopes that were computed last.
   * @type {{slopes: Float32Array, from: number, count: number, form: string, values: Float32Array}}
   */
  let kept = { slopes: NONE, from: 0, count: 0, form: "", values: NONE };

  /**
   * The biases [H, count] at the relative positions from `from` on; those of later keys are for `causal` alone.
   * @param {Float32Array} slopes @param {number} from @param {number} count @param {typeof FORMS[number]} form
   * @returns {Float32Array} not to be written to
   */
  function lines(slopes, from, count, form) {
    const isSame = kept.slopes === slopes && kept.from === from && kept.count === count;
    if (isSame && kept.form === form) return kept.values;
    const values = products(slopes, count, (k) =>
      form === "symmetric" ? -Math.abs(from + k) : from + k,
    );
    const seen = Math.min(Math.max(1 - from, 0), count);
    for (let h = 0; form === "causal" && h < slopes.length; ++h) {
      values.fill(-Infinity, h * count + seen, (h + 1) * count);
    }
    if (slopes === last.slopes && values.byteLength <= KEPT_BYTES) {
      kept = { slopes, from, count, form, values };
    }
    return values;
  }

  const module = {
    /**
     * Options by model: `press`, `gpt_neox` and `mlx` for `bias`; `bloom`, `falcon` and `mpt` for
     * `keyBias`. flash-attn computes `press` with its causal mask and `mlx` without.
     */
    presets: option.presetsOf("alibi", [BIAS, KEY_BIAS], {
      press: { form: "press" },
      gpt_neox: { form: "causal" },
      mlx: { form: "symmetric" },
      bloom: { zero: "first" },
      falcon: { zero: "first", dtype: "bfloat16" },
      mpt: { zero: "last" },
    }),

    /**
     * Computes the slope of every head.
     *
     *     m = the largest power of two <= H
     *     slope_h = 2^(-biasMax (h + 1) / m)            for h < m
     *     slope_h = 2^(-biasMax (2 (h - m) + 1) / 2m)   for the rest: every second slope of 2m heads
     *
     * So the slopes of 12 heads fall, and then fall again from 2^-0.5.
     * Accuracy: correctly rounded for any number of heads.
     *
     * @param {number} heads  H
     * @param {OptionsOf<typeof SLOPES>} [options]
     * @returns {Tensor} float32 [H]
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Press, Smith, Lewis 2022, Train short, test long, https://arxiv.org/abs/2108.12409, section 3
     * @example
     * alibi.slopes(4).toArray()
     * // [0.25, 0.0625, 0.015625, 0.00390625]
     */
    slopes(heads, options = {}) {
      const { biasMax, dtype, out } = SLOPES.read(options);
      const H = check.integer(heads, "heads");
      const result = output(out, [H]);
      result.data.set(slopesOf(H, biasMax, dtype));
      return result.done();
    },

    /**
     * Computes the bias that is added to the logits of queries i and keys j.
     *
     *     symmetric   -slope_h |i - j|        right with and without a causal mask (MPT full, MLX)
     *     linear      -slope_h (i - j)        positive for later keys
     *     causal      -slope_h (i - j)        and -Infinity for j > i (GPT-NeoX)
     *     press       slope_h j               and -Infinity for j > i (Press's own program): each row
     *                                         differs from causal by a constant, so the softmax is equal
     *
     * Accuracy: the product of the float32 slope and the distance, correctly rounded for distances
     * up to 2^29.
     *
     * @param {number} heads  H
     * @param {number} length  queries Tq
     * @param {OptionsOf<typeof BIAS>} [options]
     * @returns {Tensor} float32 [H, Tq, Tk]
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Press, Smith, Lewis 2022, Train short, test long, https://arxiv.org/abs/2108.12409, section 3
     * @example
     * alibi.bias(4, 1, { keys: 6 }).toArray()[0]
     * // [[-1.25, -1, -0.75, -0.5, -0.25, 0]]
     */
    bias(heads, length, options = {}) {
      const { form, ...rest } = BIAS.read(options);
      const slopes = readSlopes(heads, rest);
      const H = slopes.length;
      if (form !== "press") {
        return distanceBias(H, length, rest, (from, count) => lines(slopes, from, count, form));
      }
      const span = readSpan(length, rest.keys, rest.offset);
      const result = output(rest.out, [H, span.Tq, span.Tk]);
      fillPress(lines(slopes, 0, span.Tk, form), span, result.data);
      return result.done();
    },

    /**
     * Computes a bias of the keys alone, one row for all queries. The causal mask is separate; with it
     * the softmax equals that of `bias`.
     *
     *     first   slope_h j               zero at the first key (BLOOM, Falcon)
     *     last    slope_h (j - (Tk-1))    zero at the last key (MPT)
     *
     * With a mask, j counts the tokens and padding gets 0: hide padding by an attention mask.
     * Falcon rounds slope, position and product to bfloat16 each, and multiplies its logits by
     * 1/sqrt(head width) after the bias is added: divide the bias by sqrt(head width) if your logits
     * are scaled before.
     * Accuracy: the product of the float32 slope and the distance, correctly rounded.
     *
     * @param {number} heads  H
     * @param {number} keys  Tk
     * @param {OptionsOf<typeof KEY_BIAS>} [options]
     * @returns {Tensor} float32 [H, 1, Tk], or [B, H, 1, Tk] with a mask
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Press, Smith, Lewis 2022, Train short, test long, https://arxiv.org/abs/2108.12409, section 3
     * @example
     * alibi.keyBias(4, 4, { mask: [[0, 1, 1, 1]] }).toArray()[0][0]
     * // [[0, 0, 0.25, 0.5]]
     */
    keyBias(heads, keys, options = {}) {
      const { zero, mask, dtype, out, ...rest } = KEY_BIAS.read(options);
      const slopes = readSlopes(heads, rest);
      const H = slopes.length;
      const Tk = check.integer(keys, "keys", 0);
      const fromLast = zero === "last";
      const flags = mask === undefined ? undefined : readKeyMask(mask, Tk);
      const shape = flags === undefined ? [H, 1, Tk] : [flags.shape[0], H, 1, Tk];
      const result = output(out, shape);
      const first = fromLast ? 1 - Tk : 0;
      const values =
        dtype === "float32"
          ? lines(slopes, first, Tk, "linear")
          : narrowLines(slopes, first, Tk, dtype);
      if (flags === undefined) result.data.set(values);
      else fillMasked(values, flags.data, H, Tk, fromLast, result.data);
      return result.done();
    },
  };
  return option.withOptions(
    module,
    { slopes: SLOPES, bias: BIAS, keyBias: KEY_BIAS },
    { method: "bias", family: "bias" },
  );
}

/**
 * The products of slopes and factors. Zero is +0.
 * @param {Float32Array} slopes  [H] @param {number} N @param {(k: number) => number} factor  of each of N
 * @returns {Float32Array} [H, N]
 */
function products(slopes, N, factor) {
  const out = arrays.float32s(slopes.length * N, "lines");
  for (let k = 0; k < N; ++k) {
    const r = factor(k);
    for (let h = 0; h < slopes.length; ++h) out[h * N + k] = slopes[h] * r + 0;
  }
  return out;
}

/**
 * The biases of keyBias in a dtype that has fewer bits: slope, position and product are each rounded to it.
 * @param {Float32Array} slopes  [H] @param {number} first  position @param {number} Tk
 * @param {"float16" | "bfloat16"} dtype
 */
function narrowLines(slopes, first, Tk, dtype) {
  const positions = rounded(
    products(Float32Array.of(1), Tk, (k) => first + k),
    dtype,
  );
  return rounded(
    products(rounded(slopes, dtype), Tk, (k) => positions[k]),
    dtype,
  );
}

/**
 * Numbers as they come back from a dtype; of a NaN, nothing else is left.
 * @param {Float32Array} numbers @param {"float16" | "bfloat16"} dtype
 */
const rounded = (numbers, dtype) =>
  new Tensor(new Float64Array(numbers), [numbers.length]).as(dtype).as("float32").data;

/** @param {unknown} mask @param {number} Tk */
function readKeyMask(mask, Tk) {
  const flags = readMask(mask, "mask");
  if (flags.shape.length !== 2 || flags.shape[1] !== Tk) {
    throw wrongShape("mask", `[B, ${Tk}]`, flags.shape);
  }
  return flags;
}

/**
 * Copies each head's line into its rows, up to the last key that the query may see.
 * @param {Float32Array} lines  [H, Tk] @param {import("../../../runtime/span.js").Span} span
 * @param {Float32Array} out  [H, Tq, Tk]
 */
function fillPress(lines, { Tq, Tk, first }, out) {
  for (let h = 0, at = 0; at < out.length; ++h) {
    const line = lines.subarray(h * Tk, (h + 1) * Tk);
    for (let i = 0; i < Tq; ++i, at += Tk) {
      out.set(line, at);
      const seen = Math.min(Math.max(first + i + 1, 0), Tk);
      out.fill(-Infinity, at + seen, at + Tk);
    }
  }
}

/**
 * Gives each token the line's value at its index among the tokens, and padding 0.
 * @param {Float32Array} lines  [H, Tk] @param {Int32Array} mask  [B, Tk]
 * @param {number} H @param {number} Tk @param {boolean} fromLast @param {Float32Array} out  [B, H, 1, Tk]
 */
function fillMasked(lines, mask, H, Tk, fromLast, out) {
  for (let at = 0; at < mask.length; at += Tk) {
    const flags = mask.subarray(at, at + Tk);
    const start = fromLast ? Tk - flags.reduce((sum, flag) => sum + flag, 0) : 0;
    for (let h = 0; h < H; ++h) {
      let next = h * Tk + start;
      flags.forEach((flag, j) => (out[at * H + h * Tk + j] = flag === 1 ? lines[next++] : 0));
    }
  }
}
