/**
 * Four schemes of one module: features of continuous numbers, which are times, noise levels or coordinates.
 * @import { Controls, Declaration, Settings, Tools, Widget } from "../../about.js"
 */

const module = "fourierFeatures";

/** Views of columns: their order changes no similarity. */
const ofColumns = ["heatmap", "waves"];

const from = { label: "Compared with vector" };

/** @type {Widget["controls"][string]} */
const WIDTH = ["Width", 64, 2, 256, 2];

/** Of the four; bands are of patches. @type {Record<"timesteps" | "gaussian" | "nerf" | "bands", Widget>} */
export const widgets = {
  timesteps: {
    family: "numbers",
    points: [0, 1000],
    controls: { dim: WIDTH },
    call: ({ fourierFeatures }, t, { dim, ...options }) =>
      fourierFeatures.timesteps(t, dim, options),
  },
  gaussian: {
    family: "numbers",
    controls: { dim: WIDTH },
    call: ({ fourierFeatures }, x, { dim, ...options }) =>
      fourierFeatures.gaussian(x, dim, options),
  },
  nerf: {
    family: "numbers",
    controls: { levels: ["Levels", 8, 1, 16] },
    call: ({ fourierFeatures }, x, options) =>
      fourierFeatures.nerf({ data: x, shape: [x.length, 1] }, options),
  },
  bands: {
    family: "patches",
    controls: { count: ["Bands", 8, 1, 32] },
    call: ({ fourierFeatures }, sizes, { count, ...options }) =>
      fourierFeatures.bands(sizes, count, options),
  },
};

const ofPrecision = { exact: "exact", torch: "float32 steps" };

/** @param {Settings} settings @param {Tools} tools */
const points = ({ points, start, step }, { expression }) =>
  expression(`Array.from({ length: ${points} }, (_, k) => ${start} + k * ${step})`, () =>
    Array.from({ length: points }, (_, k) => start + k * step),
  );

/** The same in PyTorch. @param {Settings} settings */
const torchPoints = ({ points, start, step }) =>
  `(${start} + torch.arange(${points}).double() * ${step}).float()`;

/** The k-th of them. @param {Settings} settings @param {number} k */
const point = ({ start, step }, k) => {
  const x = start + k * step;
  return x < 0 ? `(${x})` : `${x}`;
};

/** What the exponents' denominator is less than the pairs. @param {Settings} settings */
const shift = ({ spectrum }) => (spectrum === "paper" ? 0 : 1);

