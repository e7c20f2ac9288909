/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { Precision, Recipe } from "../../../runtime/phase.js" */
/** @import { TensorInput } from "../../../runtime/tensor.js" */
import * as check from "../../../runtime/check.js";
import { readMask } from "../../../runtime/mask.js";
import { asArray, Tensor } from "../../../runtime/tensor.js";
import { sinusoidal } from "../sinusoidal/sinusoidal.js";

const LAYOUTS = /** @type {const} */ (["interleaved", "halves", "flipped", "sines-first"]);
const REMAINDERS = /** @type {const} */ (["refuse", "zero-last"]);
const NORMALIZATIONS = /** @type {const} */ (["none", "turn"]);

/** Added to a count before something is divided by it (DETR). */
const EPSILON = 1e-6;

/**
 * @typedef {object} GridOptions
 * @property {number} [base]  default 10000
 * @property {typeof LAYOUTS[number]} [layout]  `halves` (default) [s s c c | s s c c], axis after
 *   axis; `interleaved` [s c s c | s c s c]; `flipped` [c c s s | c c s s]; `sines-first`, the sines
 *   of all axes, then the cosines [s s | s s | c c | c c]
 * @property {readonly number[]} [axes]  the order in which axes have their columns: `[1, 0]` puts
 *   the column number of a grid [h, w] first; default [0, 1, ...]
 * @property {readonly number[]} [shares]  of the width, for each axis of `sizes`; default equal ones
 * @property {typeof REMAINDERS[number]} [remainder]  of a width that the shares do not divide into
 *   pairs: `refuse` (default) or `zero-last`, columns of zeros
 * @property {"paper" | "tensor2tensor" | number} [spectrum]  theta_k = base^(-k/n) with n = F/2
 *   (`paper`, default), F/2 - 1 (`tensor2tensor`) or n itself, for an axis of width F
 * @property {number} [offset]  where each axis begins; default 0
 * @property {number | readonly number[]} [baseSize]  positions run as if the axis had so many cells:
 *   i * baseSize / size; default the size itself
 * @property {number | readonly number[]} [interpolationScale]  positions are divided by it; default 1
 * @property {number} [prefix]  rows of zeros before the grid, for class tokens; default 0
 * @property {Precision} [precision]  `exact` (default) or `torch`, PyTorch's float32 steps
 * @property {Recipe} [recipe]  which float32 steps: `pow` (default) or `exp`
 *
 * @typedef {object} MaskedOptions
 * @property {number} [base]  default 10000
 * @property {"interleaved" | "halves" | "flipped"} [layout]  of each axis; default `interleaved`
 * @property {readonly number[]} [axes]  [0, 1] (default) for [y ; x], [1, 0] for [x ; y]
 * @property {typeof NORMALIZATIONS[number]} [normalize]  `none` (default), or `turn`: the last cell
 *   that counts stands at 2 pi
 * @property {number} [offset]  added to every count; default 0
 * @property {Precision} [precision]  `exact` (default) or `torch`, PyTorch's float32 steps
 * @property {Recipe} [recipe]  which float32 steps: `pow` (default) or `exp`
 */

const DEFAULTS = Object.freeze({
  base: 10000,
  layout: "halves",
  axes: undefined,
  shares: undefined,
  remainder: "refuse",
  spectrum: "paper",
  offset: 0,
  baseSize: undefined,
  interpolationScale: 1,
  prefix: 0,
  precision: "exact",
  recipe: "pow",
});

const MASKED = Object.freeze({
  base: 10000,
  layout: "interleaved",
  axes: undefined,
  normalize: "none",
  offset: 0,
  precision: "exact",
  recipe: "pow",
});

/** @template {GridOptions | MaskedOptions} Options @param {Options} options */
const preset = (options) => Object.freeze(options);
const list = (/** @type {number[]} */ ...numbers) => Object.freeze(numbers);

