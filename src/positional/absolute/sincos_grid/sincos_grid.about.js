/** @import { About, Controls, OfModel, Pictures, Presets, Samples, Settings, Table, Widget } from "../../about.js" */

/** @type {About} */
export const about = {
  group: "images",
  title: "Sinusoids of a grid",
  words:
    "Each patch of an image has a vector of sines and cosines: half encodes its row, half its column.",
  source: { paper: "He et al. 2021", url: "https://arxiv.org/abs/2111.06377" },
};

/** @type {Samples} */
export const samples = {
  table: (sincosGrid) => sincosGrid.table([5, 7], 24),
  masked: (sincosGrid, { ids }) => sincosGrid.masked(ids(2, 5, 7), 24, sincosGrid.presets.detr),
};

/** @type {Table} */
export const table = { kind: "table", operands: ["height", "width", "dim"] };

/** @type {Widget} */
export const widget = {
  family: "patches",
  controls: { dim: ["Width", 64, 4, 256, 4], base: ["Base"] },
  methods: ({ sincosGrid }) => [sincosGrid.table],
  call: ({ sincosGrid }, sizes, { dim, ...options }) => sincosGrid.table(sizes, dim, options),
};

/** @type {Presets} */
export const presets = {
  without: ["detr", "deformable_detr", "diffusers-3d", "tensor2tensor"],
  settings: ({ axes, ...rest }) => ({ ...rest, order: axes?.[0] === 1 ? "columns" : "rows" }),
};

/** @type {OfModel} */
export const ofModel = ({ dim, options: { grid } }) => ({
  height: grid[0],
  width: grid[1],
  dim,
  prefix: 1,
});

const ofColumns = ["heatmap", "waves"];

/** @type {Controls} */
export const controls = {
  height: { label: "Rows of patches", initial: 8, min: 1, max: 64 },
  width: { label: "Columns of patches", initial: 8, min: 1, max: 64 },
  dim: { label: "Width D", initial: 64, min: 4, max: 1024, step: 4 },
  base: { label: "Base", option: "table.base", max: 1e9 },
  layout: { label: "Layout of an axis", option: "table.layout", views: ofColumns },
  order: {
    label: "Which comes first",
    words: { columns: "the column, [x ; y] (MAE)", rows: "the row, [y ; x] (MoCo v3)" },
    views: ofColumns,
  },
  spectrum: { label: "Spectrum", option: "table.spectrum" },
  baseSize: {
    label: "Scale positions to a grid of",
    note: "cells; 0: its own number",
    type: "number",
    initial: 0,
    min: 0,
    max: 4096,
  },
  interpolationScale: {
    label: "Divide positions by",
    option: "table.interpolationScale",
    type: "number",
    min: 0.01,
    max: 100,
  },
  prefix: { label: "Class tokens", option: "table.prefix", max: 8, views: ofColumns },
  precision: {
    label: "Precision",
    option: "table.precision",
    words: { exact: "exact", torch: "float32 steps" },
  },
  recipe: {
    label: "Compute frequencies with",
    option: "table.recipe",
    when: ({ precision }) => precision === "torch",
  },
};

/** @param {Settings} settings @returns {[0, 1] | [1, 0]} */
const axes = ({ order }) => (order === "columns" ? [1, 0] : [0, 1]);

/**
 * What a column holds: which axis, which wave, which frequency.
 * @param {Settings} settings @param {number} d
 */
const columnOf = (settings, d) => {
  const { dim, layout } = settings;
  const width = dim / 2;
  const half = width / 2;
  const inAxis = d % width;
  if (layout === "sines-first") {
    const block = Math.floor(inAxis / half);
    return { axis: axes(settings)[block], wave: d < width ? "sin" : "cos", pair: inAxis % half };
  }
  const axis = axes(settings)[d < width ? 0 : 1];
  if (layout === "interleaved") {
    return { axis, wave: inAxis % 2 === 0 ? "sin" : "cos", pair: inAxis >> 1 };
  }
  const wave = inAxis < half === (layout === "halves") ? "sin" : "cos";
  return { axis, wave, pair: inAxis % half };
};

/** @type {Pictures} */
export const pictures = {
  table: {
    title: "Positions of patches",
    row: "row",
    isGrid: true,
    asks: { from: { label: "Compared with patch", note: "patches are numbered row by row" } },
    size: ({ height, width, prefix, dim }) => ({ rows: height * width + prefix, columns: dim }),

    call(settings, { call }) {
      const { height, width, dim, order, baseSize, precision, recipe } = settings;
      const { base, layout, spectrum, interpolationScale, prefix } = settings;
      return call("table", [height, width], dim, {
        axes: order === "columns" ? [1, 0] : undefined,
        baseSize: baseSize === 0 ? undefined : baseSize,
        base,
        layout,
        spectrum,
        interpolationScale,
        prefix,
        precision,
        recipe: precision === "torch" ? recipe : undefined,
      });
    },

    cell(settings, t, d) {
      const { base, dim, width, prefix, spectrum, baseSize, interpolationScale: s } = settings;
      if (t < prefix) return "the class token: 0";
      const { axis, wave, pair } = columnOf(settings, d);
      const at = axis === 0 ? Math.floor((t - prefix) / width) : (t - prefix) % width;
      const size = axis === 0 ? settings.height : width;
      const rescaled = baseSize === 0 ? `${at}` : `${at} × ${baseSize} / ${size}`;
      const n = spectrum === "paper" ? dim / 4 : Math.max(dim / 4 - 1, 1);
      return `${wave}(${rescaled}${s === 1 ? "" : ` / ${s}`} / ${base}^(${pair}/${n}))`;
    },

    torch(settings) {
      const { height, width, dim, base, layout, spectrum, baseSize, prefix } = settings;
      const { interpolationScale: s } = settings;
      const scaled = (/** @type {number} */ size) =>
        `torch.arange(${size}).double()${baseSize === 0 ? "" : ` * ${baseSize} / ${size}`}${s === 1 ? "" : ` / ${s}`}`;
      const n = spectrum === "paper" ? "dim / 4" : "max(dim // 4 - 1, 1)";
      const ofAxis = {
        halves: "torch.cat((angle.sin(), angle.cos()), dim=-1)",
        flipped: "torch.cat((angle.cos(), angle.sin()), dim=-1)",
        interleaved: "torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(-2)",
        "sines-first": "angle.sin(), angle.cos()",
      }[/** @type {"halves"} */ (layout)];
      const order = settings.order === "columns" ? "waves(x), waves(y)" : "waves(y), waves(x)";
      return [
        "import torch",
        "",
        `dim, base = ${dim}, ${base}`,
        `y, x = torch.meshgrid(${scaled(height)}, ${scaled(width)}, indexing="ij")`,
        `omega = base ** (-torch.arange(dim // 4).double() / (${n}))`,
        "",
        "def waves(position):  # float64, as in MAE\u2019s own code",
        "    angle = torch.outer(position.flatten(), omega)",
        `    return ${ofAxis}`,
        "",
        ...(layout === "sines-first"
          ? [
              `(sin0, cos0), (sin1, cos1) = ${order}`,
              "table = torch.cat((sin0, sin1, cos0, cos1), dim=-1).float()",
            ]
          : [`table = torch.cat((${order}), dim=-1).float()`]),
        ...(prefix > 0
          ? [`table = torch.cat((torch.zeros(${prefix}, dim), table))  # class token`]
          : []),
      ];
    },
  },
};
