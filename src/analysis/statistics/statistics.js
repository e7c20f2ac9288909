/** @import { Core, Raw } from "../../runtime/wasm.js" */
/** @import { TableInput } from "../../runtime/table.js" */
import * as check from "../../runtime/check.js";
import { withMemory, overRows, put } from "../../runtime/memory.js";
import { readTable } from "../../runtime/table.js";
import { asArray, Tensor } from "../../runtime/tensor.js";
import { singularValues as singularValuesOf } from "../pca/pca.js";

const PERCENTILES = Object.freeze([0, 1, 5, 25, 50, 75, 95, 99, 100]);

/**
 * Statistics of the lengths of rows. Rows that hold NaN or an infinity are left out.
 * @typedef {object} Summary
 * @property {number} count  rows that count
 * @property {number} skipped  rows that were left out
 * @property {number} min  the shortest
 * @property {number} max  the longest
 * @property {number} mean  of the lengths
 * @property {number} std  divided by count
 * @property {number} sampleStd  divided by count - 1
 * @property {number} median  the middle, or between the two in the middle
 * @property {Tensor} percentiles  float32 [P]
 * @property {{counts: Tensor<Int32Array>, edges: Tensor}} histogram  int32 [bins] and float32
 *   [bins + 1]; a bin holds its lower edge, the last one both
 * @property {number} meanCosine  of all pairs of different rows: the anisotropy
 */

/**
 * Statistics of a set of vectors.
 * @param {Core} core
 */
export function statistics(core) {
  const raw =
    /**
     * @type {Raw & {
     *   statistics_norms(x: number, N: number, D: number, out: number): number,
     *   statistics_measure(x: number, N: number, D: number, lengths: number, direction: number): number,
     *   statistics_effective_rank(singular: number, n: number): number,
     * }}
     */ (core.raw);

  /** The singular values of centred rows, in double. @param {TableInput} x */
  function spectrumOf(x) {
    const rows = readTable(core, x, "x");
    if (rows.N === 0) throw new RangeError(`x must have at least one row; got [0, ${rows.D}]`);
    return singularValuesOf(core, rows);
  }

  return {
    /**
     * The length of every row.
     *
     *     out[n] = sqrt(sum_d x[n, d]^2)
     *
     * Accuracy: within 0.501 ULP; nothing overflows on the way.
     *
     * @param {TableInput} x  [..., D]; a tensor or a table
     * @param {{out?: Float32Array | Tensor}} [options]  `out` is filled instead of a new array
     * @returns {Tensor} float32 [...]: the shape of x without its last axis; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind
     * @see no paper: the definition
     * @example
     * statistics.norms([[3, 4], [0, 0]]).toArray()
     * // [5, 0]
     */
    norms(x, options = {}) {
      const where = "statistics.norms";
      const { out } = check.options(options, { out: undefined }, where);
      const rows = readTable(core, x, "x", "[..., D]");
      const { shape, N, D } = rows;
      const result = check.destination(out, shape.slice(0, -1));
      const pieces = [rows, /** @type {const} */ ({ data: result, row: 1, way: "out" })];
      overRows(core, where, N, pieces, (count, _from, [at, to]) =>
        raw.statistics_norms(at, count, D, to),
      );
      return new Tensor(result, shape.slice(0, -1));
    },

    /**
     * How the lengths of rows are distributed, and how far the rows point the same way.
     *
     *     percentile q: linear between the lengths on both sides of rank q/100 (count - 1)
     *     meanCosine = (|sum_n u_n|^2 - sum_n |u_n|^2) / (count (count - 1)),   u_n = x[n] / |x[n]|
     *
     * A row of zeros has length 0 and cosine 0 with every other. With a single row, sampleStd and
     * meanCosine are NaN: there is nothing to compare.
     * Accuracy: in double; lengths are not rounded before.
     *
     * @param {TableInput} x  [N, D]; a tensor or a table
     * @param {object} [options]
     * @param {ArrayLike<number>} [options.percentiles]  from 0 to 100; default 0, 1, 5, 25, 50, 75,
     *   95, 99, 100
     * @param {number} [options.bins]  of the histogram, equally wide from min to max; default 10
     * @returns {Summary} the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range, or no row
     *   is finite
     * @see Ethayarajh 2019, How contextual are contextualized word representations?,
     *   https://arxiv.org/abs/1909.00512, section 3.3 (anisotropy)
     * @example
     * statistics.summary([[3, 4], [0, 2], [5, 0], [0, 0]]).percentiles.at(-1)
     * // 5
     * statistics.summary([[1, 0], [0, 1], [-1, 0]]).meanCosine.toFixed(6)
     * // "-0.333333"
     */
    summary(x, options = {}) {
      const where = "statistics.summary";
      const defaults = { percentiles: PERCENTILES, bins: 10 };
      const { percentiles, bins } = check.options(options, defaults, where);
      const wanted = readPercentiles(percentiles);
      const size = check.integer(bins, "bins");
      const counts = check.destinationInt32(undefined, [size]);
      const edges = check.destination(undefined, [size + 1]);
      const rows = readTable(core, x, "x");
      const { N, D } = rows;

      const lengths = new Float64Array(N);
      const direction = new Float64Array(D);
      const pieces = [rows, /** @type {const} */ ({ data: lengths, row: 1, way: "out" })];
      withMemory(core, where, [D * 8], (directionAt) => {
        put(core, direction, directionAt);
        overRows(core, where, N, pieces, (count, _from, [at, to]) =>
          raw.statistics_measure(at, count, D, to, directionAt),
        );
        direction.set(core.raw.HEAPF64.subarray(directionAt >>> 3, (directionAt >>> 3) + D));
      });

      const sorted = lengths.filter(Number.isFinite).sort();
      const count = sorted.length;
      if (count === 0) throw new RangeError(`x must have a row of finite numbers; got ${N} rows`);
      const [min, max] = [sorted[0], sorted[count - 1]];
      const mean = sorted.reduce((sum, length) => sum + length, 0) / count;
      const squares = sorted.reduce((sum, length) => sum + (length - mean) * (length - mean), 0);
      const nonzero = sorted.filter((length) => length > 0).length;
      const together = direction.reduce((sum, part) => sum + part * part, 0);
      fillHistogram(sorted, counts, edges);
      return {
        count,
        skipped: N - count,
        min,
        max,
        mean,
        std: Math.sqrt(squares / count),
        sampleStd: Math.sqrt(squares / (count - 1)),
        median: percentile(sorted, 50),
        percentiles: new Tensor(
          Float32Array.from(wanted, (q) => percentile(sorted, q)),
          [wanted.length],
        ),
        histogram: { counts: new Tensor(counts, [size]), edges: new Tensor(edges, [size + 1]) },
        meanCosine: (together - nonzero) / (count * (count - 1)),
      };
    },

    /**
     * How far rows spread along each of their principal components, all of them: what `pca` says of
     * the first few, without the directions.
     *
     *     s_i^2 = variance_i * (N - 1);   sum_i s_i^2 = sum_n |x[n] - mean|^2
     *
     * Accuracy: as `pca`, relative 5e-6 where they are above 3e-5 of the largest.
     *
     * @param {TableInput} x  [N, D], finite; a tensor or a table
     * @returns {Tensor} float32 [min(N, D)], largest first; those of centred rows, so that the last of
     *   N <= D is 0; the caller's own
     * @throws {TypeError | RangeError} if x is of the wrong kind, or holds NaN or an infinity
     * @see Jolliffe 2002, Principal component analysis, section 3.5
     * @example
     * statistics.singularValues([[3, 0], [-3, 0], [0, 1], [0, -1]]).toArray()
     * // [4.242640495300293, 1.4142135381698608]
     */
    singularValues(x) {
      const singular = spectrumOf(x);
      return new Tensor(Float32Array.from(singular), [singular.length]);
    },

    /**
     * In how many directions rows spread: the effective rank of the centred rows.
     *
     *     e^H,   H = -sum_i p_i ln p_i,   p_i = s_i / sum_j s_j,   s the singular values of x - mean
     *
     * From 1 (all on a line) to min(N - 1, D) (alike in all directions); 0 where all rows are equal.
     * Cost: as `pca`, without the directions.
     *
     * @param {TableInput} x  [N, D], finite; a tensor or a table
     * @returns {number} from 1 to min(N, D)
     * @throws {TypeError | RangeError} if x is of the wrong kind, or holds NaN or an infinity
     * @see Roy and Vetterli 2007, The effective rank: a measure of effective dimensionality, section 2
     * @example
     * statistics.effectiveRank([[1, 0], [-1, 0], [0, 1], [0, -1]]).toFixed(6)
     * // "2.000000"
     */
    effectiveRank(x) {
      const singular = spectrumOf(x);
      return withMemory(core, "statistics.effectiveRank", [singular.length * 8], (at) => {
        put(core, singular, at);
        return raw.statistics_effective_rank(at, singular.length);
      });
    },
  };
}