const PRESETS = Object.freeze({
  /** facebookresearch/mae, util/pos_embed.py. A class token: `prefix: 1`. */
  mae: preset({ axes: list(1, 0), layout: "halves" }),
  /**
   * facebookresearch/moco-v3, vits.py; a class token: `prefix: 1`. There rows run down the columns
   * first: the same for a square grid, else ask for [w, h].
   */
  moco: preset({ axes: list(0, 1), layout: "halves" }),
  /** timm, layers/pos_embed_sincos.py: build_sincos2d_pos_embed. With reverse_coord ask for [w, h]. */
  timm: preset({ axes: list(0, 1), layout: "sines-first" }),
  /** The same with interleave_sin_cos. */
  timmInterleaved: preset({ axes: list(0, 1), layout: "halves" }),
  /** lucidrains/vit-pytorch, simple_vit.py: posemb_sincos_2d. */
  simpleVit: preset({ axes: list(1, 0), layout: "halves", spectrum: "tensor2tensor" }),
  /** diffusers, embeddings.py: get_2d_sincos_pos_embed. */
  diffusers: preset({ axes: list(1, 0), layout: "halves", baseSize: 16 }),
  /** diffusers, embeddings.py: get_3d_sincos_pos_embed, for [t, h, w]: D/4, 3D/8, 3D/8. */
  diffusers3d: preset({ axes: list(0, 2, 1), layout: "halves", shares: list(2, 3, 3) }),
  /** tensor2tensor, layers/common_attention.py: add_timing_signal_nd, any number of axes. */
  tensor2tensor: preset({
    layout: "halves",
    spectrum: "tensor2tensor",
    remainder: "zero-last",
    recipe: "exp",
  }),
  /** `masked`: facebookresearch/detr, models/position_encoding.py, as DETR builds it. */
  detr: preset({ layout: "interleaved", normalize: "turn" }),
  /** `masked`: fundamentalvision/Deformable-DETR, models/position_encoding.py: half-cell centres. */
  deformableDetr: preset({ layout: "interleaved", normalize: "turn", offset: -0.5 }),
});

/**
 * Fixed encodings of grids, images and videos: each axis has columns of its own. (DETR's learned
 * form needs no room: it is two learned tables, looked up by column and row, [x ; y].)
 * @param {Core} core
 */
