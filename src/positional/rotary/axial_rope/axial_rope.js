/** @import { Core, Raw } from "../../../runtime/wasm.js" */
/** @import { Precision, Recipe, Spectrum } from "../../../runtime/phase.js" */
/** @import { TensorInput } from "../../../runtime/tensor.js" */
import * as check from "../../../runtime/check.js";
import { overRows } from "../../../runtime/memory.js";
import { readBase, readPrecision } from "../../../runtime/phase.js";
import { REACH, readPositions } from "../../../runtime/positions.js";
import { asArray, asFloat32, Tensor } from "../../../runtime/tensor.js";
import {
  fillBlocks,
  readDoubles,
  readIntegers,
  readOut,
  readPairs,
  readSections,
  run,
} from "./rotary.js";

const LAYOUTS = /** @type {const} */ (["interleaved", "halves"]);
const SPECTRA = /** @type {const} */ (["per-axis", "dealt", "linear"]);
const COORDINATES = /** @type {const} */ ([
  "cells",
  "centers",
  "centers-max",
  "centers-min",
  "ends",
]);

/**
 * Where the cells of an axis of n cells stand: x_i = (c_i + offset) * scale.
 * @typedef {object} GridOptions
 * @property {typeof COORDINATES[number]} [coordinates]  `cells` (default): c_i = i; `centers`:
 *   c_i = 2 (i + 1/2) / n - 1, or divided by the longest (`centers-max`) or the shortest
 *   (`centers-min`) axis in the place of n; `ends`: c_i = 2 i / (n - 1) - 1
 * @property {number | readonly number[]} [pretrained]  cells of each axis in pretraining, onto
 *   which `cells` are rescaled: c_i = i * pretrained / n
 * @property {number} [offset]  default 0
 * @property {number} [scale]  default 1; 2 pi where frequencies are those of turns
 * @property {number} [prefix]  rows of angle 0 before the cells', for class and register tokens or
 *   text; default 0
 * @property {number} [suffix]  the same after them; default 0
 */

/**
 * Which columns turn with which axis, and how fast.
 * @typedef {object} ColumnOptions
 * @property {number} [base]  default 10000
 * @property {readonly number[]} [sections]  columns of each axis, which sum to R/2; default: equal
 *   ones
 * @property {readonly number[]} [order]  the axes in the order of their columns; default [0, 1, ..]
 * @property {typeof SPECTRA[number]} [spectrum]  with n columns of an axis, k < n: `per-axis`
 *   (default) theta_k = base^(-k/n); `dealt`: the A axes take turns at base^(-2j/R), the b-th in
 *   order has j = A k + b; `linear`: theta_k from pi to pi * maxFrequency / 2 in equal steps
 * @property {number} [maxFrequency]  of the spectrum `linear`; default 10
 */

/**
 * @typedef {object} TableOptions
 * @property {"interleaved" | "halves"} [layout]  how `rope.apply` is to pair the components;
 *   handed through to the result; default `halves`
 * @property {Precision} [precision]  `exact` (default) or `torch`, PyTorch's float32 steps
 * @property {Recipe} [recipe]  which float32 steps: `pow` (default) or `exp`
 */

/**
 * A table for `rope.apply(x, table, { layout: table.layout })`.
 * @typedef {{cos: Tensor, sin: Tensor, layout: "interleaved" | "halves"}} AxialTable
 * @typedef {{cos: Float32Array | Tensor, sin: Float32Array | Tensor}} AxialOut
 */

const GRID = Object.freeze({
  coordinates: "cells",
  pretrained: undefined,
  offset: 0,
  scale: 1,
});
const COLUMNS = Object.freeze({
  base: 10000,
  sections: undefined,
  order: undefined,
  spectrum: "per-axis",
  maxFrequency: 10,
});
const TABLE = Object.freeze({ layout: "halves", precision: "exact", recipe: "pow" });

