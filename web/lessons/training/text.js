import { label } from "../../app/text/tokens.js";
import { cut } from "../../app/text/cut.js";

/** Words compared. */
const MOST = 12;

/** The words compared by default. */
const COMPARED = "kings queens";

/**
 * @typedef {object} Reading
 * @property {string[]} words  one a row of the table: those of the text in its order, then those
 *   compared that the text lacks
 * @property {number} used  how many of them the text has
 * @property {number[][]} sentences  ids
 * @property {number[]} compared  ids
 */

/**
 * What a text trains, and the rows to compare.
 *
 * @param {string} text  a full stop, question or exclamation mark or a line's end ends a sentence
 * @param {string} compared
 * @returns {Reading}
 */
export function read(text, compared) {
  const spoken = text
    .split(/[.!?\n]/)
    .map(wordsOf)
    .filter(({ length }) => length > 0);
  const named = wordsOf(compared).length > 0 ? wordsOf(compared) : wordsOf(COMPARED);
  const few = [...new Set(named)].slice(0, MOST);
  const used = new Set(spoken.flat());
  const words = [...new Set([...used, ...few])];
  const ids = new Map(words.map((word, id) => [word, id]));
  const id = (/** @type {string} */ word) => /** @type {number} */ (ids.get(word));
  return {
    words,
    used: used.size,
    sentences: spoken.map((sentence) => sentence.map(id)),
    compared: few.map(id),
  };
}

/** @param {string} text */
function wordsOf(text) {
  return cut(text).map(label);
}
