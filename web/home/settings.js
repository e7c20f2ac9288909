/**
 * The values of the page's controls, whose HTML has their ranges and defaults. A number control without
 * a number is NaN.
 *
 * @typedef {object} Settings
 * @property {string} text
 * @property {Source | "model"} tokenizer
 * @property {string} model  the name of a model on the hub
 * @property {number} dim  D, of GPT-2's table
 * @property {number} seed  of GPT-2's table
 * @property {boolean} shared  one color scale for all figures
 * @property {boolean} all  whether all columns are drawn
 * @property {boolean} scaled  whether vectors are multiplied by sqrt(D), of tables without a model
 * @property {number} base  of the sinusoids
 * @property {"interleaved" | "halves" | "flipped"} layout  of the sinusoids
 * @property {"exact" | "torch"} precision  of the sinusoids
 */

/** @typedef {"minilm" | "words" | "gpt2"} Source  what the page has by itself */

/** The source of a page without choices, and while no model is open. */
export const FIRST = /** @type {Source} */ ("minilm");

/** The tokens of a sentence that take part: as many as MiniLM reads. */
export const LONGEST = 256;

/** The source to show. @param {Settings["tokenizer"]} wanted @param {boolean} isOpen  whether a model is */
export function shownFor(wanted, isOpen) {
  return wanted === "model" && !isOpen ? FIRST : wanted;
}
