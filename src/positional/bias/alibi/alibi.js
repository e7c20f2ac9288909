/** @import { Core, Raw } from "../../../runtime/wasm.js" */
/** @import { TensorInput } from "../../../runtime/tensor.js" */
import * as check from "../../../runtime/check.js";
import { overRows } from "../../../runtime/memory.js";
import { readMask } from "../../../runtime/mask.js";
import { asFloat32, Tensor } from "../../../runtime/tensor.js";
import { readSpan, relatives, spread } from "../../../runtime/span.js";

/** In the order of the C++ enums. */
const FORMS = /** @type {const} */ (["linear", "symmetric", "causal", "press"]);
const DTYPES = /** @type {const} */ (["float32", "float16", "bfloat16"]);
const LINEAR = 0;
const PRESS = 3; // made of linear ones

const ZEROS = /** @type {const} */ (["first", "last"]);

/**
 * @typedef {object} SlopeOptions
 * @property {number} [biasMax]  the last slope of a power of two of heads is 2^-biasMax; default 8
 * @property {TensorInput} [slopes]  [H], other slopes than those of `alibi.slopes`; a slope of 0
 *   leaves a head without bias
 */

/**
 * Attention with linear biases, ALiBi (Press, Smith, Lewis 2022).
 * @param {Core} core
 */
