/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { Positions, ReadPositions } from "../../../runtime/positions.js" */
/** @import { Spectrum } from "../../../runtime/phase.js" */
/** @import { OptionsOf } from "../../../runtime/options.js" */
/** @import { Tensor, TensorInput } from "../../../runtime/tensor.js" */
import * as check from "../../../runtime/check.js";
import { checkStatus } from "../../../runtime/errors.js";
import { take } from "../../../runtime/memory.js";
import { readIds } from "../../../runtime/ids.js";
import { readMask } from "../../../runtime/mask.js";
import * as option from "../../../runtime/options.js";
import { stepsOf, tabulate } from "../../../runtime/phase.js";
import { REACH, readPositions } from "../../../runtime/positions.js";
import { output } from "../../../runtime/result.js";

/** In the order of the C++ enums. */
const LAYOUTS = /** @type {const} */ (["interleaved", "halves", "flipped"]);
const ODD = /** @type {const} */ (["sine-last", "zero-last"]);
const SPECTRA = /** @type {const} */ (["paper", "tensor2tensor"]);

/** The denominator of the exponents: also an option of `rounding.report`. */
export const spectrumOption = () =>
  option.choiceOrNumber(SPECTRA, "paper", {
    rule: "a number from 1e-9 to 1e15", // exponents -i/n beyond these are those of no double
    allowed: (n) => n >= 1e-9 && n <= 1e15,
  });

/** What every function of the module takes. */
const WAVES = () => ({
  /** The frequencies fall from 1 to about 1 / base. */
  base: option.number({ default: 10000, min: 1 }),
  /** The columns of sines and cosines: `interleaved` [s c s c], `halves` [s s c c], `flipped` [c c s s]. */
  layout: option.choice(LAYOUTS),
  /** `paper`: theta_i = base^(-2i/D); `tensor2tensor`: theta_i = base^(-i/(floor(D/2) - 1)); a number n: theta_i = base^(-i/n). */
  spectrum: spectrumOption(),
  /** The last column of an odd D: one more sine or a zero. */
  odd: option.choice(ODD),
  /** `exact` rounds the formula once. `torch` follows PyTorch's float32 steps. */
  precision: option.choice(["exact", "torch"]),
  /** How `torch` forms frequencies in float32: by an exponential or by a power. */
  recipe: option.choice(["exp", "pow"]),
  /** The factor of all values: a number other than 0, `inverse-sqrt` for D^(-1/2), or `unit` for (2/D)^(1/2), which makes rows of length 1. */
  scale: option.choiceOrNumber(["inverse-sqrt", "unit"], 1, {
    rule: "a float32 number other than 0",
    allowed: (x) => x !== 0 && Math.abs(x) <= check.MOST,
  }),
  /** The factor of all positions. */
  positionScale: option.number({ default: 1 }),
  /** The first frequency: `min_timescale` of tensor2tensor, whose frequencies are minTimescale (base / minTimescale)^(-i/n). */
  minTimescale: option.number({ default: 1, above: 0 }),
});

const TABLE = option.optionSet(() => ({
  ...WAVES(),
  /** Added to every position. */
  offset: option.number({ default: 0 }),
  /** Filled instead of a new array. */
  out: option.out(),
}));

const PADDED = option.optionSet(() => ({
  ...WAVES(),
  /** What `tokens` holds: `ids`, where `paddingIdx` is padding, or a `mask`, where 0 or false is padding. */
  kind: option.choice(["ids", "mask"]),
  /** The id of padding, and the position before the first token. fairseq uses 1. */
  paddingIdx: option.integer({ default: 1, min: 0 }),
  /** The number of tokens already in the cache. */
  past: option.integer({ default: 0, min: 0 }),
  /** Filled instead of a new array. */
  out: option.out(),
}));

const SHIFT = option.optionSet(() => ({
  ...WAVES(),
  /** Filled instead of a new array. */
  out: option.out(),
}));

/**
 * Options of the encoding, and where it is written.
 * @typedef {ReturnType<typeof SHIFT["read"]> & {offset?: number}} ReadOptions
 */

