/** @import { Task } from "./index.js" */

/** @param {number[]} a @param {number[]} b */
const dot = (a, b) => a.reduce((sum, x, d) => sum + x * b[d], 0);

/** @type {Task} */
export const cosine = {
  name: "cosine",
  title: "Cosine similarity",
  lesson: "trained-table",
  calls: "cosine",
  parameters: ["a", "b"],
  axes: [],
  statement: `<p>
      Write <code>cosine(a, b)</code> for two vectors of the same width. It returns their dot product,
      divided by the length of each: \\(a \\cdot b \\,/\\, (|a|\\,|b|)\\).
    </p>`,
  hints: [
    "The dot product is the sum of <code>a[d] * b[d]</code> over all dimensions d.",
    "The length of a vector is the square root of its dot product with itself.",
  ],
  stub: `function cosine(a, b) {
  let dot = 0;
  // The dot product, and the two lengths.
  return dot;
}
`,
  solution: `function cosine(a, b) {
  let dot = 0;
  let aa = 0;
  let bb = 0;
  for (let d = 0; d < a.length; ++d) {
    dot += a[d] * b[d];
    aa += a[d] * a[d];
    bb += b[d] * b[d];
  }
  return dot / (Math.sqrt(aa) * Math.sqrt(bb));
}
`,
  python: {
    stub: `def cosine(a, b):
    a, b = np.asarray(a), np.asarray(b)
    # The dot product, divided by the two lengths.
    return 0.0
`,
    solution: `def cosine(a, b):
    a, b = np.asarray(a), np.asarray(b)
    return a @ b / (np.linalg.norm(a) * np.linalg.norm(b))
`,
  },
  inputs: [
    [
      [1, 2],
      [3, 4],
    ],
    [
      [1, 0, 0],
      [0, 2, 0],
    ],
    [
      [1, -2, 0.5],
      [-2, 4, -1],
    ],
    [
      [0.5, 1.5, -1, 2],
      [1, 0.25, 3, -0.5],
    ],
  ],
  expected: ({ similarity }, a, b) => similarity.pair(a, b, { metric: "cosine" }),
  mistakes: [
    {
      says: "This is the dot product. Divide it by the lengths of both vectors.",
      wrong: (_, a, b) => dot(a, b),
    },
    {
      says: "The dot product is divided by the squares of the lengths: a square root is missing.",
      wrong: (_, a, b) => dot(a, b) / (dot(a, a) * dot(b, b)),
    },
    {
      says: "This is the cosine distance, 1 − cosine.",
      wrong: ({ similarity }, a, b) => 1 - similarity.pair(a, b, { metric: "cosine" }),
    },
    {
      says: "This is the angle in radians. Return its cosine.",
      wrong: ({ similarity }, a, b) =>
        Math.acos(Math.min(1, Math.max(-1, similarity.pair(a, b, { metric: "cosine" })))),
    },
    {
      says: "The dot product is divided by one of the lengths only.",
      wrong: (_, a, b) => dot(a, b) / Math.sqrt(dot(a, a)),
    },
    {
      says: "This is the distance of the two vectors.",
      wrong: ({ similarity }, a, b) => similarity.pair(a, b, { metric: "euclidean" }),
    },
    {
      says: "The dot product is divided by the sum of the lengths. Divide by their product.",
      wrong: (_, a, b) => dot(a, b) / (Math.sqrt(dot(a, a)) + Math.sqrt(dot(b, b))),
    },
  ],
};
