/** @import { Phasor } from "phasor" */
/** @import { Mistake, Task } from "./index.js" */
import { both } from "./both.js";

/**
 * @param {Phasor} phasor @param {number[]} x @param {number} position
 * @param {{ base?: number, layout?: "halves" | "interleaved", inverse?: boolean }} [options]
 */
const rotated = (
  { rope },
  x,
  position,
  { base = 10000, layout = "halves", inverse = false } = {},
) => rope.apply([x], rope.table([position], x.length, { base }), { layout, inverse }).row(0);

/** The angles' cosines and sines, each half of the width. @param {Phasor} phasor @param {number} position @param {number} dim */
function table({ rope }, position, dim) {
  const { cos, sin } = rope.table([position], dim);
  return [cos, sin].map((half) => half.row(0).toArray());
}

/** The first numbers of pairs of neighbors, then the second ones. @param {readonly number[]} x */
const halves = (x) => [0, 1].flatMap((odd) => x.filter((_, d) => d % 2 === odd));

/** The reverse of `halves`. @param {readonly number[]} x */
const neighbors = (x) => x.map((_, d) => x[(d >> 1) + (d % 2) * (x.length / 2)]);

/** @param {import("./index.js").Value} value @returns {number[]} */
const numbersOf = (value) => Array.from(/** @type {any} */ ("toArray" in Object(value) ? /** @type {any} */ (value).toArray() : value)); // prettier-ignore

/** @type {readonly Mistake[]} */
const mistakes = [
  {
    says: "The rotation goes backward: the signs of the two sines are exchanged, as by a wrong sign in rotate_half.",
    wrong: (phasor, x, position) => rotated(phasor, x, position, { inverse: true }),
  },
  {
    says: "Your pairs are neighbors, as in the interleaved layout. Here dimension i is paired with i + D/2.",
    wrong: (phasor, x, position) => rotated(phasor, x, position, { layout: "interleaved" }),
    on: (wrong) => (phasor, x, position) =>
      neighbors(numbersOf(wrong(phasor, halves(x), position))),
  },
  {
    says: "The exponent is −i/D instead of −2i/D, where i is the number of the pair.",
    wrong: (phasor, x, position) => rotated(phasor, x, position, { base: 100 }),
  },
  {
    says: "The angle is converted to or from degrees. Sine and cosine take radians: no conversion is needed.",
    wrong: (phasor, x, position) => rotated(phasor, x, (position * Math.PI) / 180),
    on: (wrong) => (phasor, x, position) => wrong(phasor, x, (position * Math.PI) / 180), // prettier-ignore
  },
  {
    says: "The first position is counted as 1. Position 0 does not rotate.",
    wrong: (phasor, x, position) => rotated(phasor, x, position + 1),
    on: (wrong) => (phasor, x, position) => wrong(phasor, x, position + 1), // prettier-ignore
  },
  {
    says: "Both sines have the same sign. In a rotation, one of them is negative.",
    wrong(phasor, x, position) {
      const half = x.length / 2;
      const [cos, sin] = table(phasor, position, x.length);
      return x.map((/** @type {number} */ value, /** @type {number} */ d) => {
        const i = d % half;
        return value * cos[i] + x[(d + half) % x.length] * sin[i];
      });
    },
  },
  {
    says: "The second number of a pair is rotated with the new first number. Keep both old numbers until both new ones are computed.",
    wrong(phasor, x, position) {
      const half = x.length / 2;
      const [cos, sin] = table(phasor, position, x.length);
      const made = [...x];
      for (let i = 0; i < half; ++i) {
        made[i] = x[i] * cos[i] - x[i + half] * sin[i];
        made[i + half] = made[i] * sin[i] + x[i + half] * cos[i];
      }
      return made;
    },
  },
  {
    says: "The exponent is divided by the number of pairs, D/2. Divide by D.",
    wrong: (phasor, x, position) => rotated(phasor, x, position, { base: 1e8 }),
  },
  {
    says: "The angle does not depend on the position. Multiply by it.",
    wrong: (phasor, x) => rotated(phasor, x, 1),
  },
];

/** @type {Task} */
export const rope = {
  name: "rope",
  title: "RoPE",
  lesson: "rope",
  calls: "rope",
  parameters: ["x", "position"],
  axes: ["dimension"],
  statement: `<p>
      Write <code>rope(x, position)</code>. It rotates each pair \\((x_i, x_{i+D/2})\\) of the vector
      <code>x</code> by \\(m\\,\\theta_i\\), where \\(m\\) is the position and \\(\\theta_i = 10{,}000^{-2i/D}\\), and
      returns the rotated vector.
    </p>`,
  hints: [
    "Pair i has two numbers: <code>x[i]</code> and <code>x[i + D / 2]</code>. Both use the same angle.",
    "Rotated by an angle, (a, b) becomes (a cos − b sin, a sin + b cos).",
  ],
  stub: `function rope(x, position) {
  const half = x.length / 2;
  const rotated = [...x];
  for (let i = 0; i < half; ++i) {
    // Rotate the pair x[i], x[i + half].
  }
  return rotated;
}
`,
  solution: `function rope(x, position) {
  const half = x.length / 2;
  const rotated = [...x];
  for (let i = 0; i < half; ++i) {
    const angle = position * 10000 ** ((-2 * i) / x.length);
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    rotated[i] = x[i] * cos - x[i + half] * sin;
    rotated[i + half] = x[i] * sin + x[i + half] * cos;
  }
  return rotated;
}
`,
  python: {
    stub: `def rope(x, position):
    x = np.asarray(x)
    half = len(x) // 2
    # Rotate the pairs (x[i], x[i + half]).
    return x
`,
    solution: `def rope(x, position):
    x = np.asarray(x)
    half = len(x) // 2
    angle = position * 10000.0 ** (-2 * np.arange(half) / len(x))
    cos, sin = np.cos(angle), np.sin(angle)
    a, b = x[:half], x[half:]
    return np.concatenate([a * cos - b * sin, a * sin + b * cos])
`,
  },
  inputs: [
    [[1, 2, 3, 4], 1],
    [[0.5, -1, 2, 3, 0.25, -4], 5],
    [[1, 2, 3, 4], 0],
    [[2, -3, 0.75, 1.5], 100],
  ],
  expected: (phasor, x, position) => rotated(phasor, x, position),
  mistakes,
  pairs: both(mistakes),
};
