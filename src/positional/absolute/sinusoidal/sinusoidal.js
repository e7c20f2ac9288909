/** @import { Core, Raw } from "../../../runtime/wasm.js" */
/** @import { Positions } from "../../../runtime/positions.js" */
/** @import { Precision, Recipe, Spectrum } from "../../../runtime/phase.js" */
/** @import { TensorInput } from "../../../runtime/tensor.js" */
import * as check from "../../../runtime/check.js";
import { checkStatus } from "../../../runtime/errors.js";
import { take } from "../../../runtime/memory.js";
import { readIds } from "../../../runtime/ids.js";
import { readMask } from "../../../runtime/mask.js";
import { readBase, readPrecision, tabulate } from "../../../runtime/phase.js";
import { REACH, readPositions } from "../../../runtime/positions.js";
import { Tensor } from "../../../runtime/tensor.js";

/** In the order of the C++ enums. */
const LAYOUTS = /** @type {const} */ (["interleaved", "halves", "flipped"]);
const ODD = /** @type {const} */ (["sine-last", "zero-last"]);
const SPECTRA = /** @type {const} */ (["paper", "tensor2tensor"]);

const TOKENS = /** @type {const} */ (["ids", "mask"]);

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
 * @property {"inverse-sqrt" | "unit" | number} [scale]  every value is multiplied by it:
 *   `inverse-sqrt`, D^(-1/2); `unit`, (2/D)^(1/2), which makes rows of length 1; or a number other
 *   than 0; default 1
 */

const DEFAULTS = Object.freeze({
  base: 10000,
  layout: "interleaved",
  spectrum: "paper",
  odd: "sine-last",
  precision: "exact",
  recipe: "exp",
  scale: 1,
});

/** A preset: options to be passed or spread. @template {SinusoidalOptions} Options @param {Options} options */
const preset = (options) => Object.freeze(options);

const PRESETS = Object.freeze({
  /** Vaswani et al. 2017, section 3.5; DistilBERT in HF. */
  vaswani: preset({ layout: "interleaved", spectrum: "paper" }),
  /** tensorflow/tensor2tensor, layers/common_attention.py: get_timing_signal_1d. */
  tensor2tensor: preset({ layout: "halves", spectrum: "tensor2tensor", odd: "zero-last" }),
  /** fairseq, modules/sinusoidal_positional_embedding.py; M2M100 and NLLB in HF. For `padded`. */
  fairseq: preset({ layout: "halves", spectrum: "tensor2tensor", odd: "zero-last" }),
  /** openai/whisper, whisper/model.py: sinusoids. The encoder; the decoder's table is learned. */
  whisper: preset({ layout: "halves", spectrum: "tensor2tensor" }),
  /** marian-dev, src/tensors/cpu/tensor_operators.cpp: SinusoidalPositionEmbeddings; even D. */
  marian: preset({ layout: "halves", spectrum: "tensor2tensor" }),
  /** transformers, models/marian/modeling_marian.py: another spectrum than Marian's own. */
  marianHf: preset({ layout: "halves", spectrum: "paper" }),
  /** kimiyoung/transformer-xl, pytorch/mem_transformer.py; its positions fall: T-1 .. 0. */
  transformerXl: preset({ layout: "halves", spectrum: "paper", recipe: "pow" }),
  /** EleutherAI/gpt-neox, megatron/model/positional_embeddings.py: SinusoidalPositionalEmbedding. */
  gptNeox: preset({ layout: "halves", spectrum: "paper", recipe: "pow" }),
  /** lucidrains/x-transformers: ScaledSinusoidalEmbedding, with the scale that its training starts at. */
  xTransformers: preset({
    layout: "halves",
    spectrum: "paper",
    recipe: "pow",
    scale: "inverse-sqrt",
  }),
  /** ml-explore/mlx, nn/layers/positional_encoding.py: SinusoidalPositionalEncoding. */
  mlx: preset({ layout: "halves", spectrum: "tensor2tensor", scale: "unit" }),
});

/**
 * Sinusoidal position encoding (Vaswani et al. 2017).
 * @param {Core} core
 */
