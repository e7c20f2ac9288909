/** @import { Core } from "../../runtime/wasm.js" */
/** @import { Spectrum } from "../../runtime/phase.js" */
/** @import { Positions } from "../../runtime/positions.js" */
/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { Tensor } from "../../runtime/tensor.js" */
import * as check from "../../runtime/check.js";
import { checkStatus, wrongShape } from "../../runtime/errors.js";
import { put, take } from "../../runtime/memory.js";
import * as option from "../../runtime/options.js";
import { withFrequencies, stepsOf, tabulate } from "../../runtime/phase.js";
import { readPositions } from "../../runtime/positions.js";
import { output } from "../../runtime/result.js";
import { readNumbers } from "../../positional/absolute/fourier_features/fourier_features.js";
import { denominatorOf, spectrumOption } from "../../positional/absolute/sinusoidal/sinusoidal.js";

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
/** @typedef {typeof PIPELINES[number]} Pipeline */

const REPORT = option.optionSet(() => ({
  /** The pipelines to compare. Default: all, without `ggml` where frequencies are given. */
  pipelines: option.value(/** @type {readonly Pipeline[] | undefined} */ (undefined)),
  /** Which float32 frequencies: `rope`, 1 / base^(2i/D) as in HF, or `sinusoidal`, exp(i * (-ln(base) 2/D)) as in textbooks. */
  scheme: option.choice(["rope", "sinusoidal"]),
  /** The frequencies fall from 1 to about 1 / base. Default: 10000. */
  base: option.number({ min: 1 }),
  /** The exponents, as in `sinusoidal.table`. */
  spectrum: spectrumOption(),
  /** Frequencies [D/2] to use instead of those of base and spectrum, such as scaled ones of rope: |theta| <= 1. They count as exact. */
  frequencies: option.tensor(),
  /** Added to every position. */
  offset: option.number({ default: 0 }),
}));

/**
 * @typedef {object} PipelineReport  the errors of a pipeline
 * @property {Tensor} error  [..., T, D/2]: the larger of the absolute errors of sine and cosine; NaN
 *   where the position overflows the number format
 * @property {number} max  the largest error
 * @property {number} position  the position of the largest error
 * @property {number} pair  the index of the frequency of the largest error
 * @property {number} rms  the root mean square of the errors
 */

/**
 * The errors of positional encodings computed in float32, bfloat16 and float16.
 * @param {Core} core
 */
export function rounding(core) {
  const { raw } = core;

  const module = {
    /**
     * Measures the error of other ways to compute sin(p theta_i) and cos(p theta_i).
     * With f the frequency as float32, and b() rounding to the 16-bit format:
     *
     *     exact                           p theta; the value rounded once to float32
     *     float32-angle                   p theta rounded once to float32, then sine and cosine
     *     float32                         the float32 product p f: PyTorch
     *     bfloat16-table, float16-table   b(the value of float32): HF models today
     *     bfloat16, float16               b(sin(b(b(p) b(f)))): earlier HF models; b(p) rounds whole
     *                                     positions above 256 (2048 in float16)
     *     ggml                            p r^i by i float32 products, r = base^(-1/n) in float32
     *
     * Accuracy: errors are computed to 1e-15 and rounded once.
     *
     * @param {Positions} lengthOrPositions  a length T for positions 0 .. T-1, or positions of any
     *   shape: whole or fractional, negative too, |position| <= 2^31
     * @param {number} dim  width D, even
     * @param {OptionsOf<typeof REPORT>} [options]
     * @returns {Record<Pipeline, PipelineReport>} one report for each pipeline
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see huggingface/transformers, pull request 29285, which keeps the angles in float32; ggml,
     *   ggml-cpu/ops.cpp: ggml_rope_cache_init
     * @example
     * const { float32, bfloat16 } = rounding.report([257], 128);
     * [float32.max < 1e-5, bfloat16.max > 0.8]
     * // [true, true]
     */
    report(lengthOrPositions, dim, options = {}) {
      const { scheme, base: given, spectrum: named, offset, ...rest } = REPORT.read(options);
      const P = check.pairs(dim);
      const torch = stepsOf("torch", scheme === "rope" ? "pow" : "exp");
      const n = denominatorOf(named, 2 * P);
      const theta = readFrequencies(rest.frequencies, P);
      for (const [name, value] of Object.entries({ base: given, spectrum: options.spectrum })) {
        if (theta === undefined || value === undefined) continue;
        throw new RangeError(`${name} must not be given with frequencies; got both`);
      }
      const base = given ?? 10000;
      const pipelines = readPipelines(rest.pipelines, theta !== undefined);
      const positions = readPositions(lengthOrPositions, offset);
      if (positions.count === 0) throw new RangeError("positions must not be empty; got none");

      const spectrum = (/** @type {number} */ steps) =>
        /** @type {Spectrum} */ (
          theta === undefined
            ? { base, n, pairs: P, steps }
            : { frequencies: steps === 0 ? theta : theta.map(Math.fround), pairs: P, steps }
        );
      const shape = [...positions.shape, P];
      const reports = pipelines.map((pipeline) => {
        const errors = output(undefined, shape);
        const summary = Float64Array.of(-1, 0, 0, 0);
        const sizes = [summary.byteLength];
        withFrequencies(core, spectrum(torch), false, sizes, (single, _, [so]) => {
          put(core, summary, so);
          const kind = PIPELINES.indexOf(pipeline);
          const further = { single, summary: so, P, pipeline: kind, base, n };
          tabulate(core, spectrum(0), positions, { width: P }, (tile) => {
            const { positions, from, count: T, workspace: theta, at: out } = tile;
            checkStatus(raw.rounding_errors({ positions, theta, out, T, ...further }));
            take(core, out, T * P, errors.data, from * P);
          });
          take(core, so, summary.length, summary);
        });
        const [max, position, pair, squares] = summary;
        const rms = Math.sqrt(squares / errors.data.length);
        return [pipeline, { error: errors.done(), max, position, pair, rms }];
      });
      return Object.fromEntries(reports);
    },
  };
  return option.withOptions(module, { report: REPORT });
}

/**
 * @param {unknown} pipelines @param {boolean} withFrequencies  whether the caller passes frequencies
 * @returns {readonly Pipeline[]}
 */
function readPipelines(pipelines, withFrequencies) {
  if (pipelines === undefined)
    return PIPELINES.filter((name) => name !== "ggml" || !withFrequencies);
  if (!check.isList(pipelines)) {
    throw new TypeError(`pipelines must be an array; got ${check.describe(pipelines)}`);
  }
  const known = Array.from(pipelines, (name) => check.oneOf(name, "pipelines", PIPELINES));
  if (known.includes("ggml") && withFrequencies) {
    throw new RangeError('frequencies must not be given with the pipeline "ggml"; got both');
  }
  return known;
}

/**
 * @param {unknown} value @param {number} P
 * @returns {Float64Array | undefined}
 */
function readFrequencies(value, P) {
  if (value === undefined) return undefined;
  const { data, shape, max } = readNumbers(value, "frequencies");
  if (shape.length !== 1 || data.length !== P) {
    throw wrongShape("frequencies", `[${P}]`, shape);
  }
  if (max > 1) throw new RangeError(`frequencies must be from -1 to 1; got ${max}`);
  return data;
}
