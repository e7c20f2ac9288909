/** @import { Phasor, Tensor } from "phasor" */
import { readWords } from "../text/words.js";

/**
 * A table of word vectors to explore. All else on the page works on this, whichever table it is.
 *
 * @typedef {object} Table
 * @property {readonly string[]} words  most frequent first: a word's id is its row
 * @property {Tensor} vectors  [size, dim]
 * @property {ReturnType<Phasor["nearest"]["index"]>} index  of the vectors
 * @property {ArrayLike<number>} lengths  [size]: of the vectors
 * @property {number} size
 * @property {number} dim
 * @property {(text: string) => number} idOf  -1 where the text is no word of the table
 */

/**
 * The 10,000 words of GloVe.
 *
 * @param {Phasor} phasor
 * @returns {Promise<Table>}
 * @throws {Error} in words, if the data cannot be read
 */
export async function loadTable({ nearest, statistics }) {
  const { words, weights: vectors } = await readWords();
  const [size, dim] = vectors.shape;
  const ids = new Map(words.map((word, id) => [word, id]));
  return {
    words,
    vectors,
    index: nearest.index(vectors),
    lengths: statistics.norms(vectors).data,
    size,
    dim,
    idOf(text) {
      const word = text.trim();
      return ids.get(word) ?? ids.get(word.toLowerCase()) ?? -1;
    },
  };
}
