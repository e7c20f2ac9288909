/** @import { Task } from "./index.js" */
import { transposed } from "./samples.js";
import { mistakes, pairs, rows } from "./sinusoids.js";

/** @param {number} length */
const upTo = (length) => Array.from({ length }, (_, t) => t);

/** A mistake in the first rows. @param {(typeof pairs)[number]} mistake @returns {import("./index.js").Mistake} */
function ofTable({ says, wrong }) {
  return {
    says,
    wrong: (phasor, length, dim, base) => wrong(phasor, upTo(length), dim, base),
  };
}

/** @type {Task} */
export const sinusoidTable = {
  name: "sinusoid-table",
  title: "The table of all positions",
  lesson: "sinusoidal",
  calls: "sinusoidTable",
  parameters: ["length", "dim", "base"],
  axes: ["position", "dimension"],
  statement: `<p>
      Write <code>sinusoidTable(length, dim, base)</code>. It returns the vectors of the positions 0 to
      <code>length</code> − 1, one row each. In row \\(t\\), dimension \\(2i\\) is
      \\(\\sin(t\\,b^{-2i/D})\\) and dimension \\(2i + 1\\) is \\(\\cos(t\\,b^{-2i/D})\\), for any base \\(b\\).
    </p>`,
  hints: [
    "The outer loop runs over positions, the inner one over pairs.",
    "Pair i of position t has the angle <code>t * base ** ((-2 * i) / dim)</code>.",
  ],
  stub: `function sinusoidTable(length, dim, base) {
  const table = [];
  for (let t = 0; t < length; ++t) {
    // Add the vector of position t.
  }
  return table;
}
`,
  solution: `function sinusoidTable(length, dim, base) {
  const table = [];
  for (let t = 0; t < length; ++t) {
    const row = [];
    for (let i = 0; i < dim / 2; ++i) {
      const angle = t * base ** ((-2 * i) / dim);
      row.push(Math.sin(angle), Math.cos(angle));
    }
    table.push(row);
  }
  return table;
}
`,
  python: {
    stub: `def sinusoid_table(length, dim, base):
    table = np.zeros((length, dim))
    # Rows are positions. Even columns: sines. Odd columns: cosines.
    return table
`,
    solution: `def sinusoid_table(length, dim, base):
    t = np.arange(length)[:, None]
    i = np.arange(dim // 2)
    angle = t * float(base) ** (-2 * i / dim)
    table = np.zeros((length, dim))
    table[:, 0::2] = np.sin(angle)
    table[:, 1::2] = np.cos(angle)
    return table
`,
  },
  inputs: [
    [4, 6, 10000],
    [3, 4, 100],
    [6, 4, 500000],
  ],
  expected: (phasor, length, dim, base) => rows(phasor, upTo(length), dim, base),
  mistakes: [
    ...mistakes.map(ofTable),
    {
      says: "Rows and columns are exchanged: each position needs a row, its vector.",
      wrong: (phasor, length, dim, base) => transposed(rows(phasor, upTo(length), dim, base)),
    },
    {
      says: "The base is always 10,000. Use the argument.",
      wrong: (phasor, length, dim) => rows(phasor, upTo(length), dim, 10000),
    },
  ],
  pairs: pairs.map(ofTable),
};
