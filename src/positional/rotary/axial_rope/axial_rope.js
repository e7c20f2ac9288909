/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../../runtime/options.js" */
/** @import { Spectrum } from "../../../runtime/phase.js" */
/** @import { Tensor, TensorInput } from "../../../runtime/tensor.js" */
/** @import { RotaryOut } from "./rotary.js" */
import { readIntegers, readOrder, readPerAxis } from "../../../runtime/axes.js";
import * as arrays from "../../../runtime/arrays.js";
import * as check from "../../../runtime/check.js";
import { wrongShape } from "../../../runtime/errors.js";
import { overRows } from "../../../runtime/memory.js";
import * as option from "../../../runtime/options.js";
import { stepsOf } from "../../../runtime/phase.js";
import { REACH, readPositions } from "../../../runtime/positions.js";
import { asArray, asFloat32 } from "../../../runtime/input.js";
import { fillBlocks, readDoubles, readOut, readSections, run } from "./rotary.js";

const LAYOUTS = /** @type {const} */ (["halves", "interleaved"]);

/** @typedef {readonly number[] | undefined} NumberList */

/** The coordinates of the cells of an axis of n cells: x_i = (c_i + offset) * scale. */
const COORDINATES = () => ({
  /** `cells`: c_i = i; `middle`: c_i = i - ceil(n / 2), on the first of three axes, time, c_i = i; `centers`: c_i = 2 (i + 1/2) / n - 1, or with the longest (`centers-max`) or shortest (`centers-min`) axis instead of n; `ends`: c_i = 2 i / (n - 1) - 1. */
  coordinates: option.choice(["cells", "middle", "centers", "centers-max", "centers-min", "ends"]),
  /** The number of cells of each axis in pretraining, to which `cells` are rescaled: c_i = i * pretrained / n. Default: no rescaling. */
  pretrained: option.value(/** @type {number | NumberList} */ (undefined)),
  /** Added to every coordinate. */
  offset: option.number({ default: 0 }),
  /** The factor of every coordinate: 2 pi where frequencies are per rotation. */
  scale: option.number({ default: 1 }),
});

/** Rows of angle 0 around the grid. */
const ROWS = () => ({
  /** The number of rows of angle 0 before the cells, for class and register tokens or text. */
  prefix: option.integer({ default: 0, min: 0 }),
  /** The number of rows of angle 0 after the cells. */
  suffix: option.integer({ default: 0, min: 0 }),
});

/** The axis and the frequency of each column. */
const COLUMNS = () => ({
  /** The base of the frequencies. */
  base: option.number({ default: 10000, min: 1 }),
  /** The base of each axis, instead of `base`. */
  bases: option.value(/** @type {NumberList} */ (undefined)),
  /** The number of columns of each axis, with the sum R/2. Default: equal numbers. */
  sections: option.value(/** @type {NumberList} */ (undefined)),
  /** The axes in the order of their columns. Default: [0, 1, ...]. */
  order: option.value(/** @type {NumberList} */ (undefined)),
  /** Where the columns of an axis are: one after the other (`chunked`), or every A-th one of A axes with equal numbers (`interleaved`). */
  arrangement: option.choice(["chunked", "interleaved"]),
  /** With n columns for an axis and k < n, `per-axis`: theta_k = base^(-k/n); `alternating`: theta_k = base^(-2j/R) with j = A k + b for the b-th of A axes; `linear`: theta_k from pi to pi * maxFrequency / 2 in equal steps. */
  spectrum: option.choice(["per-axis", "alternating", "linear"]),
  /** The largest frequency of the spectrum `linear`, in units of pi / 2. */
  maxFrequency: option.number({ default: 10, above: 0 }),
});

const LAYOUT = () => ({
  /** The layout of pairs for `rope.apply`, returned with the table. */
  layout: option.choice(LAYOUTS),
  /** `exact` rounds the formula once. `torch` follows PyTorch's float32 steps. */
  precision: option.choice(["exact", "torch"]),
});

const FORM = () => ({
  /** How `torch` forms frequencies in float32: by a power or by an exponential. */
  recipe: option.choice(["pow", "exp"]),
  /** Two arrays {cos, sin} that are filled instead of new ones. */
  out: option.outParts(/** @type {RotaryOut | undefined} */ (undefined)),
});

