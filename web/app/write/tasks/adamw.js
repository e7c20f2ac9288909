/** @import { Phasor } from "phasor" */
/** @import { Task } from "./index.js" */

const BETAS = Object.freeze({ beta1: 0.9, beta2: 0.99 });

/**
 * The weights after steps of Adam, one for each gradient.
 * @param {Phasor} phasor @param {number[]} weights @param {number[][]} gradients @param {object} options @returns {number[][]}
 */
function adam({ embedding }, weights, gradients, options) {
  const table = embedding.from([weights]);
  try {
    return gradients.map((gradient) => {
      table.step([gradient], { optimizer: "adam", epsilon: 1e-8, ...BETAS, ...options });
      return table.weights().toArray()[0];
    });
  } finally {
    table.dispose();
  }
}

/**
 * Steps of Adam and the decay: what Adam changes does not depend on the weights.
 * @param {Phasor} phasor @param {number[]} weights @param {number[][]} gradients @param {number} rate
 * @param {(weight: number, change: number) => number} add  a change to a weight
 * @param {object} [options]
 */
function decayed(phasor, weights, gradients, rate, add, options) {
  const zeros = weights.map(() => 0);
  const all = [zeros, ...adam(phasor, zeros, gradients, { learningRate: rate, ...options })];
  return all.slice(1).reduce(
    (now, after, n) => now.map((weight, i) => add(weight, after[i] - all[n][i])), // prettier-ignore
    weights,
  );
}

/**
 * The formula in plain numbers, with another last part.
 * @param {number[]} weights @param {number[][]} gradients @param {number} rate @param {number} decay
 * @param {(m: number, v: number, n: number) => number} move
 */
function byHand(weights, gradients, rate, decay, move) {
  const { beta1, beta2 } = BETAS;
  return weights.map((weight, i) => {
    let [w, m, v] = [weight, 0, 0];
    for (const [k, { [i]: g }] of gradients.entries()) {
      m = beta1 * m + (1 - beta1) * g;
      v = beta2 * v + (1 - beta2) * g * g;
      w = w * (1 - rate * decay) - rate * move(m, v, k + 1);
    }
    return w;
  });
}

/** The means without their start at 0. @param {number} m @param {number} n */
const first = (m, n) => m / (1 - BETAS.beta1 ** n);
/** @param {number} v @param {number} n */
const second = (v, n) => v / (1 - BETAS.beta2 ** n);

