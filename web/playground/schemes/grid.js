/** @import { Part } from "../parts.js" */
/** @import { Values } from "../settings.js" */
/** @import { View } from "./scheme.js" */
import { call, expression, line, name } from "../program.js";
import { plain, power } from "../parts.js";
import { choice, number, whole } from "../settings.js";
import { changedOptions, labelsOf, numberOf, precisionOf, valuesOf, wholeOf } from "./options.js";
import { scheme } from "./scheme.js";
import { CLOCK, clockOf, LINES, METRIC, only, rotationViews, tableViews } from "./views.js";

// Images: a grid of h rows and w columns of patches.

const GRID = "sincosGrid.table";
const AXIAL = "axialRope.table";

const HEIGHT = whole("height", "Rows of patches", 8, 1, 64);
const WIDTH = whole("width", "Columns of patches", 8, 1, 64);

/** The patch that all others are compared with. */
const FROM = whole("from", "Compared with patch", 0, 0, 4095, {
  note: "patches are numbered row by row",
  when: only("similarity"),
});

/** @param {Values} settings @param {number} cell  [y, x] */
const place = ({ width }, cell) => [Math.floor(cell / width), cell % width];

/** @param {Values} settings */
const cells = ({ height, width }) => height * width;

/**
 * How alike one patch is to all others, as a map of the image.
 * @param {{title: string, lines: (settings: Values) => import("../program.js").Line[], torch: (settings: Values) => string[], made: string}} of
 * @returns {View}
 */
function mapOf({ title, lines, torch, made }) {
  const fromOf = (/** @type {Values} */ settings) => Math.min(settings.from, cells(settings) - 1);
  return {
    plan(settings) {
      const { height, width, metric = "dot" } = settings;
      const from = fromOf(settings);
      const [y, x] = place(settings, from);
      const matrix = call(
        "similarity.matrix",
        expression(`${made}.slice(${from}, ${from + 1})`, (scope) =>
          scope[made].slice(from, from + 1),
        ),
        name(made),
        { metric },
      );
      const map = expression(`${matrix.text}.reshape(${height}, ${width})`, (scope) =>
        matrix.value(scope).reshape(height, width),
      );
      return {
        kind: "heatmap",
        lines: [...lines(settings), line("scores", map)],
        data: "scores",
        options: {
          title: `${title}: the patch in row ${y}, column ${x} compared with the others`,
          rowTitle: "row of patches",
          columnTitle: "column of patches",
          colors: "sequential",
        },
      };
    },
    inspect(settings, [y, x]) {
      const { width, metric = "dot" } = settings;
      const [from, to] = [fromOf(settings), y * width + x];
      const both = `patch ${from}${metric === "dot" ? " · " : " and "}patch ${to}`;
      return {
        where: `row ${y}, column ${x}`,
        parts: [metric === "dot" ? both : `cosine of ${both}`],
      };
    },
    torch(settings) {
      const { height, width, metric = "dot" } = settings;
      const from = fromOf(settings);
      const rows = `${made}[${from} : ${from + 1}]`;
      return [
        ...torch(settings),
        "",
        metric === "dot"
          ? `scores = (${made} @ ${rows}.T).reshape(${height}, ${width})`
          : `scores = torch.nn.functional.cosine_similarity(${made}, ${rows}).reshape(${height}, ${width})`,
      ];
    },
  };
}

// --- sines and cosines by axis -----------------------------------------------------------------------

/** @param {Values} settings @returns {[0, 1] | [1, 0]} */
const axes = ({ order }) => (order === "columns" ? [1, 0] : [0, 1]);

/** @param {Values} settings */
function gridOptions(settings) {
  const { base, layout, spectrum, baseSize, interpolationScale, prefix, precision, recipe } =
    settings;
  const steps = precision === "torch" ? recipe : undefined;
  return {
    axes: settings.order === "columns" ? axes(settings) : undefined,
    baseSize: baseSize === 0 ? undefined : baseSize,
    ...changedOptions(GRID, {
      base,
      layout,
      spectrum,
      interpolationScale,
      prefix,
      precision,
      recipe: steps,
    }),
  };
}

/**
 * What a column holds: which axis, which wave, which frequency.
 * @param {Values} settings @param {number} d
 */
