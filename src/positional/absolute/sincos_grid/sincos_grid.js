/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../../runtime/options.js" */
/** @import { Tensor, TensorInput } from "../../../runtime/tensor.js" */
import { readIntegers, readOrder, readPerAxis } from "../../../runtime/axes.js";
import * as arrays from "../../../runtime/arrays.js";
import * as check from "../../../runtime/check.js";
import { wrongShape } from "../../../runtime/errors.js";
import { readMask } from "../../../runtime/mask.js";
import * as option from "../../../runtime/options.js";
import { output } from "../../../runtime/result.js";
import { sinusoidal, spectrumOption } from "../sinusoidal/sinusoidal.js";

/** @typedef {readonly number[] | undefined} NumberList */
/** @typedef {number | ArrayLike<number> | undefined} PerAxis */

const FORM = () => ({
  /** `exact` rounds the formula once. `torch` follows PyTorch's float32 steps. */
  precision: option.choice(["exact", "torch"]),
  /** How `torch` forms frequencies in float32: by a power or by an exponential. */
  recipe: option.choice(["pow", "exp"]),
  /** Filled instead of a new array. */
  out: option.out(),
});

const TABLE = option.optionSet(() => ({
  /** The frequencies of an axis fall from 1 to about 1 / base. */
  base: option.number({ default: 10000, min: 1 }),
  /** The columns: `halves` [s s c c | s s c c], axis after axis; `interleaved` [s c s c | s c s c]; `flipped` [c c s s | c c s s]; `sines-first`, the sines of all axes before the cosines [s s | s s | c c | c c]. */
  layout: option.choice(["halves", "interleaved", "flipped", "sines-first"]),
  /** The order of the axes in the columns: `[1, 0]` puts the column number of a grid [h, w] first. Default: [0, 1, ...]. */
  axes: option.value(/** @type {NumberList} */ (undefined)),
  /** The share of the width for each axis of `sizes`. Default: equal shares. */
  shares: option.value(/** @type {NumberList} */ (undefined)),
  /** Whether a width that the shares do not divide into pairs throws or ends with columns of zeros. */
  remainder: option.choice(["throw", "zero-last"]),
  /** For an axis of width F: theta_k = base^(-k/n) with n = F/2 (`paper`), F/2 - 1 (`tensor2tensor`) or n itself. */
  spectrum: spectrumOption(),
  /** The position of the first cell of each axis. */
  offset: option.number({ default: 0 }),
  /** Positions become i * baseSize / size. Default: the size itself. */
  baseSize: option.value(/** @type {PerAxis} */ (undefined)),
  /** The divisor of all positions, or of those of each axis. */
  interpolationScale: option.value(/** @type {number | ArrayLike<number>} */ (1)),
  /** The number of rows of zeros before the grid, for class tokens. */
  prefix: option.integer({ default: 0, min: 0 }),
  ...FORM(),
}));

const MASKED = option.optionSet(() => ({
  /** The frequencies of an axis fall from 1 to about 1 / base. */
  base: option.number({ default: 10000, min: 1 }),
  /** The columns of each axis: `interleaved` [s c s c], `halves` [s s c c], `flipped` [c c s s]. */
  layout: option.choice(["interleaved", "halves", "flipped"]),
  /** The order of the axes in the columns: [0, 1] for [y ; x], [1, 0] for [x ; y]. Default: [0, 1]. */
  axes: option.value(/** @type {NumberList} */ (undefined)),
  /** Whether counts are divided by the axis' whole count, so that the last cell that counts gets position `scale`. */
  normalize: option.boolean(),
  /** The factor of normalized counts; used with `normalize`. Default: 2 pi. */
  scale: option.number({ default: 2 * Math.PI, above: 0 }),
  /** Added to the whole count before the division; used with `normalize`. */
  eps: option.number({ default: 1e-6, above: 0 }),
  /** Added to every count. Deformable DETR uses -0.5. */
  offset: option.number({ default: 0, min: -(2 ** 30), max: 2 ** 30 }),
  ...FORM(),
}));

