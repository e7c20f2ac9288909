/** @import { Word } from "./bpe.js" */
import { begin } from "../../app/text/begin.js";

/** A word, and the number behind it. */
const WORD = /([\p{L}\p{M}]+)[^\p{L}\p{M}\d]*(\d*)/gu;

/** The words that are read, the letters of each, and how often one may occur. */
const WORDS = 16;
const LETTERS = 16;
const OFTEN = 1000;

/** The corpus of the questions. */
export const CORPUS = "man 6, ran 3, dog 5, dogs 3, bite 2, bites 2, biting 2";

/**
 * The words of a text with the counts behind them, cut into letters.
 *
 * @param {string} text  such as "man 6, ran 3"; a word without a number occurs once
 * @returns {Word[]} those of `CORPUS` if the text has none
 */
export function read(text) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const [, word, number] of text.toLowerCase().matchAll(WORD)) {
    const short = begin(word, LETTERS);
    const count = Math.min(OFTEN, Number(number || 1));
    if (counts.size < WORDS && count > 0) counts.set(short, (counts.get(short) ?? 0) + count);
  }
  if (counts.size === 0) return read(CORPUS);
  return Array.from(counts, ([word, count]) => ({ pieces: Array.from(word), count }));
}

/** The number of tokens of a corpus. @param {readonly Word[]} words */
export function tokensIn(words) {
  return words.reduce((sum, { pieces, count }) => sum + pieces.length * count, 0);
}

/** The different pieces of a corpus. @param {readonly Word[]} words */
export function alphabetOf(words) {
  return [...new Set(words.flatMap(({ pieces }) => pieces))].sort();
}
