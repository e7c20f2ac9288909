/** @import { Part } from "../parts.js" */
/** @import { Values } from "../settings.js" */
import { call, line, name } from "../program.js";
import { choice, whole } from "../settings.js";
import { changedOptions, labelsOf, numberOf, wholeOf } from "./options.js";
import { scheme } from "./scheme.js";
import { biasViews, DRAWN, drawnTorch, indexView, only, QUERY } from "./views.js";

const title = "T5\u2019s buckets";

/** @param {Values} settings */
function options({ maxDistance, direction, precision }) {
  return changedOptions("t5Bias.bias", { maxDistance, direction, precision });
}

/** The bucket of a key and a query, as a formula. @param {Values} settings @param {number} i @param {number} j @returns {string} */
function bucket({ buckets, maxDistance: M, direction }, i, j) {
  const causal = direction === "causal";
  const each = causal ? buckets : Math.floor(buckets / 2);
  const m = Math.floor(each / 2);
  const n = causal ? Math.max(i - j, 0) : Math.abs(j - i);
  const ahead = !causal && j > i ? `${each} + ` : "";
  if (n < m) return `${ahead}${n}`;
  return `${ahead}min(${m} + floor(ln(${n} / ${m}) / ln(${M} / ${m}) × (${each} − ${m})), ${each} − 1)`;
}

/** @param {Values} settings @returns {string[]} */
function torchBuckets({ length, buckets, maxDistance, direction }) {
  const both = direction === "bidirectional";
  return [
    "import math",
    "import torch",
    "",
    "relative = torch.arange(LENGTH).view(1, -1) - torch.arange(LENGTH).view(-1, 1)  # key - query".replaceAll(
      "LENGTH",
      String(length),
    ),
    `buckets, max_distance = ${buckets}, ${maxDistance}`,
    ...(both
      ? ["buckets //= 2", "index = (relative > 0).long() * buckets", "n = relative.abs()"]
      : ["index = torch.zeros_like(relative)", "n = (-relative).clamp(min=0)"]),
    "max_exact = buckets // 2",
    "far = max_exact + (",
    "    torch.log(n.clamp(min=1).float() / max_exact) / math.log(max_distance / max_exact) * (buckets - max_exact)",
    ").long()  # float32: may differ from the exact bucket where a boundary is a whole number",
    "index += torch.where(n < max_exact, n, far.clamp(max=buckets - 1))",
  ];
}

/** @param {Values} settings */
function drawn({ buckets, heads, std, seed, generator }) {
  const given = changedOptions("embedding.create", { std, seed, generator });
  return [
    line("fresh", call("embedding.create", buckets, heads, given)), // drawn, not trained
    line("weights", call("fresh.weights")),
  ];
}

export const t5Bias = scheme({
  name: "t5Bias",
  title,
  words:
    "Each head has a learned bias for each bucket of distances: one bucket for each near distance, few for far ones. The numbers here are random.",
  source: { paper: "Raffel et al. 2020", url: "https://arxiv.org/abs/1910.10683" },
  lesson: "t5-bias",
  settings: [
    whole("heads", "Heads", 8, 1, 64, { when: only("bias", "waves") }),
    whole("length", "Tokens", 48, 2, 512),
    wholeOf("t5Bias.buckets", "buckets", "Buckets", { least: 4, most: 512 }),
    wholeOf("t5Bias.bias", "maxDistance", "Largest distance", { least: 2, most: 65536 }),
    choice(
      "direction",
      "Direction",
      labelsOf("t5Bias.bias", "direction", {
        bidirectional: "both (encoder)",
        causal: "causal (decoder)",
      }),
    ),
    choice(
      "precision",
      "Boundaries",
      labelsOf("t5Bias.bias", "precision", {
        exact: "in whole numbers",
        torch: "by PyTorch\u2019s float32 logarithm",
      }),
    ),
    numberOf("embedding.create", "std", "Standard deviation", {
      most: 1000,
      when: only("bias", "waves"),
    }),
    ...DRAWN.map((setting) => ({ ...setting, when: only("bias", "waves") })),
    QUERY,
  ],
  best: () => "bias",
  views: {
    heatmap: indexView({
      title: "Bucket of each query and key",
      lines: (settings) => [
        line(
          "index",
          call("t5Bias.buckets", settings.length, {
            ...changedOptions("t5Bias.buckets", { buckets: settings.buckets }),
            ...options(settings),
          }),
        ),
      ],
      cell: (settings, i, j) => [bucket(settings, i, j)],
      torch: torchBuckets,
    }),
    ...biasViews({
      title: "T5\u2019s bias",
      size: ({ heads, length }) => ({ heads, queries: length, keys: length }),
      lines: (settings) => [
        ...drawn(settings),
        line("bias", call("t5Bias.bias", name("weights"), settings.length, options(settings))),
      ],
      cell: (settings, h, i, j) => [`b = ${bucket(settings, i, j)}; weights[b, ${h}]`],
      torch: (settings) => [
        ...torchBuckets(settings),
        "",
        ...drawnTorch("weights", settings, `${settings.buckets}, ${settings.heads}`),
        "bias = weights[index].permute(2, 0, 1)",
      ],
    }),
  },
});