function columnOf(settings, d) {
  const { dim, layout } = settings;
  const width = dim / 2;
  const half = width / 2;
  if (layout === "sines-first") {
    const inWave = d % width;
    const block = Math.floor(inWave / half);
    return { axis: axes(settings)[block], wave: d < width ? "sin" : "cos", pair: inWave % half };
  }
  const axis = axes(settings)[d < width ? 0 : 1];
  const inAxis = d % width;
  if (layout === "interleaved") {
    return { axis, wave: inAxis % 2 === 0 ? "sin" : "cos", pair: inAxis >> 1 };
  }
  const wave = inAxis < half === (layout === "halves") ? "sin" : "cos";
  return { axis, wave, pair: inAxis % half };
}

/** @param {Values} settings @param {number} t @param {number} d @returns {Part[]} */
function gridCell(settings, t, d) {
  const { base, dim, prefix, spectrum, baseSize, interpolationScale: s } = settings;
  if (t < prefix) return ["the class token: 0"];
  const { axis, wave, pair } = columnOf(settings, d);
  const size = axis === 0 ? settings.height : settings.width;
  const at = place(settings, t - prefix)[axis];
  const rescaled = baseSize === 0 ? `${at}` : `${at} × ${baseSize} / ${size}`;
  const position = s === 1 ? rescaled : `${rescaled} / ${s}`;
  const n = spectrum === "paper" ? dim / 4 : Math.max(dim / 4 - 1, 1);
  return [`${wave}(${position} / `, plain(base), power(`${pair}/${n}`), ")"];
}

/** @param {Values} settings @returns {string[]} */
function gridTorch(settings) {
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
}

const gridTable = {
  title: "Positions of patches",
  row: "row",
  size: (/** @type {Values} */ settings) => ({
    rows: cells(settings) + settings.prefix,
    columns: settings.dim,
  }),
  lines: (/** @type {Values} */ settings) => [
    line(
      "table",
      call(
        "sincosGrid.table",
        [settings.height, settings.width],
        settings.dim,
        gridOptions(settings),
      ),
    ),
  ],
  cell: gridCell,
  torch: gridTorch,
};

export const sincosGrid = scheme({
  name: "sincosGrid",
  title: "Sinusoids of a grid",
  words:
    "Each patch of an image has a vector of sines and cosines: half encodes its row, half its column.",
  source: { paper: "He et al. 2021", url: "https://arxiv.org/abs/2111.06377" },
  settings: [
    HEIGHT,
    WIDTH,
    whole("dim", "Width D", 64, 4, 1024, { step: 4 }),
    numberOf(GRID, "base", "Base", { most: 1e9 }),
    choice("layout", "Layout of an axis", valuesOf(GRID, "layout"), {
      when: only("heatmap", "waves"),
    }),
    choice(
      "order",
      "Which comes first",
      { columns: "the column, [x ; y] (MAE)", rows: "the row, [y ; x] (MoCo v3)" },
      { when: only("heatmap", "waves") },
    ),
    choice("spectrum", "Spectrum", valuesOf(GRID, "spectrum")),
    number("baseSize", "Scale positions to a grid of", 0, 0, 4096, {
      note: "cells; 0: its own number",
    }),
    numberOf(GRID, "interpolationScale", "Divide positions by", { least: 0.01, most: 100 }),
    wholeOf(GRID, "prefix", "Class tokens", { most: 8, when: only("heatmap", "waves") }),
    choice("precision", "Precision", precisionOf(GRID)),
    choice("recipe", "Compute frequencies with", valuesOf(GRID, "recipe"), {
      when: ({ precision }) => precision === "torch",
    }),
    ...LINES,
    FROM,
    METRIC,
  ],
  views: {
    ...tableViews(gridTable),
    similarity: mapOf({ ...gridTable, made: "table" }),
  },
});

// --- rotations by axis -------------------------------------------------------------------------------

/** @param {Values} settings */
function axialOptions(settings) {
  const { base, spectrum, coordinates, pretrained, offset, turns, precision, recipe } = settings;
  const { maxFrequency } = settings;
  const steps = precision === "torch" ? recipe : undefined;
  const top = spectrum === "linear" ? maxFrequency : undefined;
  return {
    order: settings.order === "columns" ? [1, 0] : undefined,
    pretrained: coordinates === "cells" && pretrained !== 0 ? pretrained : undefined,
    scale: turns ? expression("2 * Math.PI", () => 2 * Math.PI) : undefined,
    ...changedOptions(AXIAL, {
      base,
      spectrum,
      coordinates,
      offset,
      maxFrequency: top,
      precision,
      recipe: steps,
    }),
  };
}

