/** @import { Table } from "../../app/models/table.js" */
import { lacking } from "../../app/models/label.js";

/**
 * The words of a text that a table has, each once, and a message about those that it lacks.
 *
 * @param {Table} table @param {string} text
 * @returns {{ids: number[], labels: string[], lacking: string}}  `lacking` is empty if it has all
 */
export function known(table, text) {
  const typed = [...new Set(text.split(/[\s,;]+/).filter(Boolean))];
  const ids = new Set(typed.map((word) => idOf(table, word)).filter((id) => id >= 0));
  return {
    ids: [...ids],
    labels: Array.from(ids, (id) => table.words[id]),
    lacking: lacking(
      table,
      typed.filter((word) => idOf(table, word) < 0),
    ),
  };
}

/**
 * The ids of the words of a question.
 *
 * @param {Table} table @param {...string} words
 * @returns {number[]}
 * @throws {RangeError} if the table lacks one
 */
export function idsOf(table, ...words) {
  return words.map((word) => {
    const id = idOf(table, word);
    if (id >= 0) return id;
    throw new RangeError(`This question needs “${word}”, which ${table.about.name} does not have.`);
  });
}

/** The id of the plain spelling, or of the word as typed. @param {Table} table @param {string} word */
function idOf(table, word) {
  const id = table.wordOf(word);
  return id >= 0 ? id : table.idOf(word);
}

/** A word as people write it: without the marks of a tokenizer. @param {string} word */
export function plain(word) {
  return word.replace(/^(\u2423|##)/, "").toLowerCase();
}

/** n rows, spread evenly over a table. @param {Table} table @param {number} n @returns {number[]} */
export function spread({ size }, n) {
  const step = Math.max(1, Math.floor(size / n));
  return Array.from({ length: Math.min(n, size) }, (_, i) => i * step);
}
