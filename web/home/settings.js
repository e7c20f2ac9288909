/**
 * The values of the page's controls, whose HTML has their ranges and defaults. A number control without
 * a number is NaN.
 *
 * @typedef {object} Settings
 * @property {string} text
 * @property {"words" | "gpt2" | "model"} tokenizer
 * @property {string} model  the name of a model on the hub
 * @property {number} dim  D, of GPT-2's table
 * @property {number} seed  of GPT-2's table
 * @property {boolean} shared  one color scale for all figures
 * @property {number} length  the number of positions in the table
 * @property {number} base
 * @property {"interleaved" | "halves" | "flipped"} layout
 * @property {"exact" | "torch"} precision
 */

/** The number of positions that a figure can show. */
export const MAX_LENGTH = 2048;
