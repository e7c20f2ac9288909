/** @import { Values } from "../settings.js" */
import { call, line, name } from "../program.js";
import { choice, whole } from "../settings.js";
import { changedOptions, labelsOf, numberOf, precisionOf, wholeOf } from "./options.js";
import { scheme } from "./scheme.js";
import { biasViews, DRAWN, drawnTorch, indexView, only, QUERY } from "./views.js";

// Schemes that look up a vector, or make one, for what stands between a query and a key.

const ofBias = only("bias", "waves");
const drawnSettings = DRAWN.map((setting) => ({ ...setting, when: ofBias }));

/**
 * Vectors drawn from the seed, each table from the next one.
 * @param {string} as @param {Values} settings @param {number} rows @param {number} columns @param {number} [next]
 */
function drawn(as, { seed, generator }, rows, columns, next = 0) {
  const options = changedOptions("embedding.create", { seed: seed + next, generator });
  return [
    line(`${as}Table`, call("embedding.create", rows, columns, options)),
    line(as, call(`${as}Table.weights`)),
  ];
}

/** @param {string} as @param {Values} settings @param {string} shape @param {number} [next] */
const drawnAlike = (as, settings, shape, next = 0) =>
  drawnTorch(as, { ...settings, std: 1, seed: settings.seed + next }, shape);

/** Queries of all heads, one after the other. */
const split = "queries = drawn.view(heads, length, dim)";

/** @param {Values} settings */
function queries(settings) {
  const { heads, length, dim } = settings;
  const shaped = {
    text: `{ data: drawn.data, shape: [${heads}, ${length}, ${dim}] }`,
    value: (/** @type {any} */ { drawn }) => ({ data: drawn.data, shape: [heads, length, dim] }),
  };
  return [...drawn("drawn", settings, heads * length, dim), line("queries", shaped)];
}

const SIZES = [
  whole("heads", "Heads", 4, 1, 32, { when: ofBias }),
  whole("length", "Tokens", 32, 2, 256),
  whole("dim", "Width of a head", 32, 2, 128, { step: 2, when: ofBias }),
];

const size = (/** @type {Values} */ { heads, length }) => ({
  heads,
  queries: length,
  keys: length,
});

// --- Shaw ------------------------------------------------------------------------------------------

/** @param {number} K @param {number} i @param {number} j */
const clipped = (K, i, j) => `min(max(${j} − ${i}, −${K}), ${K}) + ${K}`;

/** @param {Values} settings */
const shawTorch = ({ length, maxDistance }) => [
  "import torch",
  "",
  `length, K = ${length}, ${maxDistance}`,
  "position = torch.arange(length)",
  "index = (position.view(1, -1) - position.view(-1, 1)).clamp(-K, K) + K",
];

export const shaw = scheme({
  name: "shaw",
  title: "Shaw\u2019s relative vectors",
  words:
    "A learned vector for each clipped distance; its dot product with the query is added to the logit. Queries and vectors here are random.",
  source: { paper: "Shaw et al. 2018", url: "https://arxiv.org/abs/1803.02155" },
  settings: [
    ...SIZES,
    whole("maxDistance", "Distances are clipped at", 8, 0, 1024),
    ...drawnSettings,
    QUERY,
  ],
  views: {
    heatmap: indexView({
      title: "Row of each query and key",
      lines: ({ length, maxDistance }) => [line("index", call("shaw.index", length, maxDistance))],
      cell: ({ maxDistance }, i, j) => [clipped(maxDistance, i, j)],
      torch: shawTorch,
    }),
    ...biasViews({
      title: "Shaw\u2019s part of the logits",
      size,
      lines: (settings) => [
        ...queries(settings),
        ...drawn("vectors", settings, 2 * settings.maxDistance + 1, settings.dim, 1),
        line("index", call("shaw.index", settings.length, settings.maxDistance)),
        line(
          "bias",
          call("shaw.scores", name("queries"), name("vectors"), { index: name("index") }),
        ),
      ],
      cell: ({ maxDistance }, h, i, j) => [
        `r = ${clipped(maxDistance, i, j)}; query[${h}, ${i}] · vectors[r]`,
      ],
      torch: (settings) => [
        ...shawTorch(settings),
        "",
        `heads, dim = ${settings.heads}, ${settings.dim}`,
        ...drawnAlike("drawn", settings, "heads * length, dim"),
        split,
        ...drawnAlike("vectors", settings, "2 * K + 1, dim", 1),
        "bias = torch.einsum('hid,ijd->hij', queries, vectors[index])",
      ],
    }),
  },
});

// --- Transformer-XL --------------------------------------------------------------------------------

