/** @import { About, Controls, OfModel, Pictures, Presets, Samples, Settings, Tools } from "../../about.js" */

/** @type {About} */
export const about = {
  group: "rotation",
  title: "M-RoPE",
  words:
    "RoPE for text and images: every pair rotates with a token\u2019s time, height or width. In text all three are equal.",
  source: { paper: "Wang et al. 2024", url: "https://arxiv.org/abs/2409.12191" },
};

/** @type {Samples} */
export const samples = {
  axes: (mrope) => mrope.axes(24, { sections: [4, 4, 4] }),
  table: (mrope, { ids }) => mrope.table(ids(50, 3, 37), 24, { sections: [4, 4, 4] }),
};

/** @type {Presets} */
export const presets = {};

/** @type {OfModel} */
export const ofModel = ({ dim, options, multimodal }) => ({
  dim,
  base: options.base,
  ...multimodal,
});

const notSpectrum = ["heatmap", "waves", "similarity", "clock"];

/** @type {Controls} */
export const controls = {
  text: { label: "Text tokens before", initial: 8, min: 0, max: 512, views: notSpectrum },
  frames: { label: "Frames", initial: 1, min: 1, max: 16, views: notSpectrum },
  height: { label: "Rows of a frame", initial: 6, min: 1, max: 32, views: notSpectrum },
  width: { label: "Columns of a frame", initial: 8, min: 1, max: 32, views: notSpectrum },
  after: { label: "Text tokens after", initial: 8, min: 0, max: 512, views: notSpectrum },
  dim: { label: "Rotated width R", initial: 128, min: 6, max: 512, step: 2 },
  sections: {
    label: "Pairs of time, height, width",
    note: "their sum is R / 2",
    initial: [16, 24, 24],
    min: 1,
    max: 256,
  },
  arrangement: {
    label: "Arrangement",
    option: "table.arrangement",
    words: {
      chunked: "in chunks (Qwen2-VL)",
      interleaved: "interleaved (Qwen3-VL)",
      alternating: "alternating (ERNIE 4.5 VL)",
    },
  },
  base: { label: "Base", option: "table.base", initial: 1000000, max: 1e12 },
  layout: { label: "Layout", option: "rope.apply.layout", views: ["heatmap", "waves"] },
  precision: {
    label: "Precision",
    option: "table.precision",
    words: { exact: "exact", torch: "PyTorch\u2019s float32 steps" },
    views: notSpectrum,
  },
  recipe: {
    label: "Compute frequencies with",
    option: "table.recipe",
    views: notSpectrum,
    when: ({ precision }) => precision === "torch",
  },
};

const AXES = ["time", "height", "width"];

/** @param {Settings} settings */
const tokens = ({ text, frames, height, width, after }) => text + frames * height * width + after;

/** A token, clamped to the text. @param {Settings} settings */
const tokenOf = (settings) => Math.min(settings.position, tokens(settings) - 1);

/** The position of a token in time, height and width. @param {Settings} settings @param {number} t */
const place = ({ text, frames, height, width }, t) => {
  const image = frames * height * width;
  if (t < text) return [t, t, t];
  if (t < text + image) {
    const k = t - text;
    const inFrame = k % (height * width);
    return [
      text + Math.floor(k / (height * width)),
      text + Math.floor(inFrame / width),
      text + (inFrame % width),
    ];
  }
  const at = text + (image === 0 ? 0 : Math.max(frames, height, width)) + t - text - image;
  return [at, at, at];
};

/** Which axis pair i turns with. @param {Settings} settings @param {number} i */
const axisOf = ({ sections, arrangement }, i) => {
  if (arrangement === "interleaved") return i < 3 * sections[i % 3] ? i % 3 : 0;
  if (arrangement === "alternating") return i < 2 * sections[1] ? 1 + (i % 2) : 0;
  if (i < sections[0]) return 0;
  return i < sections[0] + sections[1] ? 1 : 2;
};

/** @param {Settings} settings @param {Tools} tools */
const lines = (settings, { call, name }) => {
  const { text, frames, height, width, after, dim } = settings;
  const { sections, base, arrangement, precision, recipe } = settings;
  const steps = precision === "torch" ? recipe : undefined;
  const options = { sections, base, arrangement, precision, recipe: steps };
  const segments = [{ text }, { grid: [frames, height, width] }, { text: after }];
  return {
    tokens: call("positionIds.multimodal", segments),
    table: call("table", name("tokens.positions"), dim, options),
  };
};