/** @type {Task} */
export const adamW = {
  name: "adamw",
  title: "Steps of AdamW",
  lesson: "train-short",
  calls: "adamW",
  parameters: ["weights", "gradients", "rate", "decay"],
  axes: ["weight"],
  statement: `<p>
      Write <code>adamW(weights, gradients, rate, decay)</code>. It makes a step for each row of
      <code>gradients</code>, and returns the weights after the last one. Before the first step \\(m = v = 0\\).
      Step \\(n = 1, 2, \\dots\\) changes each weight \\(w\\) by its gradient \\(g\\), with \\(r\\) the rate and
      \\(\\lambda\\) the decay:
      \\[m \\leftarrow 0.9\\,m + 0.1\\,g\\]
      \\[v \\leftarrow 0.99\\,v + 0.01\\,g^2\\]
      \\[\\hat m = \\frac{m}{1 - 0.9^n}, \\quad \\hat v = \\frac{v}{1 - 0.99^n}\\]
      \\[w \\leftarrow w\\,(1 - r \\lambda) - \\frac{r\\,\\hat m}{\\sqrt{\\hat v} + 10^{-8}}\\]
      The lab first clips the gradient: where the norm of all its numbers is above 1, it is divided by that norm.
      Here clipping is left out.
    </p>`,
  hints: [
    "Each weight has its own m and v, and keeps them from step to step.",
    "The divisors <code>1 - 0.9 ** n</code> and <code>1 - 0.99 ** n</code> make up for the start at 0. They are not stored in m and v.",
    "The decay takes from the weight before the step. It is not a part of the gradient.",
  ],
  stub: `function adamW(weights, gradients, rate, decay) {
  const w = [...weights];
  const m = w.map(() => 0);
  const v = w.map(() => 0);
  gradients.forEach((gradient, step) => {
    const n = step + 1;
    for (let i = 0; i < w.length; ++i) {
      // Change m[i], v[i] and w[i].
    }
  });
  return w;
}
`,
  solution: `function adamW(weights, gradients, rate, decay) {
  const w = [...weights];
  const m = w.map(() => 0);
  const v = w.map(() => 0);
  gradients.forEach((gradient, step) => {
    const n = step + 1;
    for (let i = 0; i < w.length; ++i) {
      const g = gradient[i];
      m[i] = 0.9 * m[i] + 0.1 * g;
      v[i] = 0.99 * v[i] + 0.01 * g * g;
      const mean = m[i] / (1 - 0.9 ** n);
      const square = v[i] / (1 - 0.99 ** n);
      w[i] = w[i] * (1 - rate * decay) - (rate * mean) / (Math.sqrt(square) + 1e-8);
    }
  });
  return w;
}
`,
  python: {
    stub: `def adam_w(weights, gradients, rate, decay):
    w = np.array(weights, dtype=float)
    m, v = np.zeros_like(w), np.zeros_like(w)
    for n, g in enumerate(np.asarray(gradients), start=1):
        pass  # Change m, v and w.
    return w
`,
    solution: `def adam_w(weights, gradients, rate, decay):
    w = np.array(weights, dtype=float)
    m, v = np.zeros_like(w), np.zeros_like(w)
    for n, g in enumerate(np.asarray(gradients), start=1):
        m = 0.9 * m + 0.1 * g
        v = 0.99 * v + 0.01 * g**2
        mean, square = m / (1 - 0.9**n), v / (1 - 0.99**n)
        w = w * (1 - rate * decay) - rate * mean / (np.sqrt(square) + 1e-8)
    return w
`,
  },
  inputs: [
    [[1, -2, 0.5], [[0.5, -0.25, 1]], 0.1, 0.5],
    [
      [1, -2, 0.5, 3],
      [
        [0.5, -0.25, 0, 1e-4],
        [-1, -0.5, 0, 2e-4],
        [0.75, 2, 0, -1e-4],
      ],
      0.1,
      0.5,
    ],
    [[0.25, 4], [[1, 1], [3, -1]], 0.02, 0], // prettier-ignore
  ],
  expected: (phasor, weights, gradients, rate, decay) =>
    decayed(phasor, weights, gradients, rate, (w, change) => w * (1 - rate * decay) + change),
  mistakes: [
    {
      says: "The decay is a part of the gradient: decay times w is added to g. That is Adam with L2 regularization. AdamW’s decay does not go through m and v.",
      wrong: (phasor, weights, gradients, rate, decay) =>
        adam(phasor, weights, gradients, { learningRate: rate, weightDecay: decay }).at(-1) ?? [],
    },
    {
      says: "The divisors 1 − 0.9ⁿ and 1 − 0.99ⁿ are missing: m and v begin at 0 and are too small in the first steps.",
      wrong: (_, weights, gradients, rate, decay) =>
        byHand(weights, gradients, rate, decay, (m, v) => m / (Math.sqrt(v) + 1e-8)),
    },
    {
      says: "Only m is divided by its 1 − 0.9ⁿ. v begins at 0, too.",
      wrong: (_, weights, gradients, rate, decay) =>
        byHand(weights, gradients, rate, decay, (m, v, n) => first(m, n) / (Math.sqrt(v) + 1e-8)),
    },
    {
      says: "The divisors are those of step 1 in every step: n must grow.",
      wrong: (_, weights, gradients, rate, decay) =>
        byHand(weights, gradients, rate, decay, (m, v) => first(m, 1) / (Math.sqrt(second(v, 1)) + 1e-8)), // prettier-ignore
    },
    {
      says: "The decay is not multiplied by the rate.",
      wrong: (phasor, weights, gradients, rate, decay) =>
        decayed(phasor, weights, gradients, rate, (w, change) => w * (1 - decay) + change),
    },
    {
      says: "The weights do not decay.",
      wrong: (phasor, weights, gradients, rate) =>
        decayed(phasor, weights, gradients, rate, (w, change) => w + change),
    },
    {
      says: "The weights decay after the step. What the step has just added must not decay.",
      wrong: (phasor, weights, gradients, rate, decay) =>
        decayed(phasor, weights, gradients, rate, (w, change) => (w + change) * (1 - rate * decay)),
    },
    {
      says: "The weights go up with the gradient. A step goes against it.",
      wrong: (phasor, weights, gradients, rate, decay) =>
        decayed(phasor, weights, gradients, rate, (w, change) => w * (1 - rate * decay) - change),
    },
    {
      says: "The small number is added inside the root. It belongs outside.",
      wrong: (_, weights, gradients, rate, decay) =>
        byHand(weights, gradients, rate, decay, (m, v, n) => first(m, n) / Math.sqrt(second(v, n) + 1e-8)), // prettier-ignore
    },
    {
      says: "The square root is missing.",
      wrong: (_, weights, gradients, rate, decay) =>
        byHand(weights, gradients, rate, decay, (m, v, n) => first(m, n) / (second(v, n) + 1e-8)),
    },
    {
      says: "m and v begin at 0 again in every step. They are kept.",
      wrong: (_, weights, gradients, rate, decay) =>
        gradients.reduce(
          (/** @type {number[]} */ w, /** @type {number[]} */ gradient) =>
            byHand(w, [gradient], rate, decay, (m, v) => first(m, 1) / (Math.sqrt(second(v, 1)) + 1e-8)), // prettier-ignore
          weights,
        ),
    },
    {
      says: "0.9 and 0.99 are exchanged: m takes 0.1 of the new gradient, v 0.01 of its square.",
      wrong: (phasor, weights, gradients, rate, decay) =>
        decayed(phasor, weights, gradients, rate, (w, change) => w * (1 - rate * decay) + change, { beta1: 0.99, beta2: 0.9 }), // prettier-ignore
    },
  ],
};