export const transformerXL = scheme({
  name: "transformerXL",
  title: "Transformer-XL",
  words:
    "The dot product of the query and a sinusoidal encoding of the distance is added to the logit. Queries here are random, and the encodings are not projected.",
  source: { paper: "Dai et al. 2019", url: "https://arxiv.org/abs/1901.02860" },
  settings: [
    ...SIZES,
    numberOf("sinusoidal.table", "base", "Base", { most: 1e9 }),
    whole("seed", "Seed", 0, 0, 4294967295),
    DRAWN[1],
    QUERY,
  ],
  views: biasViews({
    title: "Transformer-XL\u2019s part of the logits",
    size,
    lines(settings) {
      const { length, dim, base } = settings;
      const waves = { ...changedOptions("sinusoidal.table", { base }), layout: "halves" };
      const descending = {
        text: `Array.from({ length: ${length} }, (_, c) => ${length - 1} - c)`,
        value: () => Array.from({ length }, (_, c) => length - 1 - c),
      };
      return [
        ...queries(settings),
        line("distances", descending),
        line("r", call("sinusoidal.table", name("distances"), dim, waves)),
        line("bias", call("transformerXL.scores", { q: name("queries"), r: name("r") })),
      ];
    },
    cell: ({ dim }, h, i, j) =>
      j > i
        ? ["no sinusoid for a key ahead: 0"]
        : [`query[${h}, ${i}] · r(distance ${i - j}) / √${dim}`],
    torch: (settings) => [
      "import torch",
      "",
      `heads, length, dim = ${settings.heads}, ${settings.length}, ${settings.dim}`,
      ...drawnAlike("drawn", settings, "heads * length, dim"),
      split,
      "distance = torch.arange(length - 1, -1, -1.0)",
      `inv_freq = 1 / ${settings.base} ** (torch.arange(0.0, dim, 2.0) / dim)`,
      "angle = torch.outer(distance, inv_freq)",
      "r = torch.cat((angle.sin(), angle.cos()), dim=-1)",
      "x = torch.einsum('hid,cd->hic', queries, r)",
      "x = torch.nn.functional.pad(x, (1, 0)).view(heads, length + 1, length)[:, 1:].reshape(heads, length, length)  # _rel_shift",
      "bias = torch.tril(x) / dim ** 0.5",
    ],
  }),
});

// --- DeBERTa ---------------------------------------------------------------------------------------

export const deberta = scheme({
  name: "deberta",
  title: "DeBERTa\u2019s buckets",
  words:
    "Near distances have one bucket each, far ones share buckets on a logarithmic scale. A query and a key each look up the vector of their bucket.",
  source: { paper: "He et al. 2020", url: "https://arxiv.org/abs/2006.03654" },
  settings: [
    whole("length", "Tokens", 64, 2, 512),
    wholeOf("deberta.buckets", "buckets", "Buckets of a side", {
      initial: 32,
      least: 4,
      most: 512,
      step: 2,
    }),
    wholeOf("deberta.buckets", "maxDistance", "Largest distance", {
      initial: 128,
      least: 4,
      most: 65536,
    }),
    choice(
      "beyond",
      "Farther ones",
      labelsOf("deberta.buckets", "beyond", {
        clamp: "as the largest (DeBERTa)",
        grow: "the formula goes on (HF)",
      }),
      { when: ({ length, maxDistance }) => length > maxDistance },
    ),
    choice(
      "precision",
      "Logarithm",
      precisionOf("deberta.buckets", "PyTorch\u2019s float32 steps"),
    ),
  ],
  views: {
    heatmap: indexView({
      title: "Bucket of each query and key",
      lines: ({ length, buckets, maxDistance, beyond, precision }) => [
        line(
          "index",
          call(
            "deberta.buckets",
            length,
            changedOptions("deberta.buckets", { buckets, maxDistance, beyond, precision }),
          ),
        ),
      ],
      cell({ buckets, maxDistance: M, beyond }, i, j) {
        const mid = buckets / 2;
        const r = beyond === "clamp" ? Math.max(Math.min(i - j, M - 1), 1 - M) : i - j;
        if (Math.abs(r) <= mid) return [`${i} − ${j}`];
        const far = `${mid} + ceil(ln(${Math.abs(r)} / ${mid}) / ln((${M} − 1) / ${mid}) × (${mid} − 1))`;
        return [r < 0 ? `−(${far})` : far];
      },
      torch: ({ length, buckets, maxDistance, beyond }) => [
        "import math",
        "import torch",
        "",
        `length, mid, max_position = ${length}, ${buckets / 2}, ${maxDistance}`,
        "relative = torch.arange(length).view(-1, 1) - torch.arange(length).view(1, -1)  # query - key",
        ...(beyond === "clamp"
          ? ["relative = relative.clamp(1 - max_position, max_position - 1)"]
          : []),
        "far = relative.abs().clamp(min=mid)",
        "log_pos = torch.ceil(torch.log(far / mid) / math.log((max_position - 1) / mid) * (mid - 1)) + mid",
        "index = torch.where(relative.abs() <= mid, relative, (log_pos * relative.sign()).long())",
      ],
    }),
  },
});
