/** @import { About, Compared, Controls, Cost, OfModel, Pictures, Samples, Settings, Split, Tools, Widget } from "../../about.js" */

/** @type {About} */
export const about = {
  group: "rotation",
  title: "Rotary positions",
  words:
    "Queries and keys are rotated pair by pair, each pair at a different speed, so that their dot product depends only on how far apart they are.",
  source: { paper: "Su et al. 2021", url: "https://arxiv.org/abs/2104.09864" },
  lesson: "rope",
  best: ({ scaling }) => (scaling === "none" ? undefined : "spectrum"),
};

/** Six operations a pair, in each head of q and k. @type {Cost} */
export const cost = ({ length: T, rotaryDim: R, heads: H, keyValueHeads: Hk }) => [
  0,
  T * R,
  3 * R * (H + Hk),
];

/** Each row depends on its own position and on the length of the whole. @type {Split} */
export const split = { table: "rows of cos and sin" };

/** @type {Compared} */
export const compared = {
  title: "RoPE",
  on: "queries, keys",
  kind: "relative",
  beyond: ({ rope }, { headDim, trained, length }, { newAngles }) =>
    newAngles(rope.frequencies(headDim).frequencies.data, trained, length),
};

const SCALING = { type: "yarn", factor: 4, originalLength: 64 };

/** @type {Samples} */
export const samples = {
  frequencies: (rope) => rope.frequencies(22, { scaling: SCALING }),
  table: async (rope) => [
    await rope.table(37, 22, { scaling: SCALING }),
    await rope.table([0, 1e6, 123456.5], 22, { base: 500000, precision: "torch" }),
  ],
  apply: async (rope, { numbers }) => [
    await rope.apply(numbers(2, 37, 22), await rope.table(37, 22), { layout: "interleaved" }),
    await rope.apply(numbers(2, 37, 22), await rope.table(37, 18), { layout: "halves", dim: 18 }),
    await rope.apply({ q: numbers(2, 4, 22), k: numbers(4, 22) }, await rope.table(37, 22), {
      positions: [5, 0, 9, 36],
    }),
  ],
  cache: async (rope, { numbers }) => {
    const cache = await rope.cache(18, { layout: "interleaved", capacity: 3 });
    const [q, k] = [numbers(2, 4, 37, 22), numbers(2, 2, 37, 22)];
    const results = [
      cache.dim,
      await cache.apply(q, k, { position: 0, dim: 18 }),
      await cache.apply(k, q, { position: [5, 90], dim: 18 }),
    ];
    results.push(await cache.length());
    await cache.dispose();
    return results;
  },
  convert: (rope, { numbers }) =>
    rope.convert(numbers(53, 22), { from: "halves", to: "interleaved" }),
  toFullWidth: async (rope) => rope.toFullWidth(await rope.table(37, 22)),
  toComplex: async (rope) => rope.toComplex(await rope.table(37, 22)),
  fromFullWidth: (rope) =>
    rope.fromFullWidth({ cos: [[1, 1]], sin: [[0, 0]] }, { layout: "halves" }),
};

/** The settings of a scaling. @param {Settings | undefined} scaling @param {number} [length]  of the model */
const ofScaling = (scaling, length) => {
  if (!scaling) return {};
  const { type, maxLength, alpha, ...rest } = scaling;
  const trained = maxLength ?? rest.originalLength;
  const sequence = Math.max(length ?? 0, 2 * (trained ?? 0));
  return {
    scaling: type,
    ...rest,
    ...(alpha !== undefined && { factor: alpha }),
    ...(trained !== undefined && { originalLength: trained, sequence }),
  };
};

/** @type {OfModel} */
export const ofModel = ({ type, headDim, length, dim, start = 0, layout, options }) => {
  // DeepSeek stores the rotated columns of a head apart from the others, or as the last ones.
  const isApart = type.startsWith("deepseek") || start > 0;
  const rest = isApart ? 0 : Math.max(0, headDim - dim); // some kinds of layers have wider heads
  return { dim, rest, layout, base: options.base, ...ofScaling(options.scaling, length) };
};

/** The default where no scaling sets the base. */
const BASE = 10000;

const ofTable = ["heatmap", "waves", "similarity"];
const notSpectrum = [...ofTable, "clock"];

/** @param {Settings} settings */
const isOfLength = ({ scaling }) => ["dynamic", "yarn", "longrope", "llama3"].includes(scaling);

/** Whether LongRoPE takes its long factors. @param {Settings} settings */
const isLong = ({ sequence, originalLength }) => sequence > originalLength;

