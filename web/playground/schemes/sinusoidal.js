/** @import { Part } from "../parts.js" */
/** @import { Values } from "../settings.js" */
import { call, expression, line, name } from "../program.js";
import { plain, power } from "../parts.js";
import { choice, whole } from "../settings.js";
import { changedOptions, labelsOf, numberOf, precisionOf, valuesOf } from "./options.js";
import { scheme } from "./scheme.js";
import { CLOCK, clockOf, FROM, LINES, METRIC, only, spectrumOf, tableViews } from "./views.js";

const title = "Sinusoids";

const TABLE = "sinusoidal.table";

/** Views of the table itself. */
const ofTable = only("heatmap", "waves", "similarity");

/** @param {Values} settings */
function options({ base, layout, spectrum, odd, dim, precision, recipe, scale, offset }) {
  return changedOptions(TABLE, {
    base,
    layout,
    spectrum,
    odd: dim % 2 === 1 ? odd : undefined,
    precision,
    recipe: precision === "torch" ? recipe : undefined,
    scale: scale === "none" ? undefined : scale,
    offset,
  });
}

/** n of theta_i = base^(-i/n), twice. @param {Values} settings */
function denominator({ spectrum, dim }) {
  return spectrum === "paper" ? dim : 2 * Math.max(Math.floor(dim / 2) - 1, 1);
}

/** Sines of a row. @param {Values} settings */
function sines({ dim, odd }) {
  return odd === "sine-last" ? Math.ceil(dim / 2) : Math.floor(dim / 2);
}

/**
 * Which wave a column holds; none in a last column of zeros.
 * @param {Values} settings @param {number} d
 * @returns {{wave: "sin" | "cos", pair: number} | undefined}
 */
function waveOf(settings, d) {
  const { layout, dim } = settings;
  if (d === dim - 1 && dim % 2 === 1 && settings.odd === "zero-last") return undefined;
  if (layout === "interleaved") return { wave: d % 2 === 0 ? "sin" : "cos", pair: d >> 1 };
  const first = layout === "halves" ? sines(settings) : Math.floor(dim / 2);
  const wave = d < first === (layout === "halves") ? "sin" : "cos";
  return { wave, pair: d < first ? d : d - first };
}

/** @param {Values} settings @param {number | string} pair @returns {Part[]} what a position is divided by */
function slowness(settings, pair) {
  return [plain(settings.base), power(`2·${pair}/${denominator(settings)}`)];
}

/** @param {Values} settings @param {number} position @param {number} d @returns {Part[]} */
function cell(settings, position, d) {
  const found = waveOf(settings, d);
  if (!found) return ["the last column of an odd width: 0"];
  const { offset, dim, scale } = settings;
  const at = offset === 0 ? plain(position) : `(${plain(position)} + ${plain(offset)})`;
  const before = scale === "unit" ? `√(2 / ${dim}) × ` : "";
  const after = scale === "inverse-sqrt" ? `) / √${dim}` : ")";
  return [`${before}${found.wave}(${at} / `, ...slowness(settings, found.pair), after];
}

/**
 * The product of two rows goes by their distance alone.
 * @param {Values} settings @param {number} from @param {number} to @returns {Part[] | undefined}
 */
function alike(settings, from, to) {
  const { dim, scale, metric } = settings;
  if (dim % 2 !== 0) return undefined;
  const factors = { none: "", "inverse-sqrt": `1 / ${dim} × `, unit: `2 / ${dim} × ` };
  const factor = metric === "cosine" ? `2 / ${dim} × ` : factors[/** @type {"none"} */ (scale)];
  return [
    `${factor}sum over i from 0 to ${dim / 2 - 1} of cos(${to - from} / `.replace("-", "−"),
    ...slowness(settings, "i"),
    ")",
  ];
}

/** @param {Values} settings @param {string} position  an expression of PyTorch @returns {string[]} */
function torchTable(settings, position) {
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
}

/** @param {Values} settings */
function positions({ length, offset }) {
  return offset === 0 ? `torch.arange(${length})` : `(torch.arange(${length}) + ${offset})`;
}

const pairs = (/** @type {Values} */ { dim }) => Math.max(1, Math.floor(dim / 2));

