/** @import { Part } from "../parts.js" */
/** @import { Values } from "../settings.js" */
import { call, changed, expression, line, name, print } from "../program.js";
import { plain, power } from "../parts.js";
import { choice, list, number, toggle, whole } from "../settings.js";
import { changedOptions, numberOf, precisionOf, valuesOf } from "./options.js";
import { scheme } from "./scheme.js";
import { CLOCK, clockOf, FROM, LINES, only, rotationViews, spectrumOf } from "./views.js";

const title = "Rotary positions";

/** The default where no scaling sets the base. */
const BASE = 10000;

/** Scalings by what they ask for. @param {...string} types */
const scaledBy =
  (...types) =>
  (/** @type {Values} */ { scaling }) =>
    types.includes(scaling);

/** Whether LongRoPE takes its long factors. @param {Values} settings */
const isLong = ({ sequence, originalLength }) => sequence > originalLength;

const notSpectrum = (/** @type {Values} */ _, /** @type {string} */ view) => view !== "spectrum";

/**
 * One number for each pair; a single one applies to all.
 * @param {number[]} numbers @param {number} pairs
 */
function each(numbers, pairs) {
  if (numbers.length !== 1) return numbers;
  return expression(`Array(${pairs}).fill(${numbers[0]})`, () => Array(pairs).fill(numbers[0]));
}

