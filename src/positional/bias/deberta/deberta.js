/** @import { Core, Raw } from "../../../runtime/wasm.js" */
import * as check from "../../../runtime/check.js";
import { checkStatus } from "../../../runtime/errors.js";
import { withMemory, take } from "../../../runtime/memory.js";
import { readSpan } from "../../../runtime/span.js";
import { Tensor } from "../../../runtime/tensor.js";

/** In the order of the C++ enum. */
const PRECISIONS = /** @type {const} */ (["exact", "torch"]);
const BEYOND = /** @type {const} */ (["clamp", "grow"]);

/**
 * @typedef {object} GridOptions
 * @property {number} [keys]  Tk; default: the length
 * @property {number} [offset]  position of the first query; default keys - length, so that the last
 *   query stands at the last key
 * @property {Int32Array | Tensor<Int32Array>} [out]  filled instead of a new array
 */

/**
 * @typedef {object} BucketOptions
 * @property {number} [buckets]  how many a side has: B (`position_buckets`); default 256. 0: none,
 *   the distance itself, as in version 1
 * @property {number} [maxDistance]  M (`max_shaw_positions`): M - 1 gets the last bucket; default
 *   512
 * @property {"clamp" | "grow"} [beyond]  larger distances: `clamp` (default), as M - 1, in DeBERTa's
 *   own code; or `grow`: the formula goes on, in HF, so that `deberta` has a row 0
 * @property {"exact" | "torch"} [precision]  `exact` (default), the formula's own whole number, or
 *   `torch`, the logarithm in PyTorch's float32 steps
 */

const BUCKETS = Object.freeze({
  buckets: 256,
  maxDistance: 512,
  beyond: "clamp",
  precision: "exact",
});
const GRID = Object.freeze({ keys: undefined, offset: undefined, out: undefined });

/**
 * DeBERTa's index of pairs of tokens, by logarithmic buckets (He et al. 2020).
 * @param {Core} core
 */
export function deberta(core) {
  const raw =
    /**
     * @type {Raw & {
     *   deberta_log_buckets(first: number, mid: number, last: number, precision: number, count: number, out: number): number,
     * }}
     */ (core.raw);

  return {
    /**
     * DeBERTa's index of every pair: the bucket of query minus key, counted from 0.
     *
     *     index[i, j] = min(max(bucket(position_i - position_j) + S, 0), 2S - 1)
     *
     * S is `buckets`, or `maxDistance` where there are none. The same index serves both terms:
     * `shaw.scores(q, keyTable, { index })` and `shaw.scores(k, queryTable, { index, of: "keys" })`.
     *
     * @param {number} length  queries Tq
     * @param {GridOptions & BucketOptions} [options]
     * @returns {Tensor<Int32Array>} int32 [Tq, Tk]; the table has 2S rows; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see He et al. 2020, DeBERTa, https://arxiv.org/abs/2006.03654, section 3.1
     * @example
     * deberta.index(2).toArray()
     * // [[256, 255], [257, 256]]
     */
    index(length, options = {}) {
      const where = "deberta.index";
      const { out, keys, offset, ...given } = check.options(
        options,
        { ...GRID, ...BUCKETS },
        where,
      );
      const grid = readGrid(length, { out, keys, offset });
      const rule = readBuckets(given);
      const S = rule.buckets || rule.maxDistance;
      const bucket = bucketsOf(grid, rule, where);
      return filled(grid, (distance) => Math.min(Math.max(bucket(distance) + S, 0), 2 * S - 1));
    },

    /**
     * DeBERTa's bucket of every pair: small distances exact, larger ones on a logarithmic scale.
     *
     *     r = position_i - position_j,   mid = B / 2,   bucket = r                       |r| <= mid
     *     bucket = sign(r) (mid + ceil(ln(|r| / mid) / ln((M - 1) / mid) (mid - 1)))     |r| > mid
     *
     * with r within -(M-1) .. M-1 (`beyond`). Accuracy: `exact` is the formula's own whole number for
     * every distance within 2^20 (tested against whole-number powers).
     *
     * @param {number} length  queries Tq
     * @param {GridOptions & BucketOptions} [options]
     * @returns {Tensor<Int32Array>} int32 [Tq, Tk], from -(B-1) to B-1; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see He et al. 2020, DeBERTa; microsoft/DeBERTa, DeBERTa/deberta/da_utils.py
     * @example
     * deberta.buckets(1, { keys: 3, offset: 130 }).toArray()
     * // [[130, 129, 128]]
     */
    buckets(length, options = {}) {
      const where = "deberta.buckets";
      const { out, keys, offset, ...given } = check.options(
        options,
        { ...GRID, ...BUCKETS },
        where,
      );
      const grid = readGrid(length, { out, keys, offset });
      const bucket = bucketsOf(grid, readBuckets(given), where);
      return filled(grid, bucket);
    },

    /**
     * What DeBERTa multiplies all its products by: there are more terms than q.k alone.
     *
     *     1 / sqrt(D (1 + terms))
     *
     * @param {number} dim  D, width of a head
     * @param {{terms?: number}} [options]  beside q.k: 2 (default) for `c2p|p2c`
     * @returns {number} the `scale` of `shaw.scores` and `attention.scaledDotProduct`
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see He et al. 2020, DeBERTa, https://arxiv.org/abs/2006.03654, equation 4
     * @example
     * deberta.scale(12)
     * // 0.16666666666666666
     */
    scale(dim, options = {}) {
      const { terms } = check.options(options, { terms: 2 }, "deberta.scale");
      const D = check.integer(dim, "dim");
      return 1 / Math.sqrt(D * (1 + check.integer(terms, "terms", 0)));
    },
  };

  /**
   * The bucket of each distance, query minus key, that a grid has.
   * @param {Grid} grid
   * @param {ReturnType<typeof readBuckets>} rule @param {string} where
   * @returns {(distance: number) => number}
   */
  function bucketsOf({ nearest, farthest }, { buckets, maxDistance, grows, precision }, where) {
    if (buckets === 0) return (distance) => distance;
    const last = maxDistance - 1;
    const [first, most] = [nearest, farthest].map((far) => (grows ? far : Math.min(far, last)));
    const table = check.destinationInt32(undefined, [most - first + 1]);
    withMemory(core, where, [table.byteLength], (at) => {
      const mid = Math.floor(buckets / 2);
      checkStatus(raw.deberta_log_buckets(first, mid, last, precision, table.length, at), where);
      take(core, at, table.length, table);
    });
    return (distance) => {
      const bucket = table[Math.min(Math.abs(distance), most) - first];
      return distance < 0 ? 0 - bucket : bucket;
    };
  }
}