const TABLE = option.optionSet(() => ({
  ...COORDINATES(),
  ...ROWS(),
  ...COLUMNS(),
  ...LAYOUT(),
  ...FORM(),
}));

const AT = option.optionSet(() => ({
  ...COORDINATES(),
  ...COLUMNS(),
  ...LAYOUT(),
  ...FORM(),
}));

const MIXED = option.optionSet(() => ({
  ...COORDINATES(),
  ...ROWS(),
  /** The axes in the order of the frequencies. Default: [0, 1, ...]. */
  order: option.value(/** @type {NumberList} */ (undefined)),
  ...LAYOUT(),
  /** Two arrays {cos, sin} that are filled instead of new ones. */
  out: option.outParts(/** @type {RotaryOut | undefined} */ (undefined)),
}));

/**
 * A table for `rope.apply(x, table, { layout: table.layout })`.
 * @typedef {{cos: Tensor, sin: Tensor, layout: typeof LAYOUTS[number]}} AxialTable
 */

const presets = () =>
  option.presetsOf("axialRope", [TABLE], {
    // baaivision/EVA EVA-02/asuka/rope.py: 16 x 16 patches in pretraining
    eva: { pretrained: 16, layout: "interleaved" },
    // naver-ai/rope-vit models/vit_rope.py: columns [x ; y]
    "rope-vit": { base: 100, order: [1, 0], layout: "interleaved" },
    "rope-vit-mixed": { order: [1, 0], layout: "interleaved" }, // for `mixed`
    // facebookresearch/dinov3 dinov3/layers/rope_position_encoding.py
    dinov3_vit: {
      base: 100,
      coordinates: "centers",
      scale: 2 * Math.PI,
      layout: "halves",
    },
    // huggingface/transformers models/pixtral/modeling_pixtral.py; mistral-inference: interleaved
    pixtral: { spectrum: "alternating", layout: "halves" },
    // huggingface/transformers models/qwen2_vl/modeling_qwen2_vl.py, the vision tower
    qwen2_vl: { layout: "halves" },
    // black-forest-labs/flux src/flux/math.py, util.py, sampling.py: grid [1, h, w], prefix: text
    flux: { sections: [8, 28, 28], layout: "interleaved" },
    // huggingface/diffusers models/embeddings.py, get_3d_rotary_pos_embed: D/4 and twice 3D/8 of 64
    cogvideox: { sections: [8, 12, 12], layout: "interleaved" },
    // torchtune modules/position_embeddings.py: columns [x ; y]; the class token is a suffix
    torchtune: { order: [1, 0], offset: 1, layout: "interleaved" },
    // huggingface/transformers models/llama4: columns [x ; y] of cells from 1; the class token is a suffix
    llama4_vision: { order: [1, 0], offset: 1, layout: "interleaved" },
    // huggingface/transformers models/kimi_k25, the vision tower: [x y x y ..]
    kimi_k25: { order: [1, 0], arrangement: "interleaved", layout: "halves" },
    // huggingface/transformers models/sam3, the image encoder: windows of 24 x 24 in pretraining
    sam3_vit: { order: [1, 0], pretrained: 24, layout: "interleaved" },
    // huggingface/transformers models/sam2_video, the memory attention
    sam2_video: { order: [1, 0], layout: "interleaved" },
    // huggingface/diffusers models/transformers/transformer_*.py
    flux2: { sections: [16, 16, 16, 16], base: 2000, layout: "interleaved" },
    wan: { sections: [22, 21, 21], layout: "interleaved" },
    "hunyuan-video": { sections: [8, 28, 28], base: 256, layout: "interleaved" },
    "qwen-image": {
      sections: [8, 28, 28],
      coordinates: "middle",
      layout: "interleaved",
    },
    "z-image": { sections: [16, 24, 24], base: 256, layout: "interleaved" },
    kandinsky5: { sections: [8, 12, 12], layout: "interleaved" },
    lumina2: { sections: [16, 16, 16], layout: "interleaved" },
    // base 10000 2^(44/42) of time: the model scales it twofold
    cosmos: {
      sections: [22, 21, 21],
      bases: [10000 * 2 ** (44 / 42), 10000, 10000],
      layout: "halves",
    },
    // lucidrains/rotary-embedding-torch, get_axial_freqs with freqs_for "pixel"
    "lucidrains-pixel": {
      spectrum: "linear",
      coordinates: "ends",
      layout: "interleaved",
    },
  });