const presets = () =>
  option.presetsOf("sinusoidal", [SHIFT], {
    /** Vaswani et al. 2017, section 3.5; DistilBERT in HF. */
    vaswani: { layout: "interleaved", spectrum: "paper" },
    /** tensorflow/tensor2tensor, layers/common_attention.py: get_timing_signal_1d. */
    tensor2tensor: { layout: "halves", spectrum: "tensor2tensor", odd: "zero-last" },
    /** fairseq, modules/sinusoidal_positional_embedding.py; M2M100 and NLLB in HF. For `padded`. */
    fairseq: { layout: "halves", spectrum: "tensor2tensor", odd: "zero-last" },
    /** openai/whisper, whisper/model.py: sinusoids. The encoder; the decoder's table is learned. */
    whisper: { layout: "halves", spectrum: "tensor2tensor" },
    /** marian-dev, src/tensors/cpu/tensor_operators.cpp: SinusoidalPositionEmbeddings; even D. */
    "marian-dev": { layout: "halves", spectrum: "tensor2tensor" },
    /** transformers, models/marian/modeling_marian.py: another spectrum than that of marian-dev. */
    marian: { layout: "halves", spectrum: "paper" },
    /** kimiyoung/transformer-xl, pytorch/mem_transformer.py; its positions fall: T-1 .. 0. */
    "transfo-xl": { layout: "halves", spectrum: "paper", recipe: "pow" },
    /** EleutherAI/gpt-neox, megatron/model/positional_embeddings.py: SinusoidalPositionalEmbedding. */
    gpt_neox: { layout: "halves", spectrum: "paper", recipe: "pow" },
    /** lucidrains/x-transformers: ScaledSinusoidalEmbedding, with the scale at the start of training. */
    "x-transformers": {
      layout: "halves",
      spectrum: "paper",
      recipe: "pow",
      scale: "inverse-sqrt",
    },
    /** ml-explore/mlx, nn/layers/positional_encoding.py: SinusoidalPositionalEncoding. */
    mlx: { layout: "halves", spectrum: "tensor2tensor", scale: "unit" },
  });

/**
 * Sinusoidal position encoding (Vaswani et al. 2017).
 * @param {Core} core
 */
