/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../../runtime/options.js" */
/** @import { Positions } from "../../../runtime/positions.js" */
/** @import { Tensor, TensorInput } from "../../../runtime/tensor.js" */
/** @import { TableInput } from "../../../runtime/table.js" */
import { readPerAxis, readSize } from "../../../runtime/axes.js";
import * as arrays from "../../../runtime/arrays.js";
import * as check from "../../../runtime/check.js";
import { wrongShape } from "../../../runtime/errors.js";
import { overRows } from "../../../runtime/memory.js";
import { readIds } from "../../../runtime/ids.js";
import * as option from "../../../runtime/options.js";
import { output } from "../../../runtime/result.js";
import { asFloat32 } from "../../../runtime/input.js";
import { readTable } from "../../../runtime/table.js";
import { lookUp } from "../../../embedding/embedding/lookup.js";

const BEYOND = /** @type {const} */ (["throw", "clamp"]);

/** In the order of the C++ enums. */
const METHODS = /** @type {const} */ (["linear", "cubic"]);
const GRID_METHODS = /** @type {const} */ (["bilinear", "bicubic"]);
const SAMPLINGS = /** @type {const} */ (["half-pixel", "corners", "antialiased"]);

/** Positions are below this where no table says so. */
const ANY = 2 ** 31;

/**
 * The doubles that the core works in: phasor::learned::workspace_size.
 * @param {number} H @param {number} W @param {number} D
 */
const workspace = (H, W, D) => (H + W + D) * 8;

const LOOKUP = option.optionSet(() => ({
  /** The number of tokens already in the cache. It is added to every position. */
  past: option.integer({ default: 0, min: 0 }),
  /** The number of rows before that of position 0. */
  offset: option.integer({ default: 0, min: 0 }),
  /** The number of rows that the model uses, of the table's. Default: all. */
  rows: option.integer(),
  /** What positions beyond the last row do: `throw`, or `clamp` to the last row. */
  beyond: option.choice(BEYOND),
  /** Filled instead of a new array. */
  out: option.out(),
}));

const RESIZE = () => ({
  /** How cells of the new table map to the old one: `half-pixel` (align_corners false in PyTorch), `corners` (the ends map to the ends), or `antialiased` (as half-pixel, and shrinking averages). */
  sampling: option.choice(SAMPLINGS),
  /** The coefficient a of Keys' cubic kernel. Default: -0.5 if `antialiased`, otherwise -0.75, as in PyTorch. */
  coefficient: option.number({ min: -1, max: 0 }),
});

const INTERPOLATE = option.optionSet(() => ({
  ...RESIZE(),
  /** The kernel between rows. */
  method: option.choice(METHODS),
  /** The number of rows in front that are copied: 2 for RoBERTa, whose first rows are not positions. */
  prefix: option.integer({ default: 0, min: 0 }),
  /** Filled instead of a new array. */
  out: option.out(),
}));

const INTERPOLATE_GRID = option.optionSet(() => ({
  ...RESIZE(),
  /** The kernel between cells. */
  method: option.choice(GRID_METHODS, "bicubic"),
  /** The size [h, w] of the old grid. Default: a square. */
  grid: option.value(/** @type {ArrayLike<number> | undefined} */ (undefined)),
  /** By how much the grid grows, or [y, x], where a cell is not mapped by the two sizes: PyTorch's `scale_factor`, ONNX's `scales`. The size is grid * scale, rounded down. */
  scale: option.value(/** @type {number | ArrayLike<number> | undefined} */ (undefined)),
  /** The number of rows in front that are copied, for class tokens. */
  prefix: option.integer({ default: 1, min: 0 }),
  /** Filled instead of a new array. */
  out: option.out(),
}));

/**
 * Learned absolute positions: a row of weights for each position.
 * @param {Core} core
 */
