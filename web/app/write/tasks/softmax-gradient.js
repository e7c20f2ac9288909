/** @import { Phasor } from "phasor" */
/** @import { Task } from "./index.js" */

/** Row by row: the matrix of derivatives of a softmax, diag(p) - p p^T, times a gradient. @param {Phasor} phasor @param {number[][]} weights @param {number[][]} gradient @returns {number[][]} */
const throughSoftmax = ({ attention }, weights, gradient) =>
  weights.map((p, i) => {
    const derivatives = p.map((a, k) => p.map((b, j) => (k === j ? a : 0) - a * b));
    return attention.linear([gradient[i]], derivatives).row(0).toArray();
  });

/** The formula with another sum. @param {number[][]} weights @param {number[][]} gradient @param {(i: number) => number} sum  of row i */
const less = (weights, gradient, sum) =>
  weights.map((p, i) => p.map((weight, j) => weight * (gradient[i][j] - sum(i))));

/** @param {number[]} a @param {number[]} b */
const dot = (a, b) => a.reduce((sum, x, j) => sum + x * b[j], 0);

/** @type {Task} */
export const softmaxGradient = {
  name: "softmax-gradient",
  title: "The gradient of the scores",
  lesson: "train-short",
  calls: "softmaxGradient",
  parameters: ["weights", "gradient"],
  axes: ["query", "key"],
  statement: `<p>
      The weights of a query are \\(p = \\mathrm{softmax}(s)\\) of its scores. Write
      <code>softmaxGradient(weights, gradient)</code>. Both arguments have a row for each query and a column for
      each key: \\(p\\), and the derivative \\(dp\\) of the loss by each weight. It returns the derivative by each
      score, \\(ds_j = p_j \\, (dp_j - \\sum_k dp_k \\, p_k)\\), with a sum for each row. Keys behind the mask have
      weight 0.
    </p>`,
  hints: [
    "Take one row at a time: first its sum of <code>dp * p</code>, then each number of the row.",
    "Each row of the result adds up to 0: the same number added to all scores changes no weight.",
  ],
  stub: `function softmaxGradient(weights, gradient) {
  return weights.map((p, i) => {
    const dp = gradient[i];
    return p.map((weight, j) => dp[j]);
  });
}
`,
  solution: `function softmaxGradient(weights, gradient) {
  return weights.map((p, i) => {
    const dp = gradient[i];
    const sum = p.reduce((total, weight, k) => total + dp[k] * weight, 0);
    return p.map((weight, j) => weight * (dp[j] - sum));
  });
}
`,
  python: {
    stub: `def softmax_gradient(weights, gradient):
    p, dp = np.asarray(weights), np.asarray(gradient)
    return dp
`,
    solution: `def softmax_gradient(weights, gradient):
    p, dp = np.asarray(weights), np.asarray(gradient)
    return p * (dp - (dp * p).sum(axis=-1, keepdims=True))
`,
  },
  inputs: [
    [[[0.5, 0.5]], [[1, -1]]],
    [
      [
        [1, 0, 0],
        [0.25, 0.75, 0],
        [0.5, 0.125, 0.375],
      ],
      [
        [2, -1, 0.5],
        [0.5, -2, 4],
        [1, 3, -0.25],
      ],
    ],
    [[[0.1, 0.2, 0.3, 0.4]], [[2, 2, 2, 2]]],
  ],
  expected: throughSoftmax,
  mistakes: [
    {
      says: "The sum is missing. A weight that grows takes from all others of its row.",
      wrong: (_, weights, gradient) => less(weights, gradient, () => 0),
    },
    {
      says: "The sum is that of dp alone. Each of its terms is multiplied by the weight.",
      wrong: (_, weights, gradient) =>
        less(weights, gradient, (i) => dot(gradient[i], gradient[i].map(() => 1))), // prettier-ignore
    },
    {
      says: "One sum is taken over all rows. Each query has its own softmax, and its own sum.",
      wrong(_, weights, gradient) {
        const all = weights.reduce(
          (/** @type {number} */ sum, /** @type {number[]} */ p, /** @type {number} */ i) =>
            sum + dot(p, gradient[i]),
          0,
        );
        return less(weights, gradient, () => all);
      },
    },
    {
      says: "The sum is not multiplied by the weight: p (dp) − sum instead of p (dp − sum).",
      wrong: (_, weights, gradient) =>
        weights.map((/** @type {number[]} */ p, /** @type {number} */ i) => {
          const sum = dot(p, gradient[i]);
          return p.map((weight, j) => weight * gradient[i][j] - sum);
        }),
    },
    {
      says: "This is the derivative for numbers that do not depend on each other, p (1 − p) dp, as of a sigmoid.",
      wrong: (_, weights, gradient) =>
        weights.map((/** @type {number[]} */ p, /** @type {number} */ i) =>
          p.map((weight, j) => weight * (1 - weight) * gradient[i][j]),
        ),
    },
    {
      says: "The sign is reversed: the sum is subtracted from dp, not dp from the sum.",
      wrong: (phasor, weights, gradient) =>
        throughSoftmax(phasor, weights, gradient).map((row) => row.map((x) => -x)),
    },
    {
      says: "The first factor is missing: dp − sum must be multiplied by the weight.",
      wrong: (_, weights, gradient) =>
        weights.map((/** @type {number[]} */ p, /** @type {number} */ i) =>
          gradient[i].map((/** @type {number} */ x) => x - dot(p, gradient[i])),
        ),
    },
  ],
};
