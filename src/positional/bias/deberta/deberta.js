/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../../runtime/options.js" */
/** @import { Span } from "../../../runtime/span.js" */
/** @import { Tensor } from "../../../runtime/tensor.js" */
import * as arrays from "../../../runtime/arrays.js";
import * as check from "../../../runtime/check.js";
import { checkStatus } from "../../../runtime/errors.js";
import { withMemory, take } from "../../../runtime/memory.js";
import * as option from "../../../runtime/options.js";
import { outputInt32 } from "../../../runtime/result.js";
import { readSpan, relatives, spread } from "../../../runtime/span.js";

/** In the order of the C++ enum. */
const PRECISIONS = /** @type {const} */ (["exact", "torch"]);

const bucketOptions = () => ({
  /** The number of keys Tk. Default: `length`. */
  keys: option.integer({ min: 0 }),
  /** The position of the first query. Default: keys - length, so that the last query sees the last key. */
  offset: option.value(/** @type {number | undefined} */ (undefined)),
  /** The buckets B of each direction (`position_buckets`). 0: the distance itself, as in version 1. */
  buckets: option.integer({ default: 256, min: 0, max: 2 ** 30 }),
  /** M (`max_relative_positions`): distance M - 1 gets the last bucket. */
  maxDistance: option.integer({ default: 512, max: 2 ** 30 }),
  /** Distances above M - 1: `clamp` as in DeBERTa's own code, or `grow` as in HF, where the formula continues, so that `deberta.index` can be 0. */
  beyond: option.choice(["clamp", "grow"]),
  /** The logarithm: the `exact` value of the formula, or the float32 steps of PyTorch. */
  precision: option.choice(PRECISIONS),
  /** Filled instead of a new array. */
  out: option.outInt32(),
});
const INDEX = option.optionSet(bucketOptions);
const BUCKETS = option.optionSet(bucketOptions);

const SCALE = option.optionSet(() => ({
  /** The number of terms beside q.k: 2 for `c2p|p2c`. */
  terms: option.integer({ default: 2, min: 0 }),
}));

/**
 * DeBERTa's disentangled attention (He et al. 2020): an index of relative positions, in the logarithmic buckets of its
 * second version.
 * `shaw.scores` computes the logits from it.
 * @param {Core} core
 */