/**
 * Queries and keys, where they stand, and how far apart they are.
 * @typedef {{Tq: number, Tk: number, offset: number, nearest: number, farthest: number, out: Int32Array}} Grid
 */

/**
 * @param {unknown} length @param {{keys: unknown, offset: unknown, out: unknown}} options
 * @returns {Grid}
 */
function readGrid(length, { keys, offset, out }) {
  const { Tq, Tk, first } = readSpan(length, keys, offset);
  const [least, most] = Tq * Tk > 0 ? [first - Tk + 1, first + Tq - 1] : [0, 0];
  const farthest = Math.max(-least, most);
  const nearest = Math.max(least, -most, 0);
  return { Tq, Tk, offset: first, nearest, farthest, out: check.destinationInt32(out, [Tq, Tk]) };
}

/**
 * The number that a rule gives every distance, query minus key.
 * @param {Grid} grid @param {(distance: number) => number} rule
 */
function filled({ Tq, Tk, offset, out }, rule) {
  for (let i = 0, at = 0; i < Tq; ++i) {
    for (let j = 0; j < Tk; ++j, ++at) out[at] = rule(offset + i - j);
  }
  return new Tensor(out, [Tq, Tk]);
}

/** @param {Record<keyof typeof BUCKETS, unknown>} given */
function readBuckets({ buckets, maxDistance, beyond, precision }) {
  const most = check.integer(maxDistance, "maxDistance", 1, 2 ** 30);
  const B = check.integer(buckets, "buckets", 0, 2 ** 30);
  if (B === 1) throw new RangeError("buckets must be 0 or at least 2; got 1");
  if (B > 0 && most - 1 <= Math.floor(B / 2)) {
    throw new RangeError(
      `maxDistance must be above half of the buckets by two, ${Math.floor(B / 2) + 2}; got ${most}`,
    );
  }
  return {
    buckets: B,
    maxDistance: most,
    grows: check.oneOf(beyond, "beyond", BEYOND) === "grow",
    precision: PRECISIONS.indexOf(check.oneOf(precision, "precision", PRECISIONS)),
  };
}