export function alibi(core) {
  const raw =
    /**
     * @type {Raw & {
     *   alibi_slopes(biasMax: number, dtype: number, out: number, H: number): number,
     *   alibi_line(slopes: number, H: number, first: number, form: number, dtype: number,
     *     out: number, N: number): number,
     * }}
     */ (core.raw);

  /**
   * @param {number} H @param {number} biasMax @param {number} dtype @param {Float32Array} out
   * @param {string} where
   */
  function fillSlopes(H, biasMax, dtype, out, where) {
    const pieces = [/** @type {const} */ ({ data: out, row: H, way: "out" })];
    overRows(core, where, 1, pieces, (_, __, [at]) => raw.alibi_slopes(biasMax, dtype, at, H));
    return out;
  }

  /**
   * The slopes of a bias: those given, or the paper's.
   * @param {unknown} heads @param {unknown} slopes @param {unknown} biasMax @param {string} where
   */
  function readSlopes(heads, slopes, biasMax, where) {
    const H = check.integer(heads, "heads");
    const most = readBiasMax(biasMax === undefined ? 8 : biasMax);
    if (slopes === undefined) return fillSlopes(H, most, 0, check.float32s(H, "slopes"), where);
    if (biasMax !== undefined) {
      throw new RangeError(`biasMax must be left out beside slopes; got ${most}`);
    }
    const { data, shape } = asFloat32(slopes, "slopes");
    if (shape.length !== 1 || shape[0] !== H) {
      throw new RangeError(`slopes must have shape [${H}]; got [${shape.join(", ")}]`);
    }
    const odd = data.findIndex((slope) => !Number.isFinite(slope));
    if (odd >= 0) throw new RangeError(`slopes must be finite; got ${data[odd]} at ${odd}`);
    return data;
  }

  /**
   * The biases [H, N] at relative positions from `first` up.
   * @param {Float32Array} slopes @param {number} first @param {number} N @param {number} form
   * @param {number} dtype @param {string} where
   */
  function lines(slopes, first, N, form, dtype, where) {
    const out = check.float32s(slopes.length * N, where);
    const pieces = /** @type {const} */ ([
      { data: slopes, row: 1 },
      { data: out, row: N, way: "out" },
    ]);
    overRows(core, where, slopes.length, pieces, (count, _, [from, to]) =>
      raw.alibi_line(from, count, first, form, dtype, to, N),
    );
    return out;
  }

  return {
    /**
     * Options by model: `press`, `neox` and `mlx` for `bias`; `bloom`, `falcon` and `mpt` for
     * `keyBias`. flash-attn is `press` with its causal mask and `mlx` without.
     */
    presets: Object.freeze({
      press: Object.freeze({ form: /** @type {const} */ ("press") }),
      neox: Object.freeze({ form: /** @type {const} */ ("causal") }),
      mlx: Object.freeze({ form: /** @type {const} */ ("symmetric") }),
      bloom: Object.freeze({ zero: /** @type {const} */ ("first") }),
      falcon: Object.freeze({
        zero: /** @type {const} */ ("first"),
        dtype: /** @type {const} */ ("bfloat16"),
      }),
      mpt: Object.freeze({ zero: /** @type {const} */ ("last") }),
    }),

    /**
     * The slope of every head.
     *
     *     m = the largest power of two <= H
     *     slope_h = 2^(-biasMax (h + 1) / m)            for h < m
     *     slope_h = 2^(-biasMax (2 (h - m) + 1) / 2m)   for the rest: every second one of 2m heads
     *
     * So the slopes of 12 heads fall, and then fall once more from 2^-0.5.
     * Accuracy: correctly rounded for any number of heads.
     *
     * @param {number} heads  H
     * @param {object} [options]
     * @param {number} [options.biasMax]  above 0, at most 126; default 8
     * @param {"float32" | "float16" | "bfloat16"} [options.dtype]  what a slope is rounded to;
     *   default `float32`, `bfloat16` in Falcon
     * @param {Float32Array | Tensor} [options.out]  filled instead of a new array
     * @returns {Tensor} float32 [H]; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see Press, Smith, Lewis 2022, Train short, test long, https://arxiv.org/abs/2108.12409, section 3
     * @example
     * alibi.slopes(4).toArray()
     * // [0.25, 0.0625, 0.015625, 0.00390625]
     */
    slopes(heads, options = {}) {
      const where = "alibi.slopes";
      const { biasMax, dtype, out } = check.options(
        options,
        { biasMax: 8, dtype: "float32", out: undefined },
        where,
      );
      const H = check.integer(heads, "heads");
      const most = readBiasMax(biasMax);
      const kept = readDtype(dtype);
      const result = check.destination(out, [H]);
      return new Tensor(fillSlopes(H, most, kept, result, where), [H]);
    },

    /**
     * The bias that is added to the logits, of queries i and keys j.
     *
     *     symmetric   -slope_h |i - j|        right with and without a causal mask (MPT full, MLX)
     *     linear      -slope_h (i - j)        positive for keys ahead
     *     causal      -slope_h (i - j)        and -Infinity for j > i (GPT-NeoX)
     *     press       slope_h j               and -Infinity for j > i (Press's own program): a
     *                                         row's constant away from causal, the same softmax
     *
     * Accuracy: the product of the float32 slope and the distance, correctly rounded for distances
     * up to 2^29.
     *
     * @param {number} heads  H
     * @param {number} length  queries Tq
     * @param {SlopeOptions & {keys?: number, offset?: number, form?: typeof FORMS[number], out?: Float32Array | Tensor}} [options]
     *   `keys` Tk (default: length); `offset`, the position of the first query (default: keys -
     *   length, so that the last query sees the last key); `form`, default `symmetric`; `out` is
     *   filled instead of a new array
     * @returns {Tensor} float32 [H, Tq, Tk]; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see Press, Smith, Lewis 2022, Train short, test long, https://arxiv.org/abs/2108.12409, section 3
     * @example
     * alibi.bias(4, 1, { keys: 6 }).toArray()[0]
     * // [[-1.25, -1, -0.75, -0.5, -0.25, 0]]
     */
    bias(heads, length, options = {}) {
      const where = "alibi.bias";
      const { keys, offset, form, biasMax, slopes, out } = check.options(
        options,
        {
          keys: undefined,
          offset: undefined,
          form: "symmetric",
          biasMax: undefined,
          slopes: undefined,
          out: undefined,
        },
        where,
      );
      const ofHeads = readSlopes(heads, slopes, biasMax, where);
      const span = readSpan(length, keys, offset);
      const kind = FORMS.indexOf(check.oneOf(form, "form", FORMS));
      const shape = [ofHeads.length, span.Tq, span.Tk];
      const result = check.destination(out, shape);
      if (kind === PRESS) {
        fillPress(lines(ofHeads, 0, span.Tk, LINEAR, 0, where), span, result);
      } else {
        const { from, count } = relatives(span);
        spread(lines(ofHeads, from, count, kind, 0, where), span, result);
      }
      return new Tensor(result, shape);
    },

    /**
     * A bias of the keys alone, one row for all queries. The causal mask comes separately; with it
     * the softmax is that of `bias`.
     *
     *     first   slope_h j               zero at the first key (BLOOM, Falcon)
     *     last    slope_h (j - (Tk-1))    zero at the last key (MPT)
     *
     * With a mask, j counts the tokens that count, and padding gets 0: hide it by the mask itself.
     * Falcon rounds slope, position and product to bfloat16 each, and multiplies its logits by
     * 1/sqrt(head width) after the bias is added: divide the bias by sqrt(head width) where yours
     * are scaled before.
     * Accuracy: the product of the float32 slope and the distance, correctly rounded.
     *
     * @param {number} heads  H
     * @param {number} keys  Tk
     * @param {SlopeOptions & {zero?: typeof ZEROS[number], mask?: TensorInput, dtype?: typeof DTYPES[number], out?: Float32Array | Tensor}} [options]
     *   `zero`, default `first`; `mask` [B, Tk], 1 or true for tokens that count; `dtype`, default
     *   `float32`; `out` is filled instead of a new array
     * @returns {Tensor} float32 [H, 1, Tk], or [B, H, 1, Tk] with a mask; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see Press, Smith, Lewis 2022, Train short, test long, https://arxiv.org/abs/2108.12409, section 3
     * @example
     * alibi.keyBias(4, 4, { mask: [[0, 1, 1, 1]] }).toArray()[0][0]
     * // [[0, 0, 0.25, 0.5]]
     */
    keyBias(heads, keys, options = {}) {
      const where = "alibi.keyBias";
      const { zero, mask, biasMax, slopes, dtype, out } = check.options(
        options,
        {
          zero: "first",
          mask: undefined,
          biasMax: undefined,
          slopes: undefined,
          dtype: "float32",
          out: undefined,
        },
        where,
      );
      const ofHeads = readSlopes(heads, slopes, biasMax, where);
      const H = ofHeads.length;
      const Tk = check.integer(keys, "keys", 0);
      const fromLast = check.oneOf(zero, "zero", ZEROS) === "last";
      const kept = readDtype(dtype);
      const flags = mask === undefined ? undefined : readKeyMask(mask, Tk);
      const shape = flags === undefined ? [H, 1, Tk] : [flags.shape[0], H, 1, Tk];
      const result = check.destination(out, shape);
      const first = fromLast ? 1 - Tk : 0;
      const values = lines(ofHeads, first, Tk, LINEAR, kept, where);
      if (flags === undefined) result.set(values);
      else fillMasked(values, flags.data, H, Tk, fromLast, result);
      return new Tensor(result, shape);
    },
  };
}

