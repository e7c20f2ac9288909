/** @import { About, Controls, Pictures, Presets, Samples, Settings, Table, Tools, Widget } from "../../about.js" */

/** @type {About} */
export const about = {
  group: "images",
  title: "Axial rotary positions",
  words: "RoPE for images: some pairs rotate with the row of a patch, the others with its column.",
  source: { paper: "Heo et al. 2024", url: "https://arxiv.org/abs/2403.13298" },
};

/** @type {Samples} */
export const samples = {
  table: (axialRope) => axialRope.table([5, 7], 24, axialRope.presets.dinov3_vit),
  at: (axialRope, { numbers }) => axialRope.at(numbers(37, 2), 24),
  mixed: (axialRope, { numbers }) => axialRope.mixed([5, 7], numbers(2, 3, 11)),
};

/** @type {Table} */
export const table = { kind: "rotation", operands: ["height", "width", "dim"] };

/** Pairs are neighbors by default, unlike those of `rope.apply`. @type {Widget} */
export const widget = {
  family: "patches",
  controls: { dim: ["Width", 64, 4, 256, 4], base: ["Base"], layout: ["Layout", "interleaved"] },
  methods: ({ axialRope, rope }) => [axialRope.table, rope.apply],
  call: ({ axialRope }, sizes, { dim, layout: _, ...options }) =>
    axialRope.table(sizes, dim, options),
};

/** @type {Presets} */
export const presets = {
  without: ["rope-vit-mixed"],
  settings({ order, scale, sections, arrangement, base = 10000, ...rest }) {
    if (sections ?? arrangement) return undefined; // which columns an axis has: no control
    return { ...rest, base, order: order ? "columns" : "rows", turns: scale !== undefined };
  },
};

const ofColumns = ["heatmap", "waves"];

/** @type {Controls} */
export const controls = {
  height: { label: "Rows of patches", initial: 8, min: 1, max: 64 },
  width: { label: "Columns of patches", initial: 8, min: 1, max: 64 },
  dim: { label: "Rotated width R", initial: 64, min: 4, max: 512, step: 4 },
  base: {
    label: "Base",
    option: "table.base",
    initial: 100,
    max: 1e9,
    when: ({ spectrum }) => spectrum !== "linear",
  },
  layout: {
    label: "Layout",
    option: "rope.apply.layout",
    initial: "interleaved",
    views: ofColumns,
  },
  order: {
    label: "Which comes first",
    words: { columns: "the column, [x ; y]", rows: "the row, [y ; x]" },
    when: ({ spectrum }, view) => view !== "similarity" || spectrum === "alternating",
  },
  spectrum: {
    label: "Spectrum",
    option: "table.spectrum",
    words: {
      "per-axis": "each axis its own",
      alternating: "one, alternating between both (Pixtral)",
      linear: "in equal steps",
    },
  },
  maxFrequency: {
    label: "Largest frequency",
    option: "table.maxFrequency",
    min: 1,
    max: 4096,
    when: ({ spectrum }) => spectrum === "linear",
  },
  coordinates: {
    label: "Patch coordinates",
    option: "table.coordinates",
    words: {
      cells: "its number",
      middle: "its number, from the middle",
      centers: "its center, in −1 … 1",
      "centers-max": "its center, by the longer side",
      "centers-min": "its center, by the shorter side",
      ends: "−1 … 1, ends included",
    },
  },
  pretrained: {
    label: "Scale positions to a grid of",
    note: "cells (EVA: 16); 0: its own number",
    type: "number",
    initial: 0,
    min: 0,
    max: 4096,
    when: ({ coordinates }) => coordinates === "cells",
  },
  offset: {
    label: "First position",
    option: "table.offset",
    min: -4096,
    max: 4096,
    views: [...ofColumns, "clock"],
  },
  turns: { label: "In cycles (× 2π)", initial: false },
  precision: {
    label: "Precision",
    option: "table.precision",
    words: { exact: "exact", torch: "float32 steps" },
  },
  recipe: {
    label: "Compute frequencies with",
    option: "table.recipe",
    when: ({ precision, spectrum }) => precision === "torch" && spectrum !== "linear",
  },
};

/** @param {Settings} settings @param {Tools} tools */
const lines = (settings, { call, expression }) => {
  const { height, width, dim, coordinates, pretrained, turns, maxFrequency } = settings;
  const { base, spectrum, offset, precision, recipe } = settings;
  const options = {
    order: settings.order === "columns" ? [1, 0] : undefined,
    pretrained: coordinates === "cells" && pretrained !== 0 ? pretrained : undefined,
    scale: turns ? expression("2 * Math.PI", () => 2 * Math.PI) : undefined,
    base,
    spectrum,
    coordinates,
    offset,
    maxFrequency: spectrum === "linear" ? maxFrequency : undefined,
    precision,
    recipe: precision === "torch" ? recipe : undefined,
  };
  return { table: call("table", [height, width], dim, options) };
};