/** The options of a scaling. @param {Values} settings @returns {Record<string, unknown> | undefined} */
function scalingOf(settings) {
  const { scaling: type, factor, originalLength, attentionFactor } = settings;
  const attention = changed({ attentionFactor }, { attentionFactor: 0 });
  switch (type) {
    case "linear":
      return { type, factor };
    case "dynamic":
      return { type, factor, maxLength: originalLength };
    case "ntk":
      return { type, alpha: factor };
    case "yarn": {
      const { betaFast, betaSlow, truncate, mscale, mscaleAllDim } = settings;
      const rest = { betaFast, betaSlow, truncate, mscale, mscaleAllDim };
      const usual = { betaFast: 32, betaSlow: 1, truncate: true, mscale: 0, mscaleAllDim: 0 };
      return { type, factor, originalLength, ...changed(rest, usual), ...attention };
    }
    case "longrope": {
      const pairs = settings.dim / 2;
      const shortFactor = each(settings.shortFactor, pairs);
      const longFactor = each(settings.longFactor, pairs);
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
}

/** @param {Values} settings */
function frequencyOptions(settings) {
  const { base, scaling, sequence, precision, recipe } = settings;
  const steps = precision === "torch" ? recipe : undefined;
  return {
    ...changed({ base }, { base: BASE }),
    ...changedOptions("rope.table", { precision, recipe: steps }),
    scaling: scalingOf(settings),
    length: ["dynamic", "longrope"].includes(scaling) ? sequence : undefined,
  };
}

// --- formulas --------------------------------------------------------------------------------------

/** A pair's frequency without scaling. @param {Values} settings @param {number | string} i @returns {Part[]} */
function unscaled({ base, dim }, i) {
  return ["1 / ", plain(base), power(`2·${i}/${dim}`)];
}

/** The frequency of pair i, as statements that end in that of θ. @param {Values} settings @param {number | string} i @returns {Part[]} */
function theta(settings, i) {
  const { base, dim, scaling, factor, originalLength: L, sequence } = settings;
  const plainly = unscaled(settings, i);
  switch (scaling) {
    case "linear":
      return [...plainly, ` / ${factor}`];
    case "dynamic": {
      const n = Math.max(sequence, L);
      const grown = `(${factor} × ${n} / ${L} − (${factor} − 1))`;
      return [`1 / (${base} × ${grown}`, power(`${dim}/(${dim} − 2)`), ")", power(`2·${i}/${dim}`)];
    }
    case "ntk":
      return [
        `1 / (${base} × ${factor}`,
        power(`${dim}/(${dim} − 2)`),
        ")",
        power(`2·${i}/${dim}`),
      ];
    case "yarn": {
      const turns = (/** @type {number} */ beta) =>
        `${dim} × ln(${L} / (2π × ${beta})) / (2 × ln(${base}))`;
      const { betaFast, betaSlow, truncate } = settings;
      const [low, high] = truncate
        ? [`floor(${turns(betaFast)})`, `ceil(${turns(betaSlow)})`]
        : [turns(betaFast), turns(betaSlow)];
      return [
        `low = max(${low}, 0); high = min(${high}, ${dim} − 1); `,
        `r = min(max((${i} − low) / (high − low), 0), 1); θ = (1 − r + r / ${factor}) × (`,
        ...plainly,
        ")",
      ];
    }
    case "longrope": {
      const list = isLong(settings) ? settings.longFactor : settings.shortFactor;
      return [...plainly, ` / ${list.length === 1 ? list[0] : list[Number(i)]}`];
    }
    case "llama3": {
      const { lowFreqFactor: low, highFreqFactor: high } = settings;
      return [
        "w = ",
        ...plainly,
        `; t = min(max((${L} × w / (2π) − ${low}) / (${high} − ${low}), 0), 1); `,
        `θ = w × ((1 − t) / ${factor} + t)`,
      ];
    }
    case "proportional":
      return Number(i) < Math.floor((settings.partialRotaryFactor * dim) / 2)
        ? [...plainly, ` / ${factor}`]
        : ["beyond the fraction that is rotated; θ = 0"];
    default:
      return plainly;
  }
}

/** What cosines and sines are multiplied by; nothing where it is 1. @param {Values} settings */
function amplitude({
  scaling,
  factor: s,
  originalLength: L,
  attentionFactor,
  mscale,
  mscaleAllDim,
}) {
  if (scaling !== "yarn" && scaling !== "longrope") return "";
  if (attentionFactor !== 0) return `${attentionFactor}`;
  if (s <= 1) return "";
  if (scaling === "longrope") return `√(1 + ln(${s}) / ln(${L}))`;
  const g = (/** @type {number} */ m) => `(0.1 × ${m} × ln(${s}) + 1)`;
  return mscale !== 0 && mscaleAllDim !== 0 ? `${g(mscale)} / ${g(mscaleAllDim)}` : g(1);
}

/** @param {Values} settings @param {number} position @param {number} i @param {"cos" | "sin"} wave @returns {Part[]} */
function cell(settings, position, i, wave) {
  const a = amplitude(settings);
  const before = a === "" ? "" : `${a} × `;
  if (settings.scaling === "none") {
    const { base, dim } = settings;
    return [`${wave}(${position} / `, plain(base), power(`2·${i}/${dim}`), ")"];
  }
  const parts = theta(settings, i);
  const named = ["yarn", "llama3"].includes(settings.scaling) || String(parts[0]).includes("θ = ");
  return [...(named ? [] : ["θ = "]), ...parts, `; ${before}${wave}(${position} × θ)`];
}

/**
 * The product of two rows depends only on their distance.
 * @param {Values} settings @param {number} from @param {number} to @returns {Part[] | undefined}
 */
function alike(settings, from, to) {
  const { dim, rest, scaling } = settings;
  if (!["none", "linear", "ntk", "dynamic"].includes(scaling)) return undefined;
  const before = rest > 0 ? `${rest} + ` : "";
  const distance = String(to - from).replace("-", "−");
  return [
    `${before}sum over i from 0 to ${dim / 2 - 1} of cos(${distance} × `,
    ...theta(settings, "i"),
    ")",
  ];
}

// --- PyTorch ---------------------------------------------------------------------------------------

/** HF's `inv_freq` and `attention_scaling`. @param {Values} settings @returns {string[]} */
function torchFrequencies(settings) {
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
      const { betaFast, betaSlow, truncate } = settings;
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
        `ext_factors = torch.tensor(${print(factors)})`,
        `inv_freq = 1.0 / (ext_factors * base ** (${exponents}))`,
        ...scale,
      ];
    }
    case "llama3": {
      const { lowFreqFactor: low, highFreqFactor: high } = settings;
      return [
        ...first,
        usual,
        "wavelen = 2 * math.pi / inv_freq",
        `smooth = (${L} / wavelen - ${low}) / (${high} - ${low})`,
        `smoothed = (1 - smooth) * inv_freq / ${factor} + smooth * inv_freq`,
        `inv_freq = torch.where(wavelen < ${L} / ${high}, inv_freq,`,
        `                       torch.where(wavelen > ${L} / ${low}, inv_freq / ${factor}, smoothed))`,
        ...scale,
      ];
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
}

/** @param {Values} settings @param {string} positions */
function torchTable(settings, positions) {
  return [
    ...torchFrequencies(settings),
    "",
    `freqs = torch.outer(${positions}.float(), inv_freq)  # float32: far positions lose digits that the exact table keeps`,
    "cos, sin = freqs.cos() * attention_scaling, freqs.sin() * attention_scaling",
  ];
}

/** Lengths that a spectrum is measured by. @param {Values} settings */
function context(settings) {
  const { scaling, originalLength: L, factor, length } = settings;
  if (!scaledBy("dynamic", "yarn", "longrope", "llama3")(settings)) {
    return [{ length, label: `${length} positions` }];
  }
  const longer = scaling === "dynamic" ? settings.sequence : L * factor;
  return [
    { length: L, label: `${L}, trained on` },
    ...(longer > L ? [{ length: longer, label: `${longer}` }] : []),
  ];
}

/** @param {Values} settings @param {string} view */
const hasMscale = (settings, view) =>
  scaledBy("yarn")(settings) && notSpectrum(settings, view) && settings.attentionFactor === 0;

export const rope = scheme({
  name: "rope",
  title,
  words:
    "Queries and keys are rotated pair by pair, each pair at a different speed, so that their dot product depends only on how far apart they are.",
  source: { paper: "Su et al. 2021", url: "https://arxiv.org/abs/2104.09864" },
  lesson: "rope",
  settings: [
    whole("length", "Positions", 64, 1, 2048, { when: (_, view) => view !== "clock" }),
    whole("dim", "Rotated width R", 64, 2, 512, { step: 2 }),
    whole("rest", "Columns not rotated", 0, 0, 512, {
      when: only("heatmap", "waves", "similarity"),
    }),
    numberOf("rope.table", "base", "Base", { initial: BASE, most: 1e12 }),
    choice("layout", "Layout", valuesOf("rope.apply", "layout"), {
      when: only("heatmap", "waves"),
    }),
    choice("scaling", "Context scaling", {
      none: "none",
      linear: "linear (position interpolation)",
      dynamic: "dynamic NTK",
      ntk: "NTK",
      yarn: "YaRN",
      longrope: "LongRoPE",
      llama3: "Llama 3",
      proportional: "proportional",
    }),
    number("factor", "Factor", 8, 1, 4096, { when: ({ scaling }) => scaling !== "none" }),
    whole("originalLength", "Training length", 4096, 2, 16777216, {
      when: scaledBy("dynamic", "yarn", "longrope", "llama3"),
    }),
    whole("sequence", "Length of the sequence", 8192, 1, 16777216, {
      when: scaledBy("dynamic", "longrope"),
    }),
    number("betaFast", "Beta fast (rotations)", 32, 0.01, 1024, { when: scaledBy("yarn") }),
    number("betaSlow", "Beta slow (rotations)", 1, 0.01, 1024, { when: scaledBy("yarn") }),
    toggle("truncate", "Round the pairs at both ends", true, { when: scaledBy("yarn") }),
    number("mscale", "mscale", 0, 0, 16, {
      note: "0: none",
      when: hasMscale,
    }),
    number("mscaleAllDim", "mscale of all dims", 0, 0, 16, {
      note: "0: none",
      when: hasMscale,
    }),
    number("attentionFactor", "Attention factor", 0, 0, 16, {
      note: "0: from the formula",
      when: (settings, view) =>
        scaledBy("yarn", "longrope")(settings) && notSpectrum(settings, view),
    }),
    list("shortFactor", "Short factors", [1], 0.001, 1e6, {
      note: "one for all pairs, or one per pair",
      when: scaledBy("longrope"),
    }),
    list("longFactor", "Long factors", [8], 0.001, 1e6, {
      note: "one for all pairs, or one per pair",
      when: scaledBy("longrope"),
    }),
    number("lowFreqFactor", "Low frequency factor", 1, 0.001, 1024, { when: scaledBy("llama3") }),
    number("highFreqFactor", "High frequency factor", 4, 0.001, 1024, { when: scaledBy("llama3") }),
    number("partialRotaryFactor", "Fraction rotated", 0.25, 0.001, 1, {
      when: scaledBy("proportional"),
    }),
    choice("precision", "Precision", precisionOf("rope.table", "PyTorch\u2019s float32 steps")),
    choice("recipe", "Compute frequencies with", valuesOf("rope.table", "recipe"), {
      when: ({ precision }) => precision === "torch",
    }),
    ...LINES,
    FROM,
    ...CLOCK,
  ],
  best: ({ scaling }) => (scaling === "none" ? undefined : "spectrum"),
  views: {
    ...rotationViews({
      title,
      size: ({ length, dim, rest, layout }) => ({
        rows: length,
        columns: dim + rest,
        turned: dim,
        layout,
      }),
      lines: (settings) => [
        line(
          "table",
          call("rope.table", settings.length, settings.dim, frequencyOptions(settings)),
        ),
      ],
      cell,
      alike,
      torch: (settings) => torchTable(settings, `torch.arange(${settings.length})`),
    }),
    spectrum: spectrumOf({
      title: "Frequencies of the pairs",
      lines(settings) {
        const { dim, base, scaling } = settings;
        const scaled = line("scaled", call("rope.frequencies", dim, frequencyOptions(settings)));
        const frequencies = line("frequencies", name("scaled.frequencies"));
        if (scaling === "none") return [scaled, frequencies];
        const plainly = changed({ base }, { base: BASE });
        return [line("unscaled", call("rope.frequencies", dim, plainly)), scaled, frequencies];
      },
      given: ({ scaling }) =>
        scaling === "none"
          ? undefined
          : [
              { label: "unscaled", frequencies: name("unscaled.frequencies") },
              { label: scaling, frequencies: name("frequencies") },
            ],
      theta,
      context,
      torch: (settings) => [...torchFrequencies(settings), "frequencies = inv_freq"],
    }),
    clock: clockOf({
      title: "Rotated pairs",
      pairs: ({ dim }) => dim / 2,
      lines: (settings) => [
        line(
          "turns",
          call("rope.table", [0, settings.position], settings.dim, frequencyOptions(settings)),
        ),
      ],
      frequencies: (settings) => [
        line("scaled", call("rope.frequencies", settings.dim, frequencyOptions(settings))),
        line("frequencies", name("scaled.frequencies")),
      ],
      hand: (row) => [`turns.cos.at(${row}, i)`, `turns.sin.at(${row}, i)`],
      read: ({ turns }, i, row) => [turns.cos.at(row, i), turns.sin.at(row, i)],
      cell: (settings, pair, wave) => cell(settings, settings.position, pair, wave),
      torch: (settings) => torchTable(settings, `torch.tensor([${settings.position}])`),
    }),
  },
});