/** @param {unknown} biasMax */
function readBiasMax(biasMax) {
  return check.finite(
    biasMax,
    "biasMax",
    "a number above 0, at most 126",
    (most) => most > 0 && most <= 126,
  );
}

/** @param {unknown} dtype */
function readDtype(dtype) {
  return DTYPES.indexOf(check.oneOf(dtype, "dtype", DTYPES));
}

/** @param {unknown} mask @param {number} Tk */
function readKeyMask(mask, Tk) {
  const flags = readMask(mask, "mask");
  if (flags.shape.length !== 2 || flags.shape[1] !== Tk) {
    throw new RangeError(`mask must have shape [B, ${Tk}]; got [${flags.shape.join(", ")}]`);
  }
  return flags;
}

/**
 * Each row a head's line, as far as its query sees.
 * @param {Float32Array} lines  [H, Tk] @param {import("../../../runtime/span.js").Span} span
 * @param {Float32Array} out  [H, Tq, Tk]
 */
function fillPress(lines, { Tq, Tk, first }, out) {
  for (let row = 0, at = 0; at < out.length; ++row, at += Tk) {
    const h = Math.floor(row / Tq);
    out.set(lines.subarray(h * Tk, (h + 1) * Tk), at);
    const seen = Math.min(Math.max(first + (row % Tq) + 1, 0), Tk);
    out.fill(-Infinity, at + seen, at + Tk);
  }
}

/**
 * Each token that counts gets the line's value at its place among them, the others 0.
 * @param {Float32Array} lines  [H, Tk] @param {Int32Array} mask  [B, Tk]
 * @param {number} H @param {number} Tk @param {boolean} fromLast @param {Float32Array} out  [B, H, 1, Tk]
 */
function fillMasked(lines, mask, H, Tk, fromLast, out) {
  for (let at = 0; at < mask.length; at += Tk) {
    const flags = mask.subarray(at, at + Tk);
    const start = fromLast ? Tk - flags.reduce((sum, flag) => sum + flag, 0) : 0;
    for (let h = 0; h < H; ++h) {
      let place = h * Tk + start;
      flags.forEach((flag, j) => (out[at * H + h * Tk + j] = flag === 1 ? lines[place++] : 0));
    }
  }
}