/**
 * Axial rotary embedding: RoPE on grids of two, three or any number of axes (Heo et al. 2024).
 * @param {Core} core
 */
export function axialRope(core) {
  const { raw } = core;

  const module = {
    /**
     * Options by model.
     *
     *     eva               [h ; w]      interleaved  cells rescaled to 16 x 16 of pretraining
     *     rope-vit          [x ; y]      interleaved  base 100
     *     rope-vit-mixed    learned      interleaved  for `mixed`; frequencies [0] x, [1] y
     *     dinov3_vit        [h ; w]      halves       patch centers in -1 .. 1, scale 2 pi, base 100
     *     pixtral           [h ; w]      halves       one spectrum, even j to h, odd j to w
     *                                                 (mistral-inference is interleaved)
     *     qwen2_vl          [h ; w]      halves       the vision tower; the text uses `mrope`
     *     flux              [t ; h ; w]  interleaved  8, 28, 28 of width 128; grid [1, h, w]
     *     cogvideox         [t ; h ; w]  interleaved  8, 12, 12 of width 64
     *     torchtune         [x ; y]      interleaved  cells from 1
     *     llama4_vision     [x ; y]      interleaved  cells from 1
     *     kimi_k25          [x y x y ..] halves       the vision tower
     *     sam3_vit          [x ; y]      interleaved  cells rescaled to 24 x 24 of pretraining
     *     sam2_video        [x ; y]      interleaved  the memory attention, width 256
     *     flux2             4 x 16       interleaved  base 2000; width 128, axes [t, h, w, l] for `at`
     *     wan               [t ; h ; w]  interleaved  22, 21, 21 of width 128
     *     hunyuan-video     [t ; h ; w]  interleaved  8, 28, 28 of width 128, base 256
     *     qwen-image        [t ; h ; w]  interleaved  8, 28, 28 of width 128; rows and columns from the
     *                                                 middle: -ceil(n / 2) ..
     *     z-image           [t ; h ; w]  interleaved  16, 24, 24 of width 128, base 256
     *     kandinsky5        [t ; h ; w]  interleaved  8, 12, 12 of width 64
     *     lumina2           [t ; h ; w]  interleaved  3 x 16 of width 96
     *     cosmos            [t ; h ; w]  halves       22, 21, 21 of width 128; a larger base of time
     *     lucidrains-pixel  [h ; w]      interleaved  linspace(-1, 1), frequencies pi .. 5 pi
     *
     * Class and register tokens, and FLUX's text, are rows of the `prefix` (of the `suffix` for
     * the class token of torchtune and Llama 4). Not included: DINOv3's random shifts and scales of training, its
     * alternative range of periods, and the bfloat16 rounding of its released periods; CogVideoX's
     * cropped grids and Cosmos' frame rates, which are coordinates for `at`. Text comes before or after
     * the cells in FLUX.2, Qwen-Image, Z-Image and Lumina 2, at positions on the first axis (Qwen-Image:
     * on all three): these are coordinates for `at`, too. LTX and CogView4 are not axial tables of this
     * kind; V-JEPA 2 multiplies both columns of a pair by different cosines, which is not a rotation.
     */
    presets: presets(),

    /**
     * Computes the cosines and sines that `rope.apply` rotates the cells of a grid by.
     *
     *     cos[cell, i] = cos(x_a * theta_k),   sin[cell, i] = sin(x_a * theta_k)
     *
     * a is the axis of column i, x_a = (c_a + offset) * scale the cell's coordinate along it, theta_k
     * the k-th frequency of that axis. Cells are in row-major order.
     * Coordinates are computed in double. Accuracy: `exact` is within 0.501 ULP where
     * coordinates are whole, 2.99e-8 absolute otherwise; `torch` within 1 ULP of the sine of
     * the float32 angle.
     *
     * @param {ArrayLike<number>} grid  cells of each axis: [h, w] or [t, h, w]
     * @param {number} dim  rotated width R, even
     * @param {OptionsOf<typeof TABLE>} [options]
     * @returns {AxialTable} float32 [prefix + cells + suffix, R/2] each
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range, or
     *   lists do not agree
     * @see Heo et al. 2024, https://arxiv.org/abs/2403.13298, section 3.1
     * @example
     * axialRope.table([1, 2], 4).sin.toArray()
     * // [[0, 0], [0, 0.8414709568023682]]
     */
    table(grid, dim, options = {}) {
      const { prefix, suffix, out, layout, ...rest } = TABLE.read(options);
      const sizes = readGrid(grid);
      const cells = arrays.count(sizes);
      const T = prefix + cells + suffix;
      const P = check.pairs(dim);
      const { cos, sin } = readOut(out, [T, P]);
      const columns = readColumns(P, sizes.length, rest, options);
      const coordinates = coordinatesOf(sizes, rest);
      const blocks = columns.map(({ axis, ...block }) => ({
        ...block,
        positions: readPositions(coordinates[axis]),
        inner: arrays.count(sizes.slice(axis + 1)),
        outer: arrays.count(sizes.slice(0, axis)),
      }));
      const inner = [cos.data, sin.data].map((part) =>
        part.subarray(prefix * P, (prefix + cells) * P),
      );
      fillBlocks(core, blocks, P, 1, inner[0], inner[1]);
      for (const [from, to] of [
        [0, prefix],
        [prefix + cells, T],
      ]) {
        cos.data.fill(1, from * P, to * P);
        sin.data.fill(0, from * P, to * P);
      }
      return { cos: cos.done(), sin: sin.done(), layout };
    },

    /**
     * Computes the cosines and sines of tokens at any coordinates: x_a = (positions[t, a] + offset) * scale.
     *
     * @param {TensorInput} positions  [T, A] or [B, T, A], a token's coordinates along A axes:
     *   whole or fractional, negative too
     * @param {number} dim  rotated width R, even
     * @param {OptionsOf<typeof AT>} [options]  as for `table`; `coordinates` and `pretrained` are for
     *   grids and change nothing here
     * @returns {AxialTable} float32 [T, R/2] or [B, T, R/2] each
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range, or
     *   lists do not agree
     * @see Heo et al. 2024, https://arxiv.org/abs/2403.13298, section 3.1
     * @example
     * axialRope.at([[0, 1]], 4).sin.toArray()
     * // [[0, 0.8414709568023682]]
     */
    at(positions, dim, options = {}) {
      const { out, layout, ...rest } = AT.read(options);
      const { data, shape } = readDoubles(positions, "positions");
      const [A, tokens] = [shape[shape.length - 1], shape.slice(0, -1)];
      if (tokens.length < 1 || tokens.length > 2 || A === 0) {
        const rule = "shape [T, A] or [B, T, A]";
        throw new RangeError(`positions must have ${rule}; got [${shape.join(", ")}]`);
      }
      const P = check.pairs(dim);
      const { cos, sin } = readOut(out, [...tokens, P]);
      const columns = readColumns(P, A, rest, options);
      coordinatesOf(Array(A).fill(0), rest); // for its checks
      const blocks = columns.map(({ axis, ...block }) => ({
        ...block,
        positions: readPositions(
          scaled(
            data.filter((_, k) => k % A === axis),
            rest,
          ),
        ),
      }));
      fillBlocks(core, blocks, P, 1, cos.data, sin.data);
      return { cos: cos.done(), sin: sin.done(), layout };
    },

    /**
     * Computes a table for each head from learned frequencies that mix the axes.
     *
     *     cos[h, cell, i] = cos(phi),   sin[h, cell, i] = sin(phi)
     *     phi = sum_b frequencies[b, h, i] * x_b
     *
     * x_b is the coordinate along the axis `order[b]`: with rope-vit's order [1, 0], frequencies [0]
     * belong to x, [1] to y. Accuracy: `exact` computes phi in double and is within 2.99e-8 of its sine;
     * `torch` computes it in float32 steps.
     *
     * @param {ArrayLike<number>} grid  cells of each axis: [h, w] or [t, h, w]
     * @param {TensorInput} frequencies  float32 [A, H, P], radians per unit, for A axes and H heads
     * @param {OptionsOf<typeof MIXED>} [options]
     * @returns {AxialTable} float32 [H, prefix + cells + suffix, P] each, for `rope.apply` of one
     *   sequence's heads, x [H, T, D]
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range, or
     *   shapes do not agree
     * @see Heo et al. 2024, https://arxiv.org/abs/2403.13298, section 3.2
     * @example
     * axialRope.mixed([2, 1], [[[0.5]], [[0]]]).sin.toArray()
     * // [[[0], [0.4794255495071411]]]
     */
    mixed(grid, frequencies, options = {}) {
      const { layout, precision, prefix, suffix, order, out, ...rest } = MIXED.read(options);
      const sizes = readGrid(grid);
      const A = sizes.length;
      const axes = readOrder(order, "order", A);
      const steps = stepsOf(precision, "pow");
      const lists = coordinatesOf(sizes, rest);
      const { data, shape } = asFloat32(frequencies, "frequencies");
      const [, H, P] = shape;
      if (shape.length !== 3 || shape[0] !== A || P === 0) {
        throw wrongShape("frequencies", `[${A}, H, P], A the axes of the grid`, shape);
      }
      refuseLargeAngles(lists, axes, data);
      const T = prefix + arrays.count(sizes) + suffix;
      const { cos, sin } = readOut(out, [H, T, P]);
      const coordinates = mixedCoordinates(sizes, lists, axes, prefix, T);
      const heads = frequenciesByHead(data, A, H, P);
      const both = arrays.float32s(T * 2 * P, "the table");
      for (const [h, own] of heads.entries()) {
        const pieces = [
          { data: coordinates, row: A },
          { data: own },
          raw.axial_rope_mixed_size(P) * 8,
          /** @type {const} */ ({ data: both, row: 2 * P, direction: "out" }),
        ];
        overRows(core, T, pieces, (count, _, [x, f, workspace, at]) =>
          raw.axial_rope_mixed(x, f, count, A, P, steps, workspace, at),
        );
        for (let t = 0; t < T; ++t) {
          const row = both.subarray(2 * t * P, 2 * (t + 1) * P);
          cos.data.set(row.subarray(0, P), (h * T + t) * P);
          sin.data.set(row.subarray(P), (h * T + t) * P);
        }
      }
      return { cos: cos.done(), sin: sin.done(), layout };
    },
  };
  return option.withOptions(module, { table: TABLE, at: AT, mixed: MIXED });
}

