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
 */

/** @typedef {ReturnType<import("phasor").Phasor["embedding"]["create"]>} Table */

/** Labels are cut here, in code points: a text may be hostile. */
const LONGEST = 256;

/** @param {string} text */
export function label(text) {
  const points = Array.from(text.slice(0, 2 * LONGEST + 2));
  return points.length > LONGEST ? `${points.slice(0, LONGEST).join("")}…` : text;
}