const PRESETS = Object.freeze({
  // baaivision/EVA EVA-02/asuka/rope.py: 16 x 16 patches in pretraining
  eva: Object.freeze({ pretrained: 16, layout: "interleaved" }),
  // naver-ai/rope-vit models/vit_rope.py: columns [x ; y]
  "rope-vit": Object.freeze({ base: 100, order: [1, 0], layout: "interleaved" }),
  "rope-vit-mixed": Object.freeze({ order: [1, 0], layout: "interleaved" }), // for `mixed`
  // facebookresearch/dinov3 dinov3/layers/rope_position_encoding.py
  dinov3: Object.freeze({
    base: 100,
    coordinates: "centers",
    scale: 2 * Math.PI,
    layout: "halves",
  }),
  // huggingface/transformers models/pixtral/modeling_pixtral.py; mistral-inference: interleaved
  pixtral: Object.freeze({ spectrum: "dealt", layout: "halves" }),
  // huggingface/transformers models/qwen2_vl/modeling_qwen2_vl.py, the vision tower
  "qwen2-vl": Object.freeze({ layout: "halves" }),
  // black-forest-labs/flux src/flux/math.py, util.py, sampling.py: grid [1, h, w], prefix: text
  flux: Object.freeze({ sections: [8, 28, 28], layout: "interleaved" }),
  // huggingface/diffusers models/embeddings.py, get_3d_rotary_pos_embed: D/4 and twice 3D/8 of 64
  cogvideox: Object.freeze({ sections: [8, 12, 12], layout: "interleaved" }),
  // pytorch/torchtune modules/position_embeddings.py: columns [x ; y]; the class token is a suffix
  torchtune: Object.freeze({ order: [1, 0], offset: 1, layout: "interleaved" }),
  // lucidrains/rotary-embedding-torch, get_axial_freqs with freqs_for "pixel"
  "lucidrains-pixel": Object.freeze({
    spectrum: "linear",
    coordinates: "ends",
    layout: "interleaved",
  }),
});

/**
 * Axial rotary embedding: RoPE on grids of two, three or any number of axes (Heo et al. 2024).
 * @param {Core} core
 */