export function learnedPositions(core) {
  const module = {
    /**
     * Options by model: index rules for `lookup`, and the interpolation of vision models for
     * `interpolateGrid`. `roberta`, `opt` and `fairseq` reserve rows for padding: with these presets
     * pass positions from 0 to `lookup`; without them pass `positionIds.fromTokens` or `fromMask`.
     *
     * @see google-research/bert, modeling.py; openai/gpt-2, src/model.py; transformers,
     *   models/roberta, models/opt, models/vit; fairseq, modules/positional_embedding.py (its
     *   padding_idx 1); marian-dev, src/models/transformer.h; timm, layers/pos_embed.py;
     *   facebookresearch/mae, util/pos_embed.py; google-research/vision_transformer,
     *   vit_jax/checkpoint.py
     */
    presets: option.presetsOf("learnedPositions", [LOOKUP, INTERPOLATE_GRID], {
      bert: { rows: 512, offset: 0, beyond: "throw" },
      gpt2: { rows: 1024, offset: 0, beyond: "throw" },
      roberta: { rows: 514, offset: 2, beyond: "throw" },
      opt: { rows: 2050, offset: 2, beyond: "throw" },
      fairseq: { offset: 2, beyond: "throw" },
      marian: { offset: 0, beyond: "clamp" },
      vit: { method: "bicubic", sampling: "half-pixel", coefficient: -0.75, prefix: 1 },
      vit_mae: { method: "bicubic", sampling: "half-pixel", coefficient: -0.75, prefix: 1 },
      timm: { method: "bicubic", sampling: "antialiased", coefficient: -0.5, prefix: 1 },
      "flax-vit": { method: "bilinear", sampling: "corners", prefix: 1 },
    }),

    /**
     * Looks up the rows of positions.
     *
     *     out[t, :] = table[offset + past + position_t, :]
     *
     * @param {TableInput} table  [N, D]
     * @param {Positions} lengthOrPositions  a length T for positions 0 .. T-1, or positions of any
     *   shape: integers from 0 on
     * @param {OptionsOf<typeof LOOKUP>} [options]
     * @returns {Tensor} float32 [T, D] or [...positions.shape, D]
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range, or a position
     *   is beyond the table
     * @see Gehring et al. 2017, Convolutional sequence to sequence learning,
     *   https://arxiv.org/abs/1705.03122, section 3.1; Devlin et al. 2018, BERT,
     *   https://arxiv.org/abs/1810.04805, section 3
     * @example
     * learnedPositions.lookup([[1, 2], [3, 4], [5, 6]], 2, { past: 1 }).toArray()
     * // [[3, 4], [5, 6]]
     */
    lookup(table, lengthOrPositions, options = {}) {
      const { past, offset, rows: used, beyond, out } = LOOKUP.read(options);
      const isClamped = beyond === "clamp";
      const from = readTable(core, table, "table");
      const rows = used === undefined ? from.N : check.integer(used, "rows", 1, from.N);
      const end = rows - offset;
      if (end < 1) {
        throw new RangeError(`offset must leave a row of the ${rows}; got ${offset}`);
      }
      const kept = offset > 0 ? `, ${offset} of them kept back` : "";
      const reason = `the table ends at position ${end} (${rows} rows${kept})`;
      if (["number", "bigint"].includes(typeof lengthOrPositions)) {
        const T = check.integer(lengthOrPositions, "length", 0);
        if (!isClamped && past + T > end) {
          throw new RangeError(`length must be at most ${end} - past: ${reason}; got ${T}`);
        }
        const ids = arrays.int32s(T, "the ids").map((_, t) => offset + Math.min(past + t, end - 1));
        return lookUp(core, from, { data: ids, shape: [T] }, { out });
      }
      const { data, shape } = readIds(lengthOrPositions, ANY, "positions");
      const ids = data.map((position) => {
        if (!isClamped && past + position >= end) {
          throw new RangeError(
            `positions must be below ${end} - past: ${reason}; got ${past} + ${position}`,
          );
        }
        return offset + Math.min(past + position, end - 1);
      });
      return lookUp(core, from, { data: ids, shape }, { out });
    },

    /**
     * Interpolates a table to another length.
     *
     *     linear   between the two nearest rows
     *     cubic    between the four nearest, by Keys' kernel
     *
     * Accuracy: in double, rounded once; a row that coincides with an old one has equal bits.
     *
     * @param {TensorInput} weights  [N, D]
     * @param {number} length  of the new table, the prefix included
     * @param {OptionsOf<typeof INTERPOLATE>} [options]
     * @returns {Tensor} float32 [length, D]
     * @throws {TypeError | RangeError} if an argument has the wrong type or shapes do not agree
     * @see Keys 1981, Cubic convolution interpolation for digital image processing, IEEE ASSP 29;
     *   torch.nn.functional.interpolate
     * @example
     * learnedPositions.interpolate([[0], [4]], 5, { sampling: "corners" }).toArray()
     * // [[0], [1], [2], [3], [4]]
     */
    interpolate(weights, length, options = {}) {
      const { method, prefix, ...rest } = INTERPOLATE.read(options);
      const table = readWeights(weights);
      check.integer(prefix, "prefix", 0, table.N - 1);
      const T = check.integer(length, "length", prefix + 1);
      const from = [table.N - prefix, 1];
      const kind = METHODS.indexOf(method);
      return resize(core, table, prefix, from, [T - prefix, 1], kind, rest);
    },

    /**
     * Interpolates the positions of an image's patches to another image size, as vision transformers do.
     *
     *     out[prefix + (y', x')] = sum over y, x of u(Y - y) u(X - x) weights[prefix + (y, x)]
     *
     * (Y, X) is the position of (y', x') on the old grid, by `sampling`; u is the triangle (`bilinear`)
     * or Keys' cubic kernel (`bicubic`). The edge is repeated beyond the grid; `antialiased` omits it
     * and, where the grid shrinks, widens the kernel, as Pillow does. With `scale`, Y = (y' + 1/2) / scale - 1/2:
     * DINOv2's own code has [(h + 0.1) / grid, (w + 0.1) / grid]. There `bilinear` and `antialiased` copy an axis whose
     * size stays, as PyTorch does and ONNX does not. `presets` has the options of HF's
     * ViT, MAE, timm and the Flax ViT. Accuracy: in double, rounded once; the same size gives the same
     * bits.
     *
     * @param {TensorInput} weights  [prefix + h * w, D], or [1, prefix + h * w, D]; patches row by row
     * @param {ArrayLike<number>} size  [h, w] of the new grid
     * @param {OptionsOf<typeof INTERPOLATE_GRID>} [options]
     * @returns {Tensor} float32 [prefix + h * w, D], or [1, ...]
     * @throws {TypeError | RangeError} if an argument has the wrong type or shapes do not agree
     * @see Dosovitskiy et al. 2020, https://arxiv.org/abs/2010.11929, section 3.2; Keys 1981, Cubic
     *   convolution interpolation for digital image processing, IEEE ASSP 29; PyTorch,
     *   aten/src/ATen/native/cpu/UpSampleKernel.cpp (a = -0.75, antialiased -0.5); facebookresearch/dinov2,
     *   dinov2/models/vision_transformer.py (interpolate_offset); ONNX, operator Resize
     * @example
     * learnedPositions.interpolateGrid([[9], [0], [2], [4], [6]], [2, 3], learnedPositions.presets["flax-vit"]).toArray()
     * // [[9], [0], [1], [2], [4], [5], [6]]
     */
    interpolateGrid(weights, size, options = {}) {
      const { method, prefix, grid, scale, ...rest } = INTERPOLATE_GRID.read(options);
      const table = readWeights(weights);
      check.integer(prefix, "prefix", 0, table.N - 1);
      const to = readSize(size, "size");
      const patches = table.N - prefix;
      const side = Math.sqrt(patches);
      if (grid === undefined && !Number.isInteger(side)) {
        throw new RangeError(`grid must be given for ${patches} patches, not a square; got none`);
      }
      const from = grid === undefined ? [side, side] : readSize(grid, "grid");
      if (from[0] * from[1] !== patches) {
        throw new RangeError(`grid must have ${patches} patches; got ${from[0]} x ${from[1]}`);
      }
      const kind = GRID_METHODS.indexOf(method);
      const by = readScale(scale, from, to, { method, sampling: rest.sampling });
      return resize(core, table, prefix, from, to, kind, rest, by);
    },
  };
  return option.withOptions(module, {
    lookup: LOOKUP,
    interpolate: INTERPOLATE,
    interpolateGrid: INTERPOLATE_GRID,
  });
}

