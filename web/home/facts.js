/** @import { Tensor } from "phasor" */
/** @import { Story } from "./story.js" */
/** @import { About } from "../app/text/tokens.js" */
import { brief, count, megabytes, shape } from "../app/numbers.js";

/**
 * The sentences of the page, by the ids of their elements.
 *
 * @param {Story} story
 * @returns {Record<string, string>}
 */
export function facts({ tokens, ids, labels, model, table, stages }) {
  const { vectors, scaled, positions } = stages;
  const [T, D] = vectors.shape;
  const [L] = positions.shape;
  const rows = shape([T, D]);
  const missing = tokens.filter(({ id }) => id === null).length;
  const beyond = tokens.length - missing - T;
  return {
    "tokens-shape": shape([T]),
    "vectors-shape": `${shape([T])} → ${rows}`,
    "scaled-shape": `${rows} × √${D} → ${rows}`,
    "positions-shape": `${shape([L])} → ${shape([L, D])}`,
    "sum-shape": `${rows} + ${rows} → ${rows}`,
    "tokens-note": tokens.length === 0 ? "Type a sentence above." : leftOut(missing),
    parameters: `The table has V × D = ${count(table.vocabulary)} × ${D} = ${count(table.parameterCount)} numbers.`,
    "scaled-lengths":
      T > 0
        ? `Here the mean length of a vector grows from ${brief(meanNorm(vectors))} to ${brief(meanNorm(scaled))}. A position vector has length √(D/2) = ${brief(Math.sqrt(D / 2))}.`
        : "",
    "positions-used":
      beyond > 0
        ? `The table has ${L} rows: the last ${beyond} tokens of the sentence have no position and are left out.`
        : `The sentence uses the first ${T} of ${L} rows${T > 0 ? ", framed below" : ""}.`,
    "sum-repeated": repeated(ids, labels),
    ...(model && factsOf(model, table.vocabulary)),
  };
}

/** @param {About} model @param {number} size */
function factsOf({ name, byWords, input, requests, bytesRead }, size) {
  const network =
    requests > 0
      ? ` So far this took ${count(requests)} requests and ${megabytes(bytesRead)} MB, including the vocabulary.`
      : "";
  return {
    "tokens-model": byWords
      ? `${name} has no tokenizer.json: the page looks up whole words among its ${count(size)} tokens. Its own tokenizer would split other words into pieces.`
      : `${name}'s own tokenizer splits the text into its ${count(size)} tokens; a space at an end is shown as \u2423. A token's id is its row in the table.`,
    "vectors-model": `These vectors are ${name}'s own. Only the rows of this sentence are read.${network}`,
    "sum-model": `This page adds positions as Vaswani et al. do, for every model. ${name} itself does this: ${input.join(" ")}`,
  };
}

/** @param {number} words  the number without a row */
function leftOut(words) {
  if (words === 0) return "";
  return words === 1
    ? "One word has no row in the table and is left out."
    : `${words} words have no row in the table and are left out.`;
}

/** @param {Int32Array} ids @param {readonly string[]} labels */
function repeated(ids, labels) {
  const second = ids.findIndex((id, at) => ids.indexOf(id) < at);
  if (second < 0) return "";
  const first = ids.indexOf(ids[second]);
  return `“${labels[second]}” appears at positions ${first} and ${second}: the same vector twice, but two different sums.`;
}

/** The mean Euclidean length of the rows. @param {Tensor} tensor */
function meanNorm(tensor) {
  let sum = 0;
  for (const { data } of tensor) {
    let squares = 0;
    for (const x of /** @type {Float32Array} */ (data)) squares += x * x;
    sum += Math.sqrt(squares);
  }
  return sum / tensor.shape[0];
}