/** The position of cell i of an axis. @param {Settings} settings @param {number} axis @param {number} i */
const coordinate = (settings, axis, i) => {
  const { height, width, coordinates, pretrained, offset, turns } = settings;
  const n = axis === 0 ? height : width;
  const of = {
    cells: pretrained === 0 ? `${i}` : `${i} × ${pretrained} / ${n}`,
    middle: `(${i} - ${Math.ceil(n / 2)})`,
    ends: `(2 × ${i} / ${Math.max(n - 1, 1)} - 1)`,
    centers: `(2 × (${i} + 1/2) / ${n} - 1)`,
    "centers-max": `(2 × (${i} + 1/2) / ${Math.max(height, width)} - 1)`,
    "centers-min": `(2 × (${i} + 1/2) / ${Math.min(height, width)} - 1)`,
  }[/** @type {"cells"} */ (coordinates)];
  const added = offset < 0 ? `(${offset})` : offset;
  const moved = offset === 0 ? of : `(${of} + ${added})`;
  return turns ? `${moved} × 2π` : moved;
};

/** @param {Settings} settings @param {number} patch @param {number} pair @param {"cos" | "sin"} wave */
const cell = (settings, patch, pair, wave) => {
  const { base, dim, width, order, spectrum, maxFrequency } = settings;
  const n = dim / 4;
  const block = pair < n ? 0 : 1;
  const k = pair % n;
  const axis = order === "columns" ? 1 - block : block;
  const at = coordinate(settings, axis, axis === 0 ? Math.floor(patch / width) : patch % width);
  if (spectrum === "linear") {
    const step = `(${maxFrequency} / 2 - 1) / ${Math.max(n - 1, 1)}`;
    return `${wave}(${at} × π × (1 + ${k} × ${step}))`;
  }
  const exponent = spectrum === "alternating" ? `2·${2 * k + block}/${dim}` : `${k}/${n}`;
  return `${wave}(${at} / ${base}^(${exponent}))`;
};

/** The positions of the cells of an axis. @param {Settings} settings @param {number} n */
const torchPlaces = ({ height, width, coordinates, pretrained, offset, turns }, n) => {
  const all = `torch.arange(${n}).float()`;
  const centers = (/** @type {number} */ side) => `2 * (${all} + 0.5) / ${side} - 1`;
  const place = {
    cells: pretrained === 0 ? all : `${all} / ${n} * ${pretrained}`,
    middle: `${all} - ${Math.ceil(n / 2)}`,
    ends: n === 1 ? `torch.tensor([-1.0])` : `torch.linspace(-1, 1, ${n})`,
    centers: centers(n),
    "centers-max": centers(Math.max(height, width)),
    "centers-min": centers(Math.min(height, width)),
  }[/** @type {"cells"} */ (coordinates)];
  const added = offset === 0 ? place : `(${place} + ${offset})`;
  return turns ? `2 * math.pi * (${added})` : added;
};

/** @param {Settings} settings */
const torch = (settings) => {
  const { height, width, dim, base, spectrum, maxFrequency } = settings;
  const n = dim / 4;
  const frequencies = {
    "per-axis": [`first = second = ${base} ** (-torch.arange(${n}).float() / ${n})`],
    alternating: [
      `all = ${base} ** (-torch.arange(0, ${dim}, 2).float() / ${dim})`,
      "first, second = all[0::2], all[1::2]",
    ],
    linear: [`first = second = torch.linspace(1, ${maxFrequency} / 2, ${n}) * math.pi`],
  }[/** @type {"alternating"} */ (spectrum)];
  const order = settings.order === "columns" ? ["x", "y"] : ["y", "x"];
  const [y, x] = [height, width].map((n) => torchPlaces(settings, n));
  return [
    "import math",
    "import torch",
    "",
    `y, x = torch.meshgrid(${y}, ${x}, indexing="ij")`,
    ...frequencies,
    `angle = torch.cat((torch.outer(${order[0]}.flatten(), first), torch.outer(${order[1]}.flatten(), second)), dim=-1)  # float32`,
    "cos, sin = angle.cos(), angle.sin()",
  ];
};

/** @type {Pictures} */
export const pictures = {
  rotation: {
    row: "patch",
    isGrid: true,
    asks: { from: { label: "Compared with patch", note: "patches are numbered row by row" } },
    size: ({ height, width, dim, layout }) => ({
      rows: height * width,
      columns: dim,
      turned: dim,
      layout,
    }),
    lines,
    cell,
    torch,
  },
  clock: {
    title: "Pairs of a patch",
    row: "patch",
    at: ({ position, height, width }) => Math.min(position, height * width - 1),
    asks: { position: { label: "Patch", note: "patches are numbered row by row" } },
    pairs: ({ dim }) => dim / 2,
    lines,
    cell,
    torch,
  },
};
