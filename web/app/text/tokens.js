import { count } from "../numbers.js";

/**
 * A piece of the sentence.
 * @typedef {object} Token
 * @property {string} label  how it is shown
 * @property {number | null | undefined} id  its row in the table; null if it has none, undefined
 *   while the table is on its way
 */

/**
 * Where ids come from and the table that they index.
 * @typedef {object} Vocabulary
 * @property {number} size  V
 * @property {(text: string) => Token[]} tokenize
 * @property {(dim: number, seed: number) => Table} table  [V, D]
 * @property {About} [model]  that was opened, whose own both are
 */

/** @typedef {import("phasor").EmbeddingTable} WholeTable */

/** What is looked up in. @typedef {Pick<WholeTable, "vocabulary" | "dim" | "parameterCount" | "lookup">} Table */

/**
 * Facts about an opened model, as text.
 * @typedef {object} About
 * @property {string} name
 * @property {string} hub  its name on the hub, or ""
 * @property {string | undefined} revision
 * @property {string} file  of its weights
 * @property {readonly string[]} input  how the model itself makes its input
 * @property {boolean} byWords  it came without a tokenizer
 * @property {number} requests  so far
 * @property {number} bytesRead  over the network so far
 */

/** Labels are cut here, in code points: a text may be hostile. */
const LONGEST = 256;

/** @param {string} text */
export function label(text) {
  const points = Array.from(text.slice(0, 2 * LONGEST + 2));
  return points.length > LONGEST ? `${points.slice(0, LONGEST).join("")}…` : text;
}

/** Labels of words without a row that a sentence names. */
const NAMED = 5;

/**
 * The tokens of a text that have a row, each once, and in words which have none.
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
