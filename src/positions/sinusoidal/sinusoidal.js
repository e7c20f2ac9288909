/** @import { Core, Raw } from "../../api/wasm.js" */
/** @import { Positions } from "../../api/positions.js" */
/** @import { Precision, Recipe, Spectrum } from "../../api/phase.js" */
import * as check from "../../api/check.js";
import { must } from "../../api/errors.js";
import { take } from "../../api/heap.js";
import { readBase, readPrecision, tabulate } from "../../api/phase.js";
import { REACH, readPositions } from "../../api/positions.js";
import { Tensor } from "../../api/tensor.js";

/** In the order of the C++ enums. */
const LAYOUTS = /** @type {const} */ (["interleaved", "halves", "flipped"]);
const ODD = /** @type {const} */ (["sine-last", "zero-last"]);
const SPECTRA = /** @type {const} */ (["paper", "tensor2tensor"]);

/**
 * @typedef {object} SinusoidalOptions
 * @property {number} [base]  the frequencies fall from 1 to about 1 / base; default 10000
 * @property {typeof LAYOUTS[number]} [layout]  `interleaved` [s c s c] (default), `halves`
 *   [s s c c], `flipped` [c c s s]
 * @property {typeof SPECTRA[number] | number} [spectrum]  `paper` (default): theta_i = base^(-2i/D);
 *   `tensor2tensor`: theta_i = base^(-i/(D/2 - 1)); a number n: theta_i = base^(-i/n)
 * @property {typeof ODD[number]} [odd]  the last column of an odd D: `sine-last` (default, one more
 *   sine) or `zero-last`
 * @property {Precision} [precision]  `exact` (default) or `torch`, PyTorch's float32 steps
 * @property {Recipe} [recipe]  which float32 steps: `exp` (default) or `pow`
 */

const DEFAULTS = Object.freeze({
  base: 10000,
  layout: "interleaved",
  spectrum: "paper",
  odd: "sine-last",
  precision: "exact",
  recipe: "exp",
});

/**
 * Sinusoidal position encoding (Vaswani et al. 2017).
 * @param {Core} core
 */
