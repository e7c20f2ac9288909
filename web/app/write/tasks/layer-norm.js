/** @import { Phasor } from "phasor" */
/** @import { Task } from "./index.js" */

/** @param {Phasor} phasor @param {number[]} x @param {number[]} [weight] @param {number[]} [bias] @param {number} [eps] */
const norm = ({ normalize }, x, weight, bias, eps) =>
  normalize.layerNorm([x], { weight, bias, eps }).row(0).toArray();

/** The formula with another divisor. @param {number[]} x @param {number[]} gain @param {number[]} bias @param {(variance: number) => number} divisor */
function divided(x, gain, bias, divisor) {
  const mean = x.reduce((sum, value) => sum + value, 0) / x.length;
  const variance = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length;
  return x.map((value, d) => ((value - mean) / divisor(variance)) * gain[d] + bias[d]);
}

/** @type {Task} */
export const layerNorm = {
  name: "layer-norm",
  title: "LayerNorm",
  lesson: "whole-input",
  calls: "layerNorm",
  parameters: ["x", "gain", "bias", "eps"],
  axes: ["dimension"],
  statement: `<p>
      Write <code>layerNorm(x, gain, bias, eps)</code> for one vector: \\((x - \\mu) / \\sqrt{\\sigma^2 +
      \\epsilon}\\), times the gain, plus the bias. \\(\\mu\\) is the mean of its numbers, and the variance
      \\(\\sigma^2\\) the mean of the squared differences from it. <code>gain</code> and
      <code>bias</code> have a number for each dimension.
    </p>`,
  hints: [
    "Three passes over the vector: its mean, its variance, then each number.",
    "The divisor is <code>Math.sqrt(variance + eps)</code>; the variance divides by the number of dimensions.",
  ],
  stub: `function layerNorm(x, gain, bias, eps) {
  const mean = 0;
  const variance = 1;
  return x.map((value, d) => value);
}
`,
  solution: `function layerNorm(x, gain, bias, eps) {
  const average = (numbers) => numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  const mean = average(x);
  const variance = average(x.map((value) => (value - mean) ** 2));
  const divisor = Math.sqrt(variance + eps);
  return x.map((value, d) => ((value - mean) / divisor) * gain[d] + bias[d]);
}
`,
  python: {
    hints: [
      "Three steps: the mean of the vector, its variance, then each number.",
      "The divisor is <code>np.sqrt(variance + eps)</code>; the variance divides by the number of dimensions.",
    ],
    stub: `def layer_norm(x, gain, bias, eps):
    x, gain, bias = np.asarray(x), np.asarray(gain), np.asarray(bias)
    # Subtract the mean, divide, then apply gain and bias.
    return x
`,
    solution: `def layer_norm(x, gain, bias, eps):
    x, gain, bias = np.asarray(x), np.asarray(gain), np.asarray(bias)
    mean = x.mean()
    variance = ((x - mean) ** 2).mean()
    return (x - mean) / np.sqrt(variance + eps) * gain + bias
`,
  },
  inputs: [
    [[2, 4, 6], [1, 1, 1], [0, 0, 0], 1e-5],
    [[1, -2, 0.5, 3], [2, 0.5, -1, 1.5], [0.25, -0.5, 1, 0], 1e-3],
    [[0.1, 0.2, 0.3, 0.4], [1, 2, 3, 4], [1, 1, 1, 1], 0.25],
  ],
  expected: norm,
  mistakes: [
    {
      says: "The variance is divided by n − 1. LayerNorm divides by n, the number of dimensions.",
      wrong: (_, x, gain, bias, eps) =>
        divided(x, gain, bias, (variance) =>
          Math.sqrt((variance * x.length) / (x.length - 1) + eps),
        ),
    },
    {
      says: "Epsilon is added outside the root. It belongs to the variance, inside.",
      wrong: (_, x, gain, bias, eps) =>
        divided(x, gain, bias, (variance) => Math.sqrt(variance) + eps),
    },
    {
      says: "Epsilon is missing.",
      wrong: (_, x, gain, bias) => divided(x, gain, bias, Math.sqrt),
    },
    {
      says: "The vector is divided by its variance: the square root is missing.",
      wrong: (_, x, gain, bias, eps) => divided(x, gain, bias, (variance) => variance + eps),
    },
    {
      says: "Gain and bias are missing.",
      wrong: (phasor, x, _, __, eps) => norm(phasor, x, undefined, undefined, eps),
    },
    {
      says: "The bias is added before the gain multiplies.",
      wrong: (phasor, x, gain, bias, eps) =>
        norm(phasor, x, undefined, bias, eps).map(
          (/** @type {number} */ value, /** @type {number} */ d) => value * gain[d],
        ),
    },
    {
      says: "The mean is not subtracted, as in RMSNorm.",
      wrong: ({ normalize }, x, gain, bias, eps) =>
        normalize
          .rmsNorm([x], { weight: gain, eps })
          .row(0)
          .toArray()
          .map((/** @type {number} */ value, /** @type {number} */ d) => value + bias[d]),
    },
  ],
};
