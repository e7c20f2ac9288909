/** @import { Phasor, Tensor } from "phasor" */
import { label } from "../../app/text/tokens.js";
import { cut } from "../../app/text/cut.js";

/** The spread of the words' rows and of the positions' before the first step, and a step's length. */
const STD = { words: 1, positions: 0.02 };
export const RATE = 0.5;

/** The text that is used if there is no word. */
const DEFAULT = "The dog chases the cat.";

/**
 * What a text trains: every token with its position in its sentence.
 * @typedef {object} Reading
 * @property {string[]} words  one a row of W, in the text's order
 * @property {number[]} ids  [N]
 * @property {number[]} positions  [N]
 */

/** @param {string} text  a full stop, question or exclamation mark or a line's end ends a sentence @returns {Reading} */
export function read(text) {
  const spoken = cut(text).length > 0 ? text : DEFAULT;
  const sentences = spoken.split(/[.!?\n]/).map((sentence) => cut(sentence).map(label));
  const tokens = sentences.flat();
  const words = [...new Set(tokens)];
  const ids = new Map(words.map((word, id) => [word, id]));
  return {
    words,
    ids: tokens.map((word) => /** @type {number} */ (ids.get(word))),
    positions: sentences.flatMap((sentence) => [...sentence.keys()]),
  };
}

/**
 * A model that guesses the word from the position alone: softmax(W P[t]). Only P learns.
 *
 * @param {Phasor} phasor
 * @param {Reading} reading
 * @param {number} length  rows of P
 * @param {number} dim
 * @param {number} seed
 * @throws {RangeError} if a sentence is longer than the table
 */
export function guesser({ attention, embedding, learnedPositions }, reading, length, dim, seed) {
  const { words, ids, positions } = reading;
  const [V, N] = [words.length, ids.length];
  const W = embedding.create(V, dim, { std: STD.words, seed });
  const P = embedding.create(length, dim, { std: STD.positions, seed: seed + 1000 });
  const columns = transposed(W.weights());
  const right = ids.map((id, n) => n * V + id);

  /** The probability of each word at some positions: [T, V]. @param {number | number[]} at */
  const guess = (at) => attention.softmax(W.logits(learnedPositions.lookup(P, at)));

  return {
    guess,
    rows: () => P.weights(),

    /** The mean probability of the words at those positions. */
    sureness() {
      const { data } = guess(positions);
      return right.reduce((sum, at) => sum + Number(data[at]), 0) / N;
    },

    step() {
      const errors = guess(positions);
      for (const at of right) errors.data[at] = Number(errors.data[at]) - 1;
      const pulls = attention.linear(errors, columns); // [N, V] x W
      for (const n of pulls.data.keys()) pulls.data[n] = Number(pulls.data[n]) / N;
      P.step(P.gradient(positions, pulls, { sparse: true }), { learningRate: RATE });
    },

    dispose() {
      W.dispose();
      P.dispose();
    },
  };
}

/** @param {Tensor} matrix */
function transposed({ data, shape: [rows, columns] }) {
  const result = new Float32Array(rows * columns);
  for (let r = 0; r < rows; ++r) {
    for (let c = 0; c < columns; ++c) result[c * rows + r] = Number(data[r * columns + c]);
  }
  return { data: result, shape: [columns, rows] };
}
