/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../../runtime/options.js" */
/** @import { RotaryOut } from "../axial_rope/rotary.js" */
/** @import { Scaling } from "../rope/scaling.js" */
/** @import { Tensor, TensorInput } from "../../../runtime/tensor.js" */
import * as arrays from "../../../runtime/arrays.js";
import * as check from "../../../runtime/check.js";
import { wrongShape } from "../../../runtime/errors.js";
import * as option from "../../../runtime/options.js";
import { readPositions } from "../../../runtime/positions.js";
import { outputInt32 } from "../../../runtime/result.js";
import { fillBlocks, readDoubles, readOut, readSections, run } from "../axial_rope/rotary.js";
import { readSpectrum } from "../rope/scaling.js";

const ARRANGEMENTS = /** @type {const} */ (["chunked", "interleaved", "alternating"]);

const SECTIONS = () => ({
  /** The number of frequencies of each axis, with the sum R/2: time, height, width. */
  sections: option.value(/** @type {ArrayLike<number>} */ (Object.freeze([16, 24, 24]))),
  /** The order of the frequencies' axes: `chunked` [T.. H.. W..], `interleaved` [T H W T H W .. T T] or `alternating` [H W H W .. T T]. */
  arrangement: option.choice(ARRANGEMENTS),
  /** theta_i = base^(-2i/R). Default: 10000. */
  base: option.number({ min: 1 }),
});

const AXES = option.optionSet(() => ({
  ...SECTIONS(),
  /** Filled instead of a new array. */
  out: option.outInt32(),
}));

const TABLE = option.optionSet(() => ({
  ...SECTIONS(),
  /** The scaling of frequencies for contexts longer than that of training, as of `rope.table`. Default: none. */
  scaling: option.value(/** @type {Scaling | undefined} */ (undefined)),
  /** The length of the sequence, used by `dynamic` and `longrope` scaling. Default: the largest position of all axes + 1. */
  length: option.integer({ min: 0 }),
  /** Frequencies [R/2] in radians per token to use instead of those of base and scaling, which must be left out or undefined: |position * frequency| <= 2^31. */
  frequencies: option.tensor(),
  /** The factor of cosines and sines. Default: 1, or that of the scaling. */
  attentionFactor: option.number({ min: 2 ** -149, max: check.MOST }),
  /** `exact` rounds the formula once. `torch` follows PyTorch's float32 steps. */
  precision: option.choice(["exact", "torch"]),
  /** How `torch` forms frequencies in float32: by a power or by an exponential. */
  recipe: option.choice(["pow", "exp"]),
  /** Two arrays {cos, sin} that are filled instead of new ones. */
  out: option.outParts(/** @type {RotaryOut | undefined} */ (undefined)),
}));

/** `rope_theta` and `mrope_section` of the models' config.json. */
const QWEN2 = /** @type {const} */ ({ sections: [16, 24, 24], arrangement: "chunked", base: 1e6 });
const QWEN3 = /** @type {const} */ ({
  sections: [24, 20, 20],
  arrangement: "interleaved",
  base: 5e6,
});
const ERNIE = /** @type {const} */ ({
  sections: [20, 22, 22],
  arrangement: "alternating",
  base: 5e5,
});

/**
 * Multimodal rotary position embedding, M-RoPE (Wang et al. 2024): each frequency belongs to the time,
 * the height or the width of a token.
 * @param {Core} core
 */
