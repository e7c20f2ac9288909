/** @import { Tensor } from "phasor" */
/** @import { Story } from "./story.js" */
/** @import { About } from "../app/text/tokens.js" */
import { brief, count, megabytes, shape } from "../app/numbers.js";

/**
 * What the page says about a story, by the id of the element that says it.
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
        ? `Here that takes the mean length of a row from ${brief(meanNorm(vectors))} to ${brief(meanNorm(scaled))}; a row of positions has length √(D/2) = ${brief(Math.sqrt(D / 2))}.`
        : "",
    "positions-used":
      beyond > 0
        ? `The table has ${L} rows: ${beyond} of the sentence's tokens lie beyond it and are left out.`
        : `The sentence uses the first ${T} of ${L} rows${T > 0 ? ", framed below" : ""}.`,
    "sum-repeated": repeated(ids, labels),
    ...(model && factsOf(model, table.vocabulary)),
  };
}

/** @param {About} model @param {number} size */
function factsOf({ name, byWords, input, traffic }, size) {
  const { requests, bytes } = traffic;
  const network =
    requests > 0
      ? ` So far that took ${count(requests)} requests and ${megabytes(bytes)} MB, its vocabulary included.`
      : "";
  return {
    "tokens-model": byWords
      ? `${name} came without tokenizer.json: words are looked up whole among its ${count(size)} tokens. Its own tokenizer cuts others into pieces.`
      : `A token is one of ${name}'s ${count(size)}, cut by its own tokenizer; a space at an end is shown as \u2423. Its id is its row in the table.`,
    "vectors-model": `These rows are ${name}'s own. Of its table only the rows of this sentence are read.${network}`,
    "sum-model": `The page adds as Vaswani et al. do, whatever the model. What ${name} itself does: ${input.join(" ")}`,
  };
}

/** @param {number} words  that have no row */
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
  return `“${labels[second]}” stands at positions ${first} and ${second}: the same vector twice, but two different rows here.`;
}

/** Mean over the rows of their Euclidean length. @param {Tensor} tensor */
function meanNorm(tensor) {
  let sum = 0;
  for (const { data } of tensor) {
    let squares = 0;
    for (const x of /** @type {Float32Array} */ (data)) squares += x * x;
    sum += Math.sqrt(squares);
  }
  return sum / tensor.shape[0];
}
