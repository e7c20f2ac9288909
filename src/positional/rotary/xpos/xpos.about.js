/** @import { About, Controls, Pictures, Samples, Settings, Table, Tools, Widget } from "../../about.js" */

/** @type {About} */
export const about = {
  group: "rotation",
  title: "xPos",
  words:
    "RoPE with a scale for each pair: the dot product of a query and a key also decays with their distance.",
  source: { paper: "Sun et al. 2022", url: "https://arxiv.org/abs/2212.10554" },
};

/** @type {Samples} */
export const samples = { table: (xpos) => xpos.table(37, 22) };

/** For queries and for keys. @type {Table} */
export const table = { kind: "rotation", operands: ["length", "dim"] };

/** Pairs are neighbors by default, unlike those of `rope.apply`. @type {Widget} */
export const widget = {
  family: "rotation",
  controls: { layout: ["Layout", "interleaved"] },
  methods: ({ rope }) => [rope.apply],
  call: ({ xpos }, ...given) => xpos.table(...given).query,
};

/** Views of the sides and of pairs in columns. */
const ofColumns = ["heatmap", "waves"];

/** @type {Controls} */
export const controls = {
  length: { label: "Positions", initial: 64, min: 1, max: 2048 },
  dim: { label: "Rotated width R", initial: 64, min: 2, max: 512, step: 2 },
  base: { label: "Base", option: "table.base", max: 1e9 },
  scaleBase: { label: "Scale base", option: "table.scaleBase", max: 65536 },
  gamma: { label: "Gamma", option: "table.gamma", min: 0.01, max: 100 },
  center: {
    label: "Position of scale 1",
    option: "table.center",
    words: {
      torchscale: "the middle, rounded up (torchscale)",
      middle: "the middle, rounded down",
      zero: "0",
    },
    views: ofColumns,
  },
  side: { label: "Side", words: { query: "queries", key: "keys" }, views: ofColumns },
  layout: {
    label: "Layout",
    option: "rope.apply.layout",
    initial: "interleaved",
    views: ofColumns,
  },
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

/** @param {Settings} settings @param {Tools} tools */
const tables = (settings, { call }) => {
  const { length, dim, base, scaleBase, gamma, center, precision, recipe } = settings;
  return call("table", length, dim, {
    base,
    scaleBase,
    gamma,
    center: center === "zero" ? 0 : center,
    precision,
    recipe: precision === "torch" ? recipe : undefined,
  });
};

/** The position of scale 1. @param {Settings} settings */
const centerOf = ({ center, length }) => {
  if (center === "zero") return 0;
  return center === "middle" ? Math.floor(length / 2) : Math.ceil(length / 2);
};

/** @param {Settings} settings */
const torchBoth = (settings) => {
  const { length, dim, base, scaleBase, gamma } = settings;
  return [
    "import torch",
    "",
    `dim = ${dim}`,
    `position = torch.arange(${length}).float()`,
    `inv_freq = 1.0 / ${base} ** (torch.arange(0, dim, 2).float() / dim)`,
    "angle = torch.outer(position, inv_freq)  # float32 steps, as torchscale has them",
    "cos, sin = angle.cos(), angle.sin()",
    `zeta = (torch.arange(0, dim, 2).float() / dim + ${gamma}) / (1 + ${gamma})`,
    `scale = zeta ** ((position - ${centerOf(settings)}) / ${scaleBase}).unsqueeze(1)`,
  ];
};

/** @type {Pictures} */
export const pictures = {
  rotation: {
    lines: (settings, tools) => ({
      tables: tables(settings, tools),
      table: tools.name(`tables.${settings.side}`),
    }),
    cell(settings, position, i, wave) {
      const { base, dim, gamma, scaleBase, side } = settings;
      const scale = `((2 × ${i} / ${dim} + ${gamma}) / (1 + ${gamma}))^((${position} - ${centerOf(settings)})/${scaleBase})`;
      return `s = ${scale}; ${wave}(${position} / ${base}^(2·${i}/${dim})) ${side === "query" ? "×" : "/"} s`;
    },
    torch: (settings) => [
      ...torchBoth(settings),
      settings.side === "query"
        ? "cos, sin = cos * scale, sin * scale"
        : "cos, sin = cos / scale, sin / scale",
    ],
  },

  // Queries are turned by one table, keys by the other.
  similarity: {
    lines: (settings, tools) => ({ tables: tables(settings, tools) }),
    made: { queries: "tables.query", keys: "tables.key" },
    alike: ({ dim, gamma, scaleBase, base }, from, to) =>
      `sum over i from 0 to ${dim / 2 - 1} of cos((${to} - ${from}) / ${base}^(2·i/${dim})) × ((2 × i / ${dim} + ${gamma}) / (1 + ${gamma}))^((${from} - ${to})/${scaleBase})`,
    torch: (settings) => [
      ...torchBoth(settings),
      "queries = torch.cat((cos * scale, sin * scale), dim=-1)  # (1, 0) in each pair, turned",
      "keys = torch.cat((cos / scale, sin / scale), dim=-1)",
    ],
  },
};