/** Times of diffusion. @type {Declaration} */
export const timesteps = {
  module,
  about: {
    group: "numbers",
    title: "Times of diffusion models",
    words: "Encodes a time, an integer or not, as a vector of sines and cosines.",
    source: { paper: "Ho et al. 2020", url: "https://arxiv.org/abs/2006.11239" },
  },
  samples: {
    timesteps: (of, { numbers }) => of.timesteps(numbers(37), 22, of.presets.ddpm),
  },
  presets: {
    only: ["ddpm", "guided_diffusion", "flux"],
    settings: ({ downscaleFreqShift, ...rest }) => ({
      ...rest,
      spectrum: downscaleFreqShift === 0 ? "paper" : "tensor2tensor",
    }),
  },
  controls: {
    points: { label: "Number of times", initial: 64, min: 2, max: 1024 },
    start: { label: "First time", type: "number", initial: 0, min: -1e6, max: 1e6 },
    step: { label: "Step", type: "number", initial: 16, min: 1e-6, max: 1e5 },
    dim: { label: "Width D", initial: 64, min: 4, max: 1024, step: 2 },
    base: { label: "Longest period / 2π", option: "timesteps.base", max: 1e9 },
    layout: { label: "Layout", option: "timesteps.layout", views: ofColumns },
    spectrum: {
      label: "Spectrum",
      words: {
        tensor2tensor: "to 1 / base (DDPM)",
        paper: "as in the paper (guided diffusion, FLUX)",
      },
    },
    timeFactor: {
      label: "Multiply times by",
      option: "timesteps.timeFactor",
      min: 0.001,
      max: 1000,
    },
    precision: { label: "Precision", option: "timesteps.precision", words: ofPrecision },
    recipe: {
      label: "Compute frequencies with",
      option: "timesteps.recipe",
      when: ({ precision }) => precision === "torch",
    },
  },
  pictures: {
    table: {
      title: "Times",
      row: "row",
      asks: { from },
      size: ({ points, dim }) => ({ rows: points, columns: dim }),
      lines(settings, tools) {
        const { dim, base, layout, timeFactor, precision, recipe } = settings;
        return {
          times: points(settings, tools),
          table: tools.call("timesteps", tools.name("times"), dim, {
            base,
            layout,
            downscaleFreqShift: shift(settings),
            timeFactor,
            precision,
            recipe: precision === "torch" ? recipe : undefined,
          }),
        };
      },
      cell(settings, k, d) {
        const { dim, base, layout, timeFactor } = settings;
        const P = dim / 2;
        const [wave, pair] =
          layout === "interleaved"
            ? [d % 2 === 0 ? "sin" : "cos", d >> 1]
            : [d < P === (layout === "halves") ? "sin" : "cos", d % P];
        const factor = timeFactor === 1 ? "" : `${timeFactor} × `;
        const n = Math.max(P, 2) - shift(settings);
        return `${wave}(${factor}${point(settings, k)} / ${base}^(${pair}/${n}))`;
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
    },
  },
};

/** Random frequencies. @type {Declaration} */
export const gaussian = {
  module,
  about: {
    group: "numbers",
    title: "Random Fourier features",
    words: "Sines and cosines of a number at random frequencies from a normal distribution.",
    source: { paper: "Tancik et al. 2020", url: "https://arxiv.org/abs/2006.10739" },
  },
  samples: { gaussian: (of, { numbers }) => of.gaussian(numbers(37, 3), 10, { seed: 3 }) },
  controls: {
    points: { label: "Number of coordinates", initial: 64, min: 2, max: 1024 },
    start: { label: "First coordinate", type: "number", initial: -1, min: -1e6, max: 1e6 },
    step: { label: "Step", type: "number", initial: 0.03125, min: 1e-6, max: 1e5 },
    dim: { label: "Width D", initial: 64, min: 2, max: 512, step: 2 },
    scale: {
      label: "Standard deviation",
      option: "gaussian.scale",
      initial: 2,
      min: 0.001,
      max: 1024,
    },
    seed: { label: "Seed", initial: 0, min: 0, max: 4294967295 },
    generator: {
      label: "Random generator",
      option: "gaussian.generator",
      words: { torch: "PyTorch\u2019s generator", philox: "Philox (phasor\u2019s own)" },
    },
    layout: { label: "Layout", option: "gaussian.layout", views: ofColumns },
    precision: { label: "Precision", option: "gaussian.precision", words: ofPrecision },
  },
  pictures: {
    table: {
      row: "row",
      asks: { from },
      size: ({ points, dim }) => ({ rows: points, columns: dim }),
      lines(settings, tools) {
        const { dim, scale, seed, generator, layout, precision } = settings;
        const options = { scale, seed, generator, layout, precision };
        return {
          x: points(settings, tools),
          table: tools.call("gaussian", tools.name("x"), dim, options),
        };
      },
      cell(settings, k, d) {
        const { dim, layout } = settings;
        const wave = d < dim / 2 === (layout === "halves") ? "sin" : "cos";
        const i = String(d % (dim / 2)).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[Number(digit)]);
        return `${wave}(2π × w${i} × ${point(settings, k)})`;
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
    },
  },
};

/** The setting of an option. @param {Settings} options */
const withInput = ({ includeInput, ...rest }) => ({
  ...rest,
  include: includeInput ? "input" : "none",
});

/** NeRF. @type {Declaration} */
export const nerf = {
  module,
  about: {
    group: "numbers",
    title: "NeRF\u2019s features",
    words: "A coordinate with the sines and cosines of its multiples 1, 2, 4, 8, ...",
    source: { paper: "Mildenhall et al. 2020", url: "https://arxiv.org/abs/2003.08934" },
  },
  samples: { nerf: (of, { numbers }) => of.nerf(numbers(37, 3)) },
  presets: { only: ["nerf-position", "nerf-direction"], settings: withInput },
  controls: {
    points: { label: "Number of coordinates", initial: 64, min: 2, max: 1024 },
    start: { label: "First coordinate", type: "number", initial: -1, min: -1e6, max: 1e6 },
    step: { label: "Step", type: "number", initial: 0.03125, min: 1e-6, max: 1e5 },
    levels: { label: "Levels L", option: "nerf.levels", initial: 6, max: 16 },
    include: { label: "Input coordinate", words: { input: "first", none: "omitted" } },
    spacing: {
      label: "Frequencies",
      option: "nerf.spacing",
      words: { log: "logarithmic steps", linear: "linear steps" },
      when: ({ levels }) => levels > 2,
    },
    precision: { label: "Precision", option: "nerf.precision", words: ofPrecision },
  },
  pictures: {
    table: {
      row: "row",
      asks: { from, every: { initial: 3 } },
      size: ({ points, levels, include }) => ({
        rows: points,
        columns: 2 * levels + Number(include === "input"),
      }),
      lines(settings, tools) {
        const { levels, include, spacing, precision } = settings;
        const made = points(settings, tools);
        const options = { levels, includeInput: include === "input", spacing, precision };
        return {
          x: tools.expression(`${made.text}.map((x) => [x])`, (scope) =>
            made.value(scope).map((/** @type {number} */ x) => [x]),
          ),
          table: tools.call("nerf", tools.name("x"), options),
        };
      },
      cell(settings, k, d) {
        const { levels, include, spacing } = settings;
        const x = point(settings, k);
        const at = d - Number(include === "input");
        if (at < 0) return `x = ${x}`;
        const level = at >> 1;
        const last = Math.max(levels - 1, 1);
        const factor =
          spacing === "linear" && levels > 1
            ? `(1 + ${level} × (2^(${levels - 1}) - 1) / ${last})`
            : `2^(${level})`;
        return `${at % 2 === 0 ? "sin" : "cos"}(${factor} × ${x})`;
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
    },
  },
};

/** @param {Settings} settings */
const resolutionOf = ({ resolution, height }) => (resolution === 0 ? height : resolution);

/** The factor of a band. @param {Settings} settings @param {number} p */
const bandOf = (settings, p) => {
  const { bands: P, spacing } = settings;
  const M = resolutionOf(settings);
  if (P === 1) return "1";
  if (spacing === "linear") return `(1 + ${p} × (${M} / 2 - 1) / ${P - 1})`;
  return `(${M} / 2)^(${p}/${P - 1})`;
};

/** Perceiver's bands. @type {Declaration} */
export const bands = {
  module,
  about: {
    group: "numbers",
    title: "Fourier bands of a grid",
    words:
      "Each cell of a grid has its coordinates and their sines and cosines at several frequencies.",
    source: { paper: "Jaegle et al. 2021", url: "https://arxiv.org/abs/2103.03206" },
  },
  samples: { bands: (of) => of.bands([5, 7], 6) },
  presets: { only: ["perceiver", "timm"], settings: withInput },
  controls: {
    height: { label: "Cells per side", initial: 8, min: 2, max: 32 },
    bands: { label: "Bands P", initial: 8, min: 1, max: 128 },
    resolution: {
      label: "Resolution",
      note: "0: the number of cells per side",
      type: "number",
      initial: 0,
      min: 0,
      max: 4096,
    },
    spacing: {
      label: "Bands",
      option: "bands.spacing",
      words: { linear: "linear steps", log: "logarithmic steps" },
    },
    include: { label: "Input coordinates", words: { input: "first", none: "omitted" } },
    order: {
      label: "What stays together",
      option: "bands.order",
      words: {
        coordinates: "bands of a coordinate (Perceiver)",
        bands: "coordinates of a band (timm)",
      },
      views: ofColumns,
    },
    precision: { label: "Precision", option: "bands.precision", words: ofPrecision },
  },
  pictures: {
    table: {
      title: "Fourier bands",
      row: "cell",
      asks: { from },
      size: ({ height, bands, include }) => ({
        rows: height * height,
        columns: 4 * bands + (include === "input" ? 2 : 0),
      }),
      call: ({ height, bands, resolution, spacing, include, order, precision }, { call }) =>
        call("bands", [height, height], bands, {
          resolution: resolution === 0 ? undefined : resolution,
          spacing,
          includeInput: include === "input",
          order,
          precision,
        }),
      cell(settings, t, d) {
        const { height: n, bands: P, include, order } = settings;
        const first = include === "input" ? 2 : 0;
        const at = [Math.floor(t / n), t % n].map((i) => `(2 × ${i} / ${n - 1} - 1)`);
        if (d < first) return at[d];
        const inWaves = d - first;
        const k = inWaves % (2 * P);
        const wave = inWaves < 2 * P ? "sin" : "cos";
        const [axis, p] =
          order === "coordinates" ? [Math.floor(k / P), k % P] : [k % 2, Math.floor(k / 2)];
        return `${wave}(${at[axis]} × π × ${bandOf(settings, p)})`;
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
    },
  },
};