export function axialRope(core) {
  const raw =
    /**
     * @type {Raw & {
     *   axial_rope_mixed(coordinates: number, frequencies: number, T: number, A: number, P: number,
     *     precision: number, workspace: number, out: number): number,
     *   axial_rope_mixed_size(P: number): number,
     * }}
     */ (core.raw);

  return {
    /**
     * The conventions of published models, to be passed as options or spread into them.
     *
     *     eva               [h ; w]      interleaved  cells rescaled to 16 x 16 of pretraining
     *     rope-vit          [x ; y]      interleaved  base 100
     *     rope-vit-mixed    learned      interleaved  for `mixed`; frequencies [0] x, [1] y
     *     dinov3            [h ; w]      halves       patch centres in -1 .. 1, turns, base 100
     *     pixtral           [h ; w]      halves       one spectrum, even j to h, odd j to w
     *                                                 (mistral-inference turns it interleaved)
     *     qwen2-vl          [h ; w]      halves       of the vision tower; the text has `mrope`
     *     flux              [t ; h ; w]  interleaved  8, 28, 28 of width 128; grid [1, h, w]
     *     cogvideox         [t ; h ; w]  interleaved  8, 12, 12 of width 64
     *     torchtune         [x ; y]      interleaved  cells from 1
     *     lucidrains-pixel  [h ; w]      interleaved  linspace(-1, 1), frequencies pi .. 5 pi
     *
     * Class and register tokens, and FLUX's text, are rows of the `prefix` (`suffix` where torchtune
     * appends its class token). Not here: DINOv3's random shifts and scales of training, its periods
     * between a least and a greatest, and the bfloat16 rounding of its released periods;
     * CogVideoX's cropped grids, which are coordinates for `at`.
     */
    presets:
      /** @type {Readonly<Record<keyof typeof PRESETS, Readonly<GridOptions & ColumnOptions & TableOptions>>>} */ (
        PRESETS
      ),

    /**
     * The cosines and sines that `rope.apply` turns the cells of a grid by.
     *
     *     cos[cell, i] = cos(x_a * theta_k),   sin[cell, i] = sin(x_a * theta_k)
     *
     * a is the axis of column i, x_a the cell's coordinate along it (`GridOptions`), theta_k the
     * k-th frequency of that axis (`ColumnOptions`). Cells are row by row, the last axis fastest.
     * Coordinates and scale are taken in double. Accuracy: `exact` is within 0.501 ULP where
     * coordinates are whole, 2.99e-8 absolute otherwise; `torch` within 1 ULP of the sine of
     * the float32 angle.
     *
     * @param {readonly number[]} grid  cells of each axis: [h, w] or [t, h, w]
     * @param {number} dim  rotated width R, even
     * @param {GridOptions & ColumnOptions & TableOptions & {out?: AxialOut}} [options]  a preset is
     *   one; `out` is filled instead of new arrays
     * @returns {AxialTable} float32 [prefix + cells + suffix, R/2] each; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range, or
     *   lists do not agree
     * @see Heo et al. 2024, https://arxiv.org/abs/2403.13298, section 3.1
     * @example
     * axialRope.table([1, 2], 4).sin.toArray()
     * // [[0, 0], [0, 0.8414709568023682]]
     */
    table(grid, dim, options = {}) {
      const where = "axialRope.table";
      const defaults = { ...GRID, ...COLUMNS, ...TABLE, prefix: 0, suffix: 0, out: undefined };
      const { prefix, suffix, out, ...given } = check.options(options, defaults, where);
      const sizes = readGrid(grid);
      const rows = readRows(check.count(sizes), prefix, suffix);
      const P = readPairs(dim);
      const { cos, sin } = readOut(out, [rows.all, P]);
      const { layout, columns } = readColumns(P, sizes.length, given);
      const coordinates = readCoordinates(sizes, given);
      const blocks = columns.map(({ axis, ...block }) => ({
        ...block,
        positions: readPositions(coordinates[axis]),
        inner: check.count(sizes.slice(axis + 1)),
        outer: check.count(sizes.slice(0, axis)),
      }));
      const cells = [rows.first * P, (rows.first + rows.cells) * P];
      fillBlocks(core, where, blocks, P, 1, cos.subarray(...cells), sin.subarray(...cells));
      for (const [from, to] of [
        [0, cells[0]],
        [cells[1], cos.length],
      ]) {
        cos.fill(1, from, to);
        sin.fill(0, from, to);
      }
      return { cos: new Tensor(cos, [rows.all, P]), sin: new Tensor(sin, [rows.all, P]), layout };
    },

    /**
     * The same for tokens anywhere: x_a = (positions[t, a] + offset) * scale.
     *
     * @param {TensorInput} positions  [T, A] or [B, T, A], a token's coordinates along A axes:
     *   whole or fractional, negative too
     * @param {number} dim  rotated width R, even
     * @param {Omit<GridOptions, "prefix" | "suffix"> & ColumnOptions & TableOptions & {out?: AxialOut}} [options]
     *   as for `table`; `coordinates` and `pretrained` speak of grids, and change nothing here
     * @returns {AxialTable} float32 [T, R/2] or [B, T, R/2] each; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range, or
     *   lists do not agree
     * @see Heo et al. 2024, https://arxiv.org/abs/2403.13298, section 3.1
     * @example
     * axialRope.at([[0, 1]], 4).sin.toArray()
     * // [[0, 0.8414709568023682]]
     */
    at(positions, dim, options = {}) {
      const where = "axialRope.at";
      const defaults = { ...GRID, ...COLUMNS, ...TABLE, out: undefined };
      const { out, ...given } = check.options(options, defaults, where);
      const { data, shape } = readDoubles(positions, "positions");
      const [A, ...rest] = [shape[shape.length - 1], ...shape.slice(0, -1)];
      if (rest.length < 1 || rest.length > 2 || A === 0) {
        const rule = "shape [T, A] or [B, T, A]";
        throw new RangeError(`positions must have ${rule}; got [${shape.join(", ")}]`);
      }
      const P = readPairs(dim);
      const { cos, sin } = readOut(out, [...rest, P]);
      const { layout, columns } = readColumns(P, A, given);
      readCoordinates(Array(A).fill(0), given); // for its checks
      const move = readMove(given);
      const blocks = columns.map(({ axis, ...block }) => ({
        ...block,
        positions: readPositions(data.filter((_, k) => k % A === axis).map(move)),
      }));
      fillBlocks(core, where, blocks, P, 1, cos, sin);
      return { cos: new Tensor(cos, [...rest, P]), sin: new Tensor(sin, [...rest, P]), layout };
    },

    /**
     * The same for learned frequencies that mix the axes, a table for each head.
     *
     *     cos[h, cell, i] = cos(phi),   sin[h, cell, i] = sin(phi)
     *     phi = sum_b frequencies[b, h, i] * x_b
     *
     * x_b is the coordinate along the axis `order[b]`: with rope-vit's order [1, 0], frequencies
     * [0] belong to x, [1] to y. Accuracy: `exact` forms phi in double and is within 2.99e-8 of its
     * sine; `torch` forms it in float32 steps.
     *
     * @param {readonly number[]} grid  cells of each axis: [h, w] or [t, h, w]
     * @param {TensorInput} frequencies  float32 [A, H, P], radians per unit, for A axes and H heads
     * @param {GridOptions & Pick<ColumnOptions, "order"> & Omit<TableOptions, "recipe"> & {out?: AxialOut}} [options]
     *   as for `table`
     * @returns {AxialTable} float32 [H, prefix + cells + suffix, P] each, for `rope.apply` of one
     *   sequence's heads, x [H, T, D]; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range, or
     *   shapes do not agree
     * @see Heo et al. 2024, https://arxiv.org/abs/2403.13298, section 3.2
     * @example
     * axialRope.mixed([2, 1], [[[0.5]], [[0]]]).sin.toArray()
     * // [[[0], [0.4794255495071411]]]
     */
    mixed(grid, frequencies, options = {}) {
      const where = "axialRope.mixed";
      const {
        layout: pairing,
        precision,
        prefix,
        suffix,
        order,
        out,
        ...given
      } = check.options(
        options,
        {
          ...GRID,
          order: undefined,
          layout: "halves",
          precision: "exact",
          prefix: 0,
          suffix: 0,
          out: undefined,
        },
        where,
      );
      const sizes = readGrid(grid);
      const A = sizes.length;
      const axes = readOrder(order, A);
      const layout = check.oneOf(pairing, "layout", LAYOUTS);
      const steps = readPrecision(precision, "pow");
      const lists = readCoordinates(sizes, given);
      const { data, shape } = asFloat32(frequencies, "frequencies");
      const [, H, P] = shape;
      if (shape.length !== 3 || shape[0] !== A || P === 0) {
        throw new RangeError(
          `frequencies must have shape [${A}, H, P], as the grid has axes; got [${shape.join(", ")}]`,
        );
      }
      refuseLargeAngles(lists, axes, data);
      const { all, first, cells } = readRows(check.count(sizes), prefix, suffix);
      const shapeOut = [H, all, P];
      const { cos, sin } = readOut(out, shapeOut);

      const coordinates = new Float64Array(all * A); // a prefix or suffix stands at 0
      for (const [b, axis] of axes.entries()) {
        const inner = check.count(sizes.slice(axis + 1));
        for (let t = 0; t < cells; ++t) {
          coordinates[(first + t) * A + b] = lists[axis][Math.floor(t / inner) % sizes[axis]];
        }
      }
      // Frequencies may lie where the result goes: each head's are taken out first.
      const heads = [...run(H)].map((h) =>
        Float32Array.from(
          { length: A * P },
          (_, k) => data[(Math.floor(k / P) * H + h) * P + (k % P)],
        ),
      );
      const both = check.float32s(all * 2 * P, where);
      for (const [h, own] of heads.entries()) {
        const pieces = [
          { data: coordinates, row: A },
          { data: own },
          raw.axial_rope_mixed_size(P) * 8,
          /** @type {const} */ ({ data: both, row: 2 * P, way: "out" }),
        ];
        overRows(core, where, all, pieces, (count, _, [x, f, workspace, at]) =>
          raw.axial_rope_mixed(x, f, count, A, P, steps, workspace, at),
        );
        for (let t = 0; t < all; ++t) {
          const row = both.subarray(2 * t * P, 2 * (t + 1) * P);
          cos.set(row.subarray(0, P), (h * all + t) * P);
          sin.set(row.subarray(P), (h * all + t) * P);
        }
      }
      return { cos: new Tensor(cos, shapeOut), sin: new Tensor(sin, shapeOut), layout };
    },
  };
}

