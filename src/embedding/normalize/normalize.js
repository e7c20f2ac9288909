/** @import { Core, Raw } from "../../runtime/wasm.js" */
/** @import { TensorInput } from "../../runtime/tensor.js" */
import * as check from "../../runtime/check.js";
import { overRows } from "../../runtime/memory.js";
import { asFloat32, Tensor } from "../../runtime/tensor.js";

/** phasor::normalize::Kind */
const LAYER = 0;
const RMS = 1;
const L2 = 2;

/** What is added to the weights of `rmsNorm`. */
const FORMS = Object.freeze({ plain: 0, "one-plus": 1 });

/**
 * Normalisation of rows: LayerNorm, RMSNorm and length 1.
 * @param {Core} core
 */
export function normalize(core) {
  const raw =
    /**
     * @type {Raw & {normalize_rows(x: number, weight: number, weights: number, bias: number,
     *   biases: number, T: number, D: number, kind: number, eps: number, weightOffset: number,
     *   out: number): number}}
     */ (core.raw);

  /**
   * @param {string} where @param {TensorInput} x @param {number} kind
   * @param {{weight?: unknown, bias?: unknown, eps: unknown, out: unknown}} given
   * @param {number} [weightOffset]
   */
  function rows(where, x, kind, given, weightOffset = 0) {
    const eps = check.finite(given.eps, "eps", "a finite number >= 0", (number) => number >= 0);
    const { data, shape } = asFloat32(x, "x");
    const D = shape[shape.length - 1] ?? 0;
    if (D < 1) {
      throw new RangeError(`x must have shape [..., D] with D >= 1; got [${shape.join(", ")}]`);
    }
    const weight = readColumns(given.weight, "weight", D);
    const bias = readColumns(given.bias, "bias", D);
    const result = check.destination(given.out, shape);
    const pieces = /** @type {const} */ ([
      { data, row: D },
      { data: weight },
      { data: bias },
      { data: result, row: D, way: "out" },
    ]);
    overRows(core, where, data.length / D, pieces, (T, _, [at, weightAt, biasAt, outAt]) =>
      raw.normalize_rows(
        ...[at, weightAt, weight.length, biasAt, bias.length],
        ...[T, D, kind, eps, weightOffset, outAt],
      ),
    );
    return new Tensor(result, shape);
  }

  return {
    /**
     * Each row brought to mean 0 and variance 1, then scaled and shifted.
     *
     *     out[t, d] = (x[t, d] - mean_t) / sqrt(variance_t + eps) * weight[d] + bias[d]
     *
     * The variance is divided by D (biased), as in every transformer. Accuracy: mean and variance
     * are accumulated in double and the result is rounded once; while D (1 + |mean| / deviation) <=
     * 2^20, the error is within 0.501 * 2^-23 |out| + 2^-33 (|weight| + |bias|).
     *
     * @param {TensorInput} x  [..., D]; not changed unless it is `out`
     * @param {object} [options]
     * @param {TensorInput} [options.weight]  [D]; default all 1
     * @param {TensorInput} [options.bias]  [D]; default all 0
     * @param {number} [options.eps]  default 1e-5 (1e-12 in BERT). With 0 a constant row gives the
     *   bias
     * @param {Float32Array | Tensor} [options.out]  filled instead of a new array; may be x itself
     * @returns {Tensor} float32, the shape of x; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or shapes do not agree
     * @see Ba et al. 2016, Layer normalization, https://arxiv.org/abs/1607.06450, section 3
     * @example
     * normalize.layerNorm([[1, 3]], { eps: 0 }).toArray()
     * // [[-1, 1]]
     */
    layerNorm(x, options = {}) {
      const where = "normalize.layerNorm";
      const defaults = { weight: undefined, bias: undefined, eps: 1e-5, out: undefined };
      return rows(where, x, LAYER, check.options(options, defaults, where));
    },

    /**
     * Each row divided by its root mean square, then scaled: no mean, no bias.
     *
     *     out[t, d] = x[t, d] / sqrt(mean over d of x[t, d]^2 + eps) * w[d]
     *
     * Form `plain`: w = weight (T5, LLaMA, Mistral, Qwen). `one-plus`: w = 1 + weight (Gemma, whose
     * weights are kept around 0). Accuracy: accumulated in double, within 0.501 * 2^-23 |out| for
     * D <= 2^20.
     *
     * @param {TensorInput} x  [..., D]; not changed unless it is `out`
     * @param {object} [options]
     * @param {TensorInput} [options.weight]  [D]; without it w is 1
     * @param {"plain" | "one-plus"} [options.form]  default `plain`
     * @param {number} [options.eps]  default 1e-6 (1e-5 in Llama 2 and later)
     * @param {Float32Array | Tensor} [options.out]  filled instead of a new array; may be x itself
     * @returns {Tensor} float32, the shape of x; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or shapes do not agree
     * @see Zhang and Sennrich 2019, Root mean square layer normalization,
     *   https://arxiv.org/abs/1910.07467, section 4
     * @example
     * normalize.rmsNorm([[1, 7]], { eps: 0, weight: [5, 5] }).toArray()
     * // [[1, 7]]
     */
    rmsNorm(x, options = {}) {
      const where = "normalize.rmsNorm";
      const defaults = { weight: undefined, form: "plain", eps: 1e-6, out: undefined };
      const { form, ...given } = check.options(options, defaults, where);
      const forms = /** @type {(keyof typeof FORMS)[]} */ (Object.keys(FORMS));
      return rows(where, x, RMS, given, FORMS[check.oneOf(form, "form", forms)]);
    },

    /**
     * Each row brought to length 1; a row of zeros stays zeros.
     *
     *     out[t, d] = x[t, d] / max(|x_t|, eps)
     *
     * The length is accumulated in double, where no square overflows or underflows. Accuracy:
     * within 0.501 * 2^-23 |out| for D <= 2^20.
     *
     * @param {TensorInput} x  [..., D]; not changed unless it is `out`
     * @param {object} [options]
     * @param {number} [options.eps]  the least length a row is divided by; default 1e-12
     * @param {Float32Array | Tensor} [options.out]  filled instead of a new array; may be x itself
     * @returns {Tensor} float32, the shape of x; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind
     * @see PyTorch, torch.nn.functional.normalize
     * @example
     * normalize.l2([[3, 4], [0, 0]]).toArray()
     * // [[0.6000000238418579, 0.800000011920929], [0, 0]]
     */
    l2(x, options = {}) {
      const where = "normalize.l2";
      return rows(where, x, L2, check.options(options, { eps: 1e-12, out: undefined }, where));
    },
  };
}

/**
 * One number for each column, or none.
 * @param {unknown} value @param {string} name @param {number} D
 */
function readColumns(value, name, D) {
  if (value === undefined) return new Float32Array(0);
  const { data, shape } = asFloat32(value, name);
  if (shape.join() !== String(D)) {
    throw new RangeError(`${name} must have shape [${D}]; got [${shape.join(", ")}]`);
  }
  return data;
}
