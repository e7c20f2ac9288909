/** @import { Core } from "../../runtime/wasm.js" */
/** @import { PhaseRaw, Spectrum } from "../../runtime/phase.js" */
/** @import { Positions } from "../../runtime/positions.js" */
/** @import { TensorInput } from "../../runtime/tensor.js" */
import * as check from "../../runtime/check.js";
import { checkStatus } from "../../runtime/errors.js";
import { put, take } from "../../runtime/memory.js";
import { lendSpectrum, readBase, readPrecision, tabulate } from "../../runtime/phase.js";
import { readPositions } from "../../runtime/positions.js";
import { Tensor } from "../../runtime/tensor.js";
import { readNumbers } from "../../positional/absolute/fourier_features/fourier_features.js";
import { readDenominator } from "../../positional/absolute/sinusoidal/sinusoidal.js";

/** In the order of the C++ enum. */
const PIPELINES = /** @type {const} */ ([
  "exact",
  "float32-angle",
  "float32",
  "bfloat16-table",
  "float16-table",
  "bfloat16",
  "float16",
  "ggml",
]);
const SCHEMES = /** @type {const} */ (["rope", "sinusoidal"]);

/** @typedef {typeof PIPELINES[number]} Pipeline */

/**
 * @typedef {object} ReportOptions
 * @property {readonly Pipeline[]} [pipelines]  which ones; default all there are
 * @property {typeof SCHEMES[number]} [scheme]  whose float32 frequencies: `rope` (default),
 *   1 / base^(2i/D) as HF; `sinusoidal`, exp(i * (-ln(base) 2/D)) as the textbooks
 * @property {number} [base]  default 10000
 * @property {"paper" | "tensor2tensor" | number} [spectrum]  as in `sinusoidal.table`; default `paper`
 * @property {TensorInput} [frequencies]  [D/2], |theta| <= 1, in the place of base and spectrum: any
 *   scaled rope's; taken as exact
 * @property {number} [offset]  added to every position; default 0
 */

/**
 * @typedef {object} PipelineReport  what comes of a number format
 * @property {Tensor} error  [..., T, D/2]: the larger of sine's and cosine's absolute error; NaN
 *   where the format has no such number
 * @property {number} max  the largest
 * @property {number} position  where it is
 * @property {number} pair  and at which frequency
 * @property {number} rms  root of the mean square
 */

const DEFAULTS = Object.freeze({
  pipelines: undefined,
  scheme: "rope",
  base: 10000,
  spectrum: "paper",
  frequencies: undefined,
  offset: 0,
});

/**
 * What float32, bfloat16 and float16 do to positions.
 * @param {Core} core
 */
export function rounding(core) {
  const raw =
    /**
     * @type {PhaseRaw & {rounding_errors(positions: number, T: number, theta: number,
     *   single: number, P: number, base: number, n: number, pipeline: number, summary: number,
     *   out: number): number}}
     */ (core.raw);

  return {
    /**
     * How far other ways to compute sin(p theta_i) and cos(p theta_i) lie from the exact values.
     * With f the frequency as float32, and b() rounding to the 16-bit format:
     *
     *     exact                           p theta; the value rounded once to float32
     *     float32-angle                   p theta rounded once to float32, then sine and cosine
     *     float32                         the float32 product p f: PyTorch
     *     bfloat16-table, float16-table   b(the value of float32): HF models today
     *     bfloat16, float16               b(sin(b(b(p) b(f)))): HF models of old, whole positions
     *                                     above 256 (2048 in float16) already lost
     *     ggml                            p r^i by i float32 products, r = base^(-1/n) in float32
     *
     * Accuracy: errors are known to 1e-15 and rounded once.
     *
     * @param {Positions} lengthOrPositions  a length T for positions 0 .. T-1, or positions of any
     *   shape: whole or fractional, negative too, |position| <= 2^31
     * @param {number} dim  width D, even
     * @param {ReportOptions} [options]
     * @returns {Partial<Record<Pipeline, PipelineReport>>} one report for each pipeline
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see huggingface/transformers, pull request 29285, which keeps the angles in float32; ggml,
     *   ggml-cpu/ops.cpp: ggml_rope_cache_init
     * @example
     * const { float32, bfloat16 } = rounding.report([257], 128);
     * [float32.max < 1e-5, bfloat16.max > 0.8]
     * // [true, true]
     */
    report(lengthOrPositions, dim, options = {}) {
      const where = "rounding.report";
      const given = check.options(options, DEFAULTS, where);
      const D = check.integer(dim, "dim", 2);
      if (D % 2 !== 0) throw new RangeError(`dim must be even; got ${D}`);
      const P = D / 2;
      const scheme = check.oneOf(given.scheme, "scheme", SCHEMES);
      const torch = readPrecision("torch", scheme === "rope" ? "pow" : "exp");
      const base = readBase(given.base);
      const n = readDenominator(given.spectrum, D);
      const theta = readFrequencies(given.frequencies, P);
      const pipelines = readPipelines(given.pipelines, theta !== undefined);
      const positions = readPositions(lengthOrPositions, given.offset);
      if (positions.count === 0) throw new RangeError("positions must hold one at least; got none");

      const spectrum = (/** @type {number} */ precision) =>
        /** @type {Spectrum} */ (
          theta === undefined
            ? { base, n, pairs: P, precision }
            : { frequencies: precision === 0 ? theta : theta.map(Math.fround), pairs: P, precision }
        );
      const shape = [...positions.shape, P];
      const reports = pipelines.map((pipeline) => {
        const errors = check.destination(undefined, shape);
        const summary = Float64Array.of(-1, 0, 0, 0);
        const sizes = [summary.byteLength];
        lendSpectrum(core, spectrum(torch), false, where, sizes, (single, _, so) => {
          put(core, summary, so);
          const kind = PIPELINES.indexOf(pipeline);
          tabulate(core, spectrum(0), positions, { width: P }, where, (tile) => {
            const { positions, from, count, workspace, at } = tile;
            checkStatus(
              raw.rounding_errors(positions, count, workspace, single, P, base, n, kind, so, at),
              where,
            );
            take(core, at, count * P, errors, from * P);
          });
          take(core, so, summary.length, summary);
        });
        const [max, position, pair, squares] = summary;
        const rms = Math.sqrt(squares / errors.length);
        return [pipeline, { error: new Tensor(errors, shape), max, position, pair, rms }];
      });
      return Object.fromEntries(reports);
    },
  };
}

/**
 * @param {unknown} pipelines @param {boolean} given  whether frequencies are
 * @returns {readonly Pipeline[]}
 */
function readPipelines(pipelines, given) {
  if (pipelines === undefined) return PIPELINES.filter((name) => name !== "ggml" || !given);
  if (!Array.isArray(pipelines)) {
    throw new TypeError(`pipelines must be an array; got ${check.describe(pipelines)}`);
  }
  const known = Array.from(pipelines, (name) => check.oneOf(name, "pipelines", PIPELINES));
  if (known.includes("ggml") && given) {
    throw new RangeError("pipelines must leave out ggml for given frequencies; got it");
  }
  return known;
}

/**
 * @param {unknown} value @param {number} P
 * @returns {Float64Array | undefined}
 */
function readFrequencies(value, P) {
  if (value === undefined) return undefined;
  const { data, shape, most } = readNumbers(value, "frequencies");
  if (shape.length !== 1 || data.length !== P) {
    throw new RangeError(`frequencies must have shape [${P}]; got [${shape.join(", ")}]`);
  }
  if (most > 1) throw new RangeError(`frequencies must be from -1 to 1; got ${most}`);
  return data;
}
