/** @import { Phasor } from "phasor" */
/** @import { Task } from "./index.js" */
import { POSITIONS, TOKENS, looked, times } from "./samples.js";

/**
 * @param {Phasor} phasor @param {number[][]} ids @param {number} from  the first position
 * @param {number[][]} wte @param {number[][]} wpe
 */
const input = (phasor, ids, from, wte, wpe) =>
  looked(phasor, wte, ids, { add: wpe.slice(from, from + ids[0].length) });

/** @type {Task} */
export const gpt2Input = {
  name: "gpt2-input",
  title: "GPT-2’s input",
  lesson: "gpt2-input",
  calls: "gpt2Input",
  parameters: ["ids", "past", "wte", "wpe"],
  axes: ["sequence", "token", "dimension"],
  statement: `<p>
      Write <code>gpt2Input(ids, past, wte, wpe)</code> for a batch. <code>ids</code> contains the ids of several sequences of equal length. <code>wte</code> has a vector for each token,
      <code>wpe</code> one for each position. When GPT-2 generates text, <code>past</code> tokens have already been read, so the first id is at position <code>past</code>. For each sequence, return the
      vectors \\(W[\\mathrm{token}_t] + P[\\mathrm{past} + t]\\).
    </p>`,
  hints: [
    "Use two nested <code>map</code> calls: over the sequences, and over the ids of each.",
    "Every sequence starts at position <code>past</code>. GPT-2 neither scales nor normalizes here.",
  ],
  stub: `function gpt2Input(ids, past, wte, wpe) {
  return ids.map((sequence) =>
    sequence.map((id, t) => {
      // The vector of this token at its position.
      return wte[id];
    }),
  );
}
`,
  solution: `function gpt2Input(ids, past, wte, wpe) {
  return ids.map((sequence) =>
    sequence.map((id, t) => {
      return wte[id].map((value, d) => value + wpe[past + t][d]);
    }),
  );
}
`,
  python: {
    hints: [
      "<code>wte[ids]</code> has the vectors of a whole batch. The rows of <code>wpe</code> are added to each sequence.",
      "Every sequence starts at position <code>past</code>. GPT-2 neither scales nor normalizes here.",
    ],
    stub: `def gpt2_input(ids, past, wte, wpe):
    ids, wte, wpe = np.asarray(ids), np.asarray(wte), np.asarray(wpe)
    # Shape [sequences, tokens, dimensions].
    return wte[ids]
`,
    solution: `def gpt2_input(ids, past, wte, wpe):
    ids, wte, wpe = np.asarray(ids), np.asarray(wte), np.asarray(wpe)
    return wte[ids] + wpe[past : past + ids.shape[1]]
`,
  },
  inputs: [
    [
      [
        [3, 1, 4],
        [1, 1, 0],
      ],
      0,
      TOKENS,
      POSITIONS,
    ],
    [
      [
        [2, 0],
        [4, 3],
        [2, 2],
      ],
      2,
      TOKENS,
      POSITIONS,
    ],
    [[[0]], 7, TOKENS, POSITIONS],
  ],
  expected: input,
  mistakes: [
    {
      says: "You did not add past: the first id is at position past.",
      wrong: (phasor, ids, _, wte, wpe) => input(phasor, ids, 0, wte, wpe),
    },
    {
      says: "The positions continue from one sequence to the next. Each sequence starts at past.",
      wrong: (phasor, ids, past, wte, wpe) =>
        ids.map(
          (/** @type {number[]} */ sequence, /** @type {number} */ b) =>
            input(phasor, [sequence], past + b * sequence.length, wte, [...wpe, ...wpe])[0],
        ),
    },
    {
      says: "You used the id to look up the position’s vector. Use the token’s index in its sequence.",
      wrong: (phasor, ids, past, wte, wpe) =>
        ids.map((/** @type {number[]} */ sequence) =>
          sequence.map((id) => input(phasor, [[id]], past + id, wte, [...wpe, ...wpe])[0][0]),
        ),
    },
    {
      says: "GPT-2 does not multiply the token’s vector by √D.",
      wrong: (phasor, ids, past, wte, wpe) =>
        looked(phasor, wte, ids, { scale: "sqrt", add: wpe.slice(past, past + ids[0].length) }),
    },
    {
      says: "The sequences are joined into one. Keep them: nested arrays of shape [sequences, tokens, dimensions].",
      wrong: (phasor, ids, past, wte, wpe) => input(phasor, ids, past, wte, wpe).flat(),
    },
    {
      says: "The two vectors are averaged. Add them.",
      wrong: (phasor, ids, past, wte, wpe) => times(input(phasor, ids, past, wte, wpe), 0.5),
    },
    {
      says: "This normalizes the vectors, as BERT does. GPT-2 does not.",
      wrong: (phasor, ids, past, wte, wpe) =>
        phasor.normalize.layerNorm(input(phasor, ids, past, wte, wpe)),
    },
  ],
};
