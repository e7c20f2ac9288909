/** @import { Tensor } from "phasor" */
/** @import { About, Reading } from "./readings.js" */
import { apart, brief, count, megabytes, shape } from "../app/numbers.js";
import { taking } from "./readings.js";

/**
 * The sentences of the page, by the ids of their elements.
 *
 * @param {Reading} reading
 * @returns {Record<string, string>}
 */
export function facts({ tokens, notes, size, model, stages }) {
  const { words, scaled, positions, segments, sum, normalized, projected, output } = stages;
  const [T, D] = words.shape;
  const rows = shape([T, D]);
  const vectors = scaled ?? words;
  return {
    "tokens-shape": shape([T]),
    "vectors-shape": `${shape([T])} → ${rows}`,
    "positions-shape": positions ? `${shape([T])} → ${shape(positions.shape)}` : "",
    "segments-shape": segments ? shape([segments.shape[segments.shape.length - 1]]) : "",
    "sum-shape": sum
      ? `${[vectors, segments, positions]
          .flatMap((part) => (part ? shape(part.shape) : []))
          .join(" + ")} → ${shape(sum.shape)}`
      : "",
    "normalized-shape": normalized ? `${shape(normalized.shape)} → ${shape(normalized.shape)}` : "",
    "projected-shape": projected ? shape(projected.shape) : "",
    "tokens-note": tokens.length === 0 ? "Type a sentence above." : notes.join(" "),
    parameters: `The table has V × D = ${count(size)} × ${D} = ${count(size * D)} numbers.`,
    "vectors-lengths": lengths(words, scaled, positions),
    "normalized-fact":
      normalized && T > 0
        ? `Before, the vectors have lengths from ${range(sum ?? vectors)}; after, from ${range(normalized)}.`
        : "",
    "road-end": `${shape(output.shape)}: this tensor enters the first layer.`,
    ...(model && factsOf(model, size, positions)),
    ...twins(tokens, stages),
  };
}

/** How words and positions compare in size. @param {Tensor} words @param {Tensor | undefined} scaled @param {Tensor | undefined} positions */
function lengths(words, scaled, positions) {
  if (words.shape[0] === 0) return "";
  const D = words.shape[1];
  const times = scaled ? `, and times √${D} of ${brief(mean(scaled))}` : "";
  const against = positions ? ` A position vector has a length of ${brief(mean(positions))}.` : "";
  return `Here a word vector has a length of ${brief(mean(words))} on average${times}.${against}`;
}

/** @param {About} model @param {number} size @param {Tensor | undefined} positions */
function factsOf({ name, byWords, input, why, requests, bytesRead }, size, positions) {
  const network =
    requests > 0
      ? ` So far this took ${count(requests)} requests and ${megabytes(bytesRead)} MB, including the vocabulary.`
      : "";
  const rule = why
    ? `The page cannot tell what ${name} adds to these vectors (${why}).`
    : `The page follows the model's own rule. ${input.join(" ")}${positions ? "" : " Nothing is added here."}`;
  return {
    "tokens-model": byWords
      ? `${name} has no tokenizer.json: the page looks up whole words among its ${count(size)} tokens. Its own tokenizer would split other words into pieces.`
      : `${name}'s own tokenizer splits the text into its ${count(size)} tokens; a space at an end is shown as \u2423. A token's id is its row in the table.`,
    "vectors-model": `These vectors are ${name}'s own. Only the rows of this sentence are read.${network} ${rule}`,
    "positions-model": `These rows are ${name}'s own, one for each position.`,
  };
}

/**
 * Two equal tokens of the sentence.
 * @typedef {{label: string, first: number, second: number}} Pair  `first`, `second`: their positions
 * @param {Reading["tokens"]} tokens
 * @returns {Pair | undefined}
 */
export function pairOf(tokens) {
  const taken = taking(tokens);
  const second = taken.findIndex(
    ({ id, own }, at) => own && taken.findIndex((other) => other.id === id) < at,
  );
  if (second < 0) return undefined;
  const { id, label } = taken[second];
  return { label, second, first: taken.findIndex((other) => other.id === id) };
}

/**
 * What positions make of two equal tokens.
 * @param {Reading["tokens"]} tokens @param {Reading["stages"]} stages
 * @returns {Record<string, string>}
 */
function twins(tokens, { words, segments, sum, normalized }) {
  const pair = pairOf(tokens);
  if (!sum || !pair) return {};
  const { label, first, second } = pair;
  const between = (/** @type {Tensor} */ tensor) => brief(cosine(tensor, first, second));
  const after = normalized ? `, of the two after LayerNorm ${between(normalized)}` : "";
  return {
    "twins-title": `“${label}” at position ${first} and at position ${second}`,
    "twins-fact": `The cosine similarity of the two word vectors is ${between(words)}, of the two sums ${between(sum)}${after}. ${segments ? "Word and segment are equal" : "The words are equal"}, so the difference is that of the position vectors.`,
  };
}

/** @param {Tensor} tensor @param {number} a @param {number} b  rows */
function cosine(tensor, a, b) {
  const [x, y] = [a, b].map((row) => /** @type {Float32Array} */ (tensor.row(row).data));
  const dot = (/** @type {Float32Array} */ one, /** @type {Float32Array} */ other) =>
    one.reduce((sum, value, i) => sum + value * other[i], 0);
  return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
}

/** The Euclidean lengths of the rows. @param {Tensor} tensor */
const norms = (tensor) =>
  Array.from(tensor, ({ data }) => Math.hypot(.../** @type {Float32Array} */ (data)));

/** The mean length of the rows, but for those of zeros. @param {Tensor} tensor */
function mean(tensor) {
  const all = norms(tensor).filter((length) => length > 0);
  return all.reduce((sum, x) => sum + x, 0) / Math.max(1, all.length);
}

/** @param {Tensor} tensor */
function range(tensor) {
  const all = norms(tensor);
  return apart([Math.min(...all), Math.max(...all)]).join(" to ");
}