/** @param {Settings} settings @param {number} t @param {number} i @param {"cos" | "sin"} wave */
const cell = (settings, t, i, wave) => {
  const axis = axisOf(settings, i);
  const at = place(settings, t)[axis];
  return `by ${AXES[axis]}; ${wave}(${at} / ${settings.base}^(2·${i}/${settings.dim}))`;
};

/** The lines that give each frequency its axis. @param {Settings} settings */
const mixed = ({ arrangement, sections: [time, height, width] }) => {
  if (arrangement === "chunked") {
    const sizes = `[${time}, ${height}, ${width}]`;
    return [
      `freqs = torch.cat([part[axis] for axis, part in enumerate(freqs.split(${sizes}, dim=-1))], dim=-1)`,
    ];
  }
  const [end, step] = arrangement === "interleaved" ? ["3 * section", "3"] : ["2 * section", "2"];
  const first = arrangement === "interleaved" ? "axis" : "axis - 1";
  return [
    "mixed = freqs[0].clone()",
    `for axis, section in ((1, ${height}), (2, ${width})):`,
    `    mixed[:, ${first} : ${end} : ${step}] = freqs[axis, :, ${first} : ${end} : ${step}]`,
    "freqs = mixed",
  ];
};

/** @param {Settings} settings */
const torch = (settings) => {
  const { text, frames, height, width, after, dim, base } = settings;
  const longest = Math.max(frames, height, width);
  return [
    "import torch",
    "",
    `text, (t, h, w), after = ${text}, (${frames}, ${height}, ${width}), ${after}`,
    "image = torch.stack(torch.meshgrid(torch.arange(t), torch.arange(h), torch.arange(w), indexing='ij')).flatten(1)",
    "before = torch.arange(text).expand(3, -1)",
    `behind = (torch.arange(after) + text + ${longest}).expand(3, -1)`,
    "positions = torch.cat((before, image + text, behind), dim=1)  # [3, T]: time, height, width",
    `inv_freq = 1.0 / ${base} ** (torch.arange(0, ${dim}, 2).float() / ${dim})`,
    "freqs = positions.unsqueeze(-1).float() * inv_freq",
    ...mixed(settings),
    "cos, sin = freqs.cos(), freqs.sin()",
  ];
};

/** @type {Pictures} */
export const pictures = {
  rotation: {
    row: "token",
    asks: { from: { label: "Compared with token" } },
    size: (settings) => ({
      rows: tokens(settings),
      columns: settings.dim,
      turned: settings.dim,
      layout: settings.layout,
    }),
    lines,
    cell,
    torch,
  },

  spectrum: {
    title: "Frequencies by axis",
    lines({ dim, base, sections, arrangement }, { call, name, expression }) {
      const ofAxis = (/** @type {string} */ as, /** @type {number} */ axis) => [
        as,
        expression(`frequencies.data.filter((_, i) => axes.at(i) === ${axis})`, (scope) =>
          scope.frequencies.data.filter(
            (/** @type {number} */ _, /** @type {number} */ i) => scope.axes.at(i) === axis,
          ),
        ),
      ];
      return {
        all: call("rope.frequencies", dim, { base }),
        axes: call("axes", dim, { sections, arrangement }),
        frequencies: name("all.frequencies"),
        ...Object.fromEntries(AXES.map(ofAxis)),
      };
    },
    given: (_, { name }) => AXES.map((label) => ({ label, frequencies: name(label) })),
    theta: (settings, i) =>
      `by ${AXES[axisOf(settings, i)]}; 1 / ${settings.base}^(2·${i}/${settings.dim})`,
    context: () => [],
    torch: ({ dim, base }) => [
      "import torch",
      "",
      `frequencies = 1.0 / ${base} ** (torch.arange(0, ${dim}, 2).float() / ${dim})`,
    ],
  },

  clock: {
    title: "Pairs of a token",
    row: "token",
    at: tokenOf,
    asks: { position: { label: "Token", initial: 12 } },
    pairs: ({ dim }) => dim / 2,
    lines(settings, tools) {
      const { tokens, table: turns } = lines(settings, tools);
      return { tokens, turns };
    },
    cell,
    torch,
  },
};
