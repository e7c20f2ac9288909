/** @import { Part } from "../parts.js" */
/** @import { Values } from "../settings.js" */
import { call, expression, line, name } from "../program.js";
import { plain, power } from "../parts.js";
import { choice, number, whole } from "../settings.js";
import { changedOptions, labelsOf, numberOf, precisionOf, valuesOf, wholeOf } from "./options.js";
import { scheme } from "./scheme.js";
import { DRAWN, FROM, LINES, METRIC, tableViews } from "./views.js";

// Features of continuous numbers: times, noise levels, coordinates.

const TIMESTEPS = "fourierFeatures.timesteps";
const GAUSSIAN = "fourierFeatures.gaussian";
const NERF = "fourierFeatures.nerf";
const BANDS = "fourierFeatures.bands";

const PRECISION = choice("precision", "Precision", precisionOf(TIMESTEPS));
const COMPARED = [...LINES, { ...FROM, label: "Compared with vector" }, METRIC];

/** Numbers evenly apart: from, from + step, ... @param {Values} settings */
function points({ points, start, step }) {
  const text = `Array.from({ length: ${points} }, (_, k) => ${start} + k * ${step})`;
  return expression(text, () => Array.from({ length: points }, (_, k) => start + k * step));
}

/** The same in PyTorch. @param {Values} settings */
const torchPoints = ({ points, start, step }) =>
  `(${start} + torch.arange(${points}).double() * ${step}).float()`;

/** The k-th of them. @param {Values} settings @param {number} k */
const point = ({ start, step }, k) => plain(start + k * step);

/** @param {number} start @param {number} step @param {string} what */
const POINTS = (start, step, what) => [
  whole("points", `Number of ${what.toLowerCase()}`, 64, 2, 1024),
  number("start", `First ${what.toLowerCase().replace(/s$/, "")}`, start, -1e6, 1e6),
  number("step", "Step", step, 1e-6, 1e5),
];

const size =
  (/** @type {(settings: Values) => number} */ columns) => (/** @type {Values} */ settings) => ({
    rows: settings.points,
    columns: columns(settings),
  });

// --- times of diffusion --------------------------------------------------------------------------------

/** What the exponents' denominator is less than the pairs. @param {Values} settings */
const shift = ({ spectrum }) => (spectrum === "paper" ? 0 : 1);

/** @param {Values} settings */
const half = ({ dim }) => Math.max(Math.floor(dim / 2), 2);

export const timesteps = scheme({
  name: "timesteps",
  title: "Times of diffusion models",
  words: "Encodes a time, an integer or not, as a vector of sines and cosines.",
  source: { paper: "Ho et al. 2020", url: "https://arxiv.org/abs/2006.11239" },
  settings: [
    ...POINTS(0, 16, "Times"),
    whole("dim", "Width D", 64, 4, 1024, { step: 2 }),
    numberOf(TIMESTEPS, "base", "Longest period / 2π", { most: 1e9 }),
    choice("layout", "Layout", valuesOf(TIMESTEPS, "layout"), {
      when: (_, view) => view !== "similarity",
    }),
    choice("spectrum", "Spectrum", {
      tensor2tensor: "to 1 / base (DDPM)",
      paper: "as in the paper (guided diffusion, FLUX)",
    }),
    numberOf(TIMESTEPS, "timeFactor", "Multiply times by", { least: 0.001, most: 1000 }),
    PRECISION,
    choice("recipe", "Compute frequencies with", valuesOf(TIMESTEPS, "recipe"), {
      when: ({ precision }) => precision === "torch",
    }),
    ...COMPARED,
  ],
  views: tableViews({
    title: "Times",
    row: "row",
    size: size(({ dim }) => dim),
    lines(settings) {
      const { dim, base, layout, timeFactor, precision, recipe } = settings;
      const steps = precision === "torch" ? recipe : undefined;
      const downscaleFreqShift = shift(settings);
      const given = { base, layout, downscaleFreqShift, timeFactor, precision, recipe: steps };
      return [
        line("times", points(settings)),
        line(
          "table",
          call("fourierFeatures.timesteps", name("times"), dim, changedOptions(TIMESTEPS, given)),
        ),
      ];
    },
    cell(settings, k, d) {
      const { dim, base, layout, timeFactor } = settings;
      const P = dim / 2;
      const [wave, pair] =
        layout === "interleaved"
          ? [d % 2 === 0 ? "sin" : "cos", d >> 1]
          : [d < P === (layout === "halves") ? "sin" : "cos", d % P];
      const time = timeFactor === 1 ? point(settings, k) : `${timeFactor} × ${point(settings, k)}`;
      return [
        `${wave}(${time} / `,
        plain(base),
        power(`${pair}/${half(settings) - shift(settings)}`),
        ")",
      ];
    },
    torch(settings) {
      const { dim, base, layout, timeFactor } = settings;
      const row = {
        halves: "torch.cat((angle.sin(), angle.cos()), dim=-1)",
        flipped: "torch.cat((angle.cos(), angle.sin()), dim=-1)",
        interleaved: "torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(-2)",
      }[/** @type {"halves"} */ (layout)];
      return [
        "import math",
        "import torch",
        "",
        `half = ${dim / 2}`,
        `times = ${torchPoints(settings)}`,
        `frequencies = torch.exp(-math.log(${base}) * torch.arange(half).float() / (half - ${shift(settings)}))`,
        `angle = torch.outer(${timeFactor} * times, frequencies)  # float32`,
        `table = ${row}`,
      ];
    },
  }),
});

