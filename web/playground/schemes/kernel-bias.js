/** @import { Values } from "../settings.js" */
import { call, line, name } from "../program.js";
import { power } from "../parts.js";
import { choice, whole } from "../settings.js";
import { changedOptions, labelsOf, numberOf, wholeOf } from "./options.js";
import { scheme } from "./scheme.js";
import { biasViews, QUERY } from "./views.js";

const FORM = choice("form", "Form", { causal: "causal", symmetric: "symmetric" });
const LENGTH = whole("length", "Tokens", 48, 2, 512);

const size = (/** @type {Values} */ { heads, length }) => ({
  heads,
  queries: length,
  keys: length,
});

/** @param {Values} settings */
const form = ({ form }) => changedOptions("kerple.bias", { causal: form === "causal" });

/** Distances |i - j|, and what hides keys ahead. @param {Values} settings */
const torchDistance = ({ length }) => [
  "import torch",
  "",
  `length = ${length}`,
  "i, j = torch.arange(length).view(-1, 1), torch.arange(length).view(1, -1)",
  "distance = (i - j).abs().float()",
];

/** @param {Values} settings */
const torchHidden = ({ form }) =>
  form === "causal" ? ["bias = bias.masked_fill(j > i, float('-inf'))"] : [];

// --- KERPLE ----------------------------------------------------------------------------------------

export const kerple = scheme({
  name: "kerple",
  title: "KERPLE",
  words:
    "A kernel of the distance with two learned parameters per head; here all heads have the same.",
  source: { paper: "Chi et al. 2022", url: "https://arxiv.org/abs/2205.09921" },
  settings: [
    whole("heads", "Heads", 1, 1, 16),
    LENGTH,
    choice(
      "kernel",
      "Kernel",
      labelsOf("kerple.bias", "kernel", {
        log: "−p ln(1 + a |i − j|)",
        power: "−a |i − j|^p",
        weight: "e^(−a |i − j|^p), a factor",
      }),
    ),
    numberOf("kerple.bias", "a", "a"),
    numberOf("kerple.bias", "p", "p"),
    FORM,
    QUERY,
  ],
  views: biasViews({
    title: "KERPLE",
    size,
    lines(settings) {
      const { heads, length, kernel, a, p } = settings;
      const options = { ...changedOptions("kerple.bias", { kernel, a, p }), ...form(settings) };
      return [line("bias", call("kerple.bias", heads, length, options))];
    },
    cell({ kernel, a, p, form }, h, i, j) {
      if (kernel === "log") return [`−${p} × ln(1 + ${a} × |${i} − ${j}|)`];
      if (kernel === "power") return [`−${a} × |${i} − ${j}|`, power(p)];
      if (form === "causal" && j > i) return ["the bias hides a key ahead, the factor is 1"];
      return ["e", power(`−${a} × |${i} − ${j}|^(${p})`)];
    },
    torch(settings) {
      const { heads, kernel, a, p } = settings;
      const of = {
        log: `-${p} * torch.log(1 + ${a} * distance)`,
        power: `-${a} * distance ** ${p}`,
        weight: `torch.exp(-${a} * distance ** ${p})`,
      };
      const hidden =
        kernel === "weight" && settings.form === "causal"
          ? ["bias = bias.masked_fill(j > i, 1.0)"]
          : torchHidden(settings);
      return [
        ...torchDistance(settings),
        `bias = (${of[/** @type {"log"} */ (kernel)]}).expand(${heads}, length, length)`,
        ...hidden,
      ];
    },
  }),
});

// --- Sandwich --------------------------------------------------------------------------------------

