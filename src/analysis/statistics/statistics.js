/** @import { Core } from "../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { Rows, TableInput } from "../../runtime/table.js" */
import * as check from "../../runtime/check.js";
import { wrongShape } from "../../runtime/errors.js";
import { withMemory, overRows, put, take } from "../../runtime/memory.js";
import * as option from "../../runtime/options.js";
import { output, outputInt32 } from "../../runtime/result.js";
import { readTable } from "../../runtime/table.js";
import { asArray } from "../../runtime/input.js";
import { Tensor } from "../../runtime/tensor.js";
import { singularValues as singularValuesOf } from "../pca/pca.js";

const PERCENTILES = Object.freeze([0, 1, 5, 25, 50, 75, 95, 99, 100]);

const NORMS = option.optionSet(() => ({
  /** Filled instead of a new array. */
  out: option.out(),
}));

const SUMMARY = option.optionSet(() => ({
  /** Which percentiles to compute, each from 0 to 100. */
  percentiles: option.value(/** @type {ArrayLike<number>} */ (PERCENTILES)),
  /** The number of bins of the histogram. They are equally wide, from min to max. */
  bins: option.integer({ default: 10 }),
}));

/**
 * Statistics of the lengths of rows. Rows that contain NaN or an infinity are left out.
 * @typedef {object} Summary
 * @property {number} count  the number of finite rows
 * @property {number} skipped  the number of rows that were left out
 * @property {number} min  the smallest length
 * @property {number} max  the largest length
 * @property {number} mean  the mean length
 * @property {number} std  the standard deviation, divided by count
 * @property {number} sampleStd  the standard deviation, divided by count - 1
 * @property {number} median  the median length
 * @property {Tensor} percentiles  float32 [P]
 * @property {{counts: Tensor<Int32Array>, edges: Tensor}} histogram  int32 [bins] and float32
 *   [bins + 1]; a bin includes its lower edge, the last bin both edges
 * @property {number} meanCosine  the mean cosine of all pairs of different rows, the anisotropy
 */

/** Computes the singular values of centered rows, in double. @param {Core} core @param {TableInput} x */
function spectrumOf(core, x) {
  const rows = readTable(core, x, "x");
  if (rows.N === 0) throw new RangeError(`x must have at least one row; got [0, ${rows.D}]`);
  return singularValuesOf(core, rows);
}

/**
 * Statistics of a set of vectors.
 * @param {Core} core
 */
