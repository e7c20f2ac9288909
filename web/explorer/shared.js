/** @import { Table } from "../app/models/table.js" */

/** A word: no piece of one, no number sign, no control character. */
const WORD = /^[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}'\u2019.-]*$/u;

/** The sign of a space before a word. */
const SPACE = "\u2423";

/**
 * The words that two tables have both, in the order of the first.
 *
 * @param {Pick<Table, "words">} first @param {Pick<Table, "words" | "wordOf">} second
 * @returns {{words: string[], first: number[], second: number[]}} the words, and their ids in both; each id once
 */
export function shared(first, second) {
  const [seen, taken] = [new Set(), new Set()];
  /** @type {ReturnType<typeof shared>} */
  const both = { words: [], first: [], second: [] };
  const plain = first.words.map((label) => label.replace(SPACE, ""));
  // Where a table has a word with a space before it and another without, the first is the whole word.
  const spaced = first.words.flatMap((label, id) => (label.startsWith(SPACE) ? id : []));
  const whole = new Set(spaced.map((id) => plain[id].toLowerCase()));
  for (const [id, word] of plain.entries()) {
    const key = word.toLowerCase();
    const isPiece = whole.has(key) && !first.words[id].startsWith(SPACE);
    if (!WORD.test(word) || isPiece || seen.has(key)) continue;
    const other = second.wordOf(word);
    if (other < 0 || taken.has(other)) continue;
    seen.add(key);
    taken.add(other);
    both.words.push(word);
    both.first.push(id);
    both.second.push(other);
  }
  return both;
}