export function sinusoidal(core) {
  const module = {
    /**
     * Options by model: `sinusoidal.table(1500, 512, sinusoidal.presets.whisper)`.
     *
     * @example
     * sinusoidal.table([1], 4, sinusoidal.presets.whisper).toArray()
     * // [[0.8414709568023682, 0.00009999999747378752, 0.5403022766113281, 1]]
     */
    presets: presets(),

    /**
     * Computes the encoding of each position.
     *
     *     table[t, sine column i]   = scale * sin(position_t * theta_i)
     *     table[t, cosine column i] = scale * cos(position_t * theta_i),   theta_i = base^(-2i/D)
     *
     * position_t includes `offset`, `positionScale` and `minTimescale`, which are applied in double.
     * Accuracy: `exact` is within 0.501 ULP for |position| <= 2^20 and 2.99e-8 absolute up to 2^31
     * (times the scale's next power of two). `torch` is within 1 ULP of the sine of PyTorch's own
     * float32 angle where the frequency has the bits of PyTorch's; most have, and the others differ
     * by up to 2 ULP, each of which turns the angle by up to 1.2e-7 of itself.
     *
     * @param {Positions} lengthOrPositions  a length T for positions 0 .. T-1, or positions of any
     *   shape: whole or fractional, negative too, |position| <= 2^31
     * @param {number} dim  width D of a row
     * @param {OptionsOf<typeof TABLE>} [options]
     * @returns {Tensor} float32 [T, D] or [...positions.shape, D]
     * @throws {TypeError}  if an argument has the wrong type or an option does not exist
     * @throws {RangeError} if a value, a position or the length of `out` is out of range
     * @see Vaswani et al. 2017, Attention is all you need, https://arxiv.org/abs/1706.03762, section 3.5
     * @example
     * sinusoidal.table(2, 4).toString()
     * // [[0.         1.         0.         1.        ]
     * //  [0.84147096 0.5403023  0.00999983 0.99995   ]]
     */
    table(lengthOrPositions, dim, options = {}) {
      return encode(core, lengthOrPositions, dim, TABLE.view(options));
    },

    /**
     * Computes the encodings of token sequences with padding. Padding takes no position.
     *
     *     position_t = paddingIdx + past + number of tokens, up to and with t, that are not padding
     *     padded[t]  = 0 if token t is padding, else table[position_t]
     *
     * The first token of a sequence has position paddingIdx + 1, wherever it is, as in fairseq, M2M100
     * and NLLB.
     *
     * @param {TensorInput} tokens  ids or a mask, [T] or [..., T]; each sequence is numbered separately
     * @param {number} dim  width D of a row
     * @param {OptionsOf<typeof PADDED>} [options]
     * @returns {Tensor} float32 [..., T, D]
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see facebookresearch/fairseq, fairseq/utils.py: make_positions
     * @example
     * sinusoidal.padded([5, 7, 1], 2).toArray()
     * // [[0.9092974066734314, -0.416146844625473], [0.14112000167369843, -0.9899924993515015], [0, 0]]
     */
    padded(tokens, dim, options = {}) {
      const { kind, paddingIdx, past, ...rest } = PADDED.read(options);
      const { counts, shape } = readTokens(tokens, kind, paddingIdx);
      const T = shape[shape.length - 1];
      const positions = new Float64Array(counts.length);
      for (let t = 0, seen = 0; t < counts.length; ++t) {
        seen = (t % T === 0 ? 0 : seen) + counts[t];
        positions[t] = paddingIdx + past + seen;
      }
      const rows = encode(core, { data: positions, shape }, dim, rest);
      const D = rows.shape[shape.length];
      counts.forEach((one, t) => {
        if (one === 0) rows.data.fill(0, t * D, (t + 1) * D);
      });
      return rows;
    },

    /**
     * Computes the block rotation that moves every encoding by k positions.
     *
     *     PE(p + k) = M_k PE(p)
     *
     * It rotates each pair (sine, cosine) by k * theta_i: sin' = sin cos(k theta) + cos sin(k theta).
     * M_k is the same for every `scale`.
     *
     * @param {number} k  tokens; whole or fractional, negative too
     * @param {number} dim  width D, even: the last sine of an odd width has no cosine
     * @param {OptionsOf<typeof SHIFT>} [options]
     * @returns {Tensor} float32 [D, D]
     * @throws {TypeError}  if an argument has the wrong type
     * @throws {RangeError} if D is odd or a value is out of range
     * @see Vaswani et al. 2017, section 3.5: "PE(pos+k) can be represented as a linear function of PE(pos)"
     * @example
     * sinusoidal.shift(1, 2).toArray()
     * // [[0.5403022766113281, 0.8414709568023682], [-0.8414709568023682, 0.5403022766113281]]
     */
    shift(k, dim, options = {}) {
      const { out, layout, ...rest } = SHIFT.read(options);
      const step = check.finite(k, "k", "a number from -2^31 to 2^31", (x) => Math.abs(x) <= REACH);
      const D = check.integer(dim, "dim");
      if (D % 2 !== 0) {
        throw new RangeError(`dim must be even, so that every sine has a cosine; got ${D}`);
      }
      const result = output(out, [D, D]);
      const inHalves = /** @type {const} */ ({
        ...rest,
        layout: "halves",
        scale: 1,
        out: undefined,
      });
      const rotations = encode(core, [step], D, inHalves);
      const [pairStep, firstSine, firstCosine] = columns(layout, D);
      const matrix = result.data.fill(0);
      for (let i = 0; i < D / 2; ++i) {
        const s = firstSine + i * pairStep;
        const c = firstCosine + i * pairStep;
        const sine = rotations.data[i];
        const cosine = rotations.data[D / 2 + i];
        matrix[s * D + s] = cosine;
        matrix[s * D + c] = sine;
        matrix[c * D + s] = -sine;
        matrix[c * D + c] = cosine;
      }
      return result.done();
    },
  };
  return option.withOptions(
    module,
    { table: TABLE, padded: PADDED, shift: SHIFT },
    { method: "table", family: "table", shown: ["base", "layout"] },
  );
}

/**
 * Reads which tokens count.
 * @param {unknown} tokens @param {"ids" | "mask"} kind @param {number} padding
 * @returns {{counts: Int32Array, shape: readonly number[]}} ones and zeros
 */