export function statistics(core) {
  const { raw } = core;

  const module = {
    /**
     * Computes the Euclidean length of every row.
     *
     *     out[n] = sqrt(sum_d x[n, d]^2)
     *
     * Accuracy: within 0.501 ULP; no intermediate result overflows.
     *
     * @param {TableInput} x  [..., D]; a tensor or a table
     * @param {OptionsOf<typeof NORMS>} [options]
     * @returns {Tensor} float32 [...]: the shape of x without its last axis
     * @throws {TypeError | RangeError} if an argument has the wrong type
     * @see no paper: the definition
     * @example
     * statistics.norms([[3, 4], [0, 0]]).toArray()
     * // [5, 0]
     */
    norms(x, options = {}) {
      const { out } = NORMS.read(options);
      const rows = readTable(core, x, "x", "[..., D]");
      const { shape, N, D } = rows;
      const result = output(out, shape.slice(0, -1));
      const pieces = [rows, /** @type {const} */ ({ data: result.data, row: 1, direction: "out" })];
      overRows(core, N, pieces, (count, _from, [at, to]) => raw.statistics_norms(at, count, D, to));
      return result.done();
    },

    /**
     * Computes how the lengths of rows are distributed and how similar their directions are.
     *
     *     percentile q = the length at rank q/100 (count - 1), linearly interpolated
     *     meanCosine = (|sum_n u_n|^2 - sum_n |u_n|^2) / (count (count - 1)),   u_n = x[n] / |x[n]|
     *
     * A row of zeros has length 0 and cosine 0 with every other row. With a single row, sampleStd and
     * meanCosine are NaN.
     * Accuracy: computed in double from lengths that are not rounded.
     *
     * @param {TableInput} x  [N, D]; a tensor or a table
     * @param {OptionsOf<typeof SUMMARY>} [options]
     * @returns {Summary} numbers and tensors
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range, or no row
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
      const { percentiles, bins } = SUMMARY.read(options);
      const wanted = readPercentiles(percentiles);
      const counts = outputInt32(undefined, [bins]);
      const edges = output(undefined, [bins + 1]);
      const rows = readTable(core, x, "x");
      const { lengths, direction } = measure(rows);
      const sorted = lengths.filter(Number.isFinite).sort();
      const count = sorted.length;
      if (count === 0)
        throw new RangeError(`x must have a row of finite numbers; got ${rows.N} rows`);
      const [min, max] = [sorted[0], sorted[count - 1]];
      const mean = sorted.reduce((sum, length) => sum + length, 0) / count;
      const squares = sorted.reduce((sum, length) => sum + (length - mean) * (length - mean), 0);
      const nonzero = sorted.filter((length) => length > 0).length;
      const squaredSum = direction.reduce((sum, part) => sum + part * part, 0);
      fillHistogram(sorted, counts.data, edges.data);
      return {
        count,
        skipped: rows.N - count,
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
        histogram: { counts: counts.done(), edges: edges.done() },
        meanCosine: (squaredSum - nonzero) / (count * (count - 1)),
      };
    },

    /**
     * Computes the singular values of the centered rows, all of them. `pca` returns the first few together
     * with their directions.
     *
     *     s_i^2 = variance_i * (N - 1)
     *     sum_i s_i^2 = sum_n |x[n] - mean|^2
     *
     * Accuracy: as `pca`; within 5e-6 of themselves where they are above 3e-5 of the largest.
     *
     * @param {TableInput} x  [N, D], finite; a tensor or a table
     * @returns {Tensor} float32 [min(N, D)], largest first. If N <= D, the last is 0
     * @throws {TypeError | RangeError} if x has the wrong type, or contains NaN or an infinity
     * @see Jolliffe 2002, Principal component analysis, section 3.5
     * @example
     * statistics.singularValues([[3, 0], [-3, 0], [0, 1], [0, -1]]).toArray()
     * // [4.242640495300293, 1.4142135381698608]
     */
    singularValues(x) {
      const singular = spectrumOf(core, x);
      return new Tensor(Float32Array.from(singular), [singular.length]);
    },

    /**
     * Computes the effective rank of the centered rows, a measure of how many directions they spread in.
     *
     *     e^H,   H = -sum_i p_i ln p_i,   p_i = s_i / sum_j s_j,   s the singular values of x - mean
     *
     * It ranges from 1 (all rows on a line) to min(N - 1, D) (equal spread in all directions). It is 0 if
     * all rows are equal.
     * Cost: as `pca`, without the directions.
     *
     * @param {TableInput} x  [N, D], finite; a tensor or a table
     * @returns {number} from 1 to min(N, D)
     * @throws {TypeError | RangeError} if x has the wrong type, or contains NaN or an infinity
     * @see Roy and Vetterli 2007, The effective rank: a measure of effective dimensionality, section 2
     * @example
     * statistics.effectiveRank([[1, 0], [-1, 0], [0, 1], [0, -1]]).toFixed(6)
     * // "2.000000"
     */
    effectiveRank(x) {
      const singular = spectrumOf(core, x);
      return withMemory(core, [singular.length * 8], (at) => {
        put(core, singular, at);
        return raw.statistics_effective_rank(at, singular.length);
      });
    },
  };
  return option.withOptions(module, { norms: NORMS, summary: SUMMARY });

  /**
   * Computes the lengths of rows, and the sum of their unit vectors over the finite rows.
   * @param {Rows} rows
   */
  function measure(rows) {
    const { N, D } = rows;
    const lengths = new Float64Array(N);
    const direction = new Float64Array(D);
    const pieces = [rows, /** @type {const} */ ({ data: lengths, row: 1, direction: "out" })];
    withMemory(core, [D * 8], (directionAt) => {
      put(core, direction, directionAt);
      overRows(core, N, pieces, (count, _from, [at, to]) =>
        raw.statistics_measure(at, count, D, to, directionAt),
      );
      take(core, directionAt, D, direction);
    });
    return { lengths, direction };
  }
}

/** @param {unknown} percentiles @returns {number[]} */
function readPercentiles(percentiles) {
  const { data, shape } = asArray(percentiles, "percentiles");
  if (shape.length !== 1) {
    throw wrongShape("percentiles", "[P]", shape);
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