// --- NeRF ----------------------------------------------------------------------------------------------

export const nerf = scheme({
  name: "nerf",
  title: "NeRF\u2019s features",
  words: "A coordinate with the sines and cosines of its multiples 1, 2, 4, 8, ...",
  source: { paper: "Mildenhall et al. 2020", url: "https://arxiv.org/abs/2003.08934" },
  settings: [
    ...POINTS(-1, 0.03125, "Coordinates"),
    wholeOf(NERF, "levels", "Levels L", { initial: 6, most: 16 }),
    choice("include", "Input coordinate", { input: "first", none: "omitted" }),
    choice(
      "spacing",
      "Frequencies",
      labelsOf(NERF, "spacing", { log: "logarithmic steps", linear: "linear steps" }),
      { when: ({ levels }) => levels > 2 },
    ),
    PRECISION,
    ...COMPARED.map((setting) => (setting.name === "every" ? { ...setting, initial: 3 } : setting)),
  ],
  views: tableViews({
    title: "NeRF\u2019s features",
    row: "row",
    size: size(({ levels, include }) => 2 * levels + Number(include === "input")),
    lines(settings) {
      const { levels, include, spacing, precision } = settings;
      const includeInput = include === "input";
      const given = changedOptions(NERF, { levels, includeInput, spacing, precision });
      const made = points(settings);
      const column = expression(`${made.text}.map((x) => [x])`, (scope) =>
        made.value(scope).map((/** @type {number} */ x) => [x]),
      );
      return [line("x", column), line("table", call("fourierFeatures.nerf", name("x"), given))];
    },
    cell(settings, k, d) {
      const { levels, include, spacing } = settings;
      const first = Number(include === "input");
      if (d < first) return [`x = ${point(settings, k)}`];
      const level = (d - first) >> 1;
      const wave = (d - first) % 2 === 0 ? "sin" : "cos";
      const last = Math.max(levels - 1, 1);
      if (spacing === "linear" && levels > 1) {
        return [
          `${wave}((1 + ${level} × (2`,
          power(levels - 1),
          ` − 1) / ${last}) × ${point(settings, k)})`,
        ];
      }
      return [`${wave}(2`, power(level), ` × ${point(settings, k)})`];
    },
    torch(settings) {
      const { levels, include, spacing } = settings;
      return [
        "import torch",
        "",
        `x = ${torchPoints(settings)}.unsqueeze(1)`,
        spacing === "linear"
          ? `frequencies = torch.linspace(1, 2.0 ** ${levels - 1}, ${levels})`
          : `frequencies = 2.0 ** torch.linspace(0, ${levels - 1}, ${levels})`,
        `rows = ${include === "input" ? "[x]" : "[]"}`,
        "for frequency in frequencies:",
        "    rows += [torch.sin(x * frequency), torch.cos(x * frequency)]",
        "table = torch.cat(rows, dim=-1)",
      ];
    },
  }),
});

// --- random frequencies ----------------------------------------------------------------------------------

export const gaussian = scheme({
  name: "gaussian",
  title: "Random Fourier features",
  words: "Sines and cosines of a number at random frequencies from a normal distribution.",
  source: { paper: "Tancik et al. 2020", url: "https://arxiv.org/abs/2006.10739" },
  settings: [
    ...POINTS(-1, 0.03125, "Coordinates"),
    whole("dim", "Width D", 64, 2, 512, { step: 2 }),
    numberOf(GAUSSIAN, "scale", "Standard deviation", { initial: 2, least: 0.001, most: 1024 }),
    ...DRAWN,
    choice("layout", "Layout", valuesOf(GAUSSIAN, "layout"), {
      when: (_, view) => view !== "similarity",
    }),
    PRECISION,
    ...COMPARED,
  ],
  views: tableViews({
    title: "Random Fourier features",
    row: "row",
    size: size(({ dim }) => dim),
    lines(settings) {
      const { dim, scale, seed, generator, layout, precision } = settings;
      const given = { scale, seed, generator, layout, precision };
      return [
        line("x", points(settings)),
        line(
          "table",
          call("fourierFeatures.gaussian", name("x"), dim, changedOptions(GAUSSIAN, given)),
        ),
      ];
    },
    cell(settings, k, d) {
      const { dim, layout } = settings;
      const wave = d < dim / 2 === (layout === "halves") ? "sin" : "cos";
      return [`${wave}(2π × w${subscript(d % (dim / 2))} × ${point(settings, k)})`];
    },
    torch(settings) {
      const { dim, scale, seed, generator, layout } = settings;
      return [
        "import math",
        "import torch",
        "",
        ...(generator === "philox"
          ? [
              "# Philox is phasor\u2019s own generator: PyTorch draws other numbers from the same seed.",
            ]
          : []),
        `x = ${torchPoints(settings)}`,
        `torch.manual_seed(${seed})`,
        `w = torch.empty(${dim / 2}).normal_(0, ${scale})`,
        "angle = torch.outer(x, w) * 2 * math.pi  # float32",
        layout === "halves"
          ? "table = torch.cat((angle.sin(), angle.cos()), dim=-1)"
          : "table = torch.cat((angle.cos(), angle.sin()), dim=-1)",
      ];
    },
  }),
});

