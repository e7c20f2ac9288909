/** @import { Part } from "../parts.js" */
/** @import { Values } from "../settings.js" */
import { call, line, name } from "../program.js";
import { plain, power } from "../parts.js";
import { choice, whole } from "../settings.js";
import { changedOptions, labelsOf, numberOf, precisionOf, valuesOf } from "./options.js";
import { scheme } from "./scheme.js";
import { FROM, LINES, only, queryLines, rotationViews, similarityOf, turnedLine } from "./views.js";

const title = "xPos";

/** @param {Values} settings */
function table({ length, dim, base, scaleBase, gamma, center, precision, recipe }) {
  const options = changedOptions("xpos.table", {
    base,
    scaleBase,
    gamma,
    center: center === "zero" ? 0 : center,
    precision,
    recipe: precision === "torch" ? recipe : undefined,
  });
  return call("xpos.table", length, dim, options);
}

/** The position of scale 1. @param {Values} settings */
function centerOf({ center, length }) {
  if (center === "zero") return 0;
  return center === "middle" ? Math.floor(length / 2) : Math.ceil(length / 2);
}

/** @param {Values} settings @param {number} position @param {number} i @param {"cos" | "sin"} wave @returns {Part[]} */
function cell(settings, position, i, wave) {
  const { base, dim, gamma, scaleBase, side } = settings;
  const away = `(${position} − ${centerOf(settings)})/${scaleBase}`;
  return [
    `s = ((2 × ${i} / ${dim} + ${gamma}) / (1 + ${gamma}))`,
    power(away),
    `; ${wave}(${position} / `,
    plain(base),
    power(`2·${i}/${dim}`),
    side === "query" ? ") × s" : ") / s",
  ];
}

/** @param {Values} settings @returns {string[]} */
function torch(settings) {
  const { length, dim, base, scaleBase, gamma, side } = settings;
  return [
    ...torchBoth({ length, dim, base, scaleBase, gamma, center: centerOf(settings) }),
    side === "query"
      ? "cos, sin = cos * scale, sin * scale"
      : "cos, sin = cos / scale, sin / scale",
  ];
}

/** @param {Record<string, number>} of */
function torchBoth({ length, dim, base, scaleBase, gamma, center }) {
  return [
    "import torch",
    "",
    `dim = ${dim}`,
    `position = torch.arange(${length}).float()`,
    `inv_freq = 1.0 / ${base} ** (torch.arange(0, dim, 2).float() / dim)`,
    "angle = torch.outer(position, inv_freq)  # float32 steps, as torchscale has them",
    "cos, sin = angle.cos(), angle.sin()",
    `zeta = (torch.arange(0, dim, 2).float() / dim + ${gamma}) / (1 + ${gamma})`,
    `scale = zeta ** ((position - ${center}) / ${scaleBase}).unsqueeze(1)`,
  ];
}

/** @type {Parameters<typeof rotationViews>[0]["size"]} */
const size = ({ length, dim, layout }) => ({ rows: length, columns: dim, turned: dim, layout });

export const xpos = scheme({
  name: "xpos",
  title,
  words:
    "RoPE with a scale for each pair: the dot product of a query and a key also decays with their distance.",
  source: { paper: "Sun et al. 2022", url: "https://arxiv.org/abs/2212.10554" },
  settings: [
    whole("length", "Positions", 64, 1, 2048),
    whole("dim", "Rotated width R", 64, 2, 512, { step: 2 }),
    numberOf("xpos.table", "base", "Base", { most: 1e9 }),
    numberOf("xpos.table", "scaleBase", "Scale base", { most: 65536 }),
    numberOf("xpos.table", "gamma", "Gamma", { least: 0.01, most: 100 }),
    choice(
      "center",
      "Position of scale 1",
      {
        ...labelsOf("xpos.table", "center", {
          torchscale: "the middle, rounded up (torchscale)",
          middle: "the middle, rounded down",
        }),
        zero: "0",
      },
      { when: only("heatmap", "waves") },
    ),
    choice("side", "Side", { query: "queries", key: "keys" }, { when: only("heatmap", "waves") }),
    choice("layout", "Layout", ["interleaved", "halves"], { when: only("heatmap", "waves") }),
    choice("precision", "Precision", precisionOf("xpos.table")),
    choice("recipe", "Compute frequencies with", valuesOf("xpos.table", "recipe"), {
      when: ({ precision }) => precision === "torch",
    }),
    ...LINES,
    FROM,
  ],
  views: {
    ...rotationViews({
      title,
      size,
      lines: (settings) => [
        line("tables", table(settings)),
        line("table", name(`tables.${settings.side}`)),
      ],
      cell,
      torch,
    }),
    similarity: similarityOf({
      title,
      size,
      made: "queries",
      others: "keys",
      lines: (settings) => [
        line("tables", table(settings)),
        ...queryLines(size(settings)),
        turnedLine("queries", "tables.query", settings.layout),
        turnedLine("keys", "tables.key", settings.layout),
      ],
      torch(settings) {
        const { length, dim, base, scaleBase, gamma } = settings;
        return [
          ...torchBoth({ length, dim, base, scaleBase, gamma, center: centerOf(settings) }),
          "queries = torch.cat((cos * scale, sin * scale), dim=-1)  # (1, 0) in each pair, turned",
          "keys = torch.cat((cos / scale, sin / scale), dim=-1)",
        ];
      },
      alike: ({ dim, gamma, scaleBase, base }, from, to) => [
        `sum over i from 0 to ${dim / 2 - 1} of cos((${to} − ${from}) / ${base}`,
        power(`2·i/${dim}`),
        `) × ((2 × i / ${dim} + ${gamma}) / (1 + ${gamma}))`,
        power(`(${from} − ${to})/${scaleBase}`),
      ],
    }),
  },
});