export function deberta(core) {
  const { raw } = core;

  const module = {
    /**
     * Computes DeBERTa's index of every pair: the bucket of query minus key, counted from 0.
     *
     *     index[i, j] = min(max(bucket(position_i - position_j) + S, 0), 2S - 1)
     *
     * S is `buckets`, or `maxDistance` if buckets is 0. Both terms use the same index:
     * `shaw.scores(q, keyTable, { index })` and `shaw.scores(k, queryTable, { index, of: "keys" })`.
     *
     * @param {number} length  queries Tq
     * @param {OptionsOf<typeof INDEX>} [options]
     * @returns {Tensor<Int32Array>} int32 [Tq, Tk]; the table has 2S rows
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see He et al. 2020, DeBERTa, https://arxiv.org/abs/2006.03654, section 3.1; its second version,
     *   microsoft/DeBERTa, DeBERTa/deberta/da_utils.py
     * @example
     * deberta.index(2).toArray()
     * // [[256, 255], [257, 256]]
     */
    index(length, options = {}) {
      const { keys, offset, out, ...scheme } = INDEX.read(options);
      const span = readSpan(length, keys, offset);
      checkScheme(scheme);
      const S = scheme.buckets || scheme.maxDistance;
      const bucket = bucketsOf(span, scheme);
      return indexOf(span, out, (distance) =>
        Math.min(Math.max(bucket(distance) + S, 0), 2 * S - 1),
      );
    },

    /**
     * Computes DeBERTa's bucket of every pair: small distances are exact, larger ones logarithmic.
     *
     *     r = position_i - position_j,   mid = B / 2,   bucket = r                       |r| <= mid
     *     bucket = sign(r) (mid + ceil(ln(|r| / mid) / ln((M - 1) / mid) (mid - 1)))     |r| > mid
     *
     * Distances above M - 1 follow `beyond`. Accuracy: `exact` is the integer of the formula for every
     * distance within 2^20 (tested with integer powers).
     *
     * @param {number} length  queries Tq
     * @param {OptionsOf<typeof BUCKETS>} [options]
     * @returns {Tensor<Int32Array>} int32 [Tq, Tk], from -(B-1) to B-1
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see He et al. 2020, DeBERTa; microsoft/DeBERTa, DeBERTa/deberta/da_utils.py
     * @example
     * deberta.buckets(1, { keys: 3, offset: 130 }).toArray()
     * // [[130, 129, 128]]
     */
    buckets(length, options = {}) {
      const { keys, offset, out, ...scheme } = BUCKETS.read(options);
      const span = readSpan(length, keys, offset);
      checkScheme(scheme);
      return indexOf(span, out, bucketsOf(span, scheme));
    },

    /**
     * Computes the scale of DeBERTa's logits, which depends on the number of terms.
     *
     *     1 / sqrt(D (1 + terms))
     *
     * @param {number} dim  D, width of a head
     * @param {OptionsOf<typeof SCALE>} [options]
     * @returns {number} the `scale` of `shaw.scores` and `attention.scaledDotProduct`
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see He et al. 2020, DeBERTa, https://arxiv.org/abs/2006.03654, equation 4
     * @example
     * deberta.scale(12)
     * // 0.16666666666666666
     */
    scale(dim, options = {}) {
      const { terms } = SCALE.read(options);
      return 1 / Math.sqrt(check.integer(dim, "dim") * (1 + terms));
    },
  };

  /**
   * The bucket of each distance, query minus key, that a span has.
   * @param {Span} span @param {Scheme} scheme
   * @returns {(distance: number) => number}
   */
  function bucketsOf(span, { buckets, maxDistance, beyond, precision }) {
    const { from, count } = relatives(span);
    if (buckets === 0 || count === 0) return (distance) => distance;
    const last = maxDistance - 1;
    const limit = (/** @type {number} */ distance) =>
      beyond === "grow" ? distance : Math.min(distance, last);
    const to = from + count - 1;
    const first = limit(Math.max(from, -to, 0));
    const farthest = limit(Math.max(-from, to));
    const table = arrays.int32s(farthest - first + 1, "its table");
    withMemory(core, [table.byteLength], (ptr) => {
      const mid = Math.floor(buckets / 2);
      const kind = PRECISIONS.indexOf(precision);
      checkStatus(raw.deberta_log_buckets(first, mid, last, kind, table.length, ptr));
      take(core, ptr, table.length, table);
    });
    return (distance) => {
      const bucket = table[Math.min(Math.abs(distance), farthest) - first];
      return distance < 0 ? 0 - bucket : bucket;
    };
  }

  return option.withOptions(
    module,
    { index: INDEX, buckets: BUCKETS, scale: SCALE },
    { method: "index", family: "index", shown: [] },
  );
}

/**
 * How distances get buckets.
 * @typedef {object} Scheme
 * @property {number} buckets
 * @property {number} maxDistance
 * @property {"clamp" | "grow"} beyond
 * @property {typeof PRECISIONS[number]} precision
 */

/** @param {Scheme} scheme */
function checkScheme({ buckets, maxDistance }) {
  if (buckets === 1) throw new RangeError("buckets must be 0 or at least 2; got 1");
  const min = Math.floor(buckets / 2) + 2;
  if (buckets > 0 && maxDistance < min) {
    throw new RangeError(
      `maxDistance must be at least ${min}, buckets / 2 + 2; got ${maxDistance}`,
    );
  }
}

/**
 * An index that depends on query - key alone.
 * @param {Span} span @param {unknown} out @param {(distance: number) => number} rule  of query - key
 */
function indexOf(span, out, rule) {
  const shape = [span.Tq, span.Tk];
  const result = outputInt32(out, shape);
  const { from, count } = relatives(span);
  const line = arrays.int32s(count, "index").map((_, k) => rule(-(from + k)));
  spread(line, span, result.data);
  return result.done();
}