/**
 * @param {number} P @param {number} A
 * @param {Record<keyof typeof COLUMNS | keyof typeof TABLE, unknown>} options
 */
function readColumns(P, A, options) {
  const layout = check.oneOf(options.layout, "layout", LAYOUTS);
  const precision = readPrecision(options.precision, options.recipe);
  const base = readBase(options.base);
  const kind = check.oneOf(options.spectrum, "spectrum", SPECTRA);
  const top = check.finite(options.maxFrequency, "maxFrequency", "a positive number", isPositive);
  const order = readOrder(options.order, A);
  const equal = options.sections === undefined;
  if (equal && P % A !== 0) {
    throw new RangeError(`dim must be a multiple of ${2 * A}, or have sections; got ${2 * P}`);
  }
  const sections = readSections(equal ? run(A, P / A, 0) : options.sections, P);
  if (sections.length !== A || (kind === "dealt" && sections.some((n) => n !== P / A))) {
    const rule = kind === "dealt" ? `${A} equal numbers, to be dealt` : `${A} numbers, one an axis`;
    throw new RangeError(`sections must be ${rule}; got [${sections.join(", ")}]`);
  }

  /** @param {number} n @returns {Spectrum} */
  const spectrum = (n) => {
    if (kind === "per-axis") return { base, n, pairs: n, precision };
    if (kind === "dealt") return { base, n: P, pairs: P, precision };
    const step = (top / 2 - 1) / Math.max(n - 1, 1);
    const frequencies = Float64Array.from({ length: n }, (_, k) => Math.PI * (1 + k * step));
    return { frequencies, pairs: n, precision };
  };
  let column = 0;
  const columns = order.map((axis, b) => {
    const n = sections[axis];
    const to = run(n, column);
    column += n;
    const from = kind === "dealt" ? run(n, b, A) : run(n);
    return { axis, spectrum: spectrum(n), from, to };
  });
  return { layout, columns };
}

