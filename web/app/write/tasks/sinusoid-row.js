/** @import { Task } from "./index.js" */
import { mistakes, pairs, rows } from "./sinusoids.js";

/** A mistake in one row. @param {(typeof pairs)[number]} mistake @returns {import("./index.js").Mistake} */
function ofRow({ says, wrong }) {
  return { says, wrong: (phasor, position, dim) => wrong(phasor, [position], dim, 10000)[0] };
}

/** @type {Task} */
export const sinusoidRow = {
  name: "sinusoid-row",
  title: "The vector of one position",
  lesson: "sinusoidal",
  calls: "sinusoidRow",
  parameters: ["position", "dim"],
  axes: ["dimension"],
  statement: `<p>
      Write <code>sinusoidRow(position, dim)</code>. It returns the <code>dim</code> numbers of one
      position: the sine and the cosine of the angle \\(t\\,b^{-2i/D}\\) for pair \\(i\\) = 0, the same
      for pair 1, and so on. \\(t\\) is the position, \\(D\\) is <code>dim</code>, and \\(b\\) = 10,000.
    </p>`,
  hints: [
    "The angle of pair i is <code>position * 10000 ** ((-2 * i) / dim)</code>, in radians.",
    "Each pair adds two numbers: first the sine of its angle, then the cosine of the same angle.",
  ],
  stub: `function sinusoidRow(position, dim) {
  const row = [];
  for (let i = 0; i < dim / 2; ++i) {
    // Pair i: add its sine, then its cosine.
  }
  return row;
}
`,
  solution: `function sinusoidRow(position, dim) {
  const row = [];
  for (let i = 0; i < dim / 2; ++i) {
    const angle = position * 10000 ** ((-2 * i) / dim);
    row.push(Math.sin(angle), Math.cos(angle));
  }
  return row;
}
`,
  python: {
    stub: `def sinusoid_row(position, dim):
    row = np.zeros(dim)
    # Even dimensions: sines. Odd dimensions: cosines.
    return row
`,
    solution: `def sinusoid_row(position, dim):
    i = np.arange(dim // 2)
    angle = position * 10000.0 ** (-2 * i / dim)
    row = np.zeros(dim)
    row[0::2] = np.sin(angle)
    row[1::2] = np.cos(angle)
    return row
`,
  },
  inputs: [
    [0, 8],
    [1, 8],
    [3, 8],
    [50, 6],
    [1000, 4],
  ],
  expected: (phasor, position, dim) => rows(phasor, [position], dim, 10000)[0],
  mistakes: mistakes.map(ofRow),
  pairs: pairs.map(ofRow),
};
