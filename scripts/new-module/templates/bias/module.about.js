/** @import { About, Controls, Pictures, Samples } from "__UP__/about.js" */

/** @type {About} */
export const about = {
  group: "bias",
  title: "__TITLE__",
  words: "FILL IN a sentence.",
  source: { paper: "FILL IN author year", url: "https://arxiv.org/abs/NUMBER" },
};

/** @type {Samples} */
export const samples = { bias: (__EXPORT__) => __EXPORT__.bias(3, 37) };

/** @type {Controls} */
export const controls = {
  heads: { label: "Heads", initial: 8, min: 1, max: 64 },
  length: { label: "Tokens", initial: 48, min: 2, max: 512 },
  scale: { label: "FILL IN a label of each option", option: "bias.scale" },
  form: { label: "Form", words: { causal: "causal", symmetric: "symmetric" } },
};

/** @type {Pictures} */
export const pictures = {
  bias: {
    call: ({ heads, length, scale, form }, { call }) =>
      call("bias", heads, length, { scale, causal: form === "causal" }),

    // FILL IN the formula of a cell, and the same in PyTorch.
    cell: ({ heads, scale }, h, i, j) => `-${scale} × |${i} - ${j}| × (${heads} - ${h}) / ${heads}`,

    torch: ({ heads, length, scale, form }) => [
      "import torch",
      "",
      `heads, length = ${heads}, ${length}`,
      "i, j = torch.arange(length).view(-1, 1), torch.arange(length).view(1, -1)",
      "factors = (heads - torch.arange(heads)).view(-1, 1, 1) / heads",
      `bias = -${scale} * (i - j).abs() * factors`,
      ...(form === "causal" ? ["bias = bias.masked_fill(j > i, float('-inf'))"] : []),
    ],
  },
};