/**
 * The coordinates [T, A] of all tokens, in the order of the frequencies. Those of prefix and suffix are 0.
 * @param {readonly number[]} sizes @param {readonly Float64Array[]} lists  of each axis
 * @param {readonly number[]} axes @param {number} prefix @param {number} T
 */
function mixedCoordinates(sizes, lists, axes, prefix, T) {
  const A = sizes.length;
  const cells = arrays.count(sizes);
  const coordinates = arrays.float64s(T * A, "the coordinates");
  for (const [b, axis] of axes.entries()) {
    const inner = arrays.count(sizes.slice(axis + 1));
    for (let t = 0; t < cells; ++t) {
      coordinates[(prefix + t) * A + b] = lists[axis][Math.floor(t / inner) % sizes[axis]];
    }
  }
  return coordinates;
}

/**
 * Copies the frequencies [A, P] of each head: `data` may be memory that the result overwrites.
 * @param {Float32Array} data  [A, H, P] @param {number} A @param {number} H @param {number} P
 */
function frequenciesByHead(data, A, H, P) {
  return [...run(H)].map((h) =>
    Float32Array.from({ length: A * P }, (_, k) => data[(Math.floor(k / P) * H + h) * P + (k % P)]),
  );
}

/**
 * The columns of each axis and their frequencies.
 * @param {number} P @param {number} A
 * @param {Pick<ReturnType<typeof TABLE["read"]>, keyof ReturnType<typeof COLUMNS> | "precision" | "recipe">} options
 * @param {object} given  the options of the call
 */