const presets = () =>
  option.presetsOf("sincosGrid", [TABLE, MASKED], {
    /** facebookresearch/mae, util/pos_embed.py. A class token: `prefix: 1`. */
    vit_mae: { axes: [1, 0], layout: "halves" },
    /**
     * facebookresearch/moco-v3, vits.py; a class token: `prefix: 1`. Its rows run down the columns
     * first: the same for a square grid, otherwise pass [w, h].
     */
    "moco-v3": { axes: [0, 1], layout: "halves" },
    /** timm, layers/pos_embed_sincos.py: build_sincos2d_pos_embed. For reverse_coord pass [w, h]. */
    timm: { axes: [0, 1], layout: "sines-first" },
    /** The same with interleave_sin_cos. */
    "timm-interleaved": { axes: [0, 1], layout: "halves" },
    /** lucidrains/vit-pytorch, simple_vit.py: posemb_sincos_2d. */
    "simple-vit": { axes: [1, 0], layout: "halves", spectrum: "tensor2tensor" },
    /** diffusers, embeddings.py: get_2d_sincos_pos_embed. */
    diffusers: { axes: [1, 0], layout: "halves", baseSize: 16 },
    /** diffusers, embeddings.py: get_3d_sincos_pos_embed, for [t, h, w]: D/4, 3D/8, 3D/8. */
    "diffusers-3d": { axes: [0, 2, 1], layout: "halves", shares: [2, 3, 3] },
    /** tensor2tensor, layers/common_attention.py: add_timing_signal_nd, any number of axes. */
    tensor2tensor: {
      layout: "halves",
      spectrum: "tensor2tensor",
      remainder: "zero-last",
      recipe: "exp",
    },
    /** `masked`: facebookresearch/detr, models/position_encoding.py, as DETR builds it. */
    detr: { layout: "interleaved", normalize: true },
    /** `masked`: fundamentalvision/Deformable-DETR, models/position_encoding.py: half-cell centers. */
    deformable_detr: { layout: "interleaved", normalize: true, offset: -0.5 },
  });

/**
 * Fixed encodings of grids, images and videos: each axis has separate columns. (DETR's learned variant
 * is two learned tables, looked up by column and row, [x ; y].)
 * @param {Core} core
 */
export function sincosGrid(core) {
  const waves = sinusoidal(core).table;

  const module = {
    /**
     * Options by model; `detr` and `deformable_detr` are for `masked`, the others for `table`:
     * `sincosGrid.table([14, 14], 768, sincosGrid.presets.vit_mae)`.
     */
    presets: presets(),

    /**
     * Computes the encoding of each cell of a grid.
     *
     *     position_a(i) = offset + i * baseSize / size / interpolationScale      along axis a
     *     row           = the sines and cosines of position_a * theta_k, for each axis a
     *
     * Accuracy: that of `sinusoidal.table`: `exact` is within 0.501 ULP.
     *
     * @param {ArrayLike<number>} sizes  cells along each axis: [h, w], [t, h, w], ...
     * @param {number} dim  width D of a row
     * @param {OptionsOf<typeof TABLE>} [options]
     * @returns {Tensor} float32 [prefix + h * w, D], cells in row-major order
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see He et al. 2021, Masked autoencoders, https://arxiv.org/abs/2111.06377; Chen, Xie, He 2021,
     *   MoCo v3, https://arxiv.org/abs/2104.02057
     * @example
     * sincosGrid.table([1, 2], 4, sincosGrid.presets.vit_mae).toArray()
     * // [[0, 1, 0, 1], [0.8414709568023682, 0.5403022766113281, 0, 1]]
     */
    table(sizes, dim, options = {}) {
      const { prefix, out, layout, base, spectrum, precision, recipe, ...rest } =
        TABLE.read(options);
      const shape = readIntegers(sizes, "sizes", 1);
      const D = check.integer(dim, "dim");
      const axes = readOrder(rest.axes, "axes", shape.length);
      const widths = readWidths(rest.shares, rest.remainder, D, axes);
      const positions = positionsOf(shape, rest);
      const cells = arrays.count(shape);
      const result = output(out, [prefix + cells, D]);

      const sinesFirst = layout === "sines-first";
      const perAxis = sinesFirst ? "halves" : layout;
      const tables = axes.map((axis) =>
        widths[axis] === 0
          ? new Float32Array()
          : waves(positions[axis], widths[axis], {
              base,
              spectrum,
              precision,
              recipe,
              layout: perAxis,
            }).data,
      );
      const columns = place(
        axes.map((axis) => widths[axis]),
        sinesFirst,
      );
      result.data.fill(0);
      axes.forEach((axis, k) => {
        const stride = arrays.count(shape.slice(axis + 1));
        for (let cell = 0; cell < cells; ++cell) {
          const i = Math.floor(cell / stride) % shape[axis];
          copy(tables[k], i, widths[axis], columns[k], result.data, (prefix + cell) * D);
        }
      });
      return result.done();
    },

    /**
     * Computes the encoding of each cell of images with padding, as DETR does: the position of a cell is
     * the number of cells up to it that are not padding, down its column and along its row.
     *
     *     y(h, w) = offset + count of mask[0 .. h, w],   x(h, w) = offset + count of mask[h, 0 .. w]
     *     normalize:   y = scale y / (the column's count + eps), x likewise with the row's
     *     row = [y ; x], each of width D/2, theta_k = base^(-2k / (D/2))
     *
     * The mask is the inverse of DETR's own, which is 1 where an image is padded.
     * Accuracy: that of `sinusoidal.table`; normalized positions are rounded to double first.
     *
     * @param {TensorInput} mask  [H, W] or [B, H, W]: 1 or true counts, 0 or false is padding
     * @param {number} dim  width D, a multiple of 4
     * @param {OptionsOf<typeof MASKED>} [options]
     * @returns {Tensor} float32 [H, W, D] or [B, H, W, D]
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Carion et al. 2020, End-to-end object detection with transformers,
     *   https://arxiv.org/abs/2005.12872, appendix A.4
     * @example
     * sincosGrid.masked([[1, 1]], 4).toArray()
     * // [[[0.8414709568023682, 0.5403022766113281, 0.8414709568023682, 0.5403022766113281], [0.8414709568023682, 0.5403022766113281, 0.9092974066734314, -0.416146844625473]]]
     */
    masked(mask, dim, options = {}) {
      const { axes: order, normalize, scale, eps, offset, out, ...wave } = MASKED.read(options);
      if (!normalize) check.refuseIdle(options, ["scale", "eps"], "normalize");
      const { data, shape } = readMask(mask, "mask");
      if (shape.length !== 2 && shape.length !== 3) {
        throw wrongShape("mask", "[H, W] or [B, H, W]", shape);
      }
      const [H, W] = shape.slice(-2);
      const D = check.integer(dim, "dim");
      const axes = readOrder(order, "axes", 2);
      const [width] = readWidths(undefined, "throw", D, axes);
      const result = output(out, [...shape, D]);
      const single = wave.precision === "torch";
      const counting = { offset, normalize, scale, eps, single };
      const columns = place([width, width], false);
      const cells = H * W;
      for (let first = 0; first < data.length; first += cells) {
        const image = data.subarray(first, first + cells);
        axes.forEach((axis, k) => {
          const positions = countAlong(image, H, W, axis, counting);
          const table = waves(positions, width, wave).data;
          for (let cell = 0; cell < cells; ++cell) {
            copy(table, cell, width, columns[k], result.data, (first + cell) * D);
          }
        });
      }
      return result.done();
    },
  };
  return option.withOptions(module, { table: TABLE, masked: MASKED });
}

