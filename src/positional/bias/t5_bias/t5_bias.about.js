/** @import { About, Compared, Controls, Cost, OfModel, Pictures, Presets, Samples, Settings } from "../../about.js" */

/** @type {About} */
export const about = {
  group: "bias",
  title: "T5\u2019s buckets",
  words:
    "Each head has a learned bias for each bucket of distances: one bucket for each near distance, few for far ones. The numbers here are random.",
  source: { paper: "Raffel et al. 2020", url: "https://arxiv.org/abs/1910.10683" },
  lesson: "t5-bias",
  best: () => "bias",
};

/** @type {Cost} */
export const cost = ({ length: T, heads: H, buckets }) => [buckets * H, 0, H * T];

/** @type {Compared} */
export const compared = {
  title: "T5's bias",
  on: "scores",
  kind: "relative",
  beyond({ t5Bias }, { trained, length }) {
    const [was, is] = [trained - 1, length - 1].map((distance) =>
      Number(t5Bias.bucket([-distance], { direction: "causal" }).data[0]),
    );
    return {
      isNew: was !== is,
      words:
        was !== is
          ? `the farthest token is in bucket ${is}, in training ${was}`
          : "the farthest tokens share the last bucket, as in training",
    };
  },
};

/** @type {Samples} */
export const samples = {
  bucket: (t5Bias) => t5Bias.bucket([-50, -3, 0, 4, 99]),
  buckets: (t5Bias) => t5Bias.buckets(37),
  bias: (t5Bias, { numbers }) => t5Bias.bias(numbers(32, 3), 37),
};

/** @type {Presets} */
export const presets = {};

/** @type {OfModel} */
export const ofModel = ({ heads, options }) => ({ heads, ...options });

/** @type {Controls} */
export const controls = {
  heads: { label: "Heads", initial: 8, min: 1, max: 64, views: ["bias", "waves"] },
  length: { label: "Tokens", initial: 48, min: 2, max: 512 },
  buckets: { label: "Buckets", option: "buckets.buckets", min: 4, max: 512 },
  maxDistance: { label: "Largest distance", option: "bias.maxDistance", min: 2, max: 65536 },
  direction: {
    label: "Direction",
    option: "bias.direction",
    words: { bidirectional: "both (encoder)", causal: "causal (decoder)" },
  },
  precision: {
    label: "Boundaries",
    option: "bias.precision",
    words: { exact: "in whole numbers", torch: "by PyTorch\u2019s float32 logarithm" },
  },
};

/** The bucket of a key and a query, as a formula. @param {Settings} settings @param {number} i @param {number} j */
const bucketOf = ({ buckets, maxDistance: M, direction }, i, j) => {
  const causal = direction === "causal";
  const each = causal ? buckets : Math.floor(buckets / 2);
  const m = Math.floor(each / 2);
  const n = causal ? Math.max(i - j, 0) : Math.abs(j - i);
  const ahead = !causal && j > i ? `${each} + ` : "";
  if (n < m) return `${ahead}${n}`;
  return `${ahead}min(${m} + floor(ln(${n} / ${m}) / ln(${M} / ${m}) × (${each} - ${m})), ${each} - 1)`;
};

/** @param {Settings} settings */
const torchBuckets = ({ length, buckets, maxDistance, direction }) => {
  const both = direction === "bidirectional";
  return [
    "import math",
    "import torch",
    "",
    `relative = torch.arange(${length}).view(1, -1) - torch.arange(${length}).view(-1, 1)  # key - query`,
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
};

/** @type {Pictures} */
export const pictures = {
  index: {
    title: "Bucket of each query and key",
    call: ({ length, buckets, maxDistance, direction, precision }, { call }) =>
      call("buckets", length, { buckets, maxDistance, direction, precision }),
    cell: bucketOf,
    torch: torchBuckets,
  },
  bias: {
    title: "T5\u2019s bias",
    weights: ({ buckets, heads }) => [buckets, heads],
    call: ({ length, maxDistance, direction, precision }, { call, name }) =>
      call("bias", name("weights"), length, { maxDistance, direction, precision }),
    cell: (settings, h, i, j) => `b = ${bucketOf(settings, i, j)}; weights[b, ${h}]`,
    torch: (settings, weights) => [
      ...torchBuckets(settings),
      "",
      ...weights,
      "bias = weights[index].permute(2, 0, 1)",
    ],
  },
};