/** Where cell i of an axis stands. @param {Values} settings @param {number} axis @param {number} i */
function coordinate(settings, axis, i) {
  const { height, width, coordinates, pretrained, offset, turns } = settings;
  const n = axis === 0 ? height : width;
  const side = { "centers-max": Math.max(height, width), "centers-min": Math.min(height, width) };
  const of = {
    cells: pretrained === 0 ? `${i}` : `${i} × ${pretrained} / ${n}`,
    middle: `(${i} − ${Math.ceil(n / 2)})`,
    ends: `(2 × ${i} / ${Math.max(n - 1, 1)} − 1)`,
    centers: `(2 × (${i} + 1/2) / ${n} − 1)`,
    "centers-max": `(2 × (${i} + 1/2) / ${side["centers-max"]} − 1)`,
    "centers-min": `(2 × (${i} + 1/2) / ${side["centers-min"]} − 1)`,
  }[/** @type {"cells"} */ (coordinates)];
  const moved = offset === 0 ? of : `(${of} + ${plain(offset)})`;
  return turns ? `${moved} × 2π` : moved;
}

/** @param {Values} settings @param {number} cell @param {number} pair @param {"cos" | "sin"} wave @returns {Part[]} */
function axialCell(settings, cell, pair, wave) {
  const { base, dim, spectrum, maxFrequency } = settings;
  const n = dim / 4;
  const block = pair < n ? 0 : 1;
  const k = pair % n;
  const axis = axes(settings)[block];
  const at = coordinate(settings, axis, place(settings, cell)[axis]);
  if (spectrum === "linear") {
    const step = `(${maxFrequency} / 2 − 1) / ${Math.max(n - 1, 1)}`;
    return [`${wave}(${at} × π × (1 + ${k} × ${step}))`];
  }
  const exponent = spectrum === "alternating" ? `2·${2 * k + block}/${dim}` : `${k}/${n}`;
  return [`${wave}(${at} / `, plain(base), power(exponent), ")"];
}

/** @param {Values} settings @returns {string[]} */
function axialTorch(settings) {
  const { height, width, dim, base, spectrum, coordinates, pretrained, offset, turns } = settings;
  const place = (/** @type {number} */ n) => {
    const side = {
      centers: n,
      "centers-max": Math.max(height, width),
      "centers-min": Math.min(height, width),
    };
    const all = `torch.arange(${n}).float()`;
    if (coordinates === "cells") return pretrained === 0 ? all : `${all} / ${n} * ${pretrained}`;
    if (coordinates === "middle") return `${all} - ${Math.ceil(n / 2)}`;
    if (coordinates === "ends")
      return n === 1 ? `torch.tensor([-1.0])` : `torch.linspace(-1, 1, ${n})`;
    return `2 * (${all} + 0.5) / ${side[/** @type {"centers"} */ (coordinates)]} - 1`;
  };
  const moved = (/** @type {number} */ n) => {
    const added = offset === 0 ? place(n) : `(${place(n)} + ${offset})`;
    return turns ? `2 * math.pi * (${added})` : added;
  };
  const n = dim / 4;
  const frequencies = {
    "per-axis": [`first = second = ${base} ** (-torch.arange(${n}).float() / ${n})`],
    alternating: [
      `all = ${base} ** (-torch.arange(0, ${dim}, 2).float() / ${dim})`,
      "first, second = all[0::2], all[1::2]",
    ],
    linear: [`first = second = torch.linspace(1, ${settings.maxFrequency} / 2, ${n}) * math.pi`],
  }[/** @type {"alternating"} */ (spectrum)];
  const order = settings.order === "columns" ? ["x", "y"] : ["y", "x"];
  return [
    "import math",
    "import torch",
    "",
    `y, x = torch.meshgrid(${moved(height)}, ${moved(width)}, indexing="ij")`,
    ...frequencies,
    `angle = torch.cat((torch.outer(${order[0]}.flatten(), first), torch.outer(${order[1]}.flatten(), second)), dim=-1)  # float32`,
    "cos, sin = angle.cos(), angle.sin()",
  ];
}

