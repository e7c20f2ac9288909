/** @import { About, Compared, Controls, Cost, OfModel, Pictures, Presets, Samples, Settings } from "../../about.js" */

/** @type {About} */
export const about = {
  group: "bias",
  title: "ALiBi",
  words:
    "Each head subtracts its slope times the distance from the attention logits. Nothing is added to the input.",
  source: { paper: "Press, Smith, Lewis 2022", url: "https://arxiv.org/abs/2108.12409" },
  lesson: "alibi",
  best: () => "bias",
};

/** A product and a sum for each head and key. @type {Cost} */
export const cost = ({ length: T, heads: H }) => [0, H, 2 * H * T];

/** @type {Compared} */
export const compared = {
  on: "scores",
  kind: "relative",
  beyond(phasor, { heads, trained, length }, { short }) {
    const weakest = Math.min(...Array.from(phasor.alibi.slopes(heads).data, Number));
    const [was, is] = [trained - 1, length - 1].map((distance) => -weakest * distance);
    return {
      isNew: is < was,
      words: `the farthest token's score is lowered by ${short(-is)} instead of ${short(-was)} in the head with the smallest slope`,
    };
  },
};

/** @type {Samples} */
export const samples = {
  slopes: (alibi) => alibi.slopes(12),
  bias: (alibi) => alibi.bias(3, 37),
  keyBias: (alibi) => alibi.keyBias(3, 37, { dtype: "bfloat16" }),
};

/** @type {Presets} */
export const presets = {
  settings: ({ zero, ...rest }) => ({ ...rest, ...(zero && { form: zero }) }),
};

/** @type {OfModel} */
export const ofModel = ({ type, heads, options }) => ({
  heads,
  form: type === "mpt" ? "last" : "first",
  dtype: "float32",
  biasMax: options.biasMax,
});

/** Whether a form is of the keys alone. @param {Settings} settings */
const ofKeys = ({ form }) => form === "first" || form === "last";

/** @type {Controls} */
export const controls = {
  heads: { label: "Heads", initial: 8, min: 1, max: 128 },
  length: { label: "Tokens", initial: 32, min: 2, max: 512 },
  form: {
    label: "Form",
    option: ["bias.form", "keyBias.zero"],
    words: {
      causal: "causal, −slope × distance",
      symmetric: "symmetric, −slope × |distance|",
      linear: "linear, positive for later keys",
      press: "slope × key, causal (Press\u2019s code)",
      first: "keys only, 0 at the first (BLOOM, Falcon)",
      last: "keys only, 0 at the last (MPT)",
    },
  },
  biasMax: { label: "Largest exponent", option: "slopes.biasMax", min: 0.001 },
  dtype: { label: "Rounded to", option: "keyBias.dtype", when: ofKeys },
};

/** A head's slope. @param {Settings} settings @param {number} h */
const slope = ({ heads, biasMax }, h) => {
  const m = 2 ** (31 - Math.clz32(heads));
  return h < m
    ? `2^(-${biasMax}·(${h} + 1)/${m})`
    : `2^(-${biasMax}·(2·(${h} - ${m}) + 1)/(2·${m}))`;
};

/** @type {Pictures} */
export const pictures = {
  bias: {
    size: (settings) => ({
      heads: settings.heads,
      queries: ofKeys(settings) ? 1 : settings.length,
      keys: settings.length,
    }),

    call: ({ heads, length, form, biasMax, dtype }, { call }) =>
      ofKeys({ form })
        ? call("keyBias", heads, length, { zero: form, dtype, biasMax })
        : call("bias", heads, length, { form, biasMax }),

    cell(settings, h, i, j) {
      const { form, length, dtype } = settings;
      const m = slope(settings, h);
      if (form === "symmetric") return `-${m} × |${i} - ${j}|`;
      if (form === "linear" || form === "causal") return `-${m} × (${i} - ${j})`;
      const key = form === "last" ? j - (length - 1) : j;
      const kept = ofKeys(settings) && dtype !== "float32";
      return `${m} × ${key < 0 ? `(${key})` : key}${kept ? `, each step rounded to ${dtype}` : ""}`;
    },

    torch({ heads, length, form, biasMax, dtype }) {
      const rows = {
        symmetric: "bias = -slopes * (i - j).abs()",
        linear: "bias = -slopes * (i - j)",
        causal: "bias = (-slopes * (i - j)).masked_fill(j > i, float('-inf'))",
        press: "bias = (slopes * j).expand(-1, length, -1).masked_fill(j > i, float('-inf'))",
        first: "bias = slopes * j",
        last: "bias = slopes * (j - (length - 1))",
      };
      const kept = ofKeys({ form }) && dtype !== "float32";
      return [
        "import math",
        "import torch",
        "",
        "def get_slopes(n):  # as in Press\u2019s code",
        "    m = 2 ** math.floor(math.log2(n))",
        `    slopes = [2 ** (-${biasMax} * (h + 1) / m) for h in range(m)]`,
        `    return slopes + [2 ** (-${biasMax} * (2 * h + 1) / (2 * m)) for h in range(n - m)]`,
        "",
        `length = ${length}`,
        `slopes = torch.tensor(get_slopes(${heads})).view(-1, 1, 1)`,
        ...(kept ? [`slopes = slopes.to(torch.${dtype})`] : []),
        `i, j = torch.arange(length).view(-1, 1), torch.arange(length).view(1, -1)${kept ? `.to(torch.${dtype})` : ""}`,
        rows[/** @type {"causal"} */ (form)],
        ...(kept ? ["bias = bias.float()"] : []),
      ];
    },
  },
};