/** The base has no constant default, because a scaling may set it. @type {Widget} */
export const widget = {
  family: "rotation",
  controls: { base: ["Base", 10000], layout: ["Layout"] },
  methods: ({ rope }) => [rope.table, rope.apply],
  call: ({ rope }, ...given) => rope.table(...given),
};

/** The hands of one position. @type {Widget} */
export const clock = {
  family: "clock",
  controls: {
    position: ["Position", 5, 0, 512],
    dim: ["Width", 24, 2, 64, 2],
    base: ["Base", 10000],
  },
  call: ({ rope }, ...given) => rope.table(...given),
};

/** @type {Controls} */
export const controls = {
  length: { label: "Positions", initial: 64, min: 1, max: 2048, views: [...ofTable, "spectrum"] },
  dim: { label: "Rotated width R", initial: 64, min: 2, max: 512, step: 2 },
  rest: { label: "Columns not rotated", initial: 0, min: 0, max: 512, views: ofTable },
  base: { label: "Base", option: "table.base", initial: BASE, max: 1e12 },
  layout: { label: "Layout", option: "apply.layout", views: ["heatmap", "waves"] },
  scaling: {
    label: "Context scaling",
    words: {
      none: "none",
      linear: "linear (position interpolation)",
      dynamic: "dynamic NTK",
      ntk: "NTK",
      yarn: "YaRN",
      longrope: "LongRoPE",
      llama3: "Llama 3",
      proportional: "proportional",
    },
  },
  factor: {
    label: "Factor",
    type: "number",
    initial: 8,
    min: 1,
    max: 4096,
    when: ({ scaling }) => scaling !== "none",
  },
  originalLength: {
    label: "Training length",
    initial: 4096,
    min: 2,
    max: 16777216,
    when: isOfLength,
  },
  sequence: {
    label: "Length of the sequence",
    initial: 8192,
    min: 1,
    max: 16777216,
    when: ({ scaling }) => ["dynamic", "longrope"].includes(scaling),
  },
  betaFast: {
    label: "Beta fast (rotations)",
    type: "number",
    initial: 32,
    min: 0.01,
    max: 1024,
    when: ({ scaling }) => scaling === "yarn",
  },
  betaSlow: {
    label: "Beta slow (rotations)",
    type: "number",
    initial: 1,
    min: 0.01,
    max: 1024,
    when: ({ scaling }) => scaling === "yarn",
  },
  ramp: {
    label: "Ramp over",
    words: { index: "pairs, as transformers", turns: "rotations, as the paper" },
    when: ({ scaling }) => scaling === "yarn",
  },
  truncate: {
    label: "Round the pairs at both ends",
    initial: true,
    when: ({ scaling, ramp }) => scaling === "yarn" && ramp === "index",
  },
  mscale: {
    label: "mscale",
    note: "0: none",
    type: "number",
    initial: 0,
    min: 0,
    max: 16,
    views: notSpectrum,
    when: ({ scaling, attentionFactor }) => scaling === "yarn" && attentionFactor === 0,
  },
  mscaleAllDim: {
    label: "mscale of all dims",
    note: "0: none",
    type: "number",
    initial: 0,
    min: 0,
    max: 16,
    views: notSpectrum,
    when: ({ scaling, attentionFactor }) => scaling === "yarn" && attentionFactor === 0,
  },
  attentionFactor: {
    label: "Attention factor",
    note: "0: from the formula",
    type: "number",
    initial: 0,
    min: 0,
    max: 16,
    views: notSpectrum,
    when: ({ scaling }) => ["yarn", "longrope"].includes(scaling),
  },
  shortFactor: {
    label: "Short factors",
    note: "one for all pairs, or one per pair",
    initial: [1],
    min: 0.001,
    max: 1e6,
    when: ({ scaling }) => scaling === "longrope",
  },
  longFactor: {
    label: "Long factors",
    note: "one for all pairs, or one per pair",
    initial: [8],
    min: 0.001,
    max: 1e6,
    when: ({ scaling }) => scaling === "longrope",
  },
  lowFreqFactor: {
    label: "Low frequency factor",
    type: "number",
    initial: 1,
    min: 0.001,
    max: 1024,
    when: ({ scaling }) => scaling === "llama3",
  },
  highFreqFactor: {
    label: "High frequency factor",
    type: "number",
    initial: 4,
    min: 0.001,
    max: 1024,
    when: ({ scaling }) => scaling === "llama3",
  },
  partialRotaryFactor: {
    label: "Fraction rotated",
    type: "number",
    initial: 0.25,
    min: 0.001,
    max: 1,
    when: ({ scaling }) => scaling === "proportional",
  },
  precision: {
    label: "Precision",
    option: "table.precision",
    words: { exact: "exact", torch: "PyTorch\u2019s float32 steps" },
  },
  recipe: {
    label: "Compute frequencies with",
    option: "table.recipe",
    when: ({ precision }) => precision === "torch",
  },
};

