/** @import { About, Controls, Pictures, Samples } from "../../about.js" */

/** @type {About} */
export const about = {
  group: "bias",
  title: "Sandwich",
  words:
    "The dot product of two sinusoidal encodings as a bias, scaled differently in each head. It has no parameters.",
  source: { paper: "Chi et al. 2022", url: "https://arxiv.org/abs/2212.10356" },
};

/** @type {Samples} */
export const samples = { bias: (sandwich) => sandwich.bias(3, 37, { dim: 22 }) };

/** @type {Controls} */
export const controls = {
  heads: { label: "Heads", initial: 8, min: 1, max: 64 },
  length: { label: "Tokens", initial: 48, min: 2, max: 512 },
  dim: { label: "Width D", option: "bias.dim", max: 1024 },
  base: { label: "Base", option: "bias.base", max: 1e9 },
  form: { label: "Form", words: { causal: "causal", symmetric: "symmetric" } },
};

/** @type {Pictures} */
export const pictures = {
  bias: {
    call: ({ heads, length, dim, base, form }, { call }) =>
      call("bias", heads, length, { dim, base, causal: form === "causal" }),

    cell: ({ dim, base, heads }, h, i, j) =>
      `s = sum over k from 1 to ${dim / 2} of cos(|${i} - ${j}| × ${base}^(-2·k/${dim})); (s - ${dim / 2}) / (8 × (${h} + 1) / ${heads})`,

    torch: ({ heads, length, dim, base, form }) => [
      "import torch",
      "",
      `length = ${length}`,
      "i, j = torch.arange(length).view(-1, 1), torch.arange(length).view(1, -1)",
      "distance = (i - j).abs().float()",
      `heads, dim = ${heads}, ${dim}`,
      `inv_freq = ${base} ** (-torch.arange(2.0, dim + 1, 2.0) / dim)`,
      "inner = (distance.unsqueeze(-1) * inv_freq).cos().sum(-1) - dim // 2",
      "bias = inner / (8 * torch.arange(1, heads + 1) / heads).view(-1, 1, 1)",
      ...(form === "causal" ? ["bias = bias.masked_fill(j > i, float('-inf'))"] : []),
    ],
  },
};
