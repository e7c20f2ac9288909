/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { Precision, Recipe, Spectrum } from "../../../runtime/phase.js" */
/** @import { TensorInput } from "../../../runtime/tensor.js" */
import * as check from "../../../runtime/check.js";
import { readBase, readPrecision } from "../../../runtime/phase.js";
import { readPositions } from "../../../runtime/positions.js";
import { Tensor } from "../../../runtime/tensor.js";
import {
  fillBlocks,
  readDoubles,
  readOut,
  readPairs,
  readSections,
  run,
} from "../axial_rope/rotary.js";

const ARRANGEMENTS = /** @type {const} */ (["chunked", "interleaved"]);

/**
 * @typedef {object} SectionOptions
 * @property {readonly number[]} [sections]  how many of the R/2 frequencies turn with each axis:
 *   time, height, width; default [16, 24, 24]
 * @property {typeof ARRANGEMENTS[number]} [arrangement]  `chunked` (default) [T.. H.. W..], or
 *   `interleaved` [T H W T H W .. T T]
 * @property {number} [base]  theta_i = base^(-2i/R); default 10000
 */

const DEFAULTS = Object.freeze({ base: 10000, sections: [16, 24, 24], arrangement: "chunked" });

/** The models' own configurations: `rope_theta` and `mrope_section` in their config.json. */
const QWEN2 = Object.freeze({ sections: [16, 24, 24], arrangement: "chunked", base: 1e6 });
const QWEN3 = Object.freeze({ sections: [24, 20, 20], arrangement: "interleaved", base: 5e6 });
const PRESETS = Object.freeze({ "qwen2-vl": QWEN2, "qwen2.5-vl": QWEN2, "qwen3-vl": QWEN3 });

/**
 * Multimodal rotary position embedding, M-RoPE (Wang et al. 2024): each frequency turns with the
 * time, the height or the width of a token.
 * @param {Core} core
 */