function readColumns(P, A, { spectrum: kind, maxFrequency, arrangement, ...options }, given) {
  if (kind !== "linear") check.refuseIdle(given, ["maxFrequency"], 'the spectrum "linear"');
  const steps = stepsOf(options.precision, options.recipe);
  const order = readOrder(options.order, "order", A);
  const bases = readBases(options, A);
  const equal = options.sections === undefined;
  if (equal && P % A !== 0) {
    throw new RangeError(`dim must be a multiple of ${2 * A}, or have sections; got ${2 * P}`);
  }
  const sections = readSections(equal ? run(A, P / A, 0) : options.sections, P);
  const dealt = arrangement === "interleaved";
  const isEven = kind === "alternating" || dealt;
  if (sections.length !== A || (isEven && sections.some((n) => n !== P / A))) {
    const rule = isEven ? `${A} equal numbers` : `${A} numbers, one for each axis`;
    throw new RangeError(`sections must be ${rule}; got [${sections.join(", ")}]`);
  }

  /** @param {number} n @param {number} base @returns {Spectrum} */
  const spectrum = (n, base) => {
    if (kind === "per-axis") return { base, n, pairs: n, steps };
    if (kind === "alternating") return { base, n: P, pairs: P, steps };
    const step = (maxFrequency / 2 - 1) / Math.max(n - 1, 1);
    const frequencies = Float64Array.from({ length: n }, (_, k) => Math.PI * (1 + k * step));
    return { frequencies, pairs: n, steps };
  };
  let column = 0;
  return order.map((axis, b) => {
    const n = sections[axis];
    const to = dealt ? run(n, b, A) : run(n, column);
    column += n;
    const from = kind === "alternating" ? run(n, b, A) : run(n);
    return { axis, spectrum: spectrum(n, bases[axis]), from, to };
  });
}

