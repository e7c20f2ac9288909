/** @import { About, Controls, Pictures, Samples } from "../../about.js" */

/** @type {About} */
export const about = {
  group: "bias",
  title: "Transformer-XL",
  words:
    "The dot product of the query and a sinusoidal encoding of the distance is added to the logit. Queries here are random, and the encodings are not projected.",
  source: { paper: "Dai et al. 2019", url: "https://arxiv.org/abs/1901.02860" },
};

/** @type {Samples} */
export const samples = {
  scores: (transformerXL, { numbers }) =>
    transformerXL.scores({ q: numbers(2, 37, 22), r: numbers(2, 37, 22) }),
  shift: (transformerXL, { numbers }) => transformerXL.shift(numbers(37, 37)),
};

/** @type {Controls} */
export const controls = {
  heads: { label: "Heads", initial: 4, min: 1, max: 32 },
  length: { label: "Tokens", initial: 32, min: 2, max: 256 },
  dim: { label: "Width of a head", initial: 32, min: 2, max: 128, step: 2 },
  base: { label: "Base", option: "sinusoidal.table.base", max: 1e9 },
};

/** @type {Pictures} */
export const pictures = {
  bias: {
    title: "Transformer-XL\u2019s part of the logits",
    normal: ({ heads, length, dim }) => ({ queries: [heads, length, dim] }),
    lines: ({ length, dim, base }, { call, name, expression }) => ({
      distances: expression(`Array.from({ length: ${length} }, (_, c) => ${length - 1} - c)`, () =>
        Array.from({ length }, (_, c) => length - 1 - c),
      ),
      r: call("sinusoidal.table", name("distances"), dim, { base, layout: "halves" }),
      bias: call("scores", { q: name("queries"), r: name("r") }),
    }),
    cell: ({ dim }, h, i, j) =>
      j > i
        ? "no sinusoid for a key ahead: 0"
        : `query[${h}, ${i}] · r(distance ${i - j}) / √${dim}`,
    torch: ({ heads, length, dim, base }, _, normal) => [
      "import torch",
      "",
      `heads, length, dim = ${heads}, ${length}, ${dim}`,
      ...normal("queries", "heads, length, dim"),
      "distance = torch.arange(length - 1, -1, -1.0)",
      `inv_freq = 1 / ${base} ** (torch.arange(0.0, dim, 2.0) / dim)`,
      "angle = torch.outer(distance, inv_freq)",
      "r = torch.cat((angle.sin(), angle.cos()), dim=-1)",
      "x = torch.einsum('hid,cd->hic', queries, r)",
      "x = torch.nn.functional.pad(x, (1, 0)).view(heads, length + 1, length)[:, 1:].reshape(heads, length, length)  # _rel_shift",
      "bias = torch.tril(x) / dim ** 0.5",
    ],
  },
};