/** @param {Values} settings */
const axialLines = (settings) => [
  line(
    "table",
    call(
      "axialRope.table",
      [settings.height, settings.width],
      settings.dim,
      axialOptions(settings),
    ),
  ),
];

const rotation = {
  title: "Axial rotary positions",
  row: "patch",
  size: (/** @type {Values} */ settings) => ({
    rows: cells(settings),
    columns: settings.dim,
    turned: settings.dim,
    layout: settings.layout,
  }),
  lines: axialLines,
  cell: axialCell,
  torch: axialTorch,
};
const turned = rotationViews(rotation);

/** A patch, clamped to the grid. @param {Values} settings */
const patchOf = (settings) => Math.min(settings.position, cells(settings) - 1);

export const axialRope = scheme({
  name: "axialRope",
  title: rotation.title,
  words: "RoPE for images: some pairs rotate with the row of a patch, the others with its column.",
  source: { paper: "Heo et al. 2024", url: "https://arxiv.org/abs/2403.13298" },
  settings: [
    HEIGHT,
    WIDTH,
    whole("dim", "Rotated width R", 64, 4, 512, { step: 4 }),
    numberOf(AXIAL, "base", "Base", {
      initial: 100,
      most: 1e9,
      when: ({ spectrum }) => spectrum !== "linear",
    }),
    choice("layout", "Layout", ["interleaved", "halves"], { when: only("heatmap", "waves") }),
    choice(
      "order",
      "Which comes first",
      { columns: "the column, [x ; y]", rows: "the row, [y ; x]" },
      { when: (settings, view) => view !== "similarity" || settings.spectrum === "alternating" },
    ),
    choice(
      "spectrum",
      "Spectrum",
      labelsOf(AXIAL, "spectrum", {
        "per-axis": "each axis its own",
        alternating: "one, alternating between both (Pixtral)",
        linear: "in equal steps",
      }),
    ),
    numberOf(AXIAL, "maxFrequency", "Largest frequency", {
      least: 1,
      most: 4096,
      when: ({ spectrum }) => spectrum === "linear",
    }),
    choice(
      "coordinates",
      "Patch coordinates",
      labelsOf(AXIAL, "coordinates", {
        cells: "its number",
        middle: "its number, from the middle",
        centers: "its center, in −1 … 1",
        "centers-max": "its center, by the longer side",
        "centers-min": "its center, by the shorter side",
        ends: "−1 … 1, ends included",
      }),
    ),
    number("pretrained", "Scale positions to a grid of", 0, 0, 4096, {
      note: "cells (EVA: 16); 0: its own number",
      when: ({ coordinates }) => coordinates === "cells",
    }),
    numberOf(AXIAL, "offset", "First position", {
      least: -4096,
      most: 4096,
      when: (_, view) => view !== "similarity",
    }),
    { name: "turns", label: "In cycles (× 2π)", kind: "toggle", initial: false, when: () => true },
    choice("precision", "Precision", precisionOf(AXIAL)),
    choice("recipe", "Compute frequencies with", valuesOf(AXIAL, "recipe"), {
      when: ({ precision, spectrum }) => precision === "torch" && spectrum !== "linear",
    }),
    ...LINES,
    FROM,
    { ...CLOCK[0], label: "Patch", note: "patches are numbered row by row" },
    CLOCK[1],
  ],
  views: {
    heatmap: turned.heatmap,
    waves: turned.waves,
    similarity: mapOf({
      title: rotation.title,
      lines: (settings) => turned.heatmap.plan(settings).lines,
      torch: turned.heatmap.torch,
      made: "turned",
    }),
    clock: clockOf({
      title: "Pairs of a patch",
      where: (settings) => `patch ${patchOf(settings)}`,
      pairs: ({ dim }) => dim / 2,
      lines: axialLines,
      hand: (row, settings) => {
        const patch = row * patchOf(settings);
        return [`table.cos.at(${patch}, i)`, `table.sin.at(${patch}, i)`];
      },
      read: ({ table }, i, row, settings) => {
        const patch = row * patchOf(settings);
        return [table.cos.at(patch, i), table.sin.at(patch, i)];
      },
      cell: (settings, pair, wave) => axialCell(settings, patchOf(settings), pair, wave),
      torch: (settings) => [
        ...axialTorch(settings),
        `cos, sin = cos[${patchOf(settings)} :][:1], sin[${patchOf(settings)} :][:1]`,
      ],
    }),
  },
});