/** @param {unknown} order @param {number} A @returns {number[]} */
function readOrder(order, A) {
  if (order === undefined) return [...run(A)];
  const axes = readIntegers(order, "order", 0);
  if (axes.length !== A || run(A).some((axis) => !axes.includes(axis))) {
    throw new RangeError(
      `order must have each axis from 0 to ${A - 1} once; got [${axes.join(", ")}]`,
    );
  }
  return axes;
}

/**
 * @param {readonly number[]} sizes @param {Record<keyof typeof GRID, unknown>} options
 * @returns {Float64Array[]} of each axis, its cells'
 */
function readCoordinates(sizes, options) {
  const kind = check.oneOf(options.coordinates, "coordinates", COORDINATES);
  const move = readMove(options);
  const full = readPretrained(options.pretrained, sizes.length);
  if (full && kind !== "cells") {
    throw new RangeError(`pretrained must belong to coordinates "cells"; got "${kind}"`);
  }
  const [longest, shortest] = [Math.max(...sizes), Math.min(...sizes)];
  return sizes.map((n, axis) => {
    const side = { centers: n, "centers-max": longest, "centers-min": shortest };
    const cell = (/** @type {number} */ i) => {
      if (kind === "cells") return full ? (i * full[axis]) / n : i;
      if (kind === "ends") return (2 * i) / Math.max(n - 1, 1) - 1;
      return (2 * i + 1) / side[kind] - 1;
    };
    return Float64Array.from({ length: n }, (_, i) => move(cell(i)));
  });
}

/** @param {{offset: unknown, scale: unknown}} options @returns {(x: number) => number} */
function readMove(options) {
  const offset = check.finite(options.offset, "offset");
  const scale = check.finite(options.scale, "scale");
  return (x) => (x + offset) * scale;
}

/** @param {unknown} pretrained @param {number} A @returns {number[] | undefined} */
function readPretrained(pretrained, A) {
  if (pretrained === undefined) return undefined;
  const one = typeof pretrained === "number";
  const { data: given } = one
    ? { data: Array(A).fill(pretrained) }
    : asArray(pretrained, "pretrained");
  const data = Array.from(given);
  if (data.length !== A) {
    throw new RangeError(`pretrained must be a number or ${A} of them; got ${data.length}`);
  }
  return data.map((x) => check.finite(x, "pretrained", "a positive number", isPositive));
}

/**
 * @param {unknown} grid
 * @returns {number[]} cells of each axis; none of any where one has none
 */
function readGrid(grid) {
  const sizes = readIntegers(grid, "grid", 0);
  const cells = check.integer(check.count(sizes), "grid's cells together", 0);
  return cells > 0 ? sizes : sizes.map(() => 0);
}

/** @param {number} cells @param {unknown} prefix @param {unknown} suffix */
function readRows(cells, prefix, suffix) {
  const first = check.integer(prefix, "prefix", 0);
  return { first, cells, all: first + cells + check.integer(suffix, "suffix", 0) };
}

/** @param {number} x */
function isPositive(x) {
  return x > 0;
}

/**
 * @param {readonly Float64Array[]} lists  coordinates of each axis
 * @param {readonly number[]} axes  of each of the frequencies' parts @param {Float32Array} frequencies
 */
function refuseLargeAngles(lists, axes, frequencies) {
  const most = (/** @type {Float32Array | Float64Array} */ numbers) =>
    /** @type {any} */ (numbers).reduce(
      (/** @type {number} */ sum, /** @type {number} */ x) => Math.max(sum, Math.abs(x)),
      0,
    );
  const size = frequencies.length / axes.length;
  const angle = axes.reduce(
    (sum, axis, b) =>
      sum + most(lists[axis]) * most(frequencies.subarray(b * size, (b + 1) * size)),
    0,
  );
  if (!(angle <= REACH / 2)) {
    throw new RangeError(`frequencies must keep angles within 2^30; got up to ${angle}`);
  }
}
