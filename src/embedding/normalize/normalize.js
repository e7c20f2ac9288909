/** @import { Core } from "../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { Tensor, TensorInput } from "../../runtime/tensor.js" */
import * as arrays from "../../runtime/arrays.js";
import { checkStatus, wrongShape } from "../../runtime/errors.js";
import { NONE, put, putPart, take, tileRows, withAddresses } from "../../runtime/memory.js";
import * as option from "../../runtime/options.js";
import { output } from "../../runtime/result.js";
import { asFloat32 } from "../../runtime/input.js";

/** phasor::normalize::Kind */
const LAYER = 0;
const RMS = 1;
const L2 = 2;

const OUT = () => ({
  /** Filled instead of a new array. May be x itself. */
  out: option.out(),
});

const LAYER_NORM = option.optionSet(() => ({
  /** One factor for each column [D]. Default: all 1. */
  weight: option.tensor(),
  /** One addend for each column [D]. Default: all 0. */
  bias: option.tensor(),
  /** Added to the variance. BERT uses 1e-12. With 0 a constant row gives the bias. */
  eps: option.number({ default: 1e-5, min: 0 }),
  ...OUT(),
}));

const RMS_NORM = option.optionSet(() => ({
  /** One factor for each column [D]. Default: none. */
  weight: option.tensor(),
  /** Whether to multiply by 1 + weight, as Gemma does, instead of by weight. */
  unitOffset: option.boolean(),
  /** Added to the mean square. Llama 2 and later use 1e-5. */
  eps: option.number({ default: 1e-6, min: 0 }),
  ...OUT(),
}));

const L2_NORM = option.optionSet(() => ({
  /** The least length that a row is divided by. */
  eps: option.number({ default: 1e-12, min: 0 }),
  ...OUT(),
}));

/**
 * Normalization of rows: LayerNorm, RMSNorm and division by the Euclidean length.
 * @param {Core} core
 */
export function normalize(core) {
  const { raw } = core;

  /**
   * @param {TensorInput} x @param {number} kind
   * @param {{weight?: TensorInput, bias?: TensorInput, eps: number, out: unknown}} options
   * @param {number} [weightOffset]
   */
  function normalizeRows(x, kind, options, weightOffset = 0) {
    const { eps } = options;
    const { data, shape } = asFloat32(x, "x", { rows: kind === L2 || eps === 0 });
    const D = shape[shape.length - 1] ?? 0;
    if (D < 1) {
      throw wrongShape("x", "[..., D] with D >= 1", shape);
    }
    const weight = readColumns(options.weight, "weight", D);
    const bias = readColumns(options.bias, "bias", D);
    const result = output(options.out, shape);
    const T = data.length / D;
    const step = tileRows(2 * D * 4, T);
    // As `overRows` does, without its pieces: for one row they are half of the call.
    const isLost = step < T && arrays.overlaps(data, result.data);
    const source = isLost ? data.slice() : data;
    const tile = step * D * 4;
    // The last but one is for the columns in double.
    const sizes = [tile, weight.length * 4, bias.length * 4, 2 * D * 8, tile];
    withAddresses(core, sizes, ([at, weightAt, biasAt, work, outAt]) => {
      put(core, weight, weightAt);
      put(core, bias, biasAt);
      for (let first = 0; first < T; first += step) {
        const count = Math.min(step, T - first);
        putPart(core, source, first * D, (first + count) * D, at);
        const status = raw.normalize_rows(
          at,
          weightAt,
          weight.length,
          biasAt,
          bias.length,
          count,
          D,
          kind,
          eps,
          weightOffset,
          work,
          outAt,
        );
        checkStatus(status);
        take(core, outAt, count * D, result.data, first * D);
      }
    });
    return result.done();
  }

  const module = {
    /**
     * Normalizes each row to mean 0 and variance 1, then multiplies by the weight and adds the bias.
     *
     *     out[t, d] = (x[t, d] - mean_t) / sqrt(variance_t + eps) * weight[d] + bias[d]
     *
     * The variance is divided by D (biased), as in every transformer.
     * Accuracy: the mean and the variance are accumulated in double, about the row's first number, and the
     * result is rounded once. While D (1 + |mean| / deviation) <= 2^20, the error is within
     * 0.501 * 2^-23 |out| + 2^-33 (|weight| + |bias|).
     *
     * @param {TensorInput} x  [..., D]; not changed unless it is `out`
     * @param {OptionsOf<typeof LAYER_NORM>} [options]
     * @returns {Tensor} float32, the shape of x
     * @throws {TypeError | RangeError} if an argument has the wrong type or shapes do not agree
     * @see Ba et al. 2016, Layer normalization, https://arxiv.org/abs/1607.06450, section 3
     * @example
     * normalize.layerNorm([[1, 3]], { eps: 0 }).toArray()
     * // [[-1, 1]]
     */
    layerNorm(x, options = {}) {
      return normalizeRows(x, LAYER, LAYER_NORM.view(options));
    },

    /**
     * Divides each row by its root mean square, then multiplies by the weight. There is no mean and no
     * bias.
     *
     *     out[t, d] = x[t, d] / sqrt(mean over d of x[t, d]^2 + eps) * w[d]
     *     w = weight       by default: T5, LLaMA, Mistral, Qwen
     *     w = 1 + weight   with unitOffset: Gemma, whose weights are near 0
     *
     * Without a weight, w is 1.
     * Accuracy: accumulated in double, within 0.501 * 2^-23 |out| for D <= 2^20.
     *
     * @param {TensorInput} x  [..., D]; not changed unless it is `out`
     * @param {OptionsOf<typeof RMS_NORM>} [options]
     * @returns {Tensor} float32, the shape of x
     * @throws {TypeError | RangeError} if an argument has the wrong type or shapes do not agree
     * @see Zhang and Sennrich 2019, Root mean square layer normalization,
     *   https://arxiv.org/abs/1910.07467, section 4
     * @example
     * normalize.rmsNorm([[1, 7]], { eps: 0, weight: [5, 5] }).toArray()
     * // [[1, 7]]
     */
    rmsNorm(x, options = {}) {
      const read = RMS_NORM.view(options);
      return normalizeRows(x, RMS, read, read.unitOffset ? 1 : 0);
    },

    /**
     * Divides each row by its Euclidean length. A row of zeros stays zeros.
     *
     *     out[t, d] = x[t, d] / max(|x_t|, eps)
     *
     * The length is accumulated in double, where no square overflows or underflows.
     * Accuracy: within 0.501 * 2^-23 |out| for D <= 2^20.
     *
     * @param {TensorInput} x  [..., D]; not changed unless it is `out`
     * @param {OptionsOf<typeof L2_NORM>} [options]
     * @returns {Tensor} float32, the shape of x
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see PyTorch, torch.nn.functional.normalize
     * @example
     * normalize.l2([[3, 4], [0, 0]]).toArray()
     * // [[0.6000000238418579, 0.800000011920929], [0, 0]]
     */
    l2(x, options = {}) {
      return normalizeRows(x, L2, L2_NORM.view(options));
    },
  };
  return option.withOptions(module, {
    layerNorm: LAYER_NORM,
    rmsNorm: RMS_NORM,
    l2: L2_NORM,
  });
}

/**
 * Reads one number for each column, or none.
 * @param {unknown} value @param {string} name @param {number} D
 */
function readColumns(value, name, D) {
  if (value === undefined) return NONE;
  const { data, shape } = asFloat32(value, name);
  if (shape.length !== 1 || shape[0] !== D) {
    throw wrongShape(name, `[${D}]`, shape);
  }
  return data;
}