/** The frequency of every pair; the last line is `frequencies`. @param {Values} settings */
function frequencyLines({ dim, base, spectrum }) {
  const P = Math.max(1, Math.floor(dim / 2));
  // rope.frequencies(R) has base^(-2i/R), i < R/2: for an odd D every second one of 2D is
  // taken, and tensor2tensor's last is 1/base.
  const paper = spectrum === "paper";
  const R = paper ? (dim % 2 === 0 ? dim : 2 * dim) : 2 * Math.max(P - 1, 1);
  const all = line("all", call("rope.frequencies", R, changedOptions(TABLE, { base })));
  const made = name("all.frequencies");
  if (paper && dim % 2 === 0) return [all, line("frequencies", made)];
  const taken = paper
    ? expression(`Array.from({ length: ${P} }, (_, i) => all.frequencies.at(2 * i))`, ({ all }) =>
        Array.from({ length: P }, (_, i) => all.frequencies.at(2 * i)),
      )
    : expression(`[...all.frequencies.data, 1 / ${base}].slice(0, ${P})`, ({ all }) =>
        [...all.frequencies.data, 1 / base].slice(0, P),
      );
  return [all, line("frequencies", taken)];
}

export const sinusoidal = scheme({
  name: "sinusoidal",
  title,
  words:
    "Each position has a vector of sines and cosines of different frequencies, which is added to the token\u2019s embedding. It has no parameters.",
  source: { paper: "Vaswani et al. 2017", url: "https://arxiv.org/abs/1706.03762" },
  lesson: "sinusoidal",
  settings: [
    whole("length", "Positions", 64, 1, 2048, { when: ofTable }),
    whole("dim", "Width D", 64, 2, 2048),
    numberOf(TABLE, "base", "Base", { most: 1e9 }),
    choice("layout", "Layout", valuesOf(TABLE, "layout"), {
      when: only("heatmap", "waves"),
    }),
    choice("spectrum", "Spectrum", valuesOf(TABLE, "spectrum")),
    choice("odd", "Last column of an odd width", valuesOf(TABLE, "odd"), {
      when: ({ dim }, view) => dim % 2 === 1 && ofTable({}, view),
    }),
    numberOf(TABLE, "offset", "First position", {
      least: 0,
      most: 1048576,
      when: only("heatmap", "waves"),
    }),
    choice(
      "scale",
      "Scale",
      {
        none: "none",
        ...labelsOf(TABLE, "scale", {
          "inverse-sqrt": "1 / √D",
          unit: "√(2 / D), vectors of length 1",
        }),
      },
      { when: ofTable },
    ),
    choice("precision", "Precision", precisionOf(TABLE, "PyTorch\u2019s float32 steps"), {
      when: (_, view) => view !== "spectrum",
    }),
    choice("recipe", "Compute frequencies with", valuesOf(TABLE, "recipe"), {
      when: ({ precision }, view) => precision === "torch" && view !== "spectrum",
    }),
    ...LINES,
    FROM,
    METRIC,
    ...CLOCK,
  ],
  views: {
    ...tableViews({
      title,
      size: ({ length, dim }) => ({ rows: length, columns: dim }),
      start: ({ offset }) => offset,
      lines: (settings) => [
        line("table", call("sinusoidal.table", settings.length, settings.dim, options(settings))),
      ],
      cell,
      alike,
      torch: (settings) => torchTable(settings, positions(settings)),
    }),
    spectrum: spectrumOf({
      title: "Frequencies of the sinusoids",
      lines: frequencyLines,
      theta: (settings, i) => ["1 / ", ...slowness(settings, i)],
      context: ({ length }) => [{ length, label: `${length} positions` }],
      torch: ({ dim, base, spectrum }) => [
        "import torch",
        "",
        `dim = ${dim}`,
        `n = ${spectrum === "paper" ? "dim / 2" : "max(dim // 2 - 1, 1)"}`,
        `frequencies = ${base} ** (-torch.arange(${Math.max(1, dim >> 1)}).double() / n)`,
      ],
    }),
    clock: clockOf({
      title: "Pairs of sinusoids",
      pairs,
      lines: (settings) => {
        const { position: p, dim } = settings;
        const plain = { ...settings, layout: "halves", odd: "sine-last", scale: "none", offset: 0 };
        return [line("turns", call("sinusoidal.table", [0, p], dim, options(plain)))];
      },
      frequencies: frequencyLines,
      hand: (row, { dim }) => [
        `turns.at(${row}, ${Math.ceil(dim / 2)} + i)`,
        `turns.at(${row}, i)`,
      ],
      read: ({ turns }, i, row, { dim }) => [
        turns.at(row, Math.ceil(dim / 2) + i),
        turns.at(row, i),
      ],
      cell: (settings, pair, wave) => [
        `${wave}(${plain(settings.position)} / `,
        ...slowness(settings, pair),
        ")",
      ],
      torch: (settings) =>
        torchTable(
          { ...settings, layout: "halves", odd: "sine-last", scale: "none" },
          `torch.tensor([${settings.position}])`,
        ),
    }),
  },
});