export function sincosGrid(core) {
  const waves = sinusoidal(core).table;

  return {
    /**
     * Option sets of models; `detr` and `deformableDetr` are for `masked`, the others for `table`:
     * `sincosGrid.table([14, 14], 768, sincosGrid.presets.mae)`.
     */
    presets: PRESETS,

    /**
     * The encoding of each cell of a grid.
     *
     *     position_a(i) = offset + i * baseSize / size / interpolationScale      along axis a
     *     row           = the sines and cosines of position_a * theta_k, for each axis a
     *
     * Accuracy: that of `sinusoidal.table`: `exact` is within 0.501 ULP.
     *
     * @param {readonly number[]} sizes  cells along each axis: [h, w], [t, h, w], ...
     * @param {number} dim  width D of a row
     * @param {GridOptions & {out?: Float32Array | Tensor}} [options]  `out` is filled instead of a
     *   new array
     * @returns {Tensor} float32 [prefix + h * w, D], cells in row-major order; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see He et al. 2021, Masked autoencoders, https://arxiv.org/abs/2111.06377; Chen, Xie, He 2021,
     *   MoCo v3, https://arxiv.org/abs/2104.02057
     * @example
     * sincosGrid.table([1, 2], 4, sincosGrid.presets.mae).toArray()
     * // [[0, 1, 0, 1], [0.8414709568023682, 0.5403022766113281, 0, 1]]
     */
    table(sizes, dim, options = {}) {
      const where = "sincosGrid.table";
      const given = check.options(options, { ...DEFAULTS, out: undefined }, where);
      const { base, spectrum, precision, recipe } = given;
      const shape = readSizes(sizes);
      const D = check.integer(dim, "dim");
      const axes = readOrder(given.axes, shape.length);
      const widths = readWidths(given.shares, given.remainder, D, axes);
      const layout = check.oneOf(given.layout, "layout", LAYOUTS);
      const offset = check.finite(given.offset, "offset");
      const scales = readPerAxis(given.interpolationScale, "interpolationScale", shape.length);
      const sizesOf =
        given.baseSize === undefined
          ? shape
          : readPerAxis(given.baseSize, "baseSize", shape.length);
      const prefix = check.integer(given.prefix, "prefix", 0);
      const result = check.destination(given.out, [prefix + check.count(shape), D]);

      const perAxis = layout === "sines-first" ? "halves" : layout;
      const wave = /** @type {any} */ ({ base, spectrum, precision, recipe, layout: perAxis });
      const tables = axes.map((axis) => {
        const positions = Float64Array.from({ length: shape[axis] }, (_, i) => {
          return offset + (i * sizesOf[axis]) / (shape[axis] * scales[axis]);
        });
        return widths[axis] === 0
          ? waves(0, 2, wave).data // nothing, and its options checked
          : waves(positions, widths[axis], wave).data;
      });
      const columns = place(
        axes.map((axis) => widths[axis]),
        layout === "sines-first",
      );
      result.fill(0);
      const strides = shape.map((_, axis) => check.count(shape.slice(axis + 1)));
      const cells = check.count(shape);
      axes.forEach((axis, k) => {
        for (let cell = 0; cell < cells; ++cell) {
          const i = Math.floor(cell / strides[axis]) % shape[axis];
          copy(tables[k], i, widths[axis], columns[k], result, (prefix + cell) * D);
        }
      });
      return new Tensor(result, [prefix + cells, D]);
    },

    /**
     * The encoding of each cell of images with padding, as DETR has it: cells are numbered by the
     * cells that count, down each column and along each row, from 1 on.
     *
     *     y(h, w) = offset + count of mask[0 .. h, w],   x(h, w) = offset + count of mask[h, 0 .. w]
     *     normalize turn:   y = 2 pi y / (the column's count + 1e-6), x likewise with the row's
     *     row = [y ; x], each of width D/2, theta_k = base^(-2k / (D/2))
     *
     * Mind the mask: DETR's own is 1 where an image is padded, here 1 is what counts.
     * Accuracy: that of `sinusoidal.table`; normalised positions are rounded to double first.
     *
     * @param {TensorInput} mask  [H, W] or [B, H, W]: 1 or true counts, 0 or false is padding
     * @param {number} dim  width D, a multiple of 4
     * @param {MaskedOptions & {out?: Float32Array | Tensor}} [options]
     * @returns {Tensor} float32 [H, W, D] or [B, H, W, D]; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see Carion et al. 2020, End-to-end object detection with transformers,
     *   https://arxiv.org/abs/2005.12872, appendix A.4
     * @example
     * sincosGrid.masked([[1, 1]], 4).toArray()
     * // [[[0.8414709568023682, 0.5403022766113281, 0.8414709568023682, 0.5403022766113281], [0.8414709568023682, 0.5403022766113281, 0.9092974066734314, -0.416146844625473]]]
     */
    masked(mask, dim, options = {}) {
      const where = "sincosGrid.masked";
      const given = check.options(options, { ...MASKED, out: undefined }, where);
      const { base, layout, precision, recipe } = given;
      const { data, shape } = readMask(mask, "mask");
      if (shape.length !== 2 && shape.length !== 3) {
        throw new RangeError(`mask must have shape [H, W] or [B, H, W]; got [${shape.join(", ")}]`);
      }
      const [H, W] = shape.slice(-2);
      const D = check.integer(dim, "dim");
      const axes = readOrder(given.axes, 2);
      const [width] = readWidths(undefined, "refuse", D, axes);
      const normalize = check.oneOf(given.normalize, "normalize", NORMALIZATIONS) === "turn";
      const rule = "a number from -2^30 to 2^30";
      const offset = check.finite(given.offset, "offset", rule, (x) => Math.abs(x) <= 2 ** 30);
      const result = check.destination(given.out, [...shape, D]);

      const single = /** @type {string} */ (precision) === "torch";
      const wave = /** @type {any} */ ({ base, layout, precision, recipe });
      waves(0, width, wave); // so that a wrong option is refused before anything is written
      const columns = place([width, width], false);
      const cells = H * W;
      for (let first = 0; first < data.length; first += cells) {
        const image = data.subarray(first, first + cells);
        axes.forEach((axis, k) => {
          const positions = counted(image, H, W, axis, { offset, normalize, single });
          const table = waves(positions, width, wave).data;
          for (let cell = 0; cell < cells; ++cell) {
            copy(table, cell, width, columns[k], result, (first + cell) * D);
          }
        });
      }
      return new Tensor(result, [...shape, D]);
    },
  };
}

/**
 * Which columns each axis has: runs of [from column of its own table, to column of a row, how many].
 * @param {readonly number[]} widths  in the order of the columns
 * @param {boolean} sinesFirst
 * @returns {[from: number, to: number, count: number][][]}
 */
function place(widths, sinesFirst) {
  const half = widths.reduce((sum, width) => sum + width / 2, 0);
  let start = 0;
  return widths.map((width) => {
    const at = start;
    start += width;
    if (!sinesFirst) return [[0, at, width]];
    return [
      [0, at / 2, width / 2],
      [width / 2, half + at / 2, width / 2],
    ];
  });
}

/**
 * Copy row i of an axis's table to its columns.
 * @param {ArrayLike<number>} table @param {number} i @param {number} width
 * @param {readonly [from: number, to: number, count: number][]} runs
 * @param {Float32Array} result @param {number} row  where it begins
 */
