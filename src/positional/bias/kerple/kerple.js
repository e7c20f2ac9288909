/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../../runtime/options.js" */
/** @import { Tensor } from "../../../runtime/tensor.js" */
import * as arrays from "../../../runtime/arrays.js";
import * as check from "../../../runtime/check.js";
import { wrongShape } from "../../../runtime/errors.js";
import { overRows } from "../../../runtime/memory.js";
import * as option from "../../../runtime/options.js";
import { asFloat32 } from "../../../runtime/input.js";
import { distanceBias } from "../distance.js";

/** In the order of the C++ enum. */
const KERNELS = /** @type {const} */ (["log", "power", "weight"]);
const LOG = KERNELS.indexOf("log");

/** The smallest a and p: the float32 that a clamped checkpoint holds. */
const MIN = Math.fround(0.01);

const BIAS = option.optionSet(() => ({
  /** The number of keys Tk. Default: `length`. */
  keys: option.integer({ min: 0 }),
  /** The position of the first query. Default: keys - length, so that the last query sees the last key. */
  offset: option.value(/** @type {number | undefined} */ (undefined)),
  /** Sets the bias of keys after the query to -Infinity; the factor of `weight` to 1. Without it the bias is symmetric in distance. */
  causal: option.boolean(),
  /** The function of distance. `weight` is a factor that multiplies the logits before a bias is added. */
  kernel: option.choice(KERNELS),
  /** The scale a, one number for all heads or [H], at least 0.01. */
  a: option.numberOrTensor({ default: 1, min: 0.01, max: 1000 }),
  /** The power p, one number for all heads or [H], at least 0.01 and at most 2, except with kernel `log`. */
  p: option.numberOrTensor({ default: 1, min: 0.01, max: 2 }),
  /** Filled instead of a new array. */
  out: option.out(),
}));

/**
 * KERPLE, kernels of the distance with two learned parameters for each head (Chi et al. 2022).
 * @param {Core} core
 */
export function kerple(core) {
  const { raw } = core;

  const module = {
    /**
     * Computes the bias, or with kernel `weight` the factor, that KERPLE applies to the logits.
     *
     *     log     -p_h ln(1 + a_h |i - j|)
     *     power   -a_h |i - j|^p_h
     *     weight  e^(-a_h |i - j|^p_h)    multiplies the logits before a bias is added
     *
     * The factor of `weight` cannot mask: mask later keys with the bias that is added.
     * Accuracy: <= 0.501 ULP; -Infinity beyond float32.
     *
     * @param {number} heads  H
     * @param {number} length  queries Tq
     * @param {OptionsOf<typeof BIAS>} [options]
     * @returns {Tensor} float32 [H, Tq, Tk]
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Chi et al. 2022, KERPLE, https://arxiv.org/abs/2205.09921
     * @example
     * kerple.bias(1, 1, { keys: 4, kernel: "power", a: 0.5, p: 2 }).toArray()
     * // [[[-4.5, -2, -0.5, 0]]]
     */
    bias(heads, length, options = {}) {
      const { causal, kernel, a, p, ...span } = BIAS.read(options);
      const H = check.integer(heads, "heads");
      const kind = KERNELS.indexOf(kernel);
      const scales = readParameter(a, "a", H, check.MOST);
      const powers = readParameter(p, "p", H, kind === LOG ? check.MOST : 2);
      return distanceBias(H, length, span, (from, N) => {
        const lines = arrays.float32s(H * N, "the lines");
        const pieces = /** @type {const} */ ([
          { data: scales, row: 1 },
          { data: powers, row: 1 },
          { data: lines, row: N, direction: "out" },
        ]);
        overRows(core, H, pieces, (count, _, [aPtr, pPtr, outPtr]) =>
          raw.kerple_line(aPtr, pPtr, count, from, kind, causal, outPtr, N),
        );
        return lines;
      });
    },
  };
  return option.withOptions(module, { bias: BIAS }, { method: "bias", family: "bias" });
}

/**
 * A positive number for each head.
 * @param {unknown} value  one for all, or [H] @param {string} name @param {number} H @param {number} max
 */
function readParameter(value, name, H, max) {
  const rule = `from 0.01 to ${max}`;
  const allowed = (/** @type {number} */ x) => x >= MIN && x <= max;
  if (typeof value === "number") {
    return arrays
      .float64s(H, "the parameters")
      .fill(check.finite(value, name, `a number ${rule}`, allowed));
  }
  const { data, shape } = asFloat32(value, name);
  if (shape.length !== 1 || shape[0] !== H) {
    throw wrongShape(name, `[${H}]`, shape);
  }
  const odd = data.findIndex((x) => !allowed(x));
  if (odd >= 0) {
    throw new RangeError(`${name} must hold numbers ${rule}; got ${data[odd]} at ${odd}`);
  }
  return Float64Array.from(data);
}
