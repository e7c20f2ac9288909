/** @import { Task } from "./index.js" */
import { POSITIONS, TOKENS, looked, sum, times } from "./samples.js";

/** @param {readonly number[][]} rows  two columns of them */
const narrow = (rows) => rows.map((row) => row.slice(0, 2));

/** @param {readonly any[]} ids @param {readonly any[]} positions */
const first = (ids, positions) => positions.slice(0, ids.length);

/** @type {Task} */
export const tokenAndPosition = {
  name: "token-and-position",
  title: "TokenAndPositionEmbedding",
  lesson: "whole-input",
  calls: "tokenAndPosition",
  parameters: ["ids", "table", "positions"],
  axes: ["position", "dimension"],
  statement: `<p>
      Write <code>tokenAndPosition(ids, table, positions)</code>, the first step of the original
      transformer. It returns one vector for each id: the token’s vector from <code>table</code>, times
      \\(\\sqrt{D}\\), plus the vector of its position from <code>positions</code>. Positions begin at 0.
    </p>`,
  hints: [
    "In <code>ids.map((id, t) => …)</code>, id picks the token’s vector and t the position’s.",
    "D is the width, <code>table[0].length</code>. Only the token’s vector is scaled.",
  ],
  stub: `function tokenAndPosition(ids, table, positions) {
  return ids.map((id, t) => {
    // The sum of two vectors.
    return table[id];
  });
}
`,
  solution: `function tokenAndPosition(ids, table, positions) {
  const scale = Math.sqrt(table[0].length);
  return ids.map((id, t) => {
    return table[id].map((value, d) => scale * value + positions[t][d]);
  });
}
`,
  python: {
    hints: [
      "<code>table[ids]</code> has the tokens’ vectors, <code>positions[: len(ids)]</code> those of their positions.",
      "D is the width, <code>table.shape[1]</code>. Only the token’s vector is scaled.",
    ],
    stub: `def token_and_position(ids, table, positions):
    table, positions = np.asarray(table), np.asarray(positions)
    # The sum of two vectors for each id.
    return table[ids]
`,
    solution: `def token_and_position(ids, table, positions):
    table, positions = np.asarray(table), np.asarray(positions)
    scale = np.sqrt(table.shape[1])
    return scale * table[ids] + positions[: len(ids)]
`,
  },
  inputs: [
    [[3, 1, 4], TOKENS, POSITIONS],
    [[2, 0, 2, 2], narrow(TOKENS), narrow(POSITIONS)],
  ],
  expected: (phasor, ids, table, positions) =>
    looked(phasor, table, ids, { scale: "sqrt", add: first(ids, positions) }),
  mistakes: [
    {
      says: "The factor √D is missing.",
      wrong: (phasor, ids, table, positions) =>
        looked(phasor, table, ids, { add: first(ids, positions) }),
    },
    {
      says: "The sum is scaled. Scale the token’s vector alone, then add the position.",
      wrong: (phasor, ids, table, positions) =>
        times(
          looked(phasor, table, ids, { add: first(ids, positions) }),
          Math.sqrt(table[0].length),
        ),
    },
    {
      says: "The vector is multiplied by D. The factor is its square root.",
      wrong: (phasor, ids, table, positions) =>
        looked(phasor, table, ids, { scale: table[0].length, add: first(ids, positions) }),
    },
    {
      says: "The vector is divided by √D. Multiply.",
      wrong: (phasor, ids, table, positions) =>
        looked(phasor, table, ids, {
          scale: 1 / Math.sqrt(table[0].length),
          add: first(ids, positions),
        }),
    },
    {
      says: "You used the id to look up the position’s vector. Use the token’s index in the sentence.",
      wrong: (phasor, ids, table, positions) =>
        sum(
          looked(phasor, table, ids, { scale: "sqrt" }),
          ids.map((/** @type {number} */ id) => positions[id]),
        ),
    },
    {
      says: "The first position is counted as 1. Positions begin at 0.",
      wrong: (phasor, ids, table, positions) =>
        looked(phasor, table, ids, { scale: "sqrt", add: positions.slice(1, ids.length + 1) }),
    },
    {
      says: "The position is missing.",
      wrong: (phasor, ids, table) => looked(phasor, table, ids, { scale: "sqrt" }),
    },
    {
      says: "The factor is the square root of the number of tokens in the vocabulary. It is that of the width.",
      wrong: (phasor, ids, table, positions) =>
        looked(phasor, table, ids, {
          scale: Math.sqrt(table.length),
          add: first(ids, positions),
        }),
    },
    {
      says: "The factor is the square root of the number of ids. It is that of the width.",
      wrong: (phasor, ids, table, positions) =>
        looked(phasor, table, ids, { scale: Math.sqrt(ids.length), add: first(ids, positions) }),
    },
    {
      says: "The position’s vector is scaled. Scale the token’s.",
      wrong: (phasor, ids, table, positions) =>
        sum(looked(phasor, table, ids), times(first(ids, positions), Math.sqrt(table[0].length))),
    },
  ],
};
