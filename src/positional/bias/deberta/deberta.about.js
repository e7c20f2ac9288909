/** @import { About, Controls, Pictures, Samples } from "../../about.js" */

/** @type {About} */
export const about = {
  group: "bias",
  title: "DeBERTa\u2019s buckets",
  words:
    "Near distances have one bucket each, far ones share buckets on a logarithmic scale. A query and a key each look up the vector of their bucket.",
  source: { paper: "He et al. 2020", url: "https://arxiv.org/abs/2006.03654" },
};

/** @type {Samples} */
export const samples = {
  index: (deberta) => deberta.index(37),
  buckets: (deberta) => deberta.buckets(37),
  scale: (deberta) => deberta.scale(22),
};

/** @type {Controls} */
export const controls = {
  length: { label: "Tokens", initial: 64, min: 2, max: 512 },
  buckets: {
    label: "Buckets of a side",
    option: "buckets.buckets",
    initial: 32,
    min: 4,
    max: 512,
    step: 2,
  },
  maxDistance: {
    label: "Largest distance",
    option: "buckets.maxDistance",
    initial: 128,
    min: 4,
    max: 65536,
  },
  beyond: {
    label: "Farther ones",
    option: "buckets.beyond",
    words: { clamp: "as the largest (DeBERTa)", grow: "the formula goes on (HF)" },
    when: ({ length, maxDistance }) => length > maxDistance,
  },
  precision: {
    label: "Logarithm",
    option: "buckets.precision",
    words: { exact: "exact", torch: "PyTorch\u2019s float32 steps" },
  },
};

/** @type {Pictures} */
export const pictures = {
  index: {
    title: "Bucket of each query and key",
    call: ({ length, buckets, maxDistance, beyond, precision }, { call }) =>
      call("buckets", length, { buckets, maxDistance, beyond, precision }),
    cell({ buckets, maxDistance: M, beyond }, i, j) {
      const mid = buckets / 2;
      const r = beyond === "clamp" ? Math.max(Math.min(i - j, M - 1), 1 - M) : i - j;
      if (Math.abs(r) <= mid) return `${i} - ${j}`;
      const far = `${mid} + ceil(ln(${Math.abs(r)} / ${mid}) / ln((${M} - 1) / ${mid}) × (${mid} - 1))`;
      return r < 0 ? `-(${far})` : far;
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
  },
};