/** The options of a scaling. @param {Settings} settings @param {Tools} tools */
const scalingOf = (settings, { changed, expression }) => {
  const { scaling: type, factor, originalLength, attentionFactor, dim } = settings;
  const attention = changed({ attentionFactor }, { attentionFactor: 0 });
  /** One number for each pair; a single one applies to all. @param {number[]} numbers */
  const each = (numbers) => {
    const [first] = numbers;
    if (numbers.length !== 1) return numbers;
    return expression(`Array(${dim / 2}).fill(${first})`, () => Array(dim / 2).fill(first));
  };
  switch (type) {
    case "linear":
      return { type, factor };
    case "dynamic":
      return { type, factor, maxLength: originalLength };
    case "ntk":
      return { type, alpha: factor };
    case "yarn": {
      const { betaFast, betaSlow, ramp, mscale, mscaleAllDim } = settings;
      const truncate = settings.truncate || ramp === "turns"; // which has no such option
      const rest = { betaFast, betaSlow, ramp, truncate, mscale, mscaleAllDim };
      const ends = { betaFast: 32, betaSlow: 1, ramp: "index", truncate: true };
      const usual = { ...ends, mscale: 0, mscaleAllDim: 0 };
      return { type, factor, originalLength, ...changed(rest, usual), ...attention };
    }
    case "longrope": {
      const shortFactor = each(settings.shortFactor);
      const longFactor = each(settings.longFactor);
      return { type, originalLength, factor, ...attention, shortFactor, longFactor };
    }
    case "llama3": {
      const { lowFreqFactor, highFreqFactor } = settings;
      return { type, factor, lowFreqFactor, highFreqFactor, originalLength };
    }
    case "proportional":
      return { type, factor, partialRotaryFactor: settings.partialRotaryFactor };
    default:
      return undefined;
  }
};

/** @param {Settings} settings @param {Tools} tools */
const optionsOf = (settings, tools) => {
  const { base, scaling, sequence, precision, recipe } = settings;
  return {
    base: base === BASE ? undefined : base,
    precision,
    recipe: precision === "torch" ? recipe : undefined,
    scaling: scalingOf(settings, tools),
    length: ["dynamic", "longrope"].includes(scaling) ? sequence : undefined,
  };
};

/**
 * A frequency of Llama 3 or of YaRN over rotations: between those of `low` and `high` rotations, a mixture.
 * @param {string} plainly @param {Settings} settings @param {number} low @param {number} high
 */
const blended = (plainly, { factor, originalLength: L }, low, high) => {
  const ramp = `t = min(max((${L} × w / (2π) - ${low}) / (${high} - ${low}), 0), 1)`;
  return `w = ${plainly}; ${ramp}; θ = w × ((1 - t) / ${factor} + t)`;
};

/** The frequency of pair i, as statements that end in that of θ. @param {Settings} settings @param {number | string} i */
const theta = (settings, i) => {
  const { base, dim, scaling, factor, originalLength: L, sequence } = settings;
  const plainly = `1 / ${base}^(2·${i}/${dim})`;
  switch (scaling) {
    case "linear":
      return `${plainly} / ${factor}`;
    case "dynamic": {
      const grown = `(${factor} × ${Math.max(sequence, L)} / ${L} - (${factor} - 1))`;
      return `1 / (${base} × ${grown}^(${dim}/(${dim} - 2)))^(2·${i}/${dim})`;
    }
    case "ntk":
      return `1 / (${base} × ${factor}^(${dim}/(${dim} - 2)))^(2·${i}/${dim})`;
    case "yarn": {
      const turns = (/** @type {number} */ beta) =>
        `${dim} × ln(${L} / (2π × ${beta})) / (2 × ln(${base}))`;
      const { betaFast, betaSlow, ramp: over, truncate } = settings;
      if (over === "turns") return blended(plainly, settings, betaSlow, betaFast);
      const [low, high] = truncate
        ? [`floor(${turns(betaFast)})`, `ceil(${turns(betaSlow)})`]
        : [turns(betaFast), turns(betaSlow)];
      const ramp = `r = min(max((${i} - low) / (high - low), 0), 1)`;
      return `low = max(${low}, 0); high = min(${high}, ${dim} - 1); ${ramp}; θ = (1 - r + r / ${factor}) × (${plainly})`;
    }
    case "longrope": {
      const list = isLong(settings) ? settings.longFactor : settings.shortFactor;
      return `${plainly} / ${list.length === 1 ? list[0] : list[Number(i)]}`;
    }
    case "llama3": {
      const { lowFreqFactor: low, highFreqFactor: high } = settings;
      return blended(plainly, settings, low, high);
    }
    case "proportional":
      return Number(i) < Math.floor((settings.partialRotaryFactor * dim) / 2)
        ? `${plainly} / ${factor}`
        : "beyond the fraction that is rotated; θ = 0";
    default:
      return plainly;
  }
};

