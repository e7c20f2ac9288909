/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { Piece } from "../../../runtime/memory.js" */
/** @import { OptionsOf } from "../../../runtime/options.js" */
/** @import { Tensor } from "../../../runtime/tensor.js" */
import * as arrays from "../../../runtime/arrays.js";
import * as check from "../../../runtime/check.js";
import { wrongShape } from "../../../runtime/errors.js";
import { overRows } from "../../../runtime/memory.js";
import * as option from "../../../runtime/options.js";
import { asFloat32 } from "../../../runtime/input.js";
import { distanceBias } from "../distance.js";

const BIAS = option.optionSet(() => ({
  /** The number of keys Tk. Default: `length`. */
  keys: option.integer({ min: 0 }),
  /** The position of the first query. Default: keys - length, so that the last query sees the last key. */
  offset: option.value(/** @type {number | undefined} */ (undefined)),
  /** Sets the bias of keys after the query to -Infinity. */
  causal: option.boolean(),
  /** The heights a of the kernels: one number for all, [H] with one kernel a head, or [H, S]. */
  a: option.numberOrTensor({ default: 1, min: -10, max: 10 }),
  /** The sharpness b of the kernels, of which the absolute value counts: one number for all, [H], or [H, S]. */
  b: option.numberOrTensor({ default: 0.01, min: 0, max: 10 }),
  /** The centers c of the kernels as key - query: one number for all, [H], or [H, S]. */
  c: option.numberOrTensor({ default: 0, min: -64, max: 64 }),
  /** Filled instead of a new array. */
  out: option.out(),
}));

/**
 * TISA, translation-invariant self-attention: a sum of learned Gaussian kernels of the relative position (Wennberg,
 * Henter 2021).
 * @param {Core} core
 */
export function tisa(core) {
  const { raw } = core;

  const module = {
    /**
     * Computes the positional score that TISA adds to the logits: for each head a sum of S Gaussian kernels of the
     * relative position, with learned height, sharpness and center.
     *
     *     bias[h, i, j] = sum over s of a_hs e^(-|b_hs| (j - i - c_hs)^2)
     *
     * Kernels whose center is not 0 tell keys before the query from keys after it.
     * Accuracy: <= 0.501 ULP where the heights of a head have one sign; where terms cancel, at most 2^-42 of the sum
     * of their sizes. Infinite beyond float32.
     *
     * @param {number} heads  H
     * @param {number} length  queries Tq
     * @param {OptionsOf<typeof BIAS>} [options]
     * @returns {Tensor} float32 [H, Tq, Tk]
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Wennberg, Henter 2021, The case for translation-invariant self-attention in transformer-based language
     *   models, https://arxiv.org/abs/2106.01950
     * @example
     * tisa.bias(1, 1, { keys: 3, a: [[1, 0.5]], b: [[1e3, 1e3]], c: [[0, -1]] }).toArray()
     * // [[[0, 0.5, 1]]]
     */
    bias(heads, length, options = {}) {
      const { causal, a, b, c, ...span } = BIAS.read(options);
      const H = check.integer(heads, "heads");
      const parameters = Object.entries({ a, b, c }).map(([name, given]) =>
        readParameter(given, name, H),
      );
      const S = kernelsOf(parameters);
      const [heights, sharpness, centers] = parameters.map((each) => spreadOver(each, H, S));
      return distanceBias(H, length, span, (from, N) => {
        const lines = arrays.float32s(H * N, "the lines");
        /** @type {Piece[]} */
        const pieces = [
          { data: heights, row: S },
          { data: sharpness, row: S },
          { data: centers, row: S },
          { data: lines, row: N, direction: "out" },
        ];
        overRows(core, H, pieces, (H, _, [a, b, c, out]) =>
          raw.tisa_line({ a, b, c, out, H, S, N, causal, first: from }),
        );
        return lines;
      });
    },
  };
  return option.withOptions(module, { bias: BIAS }, { method: "bias", family: "bias" });
}

/** @typedef {{name: string, data: ArrayLike<number>, shape: readonly number[]}} Parameter */

/**
 * One number for all, a number for each head, or one for each head and kernel.
 * @param {unknown} value @param {string} name @param {number} H
 * @returns {Parameter}
 */
function readParameter(value, name, H) {
  const allowed = (/** @type {number} */ x) => Math.abs(x) <= check.MOST;
  if (typeof value === "number") {
    check.finite(value, name, "a number within float32", allowed);
    return { name, data: [value], shape: [] };
  }
  const { data, shape } = asFloat32(value, name);
  if (shape[0] !== H || shape.length > 2 || shape[1] === 0) {
    throw wrongShape(name, `[${H}] or [${H}, S]`, shape);
  }
  const odd = data.findIndex((x) => !allowed(x));
  if (odd >= 0) throw new RangeError(`${name} must be finite; got ${data[odd]} at ${odd}`);
  return { name, data, shape };
}

/** The number of kernels S on which parameters agree. @param {Parameter[]} parameters */
function kernelsOf(parameters) {
  const wide = parameters.filter(({ shape }) => shape.length === 2);
  const [H, S] = wide.length > 0 ? wide[0].shape : [0, 1];
  const other = wide.find(({ shape }) => shape[1] !== S);
  if (other) throw wrongShape(other.name, `[${H}] or [${H}, ${S}]`, other.shape);
  return S;
}

/** As a number for each head and kernel, [H, S]. @param {Parameter} parameter @param {number} H @param {number} S */
function spreadOver({ data }, H, S) {
  const step = (H * S) / data.length;
  return Float64Array.from({ length: H * S }, (_, at) => data[Math.floor(at / step)]);
}