/** @param {number} n */
function subscript(n) {
  return String(n).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[Number(digit)]);
}

// --- Perceiver's bands -------------------------------------------------------------------------------------

/** @param {Values} settings */
const resolutionOf = ({ resolution, height }) => (resolution === 0 ? height : resolution);

/** @param {Values} settings @param {number} p @returns {Part[]} */
function band(settings, p) {
  const { bands: P, spacing } = settings;
  const M = resolutionOf(settings);
  if (P === 1) return ["1"];
  if (spacing === "linear") return [`(1 + ${p} × (${M} / 2 − 1) / ${P - 1})`];
  return [`(${M} / 2)`, power(`${p}/${P - 1}`)];
}

export const bands = scheme({
  name: "bands",
  title: "Fourier bands of a grid",
  words:
    "Each cell of a grid has its coordinates and their sines and cosines at several frequencies.",
  source: { paper: "Jaegle et al. 2021", url: "https://arxiv.org/abs/2103.03206" },
  settings: [
    whole("height", "Cells per side", 8, 2, 32),
    whole("bands", "Bands P", 8, 1, 128),
    number("resolution", "Resolution", 0, 0, 4096, { note: "0: the number of cells per side" }),
    choice(
      "spacing",
      "Bands",
      labelsOf(BANDS, "spacing", { linear: "linear steps", log: "logarithmic steps" }),
    ),
    choice("include", "Input coordinates", { input: "first", none: "omitted" }),
    choice(
      "order",
      "What stays together",
      labelsOf(BANDS, "order", {
        coordinates: "bands of a coordinate (Perceiver)",
        bands: "coordinates of a band (timm)",
      }),
      { when: (_, view) => view !== "similarity" },
    ),
    PRECISION,
    ...COMPARED,
  ],
  views: tableViews({
    title: "Fourier bands",
    row: "cell",
    size: ({ height, bands, include }) => ({
      rows: height * height,
      columns: 4 * bands + (include === "input" ? 2 : 0),
    }),
    lines({ height, bands, resolution, spacing, include, order, precision }) {
      const given = {
        resolution: resolution === 0 ? undefined : resolution,
        ...changedOptions(BANDS, { spacing, includeInput: include === "input", order, precision }),
      };
      return [line("table", call("fourierFeatures.bands", [height, height], bands, given))];
    },
    cell(settings, t, d) {
      const { height: n, bands: P, include, order } = settings;
      const first = include === "input" ? 2 : 0;
      const at = [Math.floor(t / n), t % n].map((i) => `(2 × ${i} / ${n - 1} − 1)`);
      if (d < first) return [at[d]];
      const inWaves = d - first;
      const k = inWaves % (2 * P);
      const wave = inWaves < 2 * P ? "sin" : "cos";
      const [axis, p] =
        order === "coordinates" ? [Math.floor(k / P), k % P] : [k % 2, Math.floor(k / 2)];
      return [`${wave}(${at[axis]} × π × `, ...band(settings, p), ")"];
    },
    torch(settings) {
      const { height, bands: P, spacing, include, order } = settings;
      const M = resolutionOf(settings);
      const shape = order === "coordinates" ? "" : ".transpose(1, 2)";
      return [
        "import math",
        "import torch",
        "",
        `side = torch.linspace(-1, 1, ${height})`,
        "grid = torch.stack(torch.meshgrid(side, side, indexing='ij'), dim=-1).reshape(-1, 2)",
        spacing === "linear"
          ? `bands = torch.linspace(1, ${M} / 2, ${P}) * math.pi`
          : `bands = 2 ** torch.linspace(0, math.log2(${M} / 2), ${P}) * math.pi`,
        `angle = (grid.unsqueeze(-1) * bands)${shape}.flatten(1)  # float32`,
        `table = torch.cat((${include === "input" ? "grid, " : ""}angle.sin(), angle.cos()), dim=-1)`,
      ];
    },
  }),
});
