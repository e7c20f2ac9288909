/** @import { Core, Raw } from "../../../runtime/wasm.js" */
/** @import { TensorInput } from "../../../runtime/tensor.js" */
import * as check from "../../../runtime/check.js";
import { overRows } from "../../../runtime/memory.js";
import { REACH } from "../../../runtime/positions.js";
import { asArray, asFloat32, Tensor } from "../../../runtime/tensor.js";
import { readSpan, relatives, spread } from "../../../runtime/span.js";

const DIRECTIONS = /** @type {const} */ (["bidirectional", "causal"]);
const PRECISIONS = /** @type {const} */ (["exact", "torch"]);

/** More would be slow to bound exactly, and no model has them. */
const MOST_BUCKETS = 1024;

/**
 * @typedef {object} BucketOptions
 * @property {number} [buckets]  of both directions together; default 32, at most 1024
 * @property {number} [maxDistance]  from which on the last bucket begins at the latest; default 128
 * @property {typeof DIRECTIONS[number]} [direction]  `bidirectional` (default; encoders): half of the
 *   buckets are for keys ahead; `causal` (decoders): all keys ahead share bucket 0
 * @property {typeof PRECISIONS[number]} [precision]  `exact` (default) decides in whole numbers,
 *   `torch` by PyTorch's float32 logarithm; they agree for the usual 32 buckets and 128
 */

const DEFAULTS = Object.freeze({
  maxDistance: 128,
  direction: "bidirectional",
  precision: "exact",
});

/**
 * Where the buckets of a direction begin: distances below `m` have one each, and bucket
 * `m + j` begins at `firsts[j - 1]`.
 * @typedef {{m: number, ahead: number, causal: boolean, firsts: Int32Array}} Scheme
 */

/**
 * T5's relative position bias: a learned number for each head and bucket of distances
 * (Raffel et al. 2020).
 * @param {Core} core
 */
export function t5Bias(core) {
  const raw =
    /**
     * @type {Raw & {t5_bias_torch_firsts(m: number, M: number, out: number, count: number): number}}
     */ (core.raw);

  /**
   * @param {unknown} buckets @param {string} name
   * @param {{maxDistance: unknown, direction: unknown, precision: unknown}} options
   * @param {string} where
   * @returns {Scheme}
   */
  function readScheme(buckets, name, { maxDistance, direction, precision }, where) {
    const causal = check.oneOf(direction, "direction", DIRECTIONS) === "causal";
    const all = check.integer(buckets, name, causal ? 2 : 4, MOST_BUCKETS);
    const each = causal ? all : Math.floor(all / 2);
    const m = Math.floor(each / 2);
    const M = check.integer(maxDistance, "maxDistance", m + 1);
    const exact = check.oneOf(precision, "precision", PRECISIONS) === "exact";
    const firsts = new Int32Array(each - m - 1);
    if (exact) fillExactFirsts(m, M, firsts);
    else {
      const pieces = [/** @type {const} */ ({ data: firsts, row: firsts.length, way: "out" })];
      overRows(core, where, 1, pieces, (_, __, [at]) =>
        raw.t5_bias_torch_firsts(m, M, at, firsts.length),
      );
    }
    return { m, ahead: causal ? 0 : each, causal, firsts };
  }

  return {
    /** Options by model: T5's encoder and decoder (also MT5, UMT5, LongT5), and WavLM. */
    presets: Object.freeze({
      encoder: Object.freeze({
        buckets: 32,
        maxDistance: 128,
        direction: /** @type {const} */ ("bidirectional"),
      }),
      decoder: Object.freeze({
        buckets: 32,
        maxDistance: 128,
        direction: /** @type {const} */ ("causal"),
      }),
      wavlm: Object.freeze({
        buckets: 320,
        maxDistance: 800,
        direction: /** @type {const} */ ("bidirectional"),
      }),
    }),

    /**
     * The bucket of each relative position key - query.
     *
     *     bidirectional: B = floor(buckets / 2), n = |r|, and B is added where r > 0
     *     causal:        B = buckets, n = max(-r, 0)
     *     n                                                       for n < m = floor(B / 2)
     *     min(m + floor(ln(n/m) / ln(maxDistance/m) (B-m)), B-1)  from there on
     *
     * Accuracy: `exact` is decided in whole numbers, right for every distance; `torch` takes the
     * float32 steps, and differs from PyTorch only where PyTorch's logarithm is not the nearest float.
     *
     * @param {number | TensorInput} relativePositions  key - query, whole, within 2^31
     * @param {BucketOptions & {out?: Int32Array | Tensor<Int32Array>}} [options]  `out` is filled
     *   instead of a new array
     * @returns {Tensor<Int32Array>} int32, the shape of relativePositions; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see Raffel et al. 2020, Exploring the limits of transfer learning, https://arxiv.org/abs/1910.10683, section 2.1
     * @example
     * t5Bias.bucket([-3, -1, 0, 1, 3, 8, 16, 128, 1000]).toArray()
     * // [3, 1, 0, 17, 19, 24, 26, 31, 31]
     */
    bucket(relativePositions, options = {}) {
      const where = "t5Bias.bucket";
      const { buckets, out, ...given } = check.options(
        options,
        { buckets: 32, ...DEFAULTS, out: undefined },
        where,
      );
      const scheme = readScheme(buckets, "buckets", given, where);
      const { data, shape } = readRelatives(relativePositions);
      const result = check.destinationInt32(out, shape);
      result.set(data.map((r) => bucketOf(r, scheme)));
      return new Tensor(result, shape);
    },

    /**
     * The bucket of every query and key: `bucket` of j - (offset + i).
     *
     * @param {number} length  queries Tq
     * @param {BucketOptions & {keys?: number, offset?: number, out?: Int32Array | Tensor<Int32Array>}} [options]
     *   `keys` Tk (default: length); `offset`, the position of the first query (default: keys -
     *   length, so that the last query sees the last key); `out` is filled instead of a new array
     * @returns {Tensor<Int32Array>} int32 [Tq, Tk]; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see Raffel et al. 2020, Exploring the limits of transfer learning, https://arxiv.org/abs/1910.10683, section 2.1
     * @example
     * t5Bias.buckets(2, { keys: 3, direction: "causal" }).toArray()
     * // [[1, 0, 0], [2, 1, 0]]
     */
    buckets(length, options = {}) {
      const where = "t5Bias.buckets";
      const { keys, offset, buckets, out, ...given } = check.options(
        options,
        { keys: undefined, offset: undefined, buckets: 32, ...DEFAULTS, out: undefined },
        where,
      );
      const span = readSpan(length, keys, offset);
      const scheme = readScheme(buckets, "buckets", given, where);
      const shape = [span.Tq, span.Tk];
      const result = check.destinationInt32(out, shape);
      spread(line(span, scheme), span, result);
      return new Tensor(result, shape);
    },

    /**
     * The bias that is added to the logits.
     *
     *     bias[h, i, j] = table[bucket(j - (offset + i)), h]
     *
     * T5 adds it to logits that are not divided by the square root of the head's width, uses the
     * first layer's table in all layers of a stack, and none in cross-attention.
     *
     * @param {TensorInput} table  learned, [buckets, H]
     * @param {number} length  queries Tq
     * @param {Omit<BucketOptions, "buckets"> & {keys?: number, offset?: number, out?: Float32Array | Tensor}} [options]
     *   as those of `buckets`; the number of buckets is the table's; `keys` Tk (default: length);
     *   `offset`: the position of the first query (default: keys - length)
     * @returns {Tensor} float32 [H, Tq, Tk]; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see Raffel et al. 2020, Exploring the limits of transfer learning, https://arxiv.org/abs/1910.10683, section 2.1
     * @example
     * t5Bias.bias([[0.5], [1], [2], [4]], 2, { direction: "causal" }).toArray()
     * // [[[0.5, 0.5], [1, 0.5]]]
     */
    bias(table, length, options = {}) {
      const where = "t5Bias.bias";
      const { keys, offset, out, ...given } = check.options(
        options,
        { keys: undefined, offset: undefined, ...DEFAULTS, out: undefined },
        where,
      );
      const { data, shape: sizes } = asFloat32(table, "table");
      if (sizes.length !== 2) {
        throw new RangeError(`table must have shape [buckets, H]; got [${sizes.join(", ")}]`);
      }
      const scheme = readScheme(sizes[0], "table.shape[0]", given, where);
      const H = sizes[1];
      const span = readSpan(length, keys, offset);
      const shape = [H, span.Tq, span.Tk];
      const result = check.destination(out, shape);
      const buckets = line(span, scheme);
      const lines = check.float32s(H * buckets.length, where);
      for (let h = 0, at = 0; h < H; ++h) {
        for (const bucket of buckets) lines[at++] = data[bucket * H + h];
      }
      spread(lines, span, result);
      return new Tensor(result, shape);
    },
  };
}

