/** @import { Phasor } from "phasor" */
/** @import { Task } from "./index.js" */

/**
 * A rotated vector, times a factor.
 * @param {Phasor} phasor @param {number[]} x @param {number} position @param {number} factor
 * @param {{ inverse?: boolean, layout?: "halves" | "interleaved", base?: number }} [options]
 */
function rotated({ rope }, x, position, factor, options = {}) {
  const { inverse = true, layout = "halves", base = 10000 } = options;
  const { cos, sin } = rope.table([position], x.length, { base });
  const scaled = (/** @type {import("phasor").Tensor} */ part) =>
    part.toArray().map((/** @type {number[]} */ row) => row.map((value) => value * factor));
  const table = { cos: scaled(cos), sin: scaled(sin) };
  return rope.apply([x], table, { layout, inverse }).row(0).toArray();
}

/** @type {Task} */
export const rotationGradient = {
  name: "rotation-gradient",
  title: "The gradient of a rotation",
  lesson: "train-short",
  calls: "rotationGradient",
  parameters: ["gradient", "position", "factor"],
  axes: ["dimension"],
  statement: `<p>
      RoPE rotates each pair \\((x_i, x_{i+D/2})\\) of a query by \\(m\\,\\theta_i\\), with the position \\(m\\) and
      \\(\\theta_i = 10{,}000^{-2i/D}\\), and multiplies it by a factor. YaRN’s attention factor is such a factor; it
      is 1 without one. Write <code>rotationGradient(gradient, position, factor)</code>. From the derivative of the
      loss by each number of the result, it returns the derivative by each number of \\(x\\).
    </p>`,
  hints: [
    "If <code>y = M x</code>, the derivative by x is the transposed matrix M times the derivative by y.",
    "The transposed matrix of a rotation is the rotation by minus its angle.",
    "A transposed number is the same number: the factor multiplies the gradient, too.",
  ],
  stub: `function rotationGradient(gradient, position, factor) {
  const half = gradient.length / 2;
  const result = [...gradient];
  for (let i = 0; i < half; ++i) {
    // The pair gradient[i], gradient[i + half].
  }
  return result;
}
`,
  solution: `function rotationGradient(gradient, position, factor) {
  const half = gradient.length / 2;
  const result = [...gradient];
  for (let i = 0; i < half; ++i) {
    const angle = -position * 10000 ** ((-2 * i) / gradient.length);
    const [cos, sin] = [factor * Math.cos(angle), factor * Math.sin(angle)];
    result[i] = gradient[i] * cos - gradient[i + half] * sin;
    result[i + half] = gradient[i] * sin + gradient[i + half] * cos;
  }
  return result;
}
`,
  python: {
    stub: `def rotation_gradient(gradient, position, factor):
    g = np.asarray(gradient)
    half = len(g) // 2
    # The pairs (g[i], g[i + half]).
    return g
`,
    solution: `def rotation_gradient(gradient, position, factor):
    g = np.asarray(gradient)
    half = len(g) // 2
    angle = -position * 10000.0 ** (-2 * np.arange(half) / len(g))
    cos, sin = factor * np.cos(angle), factor * np.sin(angle)
    a, b = g[:half], g[half:]
    return np.concatenate([a * cos - b * sin, a * sin + b * cos])
`,
  },
  inputs: [
    [[1, 2, 3, 4], 1, 1],
    [[0.5, -1, 2, 3, 0.25, -4], 5, 1.25],
    [[1, 2, 3, 4], 0, 0.5],
    [[2, -3, 0.75, 1.5], 100, 1],
  ],
  expected: (phasor, gradient, position, factor) => rotated(phasor, gradient, position, factor),
  mistakes: [
    {
      says: "It rotates forward, as RoPE does. The gradient goes back: by minus the angle.",
      wrong: (phasor, gradient, position, factor) =>
        rotated(phasor, gradient, position, factor, { inverse: false }),
    },
    {
      says: "The factor is missing.",
      wrong: (phasor, gradient, position) => rotated(phasor, gradient, position, 1),
    },
    {
      says: "It is divided by the factor. That undoes the rotation; the gradient needs the transposed matrix, which has the factor, too.",
      wrong: (phasor, gradient, position, factor) =>
        rotated(phasor, gradient, position, 1 / factor),
    },
    {
      says: "Your pairs are neighbors, as in the interleaved layout. Here dimension i is paired with i + D/2.",
      wrong: (phasor, gradient, position, factor) =>
        rotated(phasor, gradient, position, factor, { layout: "interleaved" }),
    },
    {
      says: "The exponent is −i/D instead of −2i/D, where i is the number of the pair.",
      wrong: (phasor, gradient, position, factor) =>
        rotated(phasor, gradient, position, factor, { base: 100 }),
    },
    {
      says: "The factor multiplies the angle. It belongs to cosine and sine.",
      wrong: (phasor, gradient, position, factor) =>
        rotated(phasor, gradient, position * factor, 1),
    },
    {
      says: "The second number of a pair is computed with the new first number. Keep both old numbers until both new ones are computed.",
      wrong(phasor, gradient, position, factor) {
        const half = gradient.length / 2;
        const { cos, sin } = phasor.rope.table([position], gradient.length);
        const [c, s] = [cos, sin].map((part) =>
          Array.from(part.row(0).data, (value) => factor * Number(value)),
        );
        const made = [...gradient];
        for (let i = 0; i < half; ++i) {
          made[i] = gradient[i] * c[i] + gradient[i + half] * s[i];
          made[i + half] = gradient[i + half] * c[i] - made[i] * s[i];
        }
        return made;
      },
    },
  ],
};