function readTokens(tokens, kind, padding) {
  const isMask = kind === "mask";
  const { data, shape } = isMask ? readMask(tokens, "tokens") : readIds(tokens, 2 ** 31, "tokens");
  if (shape.length === 0) throw new RangeError("tokens must have shape [..., T]; got []");
  return { counts: isMask ? data : data.map((id) => Number(id !== padding)), shape };
}

/**
 * @param {unknown} dim @param {Omit<ReadOptions, "offset" | "out">} options
 * @returns {Spectrum & {D: number, layout: number, odd: number, scale: number}}
 */
function spectrumOf(dim, options) {
  const { base, layout, spectrum, odd, precision, recipe, scale, minTimescale } = options;
  const D = check.integer(dim, "dim");
  if (minTimescale > base) {
    throw new RangeError(`minTimescale must be at most base, ${base}; got ${minTimescale}`);
  }
  if (base / minTimescale === Infinity) {
    throw new RangeError(`base / minTimescale must be finite; got ${base} / ${minTimescale}`);
  }
  return {
    D,
    base: base / minTimescale,
    n: denominatorOf(spectrum, D),
    pairs: odd === "sine-last" ? Math.ceil(D / 2) : Math.floor(D / 2),
    steps: stepsOf(precision, recipe),
    layout: LAYOUTS.indexOf(layout),
    odd: ODD.indexOf(odd),
    scale: scaleOf(scale, D),
  };
}

/**
 * Multiplies positions by a factor.
 * @param {ReadPositions} positions @param {number} factor @param {(x: number) => number} round
 * @returns {ReadPositions}
 */
function scaledPositions(positions, factor, round) {
  if (factor === 1) return positions;
  const scaled = (/** @type {number} */ position) => round(round(position) * round(factor));
  const most = Math.abs(scaled(positions.most));
  if (!(most <= REACH)) {
    throw new RangeError(
      `positions times positionScale and minTimescale must be from -2^31 to 2^31; got ${most}`,
    );
  }
  return {
    ...positions,
    first: scaled(positions.first),
    most,
    last: scaled(positions.last),
    scaled,
  };
}

/** @param {"inverse-sqrt" | "unit" | number} scale @param {number} D */
function scaleOf(scale, D) {
  if (scale === "inverse-sqrt") return 1 / Math.sqrt(D);
  return scale === "unit" ? Math.sqrt(2 / D) : scale;
}

/**
 * n of theta_i = base^(-i/n).
 * @param {typeof SPECTRA[number] | number} spectrum @param {number} D
 */
export function denominatorOf(spectrum, D) {
  if (typeof spectrum === "number") return spectrum;
  return spectrum === "paper" ? D / 2 : Math.max(Math.floor(D / 2) - 1, 1);
}

/**
 * @param {typeof LAYOUTS[number]} layout @param {number} D
 * @returns {[pairStep: number, firstSine: number, firstCosine: number]}
 */
function columns(layout, D) {
  if (layout === "interleaved") return [2, 0, 1];
  return layout === "halves" ? [1, 0, D / 2] : [1, D / 2, 0];
}

/**
 * @param {Core} core @param {Positions} lengthOrPositions @param {number} dim @param {ReadOptions} options
 */
function encode(core, lengthOrPositions, dim, options) {
  const spectrum = spectrumOf(dim, options);
  const { D, layout, odd, scale, steps } = spectrum;
  const { offset, out, positionScale, minTimescale, precision } = options;
  const factor = positionScale * minTimescale;
  const round = precision === "torch" ? Math.fround : (/** @type {number} */ x) => x;
  const positions = scaledPositions(readPositions(lengthOrPositions, offset), factor, round);
  const shape = [...positions.shape, D];
  const result = output(out, shape);
  tabulate(core, spectrum, positions, { width: D }, (tile) => {
    const { positions, from, count, workspace, size, at } = tile;
    const { raw } = core;
    checkStatus(
      raw.sinusoidal_table(positions, count, D, layout, odd, steps, scale, workspace, size, at),
    );
    take(core, at, count * D, result.data, from * D);
  });
  return result.done();
}