export function mrope(core) {
  const module = {
    /**
     * Options by model: `mrope.table(positions, 128, mrope.presets.qwen2_vl)`. ERNIE 4.5 VL rotates
     * in the layout `interleaved`, the others in `halves`. Ling 3.0 VL (Bailing) has ERNIE's arrangement and layout,
     * and the sections and base of its config.json.
     */
    presets: option.presetsOf("mrope", [AXES], {
      qwen2_vl: QWEN2,
      qwen2_5_vl: QWEN2,
      qwen3_vl: QWEN3,
      ernie4_5_vl: ERNIE,
    }),

    /**
     * Computes the axis of each frequency: 0 time, 1 height, 2 width.
     *
     *     chunked:      axes[i] = the section that holds i
     *     interleaved:  axes[i] = i mod 3 while i < 3 * sections[i mod 3], else 0
     *     alternating:  axes[i] = 1 + i mod 2 while i < sections[1] + sections[2], else 0
     *
     * @param {number} dim  rotated width R, even
     * @param {OptionsOf<typeof AXES>} [options]  `base` changes nothing: presets have it
     * @returns {Tensor<Int32Array>} int32 [R/2]
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range, or
     *   sections do not sum to R/2
     * @see Wang et al. 2024, Qwen2-VL, https://arxiv.org/abs/2409.12191, section 2.1;
     *   huggingface/transformers models/qwen2_vl, models/qwen3_vl
     * @example
     * mrope.axes(16, { sections: [4, 2, 2], arrangement: "interleaved" }).toArray()
     * // [0, 1, 2, 0, 1, 2, 0, 0]
     */
    axes(dim, options = {}) {
      const { out, sections, arrangement } = AXES.read(options);
      const P = check.pairs(dim);
      const result = outputInt32(out, [P]);
      readAxes(P, sections, arrangement).forEach((columns, axis) => {
        for (const i of columns) result.data[i] = axis;
      });
      return result.done();
    },

    /**
     * Computes the cosines and sines that `rope.apply` rotates by.
     *
     *     cos[t, i] = attentionFactor * cos(positions[axes[i], t] * theta_i),   sin likewise
     *     theta_i = base^(-2i/R): frequency i does not depend on its axis
     *
     * Text tokens have three equal positions; their rows have the bits of `rope.table` with the same base, scaling
     * and length, and its accuracy. Given frequencies are the doubles that they are: those of `rope.frequencies` are
     * float32, which turns an angle by up to 2^-24 of itself, 0.006 at position 100,000. `models.rope` has what a model
     * takes:
     *
     *     const { dim, options, multimodal } = models.rope(config);
     *     mrope.table(positions, dim, { ...options, ...multimodal });
     *
     * @param {TensorInput} positions  [3, T] or [3, B, T]: time, height and width of each token;
     *   as many axes as sections
     * @param {number} dim  rotated width R, even
     * @param {OptionsOf<typeof TABLE>} [options]
     * @returns {{cos: Tensor, sin: Tensor}} float32 [T, R/2] or [B, T, R/2] each
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range, or
     *   shapes do not agree
     * @see Wang et al. 2024, Qwen2-VL, https://arxiv.org/abs/2409.12191, section 2.1
     * @example
     * mrope.table([[0, 1], [0, 1], [0, 2]], 6, { sections: [1, 1, 1] }).sin.shape
     * // [2, 3]
     */
    table(positions, dim, options = {}) {
      const { attentionFactor, sections, arrangement, out, ...rest } = TABLE.read(options);
      const P = check.pairs(dim);
      const { data, shape } = readDoubles(positions, "positions");
      const [A, ...tokens] = shape;
      const { cos, sin } = readOut(out, [...tokens, P]);
      const axes = readAxes(P, sections, arrangement);
      if (A !== axes.length || tokens.length < 1 || tokens.length > 2) {
        const rule = `[${axes.length}, T] or [${axes.length}, B, T], an axis for each section`;
        throw wrongShape("positions", rule, shape);
      }
      const T = arrays.count(tokens);
      rest.length ??= data.reduce((most, position) => Math.max(most, position + 1), 0);
      const spectrum = readSpectrum(core, dim, rest);
      if (attentionFactor !== undefined && rest.scaling !== undefined) {
        throw new RangeError("attentionFactor must not be given with scaling; got both");
      }
      const blocks = axes.map((columns, axis) => ({
        positions: readPositions(data.subarray(axis * T, (axis + 1) * T)),
        spectrum,
        from: columns,
        to: columns,
      }));
      const factor = attentionFactor ?? spectrum.attentionFactor;
      fillBlocks(core, blocks, P, factor, cos.data, sin.data);
      return { cos: cos.done(), sin: sin.done() };
    },
  };
  return option.withOptions(module, { axes: AXES, table: TABLE });
}

/**
 * @param {number} P @param {unknown} given  sections @param {typeof ARRANGEMENTS[number]} arrangement
 * @returns {Int32Array[]} the columns of each axis
 */
function readAxes(P, given, arrangement) {
  const sections = readSections(given, P);
  const A = sections.length;
  if (arrangement === "chunked") {
    let first = 0;
    return sections.map((pairs) => run(pairs, (first += pairs) - pairs));
  }
  if (arrangement === "alternating") {
    const [time, ...sides] = sections;
    if (sides.some((pairs) => pairs !== sides[0])) {
      const rule = "have equal numbers of the axes that alternate";
      throw new RangeError(`sections must ${rule}; got [${sections.join(", ")}]`);
    }
    return [run(time, P - time), ...sides.map((pairs, k) => run(pairs, k, sides.length))];
  }
  const columns = sections.map((pairs, axis) => run(axis === 0 ? 0 : pairs, axis, A));
  // Column i belongs to axis i mod A while that has columns left, otherwise to the first.
  columns[0] = run(P).filter((i) => i % A === 0 || i >= A * sections[i % A]);
  if (columns[0].length !== sections[0]) {
    const rule = "fit into the columns of their axes to be interleaved";
    throw new RangeError(`sections must ${rule}; got [${sections.join(", ")}]`);
  }
  return columns;
}
