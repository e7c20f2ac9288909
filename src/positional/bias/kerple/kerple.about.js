/** @import { About, Controls, Pictures, Samples } from "../../about.js" */

/** @type {About} */
export const about = {
  group: "bias",
  title: "KERPLE",
  words:
    "A kernel of the distance with two learned parameters per head; here all heads have the same.",
  source: { paper: "Chi et al. 2022", url: "https://arxiv.org/abs/2205.09921" },
};

/** @type {Samples} */
export const samples = { bias: (kerple) => kerple.bias(3, 37) };

/** @type {Controls} */
export const controls = {
  heads: { label: "Heads", initial: 1, min: 1, max: 16 },
  length: { label: "Tokens", initial: 48, min: 2, max: 512 },
  kernel: {
    label: "Kernel",
    option: "bias.kernel",
    words: {
      log: "−p ln(1 + a |i − j|)",
      power: "−a |i − j|^p",
      weight: "e^(−a |i − j|^p), a factor",
    },
  },
  a: { label: "a", option: "bias.a" },
  p: { label: "p", option: "bias.p" },
  form: { label: "Form", words: { causal: "causal", symmetric: "symmetric" } },
};

/** @type {Pictures} */
export const pictures = {
  bias: {
    call: ({ heads, length, kernel, a, p, form }, { call }) =>
      call("bias", heads, length, { kernel, a, p, causal: form === "causal" }),

    cell({ kernel, a, p, form }, h, i, j) {
      if (kernel === "log") return `-${p} × ln(1 + ${a} × |${i} - ${j}|)`;
      if (kernel === "power") return `-${a} × |${i} - ${j}|^(${p})`;
      if (form === "causal" && j > i) return "the bias hides a key ahead, the factor is 1";
      return `e^(-${a} × |${i} - ${j}|^(${p}))`;
    },

    torch({ heads, length, kernel, a, p, form }) {
      const kernels = {
        log: `-${p} * torch.log(1 + ${a} * distance)`,
        power: `-${a} * distance ** ${p}`,
        weight: `torch.exp(-${a} * distance ** ${p})`,
      };
      const hidden = kernel === "weight" ? "1.0" : "float('-inf')";
      return [
        "import torch",
        "",
        `length = ${length}`,
        "i, j = torch.arange(length).view(-1, 1), torch.arange(length).view(1, -1)",
        "distance = (i - j).abs().float()",
        `bias = (${kernels[/** @type {"log"} */ (kernel)]}).expand(${heads}, length, length)`,
        ...(form === "causal" ? [`bias = bias.masked_fill(j > i, ${hidden})`] : []),
      ];
    },
  },
};
