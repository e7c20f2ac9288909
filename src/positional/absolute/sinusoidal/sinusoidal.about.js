/** @import { About, Compared, Controls, Cost, OfModel, Pictures, Presets, Samples, Settings, Split, Tools } from "../../about.js" */

/** @type {About} */
export const about = {
  group: "table",
  title: "Sinusoids",
  words:
    "Each position has a vector of sines and cosines of different frequencies, which is added to the token\u2019s embedding. It has no parameters.",
  source: { paper: "Vaswani et al. 2017", url: "https://arxiv.org/abs/1706.03762" },
  lesson: "sinusoidal",
};

/** @type {Cost} */
export const cost = ({ length: T, dim: D }) => [0, T * D, D];

/** Each row depends on its own position alone. @type {Split} */
export const split = { table: "rows" };

/** @type {Compared} */
export const compared = {
  on: "input",
  kind: "absolute",
  beyond: ({ rope }, { dim, trained, length }, { newAngles }) =>
    newAngles(rope.frequencies(dim).frequencies.data, trained, length), // the same ones
};

/** @type {Samples} */
export const samples = {
  table: async (sinusoidal) => [
    await sinusoidal.table(37, 22),
    await sinusoidal.table([0.5, 1e5, 2 ** 31], 21, { layout: "halves", recipe: "pow" }),
    await sinusoidal.table(37, 24, { precision: "torch" }),
  ],
  padded: (sinusoidal, { ids }) => sinusoidal.padded(ids(5, 2, 9), 22),
  shift: (sinusoidal) => sinusoidal.shift(3, 22),
};

/** @type {Presets} */
export const presets = {
  without: ["fairseq"],
  settings: ({ scale = "none", ...rest }) => ({ ...rest, scale }),
};

/** @type {OfModel} */
export const ofModel = ({ preset, dim, length }) => ({
  length,
  dim,
  layout: preset === "whisper" ? "halves" : "interleaved",
  spectrum: preset === "whisper" ? "tensor2tensor" : "paper",
});

/** Views of the table itself. */
const ofTable = ["heatmap", "waves", "similarity"];

/** @type {Controls} */
export const controls = {
  length: { label: "Positions", initial: 64, min: 1, max: 2048, views: ofTable },
  dim: { label: "Width D", initial: 64, min: 2, max: 2048 },
  base: { label: "Base", option: "table.base", max: 1e9 },
  layout: { label: "Layout", option: "table.layout", views: ["heatmap", "waves"] },
  spectrum: { label: "Spectrum", option: "table.spectrum" },
  odd: {
    label: "Last column of an odd width",
    option: "table.odd",
    views: ofTable,
    when: ({ dim }) => dim % 2 === 1,
  },
  offset: {
    label: "First position",
    option: "table.offset",
    min: 0,
    max: 1048576,
    views: ["heatmap", "waves"],
  },
  scale: {
    label: "Scale",
    option: "table.scale",
    words: { none: "none", "inverse-sqrt": "1 / √D", unit: "√(2 / D), vectors of length 1" },
    views: ofTable,
  },
  precision: {
    label: "Precision",
    option: "table.precision",
    words: { exact: "exact", torch: "PyTorch\u2019s float32 steps" },
    views: [...ofTable, "clock"],
  },
  recipe: {
    label: "Compute frequencies with",
    option: "table.recipe",
    views: [...ofTable, "clock"],
    when: ({ precision }) => precision === "torch",
  },
};

/** The settings as options of `table`. @param {Settings} settings */
const optionsOf = ({ base, layout, spectrum, odd, dim, precision, recipe, scale, offset }) => ({
  base,
  layout,
  spectrum,
  odd: dim % 2 === 1 ? odd : undefined,
  precision,
  recipe: precision === "torch" ? recipe : undefined,
  scale: scale === "none" ? undefined : scale,
  offset,
});

/** Sines of a row. @param {Settings} settings */
const sines = ({ dim, odd }) => (odd === "sine-last" ? Math.ceil(dim / 2) : Math.floor(dim / 2));

/** What a position is divided by. @param {Settings} settings @param {number | string} pair */
const slowness = ({ base, spectrum, dim }, pair) => {
  const n = spectrum === "paper" ? dim : 2 * Math.max(Math.floor(dim / 2) - 1, 1);
  return `${base}^(2·${pair}/${n})`;
};

/**
 * Which wave a column holds; none in a last column of zeros.
 * @param {Settings} settings @param {number} d
 */
const waveOf = (settings, d) => {
  const { layout, dim, odd } = settings;
  if (d === dim - 1 && dim % 2 === 1 && odd === "zero-last") return undefined;
  if (layout === "interleaved") return { wave: d % 2 === 0 ? "sin" : "cos", pair: d >> 1 };
  const first = layout === "halves" ? sines(settings) : Math.floor(dim / 2);
  const wave = d < first === (layout === "halves") ? "sin" : "cos";
  return { wave, pair: d < first ? d : d - first };
};