/**
 * Bucket m + j begins at the smallest n with (n/m)^K >= (M/m)^j, K = firsts.length + 1: in whole
 * numbers, n^K >= M^j m^(K-j).
 * @param {number} m @param {number} M @param {Int32Array} firsts
 */
function fillExactFirsts(m, M, firsts) {
  const K = BigInt(firsts.length + 1);
  let low = m;
  for (let j = 1n; j < K; ++j) {
    const least = BigInt(M) ** j * BigInt(m) ** (K - j);
    let high = M;
    while (low < high) {
      const n = Math.floor((low + high) / 2);
      if (BigInt(n) ** K >= least) high = n;
      else low = n + 1;
    }
    firsts[Number(j) - 1] = low;
  }
}

/** @param {number} r @param {Scheme} scheme */
function bucketOf(r, { m, ahead, causal, firsts }) {
  const n = causal ? Math.max(-r, 0) : Math.abs(r);
  const side = r > 0 ? ahead : 0;
  if (n < m) return side + n;
  let low = 0;
  let high = firsts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (firsts[middle] <= n) low = middle + 1;
    else high = middle;
  }
  return side + m + low;
}

/**
 * The buckets of the relative positions that a span has.
 * @param {import("../../../runtime/span.js").Span} span @param {Scheme} scheme
 */
function line(span, scheme) {
  const { from, count } = relatives(span);
  return new Int32Array(count).map((_, k) => bucketOf(from + k, scheme));
}

/** @param {unknown} value */
function readRelatives(value) {
  const name = "relativePositions";
  const single = typeof value === "number" || typeof value === "bigint";
  const { data, shape } = single ? { data: [value], shape: [] } : asArray(value, name);
  const relatives = new Float64Array(data.length);
  for (let k = 0; k < data.length; ++k) {
    const r = data[k];
    if (typeof r !== "number" && typeof r !== "bigint") {
      throw new TypeError(`${name} must be whole numbers; got ${check.describe(r)} at ${k}`);
    }
    if (!(r >= -REACH && r <= REACH) || !Number.isInteger(Number(r))) {
      throw new RangeError(
        `${name} must be whole numbers from -2^31 to 2^31; got ${check.describe(r)} at ${k}`,
      );
    }
    relatives[k] = Number(r);
  }
  return { data: relatives, shape };
}
