import { count } from "../numbers.js";
import { shortened } from "./begin.js";

/**
 * A piece of the sentence.
 * @typedef {object} Token
 * @property {string} label  its text on the page
 * @property {number | null | undefined} id  its row in the table; null if it has none, undefined
 *   while the table is loading
 */

/**
 * The source of ids, and the table that they index.
 * @typedef {object} Vocabulary
 * @property {number} size  V
 * @property {(text: string) => Token[]} tokenize
 * @property {(dim: number, seed: number) => Table} table  [V, D]
 */

/** @typedef {import("phasor").EmbeddingTable} WholeTable */

/** A table for lookups. @typedef {Pick<WholeTable, "vocabulary" | "dim" | "parameterCount" | "lookup">} Table */

/** The maximal length of a label, in code points. */
const LONGEST = 256;

/** @param {string} text */
export function label(text) {
  return shortened(text, LONGEST);
}

/** Labels of words without a row that a sentence names. */
const NAMED = 5;

/**
 * The tokens of a text that have a row, each once, and a note about those without a row.
 *
 * @param {Vocabulary} vocabulary @param {string} text
 * @returns {{labels: string[], ids: number[], lacking: string}}  `lacking` is empty if all have one
 */
export function known({ size, tokenize }, text) {
  const labels = new Map(tokenize(text).map(({ label, id }) => [id ?? label, label]));
  const ids = [...labels.keys()].filter((key) => typeof key === "number");
  const others = [...labels.keys()].filter((key) => typeof key === "string");
  const named = others.slice(0, NAMED).map((word) => `“${word}”`);
  const more = others.length > NAMED ? " and others" : "";
  return {
    labels: ids.map((id) => /** @type {string} */ (labels.get(id))),
    ids,
    lacking:
      others.length > 0 ? `Not among the ${count(size)} words: ${named.join(", ")}${more}.` : "",
  };
}