/**
 * The positions of each axis' cells.
 * @param {readonly number[]} sizes
 * @param {{offset: number, baseSize: PerAxis, interpolationScale: PerAxis}} options
 */
function positionsOf(sizes, { offset, baseSize, interpolationScale }) {
  const n = sizes.length;
  const scales = readPerAxis(interpolationScale, "interpolationScale", n);
  const targets = baseSize === undefined ? sizes : readPerAxis(baseSize, "baseSize", n);
  return sizes.map((size, axis) =>
    arrays
      .float64s(size, "the positions")
      .map((_, i) => offset + (i * targets[axis]) / (size * scales[axis])),
  );
}

/**
 * The columns of each axis: runs of [from column of the table of the axis, to column of a row, how many].
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
 * Copies row i of an axis' table to its columns.
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
 * Counts, along one axis and for each cell of an image, the cells up to it that are not padding.
 * @param {Int32Array} mask @param {number} H @param {number} W @param {number} axis  0 down, 1 along
 * @param {{offset: number, normalize: boolean, scale: number, eps: number, single: boolean}} options  single:
 *   in float32 steps
 */
function countAlong(mask, H, W, axis, { offset, normalize, scale, eps, single }) {
  const round = single ? Math.fround : (/** @type {number} */ x) => x;
  const positions = new Float64Array(H * W);
  const [lines, length, across, along] = axis === 0 ? [W, H, 1, W] : [H, W, W, 1];
  for (let line = 0; line < lines; ++line) {
    let count = 0;
    for (let i = 0; i < length; ++i) {
      const cell = line * across + i * along;
      count += mask[cell];
      positions[cell] = round(count + offset);
    }
    const divisor = round(count + eps);
    for (let i = 0; normalize && i < length; ++i) {
      const cell = line * across + i * along;
      positions[cell] = single
        ? Math.fround(Math.fround(positions[cell] / divisor) * Math.fround(scale))
        : (positions[cell] * scale) / divisor;
    }
  }
  return positions;
}

/**
 * All combinations of a number from each list, the last running fastest.
 * @param {readonly Float64Array[]} lists
 * @returns {Float64Array} [..., lists.length]
 */
export function product(lists) {
  const cells = arrays.count(lists.map((list) => list.length));
  const all = arrays.float64s(cells * lists.length, "the positions");
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
 * Divides the columns among the axes.
 * @param {unknown} shares @param {"throw" | "zero-last"} remainder @param {number} D @param {readonly number[]} axes
 */
function readWidths(shares, remainder, D, axes) {
  const n = axes.length;
  const parts = shares === undefined ? Array(n).fill(1) : readPerAxis(shares, "shares", n);
  const whole = parts.reduce((sum, part) => sum + part, 0);
  const widths = parts.map((part) => 2 * Math.floor((D * part) / (2 * whole)));
  if (remainder === "throw" && widths.reduce((sum, width) => sum + width, 0) !== D) {
    throw new RangeError(
      `dim must divide into pairs for ${n} axes, shares ${parts.join(" : ")}; got ${D}`,
    );
  }
  return widths;
}