export const sandwich = scheme({
  name: "sandwich",
  title: "Sandwich",
  words:
    "The dot product of two sinusoidal encodings as a bias, scaled differently in each head. It has no parameters.",
  source: { paper: "Chi et al. 2022", url: "https://arxiv.org/abs/2212.10356" },
  settings: [
    whole("heads", "Heads", 8, 1, 64),
    LENGTH,
    wholeOf("sandwich.bias", "dim", "Width D", { most: 1024, step: 2 }),
    numberOf("sandwich.bias", "base", "Base", { most: 1e9 }),
    FORM,
    QUERY,
  ],
  views: biasViews({
    title: "Sandwich",
    size,
    lines(settings) {
      const { heads, length, dim, base } = settings;
      const options = { ...changedOptions("sandwich.bias", { dim, base }), ...form(settings) };
      return [line("bias", call("sandwich.bias", heads, length, options))];
    },
    cell: ({ dim, base, heads }, h, i, j) => [
      `s = sum over k from 1 to ${dim / 2} of cos(|${i} − ${j}| × ${base}`,
      power(`−2·k/${dim}`),
      `); (s − ${dim / 2}) / (8 × (${h} + 1) / ${heads})`,
    ],
    torch: (settings) => [
      ...torchDistance(settings),
      `heads, dim = ${settings.heads}, ${settings.dim}`,
      `inv_freq = ${settings.base} ** (-torch.arange(2.0, dim + 1, 2.0) / dim)`,
      "inner = (distance.unsqueeze(-1) * inv_freq).cos().sum(-1) - dim // 2",
      "bias = inner / (8 * torch.arange(1, heads + 1) / heads).view(-1, 1, 1)",
      ...torchHidden(settings),
    ],
  }),
});

// --- FIRE ------------------------------------------------------------------------------------------

/** FIRE's network begins as PyTorch's Linear layers do: uniform within these bounds. @param {Values} settings */
function layers({ heads, hidden, seed }) {
  const bound = 1 / Math.sqrt(hidden);
  /** @type {[name: string, rows: number, columns: number, bound: number][]} */
  const sizes = [
    ["w1", hidden, 1, 1],
    ["b1", hidden, 1, 1],
    ["w2", heads, hidden, bound],
    ["b2", heads, 1, bound],
  ];
  return sizes.map(([name, rows, columns, bound], k) => ({
    name,
    rows,
    columns,
    bound,
    seed: seed + k,
  }));
}

export const fire = scheme({
  name: "fire",
  title: "FIRE",
  words: "A small network of the distance, relative to the query\u2019s position; here untrained.",
  source: { paper: "Li et al. 2023", url: "https://arxiv.org/abs/2310.04418" },
  settings: [
    whole("heads", "Heads", 8, 1, 32),
    LENGTH,
    numberOf("fire.bias", "c", "c of the logarithm", { least: 0.0001, most: 1000 }),
    numberOf("fire.bias", "threshold", "Threshold L", { most: 1e6 }),
    wholeOf("fire.weights", "hidden", "Hidden units", { most: 256 }),
    whole("seed", "Seed", 0, 0, 4294967000),
    FORM,
    QUERY,
  ],
  views: biasViews({
    title: "FIRE",
    size,
    lines(settings) {
      const { length, c, threshold } = settings;
      const drawn = layers(settings).flatMap(({ name, rows, columns, bound, seed }) => {
        const options = { init: "uniform", low: -bound, high: bound, seed, generator: "torch" };
        const flat = {
          text: `${name}Table.weights().data`,
          value: (/** @type {any} */ scope) => scope[`${name}Table`].weights().data,
        };
        const made = [line(`${name}Table`, call("embedding.create", rows, columns, options))];
        return [...made, line(name, columns === 1 ? flat : call(`${name}Table.weights`))];
      });
      const weights = { w1: name("w1"), b1: name("b1"), w2: name("w2"), b2: name("b2") };
      const options = { ...changedOptions("fire.bias", { c, threshold }), ...form(settings) };
      return [...drawn, line("bias", call("fire.bias", weights, length, options))];
    },
    cell: ({ c, threshold }, h, i, j) => [
      `x = ln(1 + ${c} × |${i} − ${j}|) / (ln(1 + ${c} × max(${i}, ${threshold})) + 0.000001); network(x)[${h}]`,
    ],
    torch: (settings) => [
      ...torchDistance(settings),
      `c, threshold = ${settings.c}, ${settings.threshold}`,
      "x = torch.log(1 + c * distance) / (torch.log(1 + c * i.clamp(min=threshold)) + 1e-6)",
      "",
      ...layers(settings).flatMap(({ name, rows, columns, bound, seed }) => [
        `torch.manual_seed(${seed})`,
        `${name} = torch.empty(${rows}${columns === 1 ? "" : `, ${columns}`}).uniform_(${-bound}, ${bound})`,
      ]),
      "bias = (torch.relu(x.unsqueeze(-1) * w1 + b1) @ w2.T + b2).permute(2, 0, 1)",
      ...torchHidden(settings),
    ],
  }),
});