/** @param {Settings} settings @param {string} position  an expression of PyTorch */
const torchTable = (settings, position) => {
  const { dim, base, layout, spectrum, odd, recipe, scale } = settings;
  const pairs = sines(settings);
  const n = spectrum === "paper" ? "dim / 2" : "max(dim // 2 - 1, 1)";
  const theta =
    recipe === "exp"
      ? `torch.exp(torch.arange(${pairs}).float() * (-math.log(${base}) / (${n})))`
      : `1 / ${base} ** (torch.arange(${pairs}).float() / (${n}))`;
  const zero = odd === "zero-last" && dim % 2 === 1;
  const columns = layout === "halves" ? "sin, cos" : "cos, sin";
  const factor = { none: "", "inverse-sqrt": " * dim ** -0.5", unit: " * math.sqrt(2 / dim)" };
  return [
    "import math",
    "import torch",
    "",
    `dim = ${dim}`,
    `theta = ${theta}`,
    `angle = ${position}.float().unsqueeze(1) * theta  # float32: far positions lose digits that the exact table keeps`,
    `sin, cos = angle.sin(), angle.cos()[:, : dim // 2]`,
    ...(layout === "interleaved"
      ? [
          "table = torch.zeros(len(angle), dim)",
          `table[:, 0 : 2 * ${pairs} : 2], table[:, 1::2] = sin, cos`,
        ]
      : [
          `table = torch.cat((${columns}), dim=1)`,
          ...(zero ? ["table = torch.nn.functional.pad(table, (0, 1))"] : []),
        ]),
    ...(scale === "none" ? [] : [`table = table${factor[/** @type {"unit"} */ (scale)]}`]),
  ];
};

/** The frequency of every pair. @param {Settings} settings @param {Tools} tools */
const frequencies = ({ dim, base, spectrum }, { call, name, expression }) => {
  const P = Math.max(1, Math.floor(dim / 2));
  // rope.frequencies(R) has base^(-2i/R), i < R/2: for an odd D every second one of 2D is
  // taken, and tensor2tensor's last is 1/base.
  const paper = spectrum === "paper";
  const R = paper ? (dim % 2 === 0 ? dim : 2 * dim) : 2 * Math.max(P - 1, 1);
  const all = call("rope.frequencies", R, { base });
  const made = name("all.frequencies");
  if (paper && dim % 2 === 0) return { all, frequencies: made };
  const taken = paper
    ? expression(`Array.from({ length: ${P} }, (_, i) => all.frequencies.at(2 * i))`, ({ all }) =>
        Array.from({ length: P }, (_, i) => all.frequencies.at(2 * i)),
      )
    : expression(`[...all.frequencies.data, 1 / ${base}].slice(0, ${P})`, ({ all }) =>
        [...all.frequencies.data, 1 / base].slice(0, P),
      );
  return { all, frequencies: taken };
};

/** @type {Pictures} */
export const pictures = {
  table: {
    start: ({ offset }) => offset,
    call: (settings, { call }) => call("table", settings.length, settings.dim, optionsOf(settings)),

    cell(settings, position, d) {
      const found = waveOf(settings, d);
      if (!found) return "the last column of an odd width: 0";
      const { offset, dim, scale } = settings;
      const at = offset === 0 ? position : `(${position} + ${offset})`;
      const before = scale === "unit" ? `√(2 / ${dim}) × ` : "";
      const after = scale === "inverse-sqrt" ? ` / √${dim}` : "";
      return `${before}${found.wave}(${at} / ${slowness(settings, found.pair)})${after}`;
    },

    // The product of two rows goes by their distance alone.
    alike(settings, from, to) {
      const { dim, scale, metric } = settings;
      if (dim % 2 !== 0) return undefined;
      const factors = { none: "", "inverse-sqrt": `1 / ${dim} × `, unit: `2 / ${dim} × ` };
      const factor = metric === "cosine" ? `2 / ${dim} × ` : factors[/** @type {"none"} */ (scale)];
      return `${factor}sum over i from 0 to ${dim / 2 - 1} of cos(${to - from} / ${slowness(settings, "i")})`;
    },

    torch: (settings) => {
      const { length, offset } = settings;
      const range = `torch.arange(${length})`;
      return torchTable(settings, offset === 0 ? range : `(${range} + ${offset})`);
    },
  },

  spectrum: {
    title: "Frequencies of the sinusoids",
    lines: frequencies,
    theta: (settings, i) => `1 / ${slowness(settings, i)}`,
    context: ({ length }) => [{ length, label: `${length} positions` }],
    torch: ({ dim, base, spectrum }) => [
      "import torch",
      "",
      `dim = ${dim}`,
      `n = ${spectrum === "paper" ? "dim / 2" : "max(dim // 2 - 1, 1)"}`,
      `frequencies = ${base} ** (-torch.arange(${Math.max(1, dim >> 1)}).double() / n)`,
    ],
  },

  clock: {
    title: "Pairs of sinusoids",
    pairs: ({ dim }) => Math.max(1, Math.floor(dim / 2)),
    lines: (settings, { call }) => {
      const plain = { layout: "halves", odd: "sine-last", scale: "none", offset: 0 };
      const options = optionsOf({ ...settings, ...plain });
      return { turns: call("table", [0, settings.position], settings.dim, options) };
    },
    frequencies,
    hand: (row, { dim }) => [`turns.at(${row}, ${Math.ceil(dim / 2)} + i)`, `turns.at(${row}, i)`],
    read: ({ turns }, i, row, { dim }) => [turns.at(row, Math.ceil(dim / 2) + i), turns.at(row, i)],
    cell: (settings, position, pair, wave) => `${wave}(${position} / ${slowness(settings, pair)})`,
    torch: (settings) =>
      torchTable(
        { ...settings, layout: "halves", odd: "sine-last", scale: "none" },
        `torch.tensor([${settings.position}])`,
      ),
  },
};