export function mrope(core) {
  return {
    /**
     * The conventions of published models, to be passed as options or spread into them.
     */
    presets: /** @type {Readonly<Record<keyof typeof PRESETS, Readonly<SectionOptions>>>} */ (
      PRESETS
    ),

    /**
     * Which axis each frequency turns with: 0 time, 1 height, 2 width.
     *
     *     chunked:      axes[i] = the section that holds i
     *     interleaved:  axes[i] = i mod 3 while i < 3 * sections[i mod 3], else 0
     *
     * @param {number} dim  rotated width R, even
     * @param {SectionOptions & {out?: Int32Array | Tensor<Int32Array>}} [options]  `out` is filled
     *   instead of a new array
     * @returns {Tensor<Int32Array>} int32 [R/2]; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range, or
     *   sections do not sum to R/2
     * @see Wang et al. 2024, Qwen2-VL, https://arxiv.org/abs/2409.12191, section 2.1;
     *   huggingface/transformers models/qwen2_vl, models/qwen3_vl
     * @example
     * mrope.axes(16, { sections: [4, 2, 2], arrangement: "interleaved" }).toArray()
     * // [0, 1, 2, 0, 1, 2, 0, 0]
     */
    axes(dim, options = {}) {
      const defaults = { ...DEFAULTS, out: undefined };
      const { out, base, ...given } = check.options(options, defaults, "mrope.axes");
      readBase(base); // a preset has one
      const P = readPairs(dim);
      const result = check.destinationInt32(out, [P]);
      readAxes(P, given).forEach((columns, axis) => {
        for (const i of columns) result[i] = axis;
      });
      return new Tensor(result, [P]);
    },

    /**
     * The cosines and sines that `rope.apply` turns by, layout `halves`.
     *
     *     cos[t, i] = attentionFactor * cos(positions[axes[i], t] * theta_i),   sin likewise
     *     theta_i = base^(-2i/R): a frequency keeps its number i whichever axis it turns with
     *
     * Where the three positions of a token are equal, as those of text are, its row is that of
     * `rope.table`, bit for bit. Accuracy as there.
     *
     * @param {TensorInput} positions  [3, T] or [3, B, T]: time, height and width of each token;
     *   as many axes as sections
     * @param {number} dim  rotated width R, even
     * @param {SectionOptions & {
     *   frequencies?: TensorInput, attentionFactor?: number, precision?: Precision, recipe?: Recipe,
     *   out?: {cos: Float32Array | Tensor, sin: Float32Array | Tensor}}} [options]  `frequencies`
     *   [R/2] in the place of base's; `attentionFactor` that belongs to them, as `rope.frequencies`
     *   gives both, default 1; `precision`: `exact` (default) or `torch`; `recipe` of `torch`: `pow` (default) or
     *   `exp`; `out` is filled instead of new arrays
     * @returns {{cos: Tensor, sin: Tensor}} float32 [T, R/2] or [B, T, R/2] each; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range, or
     *   shapes do not agree
     * @see Wang et al. 2024, Qwen2-VL, https://arxiv.org/abs/2409.12191, section 2.1
     * @example
     * mrope.table([[0, 1], [0, 1], [0, 2]], 6, { sections: [1, 1, 1] }).sin.shape
     * // [2, 3]
     */
    table(positions, dim, options = {}) {
      const where = "mrope.table";
      const { frequencies, attentionFactor, precision, recipe, out, ...given } = check.options(
        options,
        {
          ...DEFAULTS,
          frequencies: undefined,
          attentionFactor: 1,
          precision: "exact",
          recipe: "pow",
          out: undefined,
        },
        where,
      );
      const P = readPairs(dim);
      const { data, shape } = readDoubles(positions, "positions");
      const [A, ...rest] = shape;
      const { cos, sin } = readOut(out, [...rest, P]);
      const axes = readAxes(P, given);
      const spectrum = readSpectrum(P, given.base, frequencies, readPrecision(precision, recipe));
      const amplitude = check.finite(
        attentionFactor,
        "attentionFactor",
        "a positive float32",
        (factor) => Math.fround(factor) > 0 && factor <= check.MOST,
      );
      if (A !== axes.length || rest.length < 1 || rest.length > 2) {
        const rule = `[${axes.length}, T] or [${axes.length}, B, T], as sections have it`;
        throw new RangeError(`positions must have shape ${rule}; got [${shape.join(", ")}]`);
      }
      const T = check.count(rest);
      const blocks = axes.map((columns, axis) => ({
        positions: readPositions(data.subarray(axis * T, (axis + 1) * T)),
        spectrum,
        from: columns,
        to: columns,
      }));
      fillBlocks(core, where, blocks, P, amplitude, cos, sin);
      return { cos: new Tensor(cos, [...rest, P]), sin: new Tensor(sin, [...rest, P]) };
    },
  };
}

/**
 * @param {number} P @param {{sections: unknown, arrangement: unknown}} options
 * @returns {Int32Array[]} the columns of each axis
 */
function readAxes(P, options) {
  const sections = readSections(options.sections, P);
  const A = sections.length;
  if (check.oneOf(options.arrangement, "arrangement", ARRANGEMENTS) === "chunked") {
    let first = 0;
    return sections.map((pairs) => run(pairs, (first += pairs) - pairs));
  }
  const columns = sections.map((pairs, axis) => run(axis === 0 ? 0 : pairs, axis, A));
  // Column i is of axis i mod A while that has some left, else of the first.
  columns[0] = run(P).filter((i) => i % A === 0 || i >= A * sections[i % A]);
  if (columns[0].length !== sections[0]) {
    const rule = "have none much larger than the first, to be interleaved";
    throw new RangeError(`sections must ${rule}; got [${sections.join(", ")}]`);
  }
  return columns;
}

/**
 * @param {number} P @param {unknown} base @param {unknown} frequencies @param {number} precision
 * @returns {Spectrum}
 */
function readSpectrum(P, base, frequencies, precision) {
  const geometric = { base: readBase(base), n: P, pairs: P, precision };
  if (frequencies === undefined) return geometric;
  const { data, shape } = readDoubles(frequencies, "frequencies");
  if (shape.length !== 1 || data.length !== P) {
    throw new RangeError(`frequencies must have shape [${P}]; got [${shape.join(", ")}]`);
  }
  return { frequencies: data, pairs: P, precision };
}