/** @param {unknown} percentiles @returns {number[]} */
function readPercentiles(percentiles) {
  const { data, shape } = asArray(percentiles, "percentiles");
  if (shape.length !== 1) {
    throw new RangeError(`percentiles must be a list; got shape [${shape.join(", ")}]`);
  }
  return Array.from(data, (q) =>
    check.finite(q, "percentiles", "numbers from 0 to 100", (x) => x >= 0 && x <= 100),
  );
}

/**
 * @param {Float64Array} sorted @param {number} q  0 .. 100
 */
function percentile(sorted, q) {
  const rank = (q / 100) * (sorted.length - 1);
  const below = Math.floor(rank);
  const low = sorted[below];
  const high = sorted[Math.min(below + 1, sorted.length - 1)];
  const part = rank - below;
  return part < 0.5 ? low + (high - low) * part : high - (high - low) * (1 - part);
}

/**
 * @param {Float64Array} sorted @param {Int32Array} counts @param {Float32Array} edges  filled
 */
function fillHistogram(sorted, counts, edges) {
  const bins = counts.length;
  const equal = sorted[0] === sorted[sorted.length - 1];
  const low = sorted[0] - (equal ? 0.5 : 0);
  const high = sorted[sorted.length - 1] + (equal ? 0.5 : 0);
  const edge = (/** @type {number} */ i) => (i === bins ? high : low + (i * (high - low)) / bins);
  for (let i = 0; i <= bins; ++i) edges[i] = edge(i);
  let bin = 0;
  for (const length of sorted) {
    while (bin + 1 < bins && length >= edge(bin + 1)) ++bin;
    ++counts[bin];
  }
}