/**
 * @param {unknown} value @param {readonly number[]} from @param {readonly number[]} to
 * @param {{method: string, sampling: string}} options
 * @returns {number[] | undefined} 0 for an axis that is mapped by its sizes
 */
function readScale(value, from, to, { method, sampling }) {
  if (value === undefined) return undefined;
  const scale = readPerAxis(value, "scale", 2);
  if (sampling === "corners") {
    throw new RangeError(
      `scale must not come with the sampling "corners"; got ${scale.join(", ")}`,
    );
  }
  const size = scale.map((each, axis) => Math.floor(from[axis] * each));
  const isCopied = method === "bilinear" || sampling === "antialiased";
  const mapped = scale.map((each, axis) => (isCopied && from[axis] === to[axis] ? 0 : each));
  if (size.join() === to.join()) return mapped;
  const rule = `size must be grid * scale rounded down, [${size.join(", ")}]`;
  throw new RangeError(`${rule}; got [${to.join(", ")}]`);
}

/** @param {unknown} value */
function readWeights(value) {
  const { data, shape } = asFloat32(value, "weights");
  const [N, D] = shape.slice(-2);
  const lead = shape.slice(0, -2);
  if (shape.length < 2 || N < 1 || D < 1 || arrays.count(lead) !== 1) {
    throw wrongShape("weights", "[N, D]", shape);
  }
  return { data, lead, N, D };
}

/**
 * @param {Core} core @param {ReturnType<typeof readWeights>} weights @param {number} prefix
 * @param {number[]} from  [h, w] @param {number[]} to @param {number} method
 * @param {{sampling: typeof SAMPLINGS[number], coefficient: number | undefined, out: unknown}} options
 * @param {readonly number[]} [scale]  0: by the sizes
 */
function resize(core, { data, lead, D }, prefix, from, to, method, options, scale = [0, 0]) {
  const antialiased = options.sampling === "antialiased";
  const sampling = SAMPLINGS.indexOf(options.sampling);
  const coefficient = options.coefficient ?? (antialiased ? -0.5 : -0.75);
  const shape = [...lead, prefix + to[0] * to[1], D];
  const result = output(options.out, shape);
  const kept = data.slice(0, prefix * D);
  const pieces = /** @type {const} */ ([
    { data: data.subarray(prefix * D) },
    workspace(from[0], from[1], D),
    { data: result.data.subarray(prefix * D), row: D, direction: "out" },
  ]);
  const sizes = { H: from[0], W: from[1], D, newH: to[0], newW: to[1] };
  const [scaleH, scaleW] = scale;
  const grid = { ...sizes, method, sampling, coefficient, scaleH, scaleW };
  overRows(core, to[0] * to[1], pieces, (n, first, [at, workspace, out]) =>
    core.raw.learned_positions_resize({ in: at, workspace, out, first, n, grid }),
  );
  result.data.set(kept);
  return result.done();
}
