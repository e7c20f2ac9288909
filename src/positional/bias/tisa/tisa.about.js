/** @import { About, Controls, Pictures, Samples } from "../../about.js" */

/** @type {About} */
export const about = {
  group: "bias",
  title: "TISA",
  words:
    "A sum of Gaussian kernels of the relative position with learned heights, sharpness and centers; here one kernel, the same in all heads.",
  source: { paper: "Wennberg, Henter 2021", url: "https://arxiv.org/abs/2106.01950" },
};

/** @type {Samples} */
export const samples = { bias: (tisa) => tisa.bias(5, 22) };

/** @type {Controls} */
export const controls = {
  heads: { label: "Heads", initial: 1, min: 1, max: 16 },
  length: { label: "Tokens", initial: 48, min: 2, max: 512 },
  a: { label: "Height a", option: "bias.a" },
  b: { label: "Sharpness b", option: "bias.b" },
  c: { label: "Center c, as key − query", option: "bias.c" },
  direction: {
    label: "Direction",
    words: { bidirectional: "both (encoder)", causal: "causal (decoder)" },
  },
};

/** @type {Pictures} */
export const pictures = {
  bias: {
    call: ({ heads, length, a, b, c, direction }, { call }) =>
      call("bias", heads, length, { a, b, c, causal: direction === "causal" }),

    cell: ({ a, b, c }, h, i, j) =>
      `${a} × e^(-${b} × (${j} - ${i} - ${c < 0 ? `(${c})` : c})^(2))`,

    torch: ({ heads, length, a, b, c, direction }) => [
      "import torch",
      "",
      `length = ${length}`,
      "i, j = torch.arange(length).view(-1, 1), torch.arange(length).view(1, -1)",
      `a, b, c = ${a}, ${b}, ${c}  # of one kernel`,
      `bias = (a * torch.exp(-abs(b) * (j - i - c) ** 2)).expand(${heads}, length, length)`,
      ...(direction === "causal" ? ["bias = bias.masked_fill(j > i, float('-inf'))"] : []),
    ],
  },
};
