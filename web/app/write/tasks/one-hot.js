/** @import { Task } from "./index.js" */
import { transposed } from "./samples.js";

/** @type {Task} */
export const oneHot = {
  name: "one-hot",
  title: "One-hot vectors",
  lesson: "lookup",
  calls: "oneHot",
  parameters: ["ids", "size"],
  axes: ["token", "column"],
  statement: `<p>
      Write <code>oneHot(ids, size)</code>. It returns one vector for each id: <code>size</code>
      numbers, 1 at the index that the id names and 0 elsewhere. Ids begin at 0.
    </p>`,
  hints: [
    "<code>new Array(size).fill(0)</code> is a vector of zeros. Each id needs its own.",
    "<code>vector[id] = 1</code> sets the one number that differs.",
  ],
  stub: `function oneHot(ids, size) {
  return ids.map((id) => {
    // The vector of this id.
  });
}
`,
  solution: `function oneHot(ids, size) {
  return ids.map((id) => {
    const vector = new Array(size).fill(0);
    vector[id] = 1;
    return vector;
  });
}
`,
  python: {
    hints: [
      "<code>np.zeros((len(ids), size))</code> is a row of zeros for each id.",
      "<code>vectors[t, id] = 1</code> sets the one number of row t that differs.",
    ],
    stub: `def one_hot(ids, size):
    vectors = np.zeros((len(ids), size))
    # In each row, set one number to 1.
    return vectors
`,
    solution: `def one_hot(ids, size):
    vectors = np.zeros((len(ids), size))
    vectors[np.arange(len(ids)), ids] = 1
    return vectors
`,
  },
  inputs: [
    [[2, 0, 3], 4],
    [[1], 3],
    [[1, 4, 4, 2], 5],
  ],
  expected: ({ embedding }, ids, size) => embedding.oneHot(ids, size),
  mistakes: [
    {
      says: "Ids are counted from 1. Id 0 names the first number of the vector.",
      wrong: (_, ids, size) =>
        ids.map((/** @type {number} */ id) =>
          Array.from({ length: size }, (_, i) => Number(i === id - 1)),
        ),
    },
    {
      says: "Rows and columns are exchanged: each token needs a row, its vector.",
      wrong: ({ embedding }, ids, size) => transposed(embedding.oneHot(ids, size).toArray()),
    },
    {
      says: "All tokens share one vector. Each token needs its own.",
      wrong: (_, ids, size) =>
        ids.map(() => Array.from({ length: size }, (_, i) => Number(ids.includes(i)))),
    },
    {
      says: "There is one vector for all tokens, a bag of words. Each token needs its own.",
      wrong: (_, ids, size) => Array.from({ length: size }, (_, i) => Number(ids.includes(i))),
    },
  ],
};