/** What cosines and sines are multiplied by; nothing where it is 1. @param {Settings} settings */
const amplitude = (settings) => {
  const { scaling, factor: s, originalLength: L, attentionFactor, mscale, mscaleAllDim } = settings;
  if (scaling !== "yarn" && scaling !== "longrope") return "";
  if (attentionFactor !== 0) return `${attentionFactor}`;
  if (s <= 1) return "";
  if (scaling === "longrope") return `√(1 + ln(${s}) / ln(${L}))`;
  const g = (/** @type {number} */ m) => `(0.1 × ${m} × ln(${s}) + 1)`;
  return mscale !== 0 && mscaleAllDim !== 0 ? `${g(mscale)} / ${g(mscaleAllDim)}` : g(1);
};

/** @param {Settings} settings @param {number} position @param {number} i @param {"cos" | "sin"} wave */
const cell = (settings, position, i, wave) => {
  const { base, dim, scaling } = settings;
  if (scaling === "none") return `${wave}(${position} / ${base}^(2·${i}/${dim}))`;
  const a = amplitude(settings);
  const frequency = theta(settings, i);
  const named = frequency.includes("θ = ") ? frequency : `θ = ${frequency}`;
  return `${named}; ${a === "" ? "" : `${a} × `}${wave}(${position} × θ)`;
};

/** HF's `inv_freq` of Llama 3, and of YaRN over rotations. @param {Settings} settings @param {number} low @param {number} high */
const smoothed = ({ factor, originalLength: L }, low, high) => [
  "wavelen = 2 * math.pi / inv_freq",
  `smooth = (${L} / wavelen - ${low}) / (${high} - ${low})`,
  `smoothed = (1 - smooth) * inv_freq / ${factor} + smooth * inv_freq`,
  `inv_freq = torch.where(wavelen < ${L} / ${high}, inv_freq,`,
  `                       torch.where(wavelen > ${L} / ${low}, inv_freq / ${factor}, smoothed))`,
];

/** HF's `inv_freq` and `attention_scaling`. @param {Settings} settings @returns {string[]} */
const torchFrequencies = (settings) => {
  const { base, dim, scaling, factor, originalLength: L, sequence, recipe, precision } = settings;
  const exponents = "torch.arange(0, dim, 2).float() / dim";
  const first = ["import math", "import torch", "", `dim, base = ${dim}, ${base}`];
  const usual =
    precision === "torch" && recipe === "exp"
      ? "inv_freq = torch.exp(torch.arange(0, dim, 2).float() * (-math.log(base) / dim))"
      : `inv_freq = 1.0 / base ** (${exponents})`;
  const attention = amplitude(settings)
    .replaceAll("×", "*")
    .replaceAll("√", "math.sqrt")
    .replaceAll("ln(", "math.log(");
  const scale = [`attention_scaling = ${attention || "1.0"}`];
  switch (scaling) {
    case "linear":
      return [...first, usual, `inv_freq = inv_freq / ${factor}`, ...scale];
    case "dynamic":
      return [
        ...first,
        `seq_len = max(${sequence}, ${L})`,
        `base = base * (${factor} * seq_len / ${L} - (${factor} - 1)) ** (dim / (dim - 2))`,
        usual,
        ...scale,
      ];
    case "ntk":
      return [...first, `base = base * ${factor} ** (dim / (dim - 2))`, usual, ...scale];
    case "yarn": {
      const { betaFast, betaSlow, ramp, truncate } = settings;
      if (ramp === "turns")
        return [...first, usual, ...smoothed(settings, betaSlow, betaFast), ...scale];
      return [
        ...first,
        "",
        "def correction(turns):",
        `    return dim * math.log(${L} / (turns * 2 * math.pi)) / (2 * math.log(base))`,
        "",
        `low, high = correction(${betaFast}), correction(${betaSlow})`,
        ...(truncate ? ["low, high = math.floor(low), math.ceil(high)"] : []),
        "low, high = max(low, 0), min(high, dim - 1)",
        "high += 0.001 if low == high else 0",
        "ramp = ((torch.arange(dim // 2).float() - low) / (high - low)).clamp(0, 1)",
        `pos_freqs = base ** (${exponents})`,
        `inv_freq = 1.0 / (${factor} * pos_freqs) * ramp + 1.0 / pos_freqs * (1 - ramp)`,
        ...scale,
      ];
    }
    case "longrope": {
      const factors = isLong(settings) ? settings.longFactor : settings.shortFactor;
      return [
        ...first,
        `ext_factors = torch.tensor([${factors.join(", ")}])`,
        `inv_freq = 1.0 / (ext_factors * base ** (${exponents}))`,
        ...scale,
      ];
    }
    case "llama3": {
      const { lowFreqFactor: low, highFreqFactor: high } = settings;
      return [...first, usual, ...smoothed(settings, low, high), ...scale];
    }
    case "proportional": {
      const { partialRotaryFactor } = settings;
      return [
        ...first,
        usual,
        `inv_freq = inv_freq / ${factor}`,
        `inv_freq[int(${partialRotaryFactor} * dim // 2) :] = 0`,
        ...scale,
      ];
    }
    default:
      return [...first, usual, ...scale];
  }
};

