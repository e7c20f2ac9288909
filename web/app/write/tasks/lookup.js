/** @import { Task } from "./index.js" */
import { TOKENS, looked, transposed } from "./samples.js";

/** @type {Task} */
export const lookup = {
  name: "lookup",
  title: "Look up embeddings",
  lesson: "lookup",
  calls: "lookup",
  parameters: ["ids", "table"],
  axes: ["token", "dimension"],
  statement: `<p>
      Write <code>lookup(ids, table)</code>. <code>table</code> is an array of vectors, one for each
      token of the vocabulary. The function returns the vector of each id, in the order of the ids.
    </p>`,
  hints: [
    "No arithmetic is needed: <code>table[id]</code> is the vector of a token.",
    "<code>ids.map(…)</code> makes an array with one entry for each id.",
  ],
  stub: `function lookup(ids, table) {
  const vectors = [];
  // Add the vector of each id.
  return vectors;
}
`,
  solution: `function lookup(ids, table) {
  const vectors = [];
  for (const id of ids) vectors.push(table[id]);
  return vectors;
}
`,
  python: {
    hints: [
      "No arithmetic is needed: <code>table[id]</code> is the vector of a token.",
      "An array of ids as the index, <code>table[ids]</code>, gives one row for each id.",
    ],
    stub: `def lookup(ids, table):
    table = np.asarray(table)
    # The vector of each id.
    return None
`,
    solution: `def lookup(ids, table):
    table = np.asarray(table)
    return table[ids]
`,
  },
  inputs: [
    [[3, 1, 4], TOKENS],
    [[2, 0, 2, 2], TOKENS],
    [[1], TOKENS.slice(0, 2)],
  ],
  expected: (phasor, ids, table) => looked(phasor, table, ids),
  mistakes: [
    {
      says: "You used the position to look up the vector: token t gets vector t. Use its id.",
      wrong: (_, ids, table) => table.slice(0, ids.length),
    },
    {
      says: "Each vector is returned once, in the table's order. A repeated id gets its vector again.",
      wrong: (_, ids, table) =>
        table.filter((/** @type {number[]} */ _, /** @type {number} */ id) => ids.includes(id)),
    },
    {
      says: "Repeated ids are left out. Each token of the sentence gets a vector.",
      wrong: (_, ids, table) => [...new Set(ids)].map((id) => table[id]),
    },
    {
      says: "Rows and columns are exchanged: each token needs a row, its vector.",
      wrong: (phasor, ids, table) => transposed(looked(phasor, table, ids)),
    },
  ],
};
