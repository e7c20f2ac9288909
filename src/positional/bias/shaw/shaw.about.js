/** @import { About, Compared, Controls, Cost, Pictures, Samples, Settings, Widget } from "../../about.js" */

/** @type {About} */
export const about = {
  group: "bias",
  title: "Shaw\u2019s relative vectors",
  words:
    "A learned vector for each clipped distance; its dot product with the query is added to the logit. Queries and vectors here are random.",
  source: { paper: "Shaw et al. 2018", url: "https://arxiv.org/abs/1803.02155" },
};

/** q times a vector for each key, and the weights times another. @type {Cost} */
export const cost = ({ length: T, heads: H, headDim, distance: K }) => [
  2 * (2 * K + 1) * headDim,
  0,
  4 * headDim * H * T,
];

/** The distance at which the vectors end, the default of `models.cost`. */
const CLIPPED = 16;

/** @type {Compared} */
export const compared = {
  title: "Shaw's relative positions",
  on: "scores, values",
  kind: "relative",
  beyond: (_, { trained }) => ({
    isNew: trained <= CLIPPED,
    words:
      trained > CLIPPED
        ? `distances from ${CLIPPED} on share a vector, as in training`
        : `distances from ${trained} to ${CLIPPED} have vectors that were not trained`,
  }),
};

/** @type {Samples} */
export const samples = {
  index: (shaw) => shaw.index(37, 4),
  bertIndex: (shaw) => shaw.bertIndex(37, 64),
  scores: async (shaw, { numbers }) =>
    shaw.scores(numbers(2, 37, 22), numbers(9, 22), { index: await shaw.index(37, 4) }),
  values: async (shaw, { numbers }) =>
    shaw.values(numbers(2, 37, 37), numbers(9, 22), { index: await shaw.index(37, 4) }),
};

/** @type {Widget} */
export const widget = {
  family: "index",
  controls: { length: ["Tokens", 24, 1, 128], maxDistance: ["Largest distance", 8, 0, 64] },
  call: ({ shaw }, { length, maxDistance, ...options }) => shaw.index(length, maxDistance, options),
};

/** Views of the scores. */
const ofScores = ["bias", "waves"];

/** @type {Controls} */
export const controls = {
  heads: { label: "Heads", initial: 4, min: 1, max: 32, views: ofScores },
  length: { label: "Tokens", initial: 32, min: 2, max: 256 },
  dim: { label: "Width of a head", initial: 32, min: 2, max: 128, step: 2, views: ofScores },
  maxDistance: { label: "Distances are clipped at", initial: 8, min: 0, max: 1024 },
};

/** @param {Settings} settings @param {number} i @param {number} j */
const clipped = ({ maxDistance: K }, i, j) => `min(max(${j} - ${i}, -${K}), ${K}) + ${K}`;

/** @param {Settings} settings */
const torchIndex = ({ length, maxDistance }) => [
  "import torch",
  "",
  `length, K = ${length}, ${maxDistance}`,
  "position = torch.arange(length)",
  "index = (position.view(1, -1) - position.view(-1, 1)).clamp(-K, K) + K",
];

/** @type {Pictures} */
export const pictures = {
  index: {
    title: "Row of each query and key",
    call: ({ length, maxDistance }, { call }) => call("index", length, maxDistance),
    cell: clipped,
    torch: torchIndex,
  },
  bias: {
    title: "Shaw\u2019s part of the logits",
    normal: ({ heads, length, dim, maxDistance }) => ({
      queries: [heads, length, dim],
      vectors: [2 * maxDistance + 1, dim],
    }),
    lines: ({ length, maxDistance }, { call, name }) => ({
      index: call("index", length, maxDistance),
      bias: call("scores", name("queries"), name("vectors"), { index: name("index") }),
    }),
    cell: (settings, h, i, j) => `r = ${clipped(settings, i, j)}; query[${h}, ${i}] · vectors[r]`,
    torch: (settings, _, normal) => [
      ...torchIndex(settings),
      "",
      `heads, dim = ${settings.heads}, ${settings.dim}`,
      ...normal("queries", "heads, length, dim"),
      ...normal("vectors", "2 * K + 1, dim"),
      "bias = torch.einsum('hid,ijd->hij', queries, vectors[index])",
    ],
  },
};