/** @param {{base: number, bases: NumberList}} options @param {number} A @returns {number[]} */
function readBases({ base, bases }, A) {
  if (bases === undefined) return Array(A).fill(base);
  if (base !== TABLE.declared.base.default) {
    throw new RangeError(`base must be left out beside bases; got ${base}`);
  }
  const list = Array.from(asArray(bases, "bases").data);
  if (list.length !== A) {
    throw new RangeError(`bases must be ${A} numbers, one for each axis; got ${list.length}`);
  }
  return list.map((x) => check.finite(x, "bases", "a number >= 1", (number) => number >= 1));
}

/**
 * The coordinates of the cells of each axis.
 * @param {readonly number[]} sizes
 * @param {Pick<ReturnType<typeof TABLE["read"]>, keyof ReturnType<typeof COORDINATES>>} options
 */
function coordinatesOf(sizes, { coordinates: kind, pretrained, ...options }) {
  const full =
    pretrained === undefined ? undefined : readPerAxis(pretrained, "pretrained", sizes.length);
  if (full && kind !== "cells") {
    throw new RangeError(`pretrained must belong to coordinates "cells"; got "${kind}"`);
  }
  const [longest, shortest] = [Math.max(...sizes), Math.min(...sizes)];
  return sizes.map((n, axis) => {
    const side = { centers: n, "centers-max": longest, "centers-min": shortest };
    const cell = (/** @type {number} */ i) => {
      if (kind === "cells") return full ? (i * full[axis]) / n : i;
      if (kind === "middle") return sizes.length === 3 && axis === 0 ? i : i - Math.ceil(n / 2);
      if (kind === "ends") return (2 * i) / Math.max(n - 1, 1) - 1;
      return (2 * i + 1) / side[kind] - 1;
    };
    const cells = arrays.float64s(n, "the coordinates").map((_, i) => cell(i));
    return scaled(cells, options);
  });
}

/** @param {Float64Array} coordinates @param {{offset: number, scale: number}} options */
function scaled(coordinates, { offset, scale }) {
  return coordinates.map((x) => (x + offset) * scale);
}

/**
 * Reads the number of cells of each axis: 0 for all axes if one has none.
 * @param {unknown} grid
 * @returns {number[]}
 */
function readGrid(grid) {
  const sizes = readIntegers(grid, "grid", 0);
  const cells = check.integer(arrays.count(sizes), "the number of cells of grid", 0);
  return cells > 0 ? sizes : sizes.map(() => 0);
}

/**
 * @param {readonly Float64Array[]} lists  coordinates of each axis
 * @param {readonly number[]} axes  of each of the frequencies' parts @param {Float32Array} frequencies
 */
function refuseLargeAngles(lists, axes, frequencies) {
  const largest = (/** @type {Float32Array | Float64Array} */ numbers) =>
    /** @type {any} */ (numbers).reduce(
      (/** @type {number} */ max, /** @type {number} */ x) => Math.max(max, Math.abs(x)),
      0,
    );
  const size = frequencies.length / axes.length;
  const angle = axes.reduce(
    (sum, axis, b) =>
      sum + largest(lists[axis]) * largest(frequencies.subarray(b * size, (b + 1) * size)),
    0,
  );
  if (!(angle <= REACH / 2)) {
    throw new RangeError(`frequencies must keep angles within 2^30; got up to ${angle}`);
  }
}
