/** @import { About, Controls, Pictures, Samples, Settings, Widget } from "../../about.js" */

/** @type {About} */
export const about = {
  group: "bias",
  title: "FIRE",
  words: "A small network of the distance, relative to the query\u2019s position; here untrained.",
  source: { paper: "Li et al. 2023", url: "https://arxiv.org/abs/2310.04418" },
};

/** @type {Samples} */
export const samples = {
  bias: async (fire) => fire.bias(await fire.weights(3), 37),
  weights: (fire) => fire.weights(3, { seed: 5 }),
};

/** Weights are random, as before training, unless passed. @type {Widget} */
export const widget = {
  family: "bias",
  controls: { seed: ["Seed", undefined, 0, 99] },
  methods: ({ fire }) => [fire.weights],
  call: ({ fire }, heads, length, { seed, weights = fire.weights(heads, { seed }), ...rest }) =>
    fire.bias(weights, length, rest),
};

/** @type {Controls} */
export const controls = {
  heads: { label: "Heads", initial: 8, min: 1, max: 32 },
  length: { label: "Tokens", initial: 48, min: 2, max: 512 },
  c: { label: "c of the logarithm", option: "bias.c", min: 0.0001, max: 1000 },
  threshold: { label: "Threshold L", option: "bias.threshold", max: 1e6 },
  hidden: { label: "Hidden units", option: "weights.hidden", max: 256 },
  seed: { label: "Seed", initial: 0, min: 0, max: 4294967000 },
  form: { label: "Form", words: { causal: "causal", symmetric: "symmetric" } },
};

/** The network begins as PyTorch's Linear layers do: uniform within these bounds. @param {Settings} settings */
const layersOf = ({ heads, hidden, seed }) => {
  const bound = 1 / Math.sqrt(hidden);
  return [
    { name: "w1", rows: hidden, columns: 1, bound: 1, seed },
    { name: "b1", rows: hidden, columns: 1, bound: 1, seed: seed + 1 },
    { name: "w2", rows: heads, columns: hidden, bound, seed: seed + 2 },
    { name: "b2", rows: heads, columns: 1, bound, seed: seed + 3 },
  ];
};

/** @type {Pictures} */
export const pictures = {
  bias: {
    lines(settings, { call, callInFull, name, expression }) {
      const { length, c, threshold, form } = settings;
      const drawn = layersOf(settings).flatMap(({ name, rows, columns, bound, seed }) => {
        const table = `${name}Table`;
        const options = { init: "uniform", low: -bound, high: bound, seed, generator: "torch" };
        const flat = expression(`${table}.weights().data`, (of) => of[table].weights().data);
        return [
          [table, callInFull("embedding.create", rows, columns, options)],
          [name, columns === 1 ? flat : call(`${table}.weights`)],
        ];
      });
      const weights = { w1: name("w1"), b1: name("b1"), w2: name("w2"), b2: name("b2") };
      const options = { c, threshold, causal: form === "causal" };
      return { ...Object.fromEntries(drawn), bias: call("bias", weights, length, options) };
    },

    cell: ({ c, threshold }, h, i, j) =>
      `x = ln(1 + ${c} × |${i} - ${j}|) / (ln(1 + ${c} × max(${i}, ${threshold})) + 0.000001); network(x)[${h}]`,

    torch: (settings) => [
      "import torch",
      "",
      `length = ${settings.length}`,
      "i, j = torch.arange(length).view(-1, 1), torch.arange(length).view(1, -1)",
      "distance = (i - j).abs().float()",
      `c, threshold = ${settings.c}, ${settings.threshold}`,
      "x = torch.log(1 + c * distance) / (torch.log(1 + c * i.clamp(min=threshold)) + 1e-6)",
      "",
      ...layersOf(settings).flatMap(({ name, rows, columns, bound, seed }) => [
        `torch.manual_seed(${seed})`,
        `${name} = torch.empty(${rows}${columns === 1 ? "" : `, ${columns}`}).uniform_(${-bound}, ${bound})`,
      ]),
      "bias = (torch.relu(x.unsqueeze(-1) * w1 + b1) @ w2.T + b2).permute(2, 0, 1)",
      ...(settings.form === "causal" ? ["bias = bias.masked_fill(j > i, float('-inf'))"] : []),
    ],
  },
};