export function sinusoidal(core) {
  const raw =
    /**
     * @type {Raw & {sinusoidal_table(positions: number, T: number, D: number, layout: number,
     *   odd: number, precision: number, scale: number, workspace: number, size: number, out: number): number}}
     */ (core.raw);

  /**
   * @param {Positions} lengthOrPositions @param {number} dim
   * @param {SinusoidalOptions & {offset?: number, out?: Float32Array | Tensor}} options
   * @param {string} where
   */
  function encode(lengthOrPositions, dim, options, where) {
    const { offset, out, ...given } = options;
    const { D, layout, odd, scale, ...spectrum } = readSpectrum(dim, given);
    const positions = readPositions(lengthOrPositions, offset);
    const shape = [...positions.shape, D];
    const result = check.destination(out, shape);
    tabulate(core, spectrum, positions, { width: D }, where, (tile) => {
      const { positions, from, count, workspace, size, at } = tile;
      checkStatus(
        raw.sinusoidal_table(
          positions,
          count,
          D,
          layout,
          odd,
          spectrum.precision,
          scale,
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
     * Option sets of model families: `sinusoidal.table(1500, 512, sinusoidal.presets.whisper)`.
     *
     * @example
     * sinusoidal.table([1], 4, sinusoidal.presets.whisper).toArray()
     * // [[0.8414709568023682, 0.00009999999747378752, 0.5403022766113281, 1]]
     */
    presets: PRESETS,

    /**
     * The encoding of each position.
     *
     *     table[t, sine column i]   = scale * sin(position_t * theta_i)
     *     table[t, cosine column i] = scale * cos(position_t * theta_i),   theta_i = base^(-2i/D)
     *
     * Accuracy: `exact` is within 0.501 ULP for |position| <= 2^20 and 2.99e-8 absolute up to 2^31
     * (times the scale's next power of two). `torch` is within 1 ULP of the sine of PyTorch's own
     * float32 angle where the frequency has the bits of PyTorch's; most have, and the others differ
     * by up to 2 ULP, each of which turns the angle by up to 1.2e-7 of itself.
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
     * The encodings of token rows with padding: tokens are numbered without it.
     *
     *     position_t = paddingIdx + offset + number of tokens, up to and with t, that are no padding
     *     padded[t]  = 0 if token t is padding, else table[position_t]
     *
     * The first token of a row stands at paddingIdx + 1, wherever it is: fairseq, M2M100, NLLB.
     *
     * @param {TensorInput} tokens  ids or a mask, [T] or [..., T]; each row is numbered for itself
     * @param {number} dim  width D of a row
     * @param {SinusoidalOptions & {kind?: typeof TOKENS[number], paddingIdx?: number,
     *   offset?: number, out?: Float32Array | Tensor}} [options]  as for `table`, and
     *   `kind`: `ids` (default; those equal to paddingIdx are padding) or `mask` (1 or true
     *   counts, 0 or false is padding); `paddingIdx` (default 1, fairseq's); `offset`: tokens that
     *   went before (default 0)
     * @returns {Tensor} float32 [..., T, D]; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see facebookresearch/fairseq, fairseq/utils.py: make_positions
     * @example
     * sinusoidal.padded([5, 7, 1], 2).toArray()
     * // [[0.9092974066734314, -0.416146844625473], [0.14112000167369843, -0.9899924993515015], [0, 0]]
     */
    padded(tokens, dim, options = {}) {
      const where = "sinusoidal.padded";
      const defaults = { ...DEFAULTS, kind: "ids", paddingIdx: 1, offset: 0, out: undefined };
      const { kind, paddingIdx, offset, ...given } = check.options(options, defaults, where);
      const padding = check.integer(paddingIdx, "paddingIdx", 0);
      const before = check.integer(offset, "offset", 0);
      const { counts, shape } = readTokens(tokens, kind, padding);
      const T = shape[shape.length - 1];
      const positions = new Float64Array(counts.length);
      for (let t = 0, seen = 0; t < counts.length; ++t) {
        seen = (t % T === 0 ? 0 : seen) + counts[t];
        positions[t] = padding + before + seen;
      }
      const rows = encode({ data: positions, shape }, dim, /** @type {any} */ (given), where);
      const D = rows.shape[shape.length];
      counts.forEach((one, t) => {
        if (one === 0) rows.data.fill(0, t * D, (t + 1) * D);
      });
      return rows;
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
     * @param {SinusoidalOptions & {out?: Float32Array | Tensor}} [options]  as for `table`; M_k is
     *   the same for every scale
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
      readScale(given.scale, D);
      if (D % 2 !== 0) {
        throw new RangeError(`dim must be even, so that every sine has a cosine; got ${D}`);
      }
      const matrix = check.destination(out, [D, D]);
      const turns = encode(
        [step],
        D,
        /** @type {any} */ ({ ...given, layout: "halves", scale: 1 }),
        where,
      );
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
 * Which tokens count.
 * @param {unknown} tokens @param {unknown} kind @param {number} padding
 * @returns {{counts: Int32Array, shape: number[]}} ones and zeros
 */
function readTokens(tokens, kind, padding) {
  const isMask = check.oneOf(kind, "kind", TOKENS) === "mask";
  const { data, shape } = isMask ? readMask(tokens, "tokens") : readIds(tokens, 2 ** 31, "tokens");
  if (shape.length === 0) throw new RangeError("tokens must have shape [..., T]; got []");
  return { counts: isMask ? data : data.map((id) => Number(id !== padding)), shape };
}

/**
 * @param {unknown} dim
 * @param {{base?: unknown, layout?: unknown, spectrum?: unknown, odd?: unknown, precision?: unknown, recipe?: unknown, scale?: unknown}} options
 * @returns {Spectrum & {D: number, layout: number, odd: number, scale: number}}
 */
function readSpectrum(dim, { base, layout, spectrum, odd, precision, recipe, scale }) {
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
    scale: readScale(scale, D),
  };
}

/** @param {unknown} scale @param {number} D */
function readScale(scale, D) {
  if (scale === "inverse-sqrt") return 1 / Math.sqrt(D);
  if (scale === "unit") return Math.sqrt(2 / D);
  const rule = '"inverse-sqrt", "unit" or a float32 number other than 0';
  return check.finite(scale, "scale", rule, (x) => x !== 0 && Math.abs(x) <= check.MOST);
}

/**
 * n of theta_i = base^(-i/n).
 * @param {unknown} spectrum @param {number} D
 */
export function readDenominator(spectrum, D) {
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