/** @param {Settings} settings @param {string} positions */
const torchTable = (settings, positions) => [
  ...torchFrequencies(settings),
  "",
  `freqs = torch.outer(${positions}.float(), inv_freq)  # float32: far positions lose digits that the exact table keeps`,
  "cos, sin = freqs.cos() * attention_scaling, freqs.sin() * attention_scaling",
];

/** @param {Settings} settings @param {Tools} tools */
const frequencies = (settings, tools) => ({
  scaled: tools.call("frequencies", settings.dim, optionsOf(settings, tools)),
  frequencies: tools.name("scaled.frequencies"),
});

/** @type {Pictures} */
export const pictures = {
  rotation: {
    size: ({ length, dim, rest, layout }) => ({
      rows: length,
      columns: dim + rest,
      turned: dim,
      layout,
    }),
    call: (settings, tools) =>
      tools.call("table", settings.length, settings.dim, optionsOf(settings, tools)),
    cell,
    // The product of two rows goes by their distance alone.
    alike(settings, from, to) {
      const { dim, rest, scaling } = settings;
      if (!["none", "linear", "ntk", "dynamic"].includes(scaling)) return undefined;
      const before = rest > 0 ? `${rest} + ` : "";
      return `${before}sum over i from 0 to ${dim / 2 - 1} of cos(${to - from} × ${theta(settings, "i")})`;
    },
    torch: (settings) => torchTable(settings, `torch.arange(${settings.length})`),
  },

  spectrum: {
    title: "Frequencies of the pairs",
    lines(settings, tools) {
      const { dim, base, scaling } = settings;
      const plainly = { base: base === BASE ? undefined : base };
      return {
        ...(scaling !== "none" && { unscaled: tools.call("frequencies", dim, plainly) }),
        ...frequencies(settings, tools),
      };
    },
    given: ({ scaling }, { name }) =>
      scaling === "none"
        ? undefined
        : [
            { label: "unscaled", frequencies: name("unscaled.frequencies") },
            { label: scaling, frequencies: name("frequencies") },
          ],
    theta,
    context(settings) {
      const { scaling, originalLength: L, factor, length, sequence } = settings;
      if (!isOfLength(settings)) return [{ length, label: `${length} positions` }];
      const longer = scaling === "dynamic" ? sequence : L * factor;
      return [
        { length: L, label: `${L}, trained on` },
        ...(longer > L ? [{ length: longer, label: `${longer}` }] : []),
      ];
    },
    torch: (settings) => [...torchFrequencies(settings), "frequencies = inv_freq"],
  },

  clock: {
    title: "Rotated pairs",
    pairs: ({ dim }) => dim / 2,
    lines: (settings, tools) => ({
      turns: tools.call("table", [0, settings.position], settings.dim, optionsOf(settings, tools)),
    }),
    frequencies,
    cell,
    torch: (settings) => torchTable(settings, `torch.tensor([${settings.position}])`),
  },
};