export function sinusoidal(core) {
  const raw =
    /**
     * @type {Raw & {sinusoidal_table(positions: number, T: number, D: number, layout: number,
     *   odd: number, precision: number, workspace: number, size: number, out: number): number}}
     */ (core.raw);

  /**
   * @param {Positions} lengthOrPositions @param {number} dim
   * @param {SinusoidalOptions & {offset?: number, out?: Float32Array | Tensor}} options
   * @param {string} where
   */
  function encode(lengthOrPositions, dim, options, where) {
    const { offset, out, ...given } = options;
    const { D, layout, odd, ...spectrum } = readSpectrum(dim, given);
    const positions = readPositions(lengthOrPositions, offset);
    const shape = [...positions.shape, D];
    const result = check.destination(out, shape);
    tabulate(core, spectrum, positions, { width: D }, where, (tile) => {
      const { positions, from, count, workspace, size, at } = tile;
      must(
        raw.sinusoidal_table(
          positions,
          count,
          D,
          layout,
          odd,
          spectrum.precision,
          workspace,
          size,
          at,
        ),
        where,
      );
      take(core, at, count * D, result, from * D);
    });
    return new Tensor(result, shape);
  }

  return {
    /**
     * The encoding of each position.
     *
     *     table[t, sine column i]   = sin(position_t * theta_i)
     *     table[t, cosine column i] = cos(position_t * theta_i),   theta_i = base^(-2i/D)
     *
     * Accuracy: `exact` is within 0.501 ULP for |position| <= 2^20 and 2.99e-8 absolute up to 2^31;
     * `torch` is within 1 ULP of the sine of PyTorch's own float32 angle.
     *
     * @param {Positions} lengthOrPositions  a length T for positions 0 .. T-1, or positions of any
     *   shape: whole or fractional, negative too, |position| <= 2^31
     * @param {number} dim  width D of a row
     * @param {SinusoidalOptions & {offset?: number, out?: Float32Array | Tensor}} [options]
     *   `offset` is added to every position (default 0); `out` is filled instead of a new array
     * @returns {Tensor} float32 [T, D] or [...positions.shape, D]; the caller's own
     * @throws {TypeError}  if an argument is of the wrong kind or an option does not exist
     * @throws {RangeError} if a value, a position or the length of `out` is out of range
     * @see Vaswani et al. 2017, Attention is all you need, https://arxiv.org/abs/1706.03762, section 3.5
     * @example
     * sinusoidal.table(2, 4).toString()
     * // [[0.         1.         0.         1.        ]
     * //  [0.84147096 0.5403023  0.00999983 0.99995   ]]
     */
    table(lengthOrPositions, dim, options = {}) {
      const defaults = { ...DEFAULTS, offset: 0, out: undefined };
      const given = check.options(options, defaults, "sinusoidal.table");
      return encode(lengthOrPositions, dim, /** @type {any} */ (given), "sinusoidal.table");
    },

    /**
     * The block rotation that moves every encoding k positions on, whatever the position:
     *
     *     PE(p + k) = M_k PE(p)
     *
     * Each pair (sine, cosine) is turned by k * theta_i: sin' = sin cos(k theta) + cos sin(k theta).
     *
     * @param {number} k  tokens; whole or fractional, negative too
     * @param {number} dim  width D, even: the last sine of an odd width has no partner
     * @param {SinusoidalOptions & {out?: Float32Array | Tensor}} [options]  as for `table`
     * @returns {Tensor} float32 [D, D]; the caller's own
     * @throws {TypeError}  if an argument is of the wrong kind
     * @throws {RangeError} if D is odd or a value is out of range
     * @see Vaswani et al. 2017, section 3.5: "PE(pos+k) can be represented as a linear function of PE(pos)"
     * @example
     * sinusoidal.shift(1, 2).toArray()
     * // [[0.5403022766113281, 0.8414709568023682], [-0.8414709568023682, 0.5403022766113281]]
     */
    shift(k, dim, options = {}) {
      const where = "sinusoidal.shift";
      const { out, ...given } = check.options(options, { ...DEFAULTS, out: undefined }, where);
      const step = check.finite(k, "k", "a number from -2^31 to 2^31", (x) => Math.abs(x) <= REACH);
      const D = check.integer(dim, "dim");
      if (D % 2 !== 0) {
        throw new RangeError(`dim must be even, so that every sine has a cosine; got ${D}`);
      }
      const matrix = check.destination(out, [D, D]);
      const turns = encode([step], D, /** @type {any} */ ({ ...given, layout: "halves" }), where);
      const [sineStep, sineStart, cosineStart] = columns(given.layout, D);
      matrix.fill(0);
      for (let i = 0; i < D / 2; ++i) {
        const s = sineStart + i * sineStep;
        const c = cosineStart + i * sineStep;
        const sine = turns.data[i];
        const cosine = turns.data[D / 2 + i];
        matrix[s * D + s] = cosine;
        matrix[s * D + c] = sine;
        matrix[c * D + s] = -sine;
        matrix[c * D + c] = cosine;
      }
      return new Tensor(matrix, [D, D]);
    },
  };
}

/**
 * @param {unknown} dim
 * @param {{base?: unknown, layout?: unknown, spectrum?: unknown, odd?: unknown, precision?: unknown, recipe?: unknown}} options
 * @returns {Spectrum & {D: number, layout: number, odd: number}}
 */
function readSpectrum(dim, { base, layout, spectrum, odd, precision, recipe }) {
  const D = check.integer(dim, "dim");
  const last = check.oneOf(odd, "odd", ODD);
  return {
    D,
    base: readBase(base),
    n: readDenominator(spectrum, D),
    pairs: last === "sine-last" ? Math.ceil(D / 2) : Math.floor(D / 2),
    precision: readPrecision(precision, recipe),
    layout: LAYOUTS.indexOf(check.oneOf(layout, "layout", LAYOUTS)),
    odd: ODD.indexOf(last),
  };
}

/**
 * n of theta_i = base^(-i/n).
 * @param {unknown} spectrum @param {number} D
 */
function readDenominator(spectrum, D) {
  if (typeof spectrum === "number") {
    return check.finite(spectrum, "spectrum", "a name or a number > 0", (n) => n > 0);
  }
  const name = check.oneOf(spectrum, "spectrum", SPECTRA);
  return name === "paper" ? D / 2 : Math.max(Math.floor(D / 2) - 1, 1);
}

/**
 * @param {unknown} layout @param {number} D
 * @returns {[step: number, firstSine: number, firstCosine: number]}
 */
function columns(layout, D) {
  switch (check.oneOf(layout, "layout", LAYOUTS)) {
    case "interleaved":
      return [2, 0, 1];
    case "halves":
      return [1, 0, D / 2];
    case "flipped":
      return [1, D / 2, 0];
  }
}
