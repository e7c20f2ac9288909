/** @import { Phasor } from "phasor" */
/** @import { Task } from "./index.js" */

/** @param {Phasor} phasor @param {number} heads @param {number} length @param {number[]} [slopes] */
const causal = ({ alibi }, heads, length, slopes) =>
  alibi.bias(heads, length, { form: "causal", ...(slopes ? { slopes } : {}) }).toArray();

/** Slopes of H heads by a formula. @param {number} heads @param {(head: number) => number} of */
const slopes = (heads, of) => Array.from({ length: heads }, (_, head) => of(head));

/** @param {number[][][]} bias @param {(x: number) => number} change */
const each = (bias, change) => bias.map((head) => head.map((row) => row.map(change)));

/** @type {Task} */
export const alibi = {
  name: "alibi",
  title: "ALiBi’s slopes and bias",
  lesson: "alibi",
  calls: "alibiBias",
  parameters: ["heads", "length"],
  axes: ["head", "query", "key"],
  statement: `<p>
      Write <code>alibiBias(heads, length)</code> for a number of heads that is a power of two. It returns what is added to the scores: for each head \\(h\\) and query \\(i\\), a vector with one number for each key \\(j\\). The number is \\(-m_h\\,(i - j)\\) for keys up to the query, and \\(-\\infty\\) (<code>-Infinity</code>) for keys after it. The slopes \\(m_h\\) are
      \\(2^{-8/H}, 2^{-16/H}, \\dots, 2^{-8}\\).
    </p>`,
  hints: [
    "Counted from 0, head h of H has the slope <code>2 ** ((-8 * (h + 1)) / heads)</code>.",
    "Three loops: over heads, queries i and keys j. Where j > i, the number is <code>-Infinity</code>.",
  ],
  stub: `function alibiBias(heads, length) {
  const bias = [];
  for (let h = 0; h < heads; ++h) {
    // Add length rows of length numbers.
  }
  return bias;
}
`,
  solution: `function alibiBias(heads, length) {
  const bias = [];
  for (let h = 0; h < heads; ++h) {
    const slope = 2 ** ((-8 * (h + 1)) / heads);
    const rows = [];
    for (let i = 0; i < length; ++i) {
      const row = [];
      for (let j = 0; j < length; ++j) row.push(j > i ? -Infinity : -slope * (i - j));
      rows.push(row);
    }
    bias.push(rows);
  }
  return bias;
}
`,
  python: {
    stub: `def alibi_bias(heads, length):
    bias = np.zeros((heads, length, length))
    # -slope * (i - j) up to the query, -np.inf after it.
    return bias
`,
    solution: `def alibi_bias(heads, length):
    slope = 2.0 ** (-8 * np.arange(1, heads + 1) / heads)
    i, j = np.arange(length)[:, None], np.arange(length)
    bias = -slope[:, None, None] * (i - j)
    return np.where(j > i, -np.inf, bias)
`,
  },
  inputs: [
    [2, 4],
    [8, 3],
    [4, 5],
  ],
  expected: (phasor, heads, length) => causal(phasor, heads, length),
  mistakes: [
    {
      says: "Keys after the query get a bonus that grows with the distance: they need −Infinity.",
      wrong: (_, heads, length) =>
        slopes(heads, (h) => 2 ** ((-8 * (h + 1)) / heads)).map((m) =>
          Array.from({ length }, (_, i) => Array.from({ length }, (_, j) => -m * (i - j))),
        ),
    },
    {
      says: "Keys after the query get a penalty by distance, the symmetric form. Here they need −Infinity.",
      wrong: ({ alibi }, heads, length) => alibi.bias(heads, length, { form: "symmetric" }),
    },
    {
      says: "Keys after the query get 0, so attention would see them. They need −Infinity.",
      wrong: (phasor, heads, length) =>
        each(causal(phasor, heads, length), (x) => (x === -Infinity ? 0 : x)),
    },
    {
      says: "The slopes begin at 1: head 0 has the exponent −8/H, not 0.",
      wrong: (phasor, heads, length) =>
        causal(
          phasor,
          heads,
          length,
          slopes(heads, (h) => 2 ** ((-8 * h) / heads)),
        ),
    },
    {
      says: "The slopes are not powers of one number: each slope is a constant factor smaller than the one before.",
      wrong: (phasor, heads, length) =>
        causal(
          phasor,
          heads,
          length,
          slopes(heads, (h) => 1 / (h + 1)),
        ),
    },
    {
      says: "The slopes are 1/2, 1/4, 1/8, …, those of 8 heads. With H heads the factor is 2 to the power of −8/H.",
      wrong: (phasor, heads, length) =>
        causal(
          phasor,
          heads,
          length,
          slopes(heads, (h) => 2 ** -(h + 1)),
        ),
    },
    {
      says: "Near keys should keep their score and far keys lose: the sign of the penalty is wrong.",
      wrong: (phasor, heads, length) =>
        each(causal(phasor, heads, length), (x) => (x === -Infinity ? x : -x)),
    },
    {
      says: "Queries and keys are exchanged: the rows are queries, the columns keys.",
      wrong: (phasor, heads, length) =>
        causal(phasor, heads, length).map((/** @type {number[][]} */ rows) =>
          rows.map((_, r) => rows.map((row) => row[r])),
        ),
    },
    {
      says: "Keys after the query get a large negative number, as some code does. Here they need −Infinity.",
      wrong: (phasor, heads, length) =>
        each(causal(phasor, heads, length), (x) => (x === -Infinity ? -1e9 : x)),
    },
    {
      says: "This is BLOOM’s form, the slope times j. It gives the same weights, but here the number is the penalty by distance.",
      wrong: (_, heads, length) =>
        slopes(heads, (h) => 2 ** ((-8 * (h + 1)) / heads)).map((m) =>
          Array.from({ length }, (_, i) =>
            Array.from({ length }, (_, j) => (j > i ? -Infinity : m * j)),
          ),
        ),
    },
    {
      says: "The slopes are in the opposite order: head 0 has the steepest one.",
      wrong: (phasor, heads, length) => causal(phasor, heads, length).reverse(),
    },
  ],
};