function copy(table, i, width, runs, result, row) {
  for (const [from, to, count] of runs) {
    for (let d = 0; d < count; ++d) result[row + to + d] = table[i * width + from + d];
  }
}

/**
 * The positions of an image's cells along one axis, by the cells that count.
 * @param {Int32Array} mask @param {number} H @param {number} W @param {number} axis  0 down, 1 along
 * @param {{offset: number, normalize: boolean, single: boolean}} options  single: in float32 steps
 */
function counted(mask, H, W, axis, { offset, normalize, single }) {
  const rounded = single ? Math.fround : (/** @type {number} */ x) => x;
  const positions = new Float64Array(H * W);
  const [lines, length, across, along] = axis === 0 ? [W, H, 1, W] : [H, W, W, 1];
  for (let line = 0; line < lines; ++line) {
    let count = 0;
    for (let i = 0; i < length; ++i) {
      const cell = line * across + i * along;
      count += mask[cell];
      positions[cell] = rounded(count + offset);
    }
    const whole = rounded(count + EPSILON);
    for (let i = 0; normalize && i < length; ++i) {
      const cell = line * across + i * along;
      positions[cell] = single
        ? Math.fround(Math.fround(positions[cell] / whole) * Math.fround(2 * Math.PI))
        : (positions[cell] * (2 * Math.PI)) / whole;
    }
  }
  return positions;
}

/**
 * Cells along each axis.
 * @param {unknown} sizes
 * @returns {number[]}
 */
export function readSizes(sizes) {
  const { data, shape } = asArray(sizes, "sizes");
  if (shape.length !== 1 || data.length === 0) {
    throw new RangeError(`sizes must have shape [axes]; got [${shape.join(", ")}]`);
  }
  return Array.from(data, (size) => check.integer(size, "sizes"));
}

/**
 * All combinations of a number from each list, the last running fastest.
 * @param {readonly Float64Array[]} lists
 * @returns {Float64Array} [..., lists.length]
 */
export function product(lists) {
  const cells = check.count(lists.map((list) => list.length));
  const all = new Float64Array(cells * lists.length);
  let stride = cells;
  for (const [axis, list] of lists.entries()) {
    stride /= list.length;
    for (let cell = 0; cell < cells; ++cell) {
      all[cell * lists.length + axis] = list[Math.floor(cell / stride) % list.length];
    }
  }
  return all;
}

/**
 * The order of axes.
 * @param {unknown} axes @param {number} n
 * @returns {number[]}
 */
function readOrder(axes, n) {
  const known = Array.from({ length: n }, (_, axis) => axis);
  if (axes === undefined) return known;
  const { data, shape } = asArray(axes, "axes");
  const list = Array.from(data);
  if (shape.length !== 1 || list.length !== n || !known.every((axis) => list.includes(axis))) {
    throw new RangeError(
      `axes must hold each of ${known.join(", ")} once; got [${list.map(check.describe).join(", ")}]`,
    );
  }
  return /** @type {number[]} */ (list);
}

/**
 * How many columns each axis has.
 * @param {unknown} shares @param {unknown} remainder @param {number} D @param {readonly number[]} axes
 */
function readWidths(shares, remainder, D, axes) {
  const n = axes.length;
  const parts = shares === undefined ? Array(n).fill(1) : readPerAxis(shares, "shares", n);
  const whole = parts.reduce((sum, part) => sum + part, 0);
  const widths = parts.map((part) => 2 * Math.floor((D * part) / (2 * whole)));
  const refuse = check.oneOf(remainder, "remainder", REMAINDERS) === "refuse";
  if (refuse && widths.reduce((sum, width) => sum + width, 0) !== D) {
    throw new RangeError(
      `dim must divide into pairs for ${n} axes, shares ${parts.join(" : ")}; got ${D}`,
    );
  }
  return widths;
}

/**
 * A number for each axis: one for all, or a list.
 * @param {unknown} value @param {string} name @param {number} n
 * @returns {number[]}
 */
export function readPerAxis(value, name, n) {
  const rule = `a number > 0, up to 2^29, or one for each of ${n} axes`;
  const { data, shape } =
    typeof value === "number" ? { data: [value], shape: [] } : asArray(value, name);
  if (shape.length > 1 || (shape.length === 1 && shape[0] !== n)) {
    throw new RangeError(`${name} must be ${rule}; got shape [${shape.join(", ")}]`);
  }
  const list = Array.from(data, (x) =>
    check.finite(x, name, rule, (number) => number > 0 && number <= 2 ** 29),
  );
  return shape.length === 0 ? Array(n).fill(list[0]) : list;
}
