/** @import { Phasor, Tensor } from "phasor" */
/** @import { Token } from "../../app/text/tokens.js" */
/** @import { GptFile } from "./file.js" */
import { rowsByHand } from "./file.js";

/**
 * GPT-2's input of a text, and what it is made of.
 *
 * @typedef {object} Built
 * @property {readonly string[]} labels  of the tokens, [T]
 * @property {readonly number[]} ids  [T]
 * @property {readonly number[]} positions  the row of each token in the table of positions, [T]
 * @property {number[][]} words  [T, D], from the file's bytes
 * @property {number[][]} places  [T, D], from the file's bytes
 * @property {number[][]} sum  [T, D], each rounded to float32
 * @property {Tensor} wanted  [T, D], the input by the package
 * @property {number} apart  the largest difference between the two
 */

/**
 * Builds the input by hand, and lets the package build it.
 *
 * @param {Phasor} phasor @param {GptFile} file
 * @param {readonly Token[]} tokens
 * @param {number} past  tokens that were read before
 * @returns {Promise<Built>}
 */
export async function build(phasor, file, tokens, past) {
  const ids = tokens.map(({ id }) => Number(id));
  const positions = ids.map((_, t) => past + t);
  const [words, places, wanted] = await Promise.all([
    rowsByHand(file, file.names.words, ids),
    rowsByHand(file, file.names.positions, positions),
    file.model.embed(ids, { past }),
  ]);
  const sum = words.map((row, t) => row.map((x, d) => Math.fround(x + places[t][d])));
  const labels = tokens.map(({ label }) => label);
  return { labels, ids, positions, words, places, sum, wanted, apart: apartOf(sum, wanted) };
}

/**
 * The rows of tokens behind padding, where some tokens were read before.
 *
 * @param {Phasor} phasor
 * @param {number} T  tokens
 * @param {number} padding  in front of all
 * @param {number} past  tokens that were read before, without the padding
 */
export function rowsBehind({ positionIds }, T, padding, past) {
  const mask = [...Array(padding).fill(0), ...Array(past + T).fill(1)];
  const counted = positionIds.fromMask(mask, { past: padding + past });
  return {
    /** Every token counts, as in a plain call of the model. */
    plain: Array.from({ length: T }, (_, t) => padding + past + t),
    /** Only the tokens of the mask count, as in generate(). */
    masked: Array.from(counted.data, Number),
    /** A call that resets the counts. */
    forgotten: Array.from({ length: T }, (_, t) => t),
  };
}

/**
 * What the input would be with steps that other models have, and how far that is from GPT-2's.
 * @param {Phasor} phasor @param {Built} built
 */
export function leftOut({ normalize }, { words, places, sum, wanted }) {
  const root = Math.sqrt(words[0].length);
  const scaled = words.map((row, t) => row.map((x, d) => Math.fround(root * x + places[t][d])));
  const normalized = normalize.layerNorm(sum);
  return {
    nothing: apartOf(sum, wanted),
    scale: apartOf(scaled, wanted),
    norm: apartOf(normalized.toArray(), wanted),
    without: apartOf(words, wanted),
  };
}

/** The largest difference. @param {number[][]} rows @param {Tensor} wanted */
function apartOf(rows, { data }) {
  return Math.max(...rows.flat().map((x, i) => Math.abs(x - Number(data[i]))));
}
