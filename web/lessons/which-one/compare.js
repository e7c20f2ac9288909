/** @import { Phasor } from "phasor" */
import { Tensor } from "phasor";
import { remembered } from "../../app/remembered.js";
import { schemeOf } from "../../app/schemes/schemes.js";
import { HEAD, matricesOf, PENALTY } from "../order/attend.js";

/**
 * The schemes that are compared on words.
 * @typedef {"none" | "learnedPositions" | "sinusoidal" | "rope" | "alibi" | "t5Bias"} Scheme
 */

/** @type {readonly Scheme[]} */
export const COMPARED = ["none", "learnedPositions", "sinusoidal", "rope", "alibi", "t5Bias"];

/** @param {Scheme} scheme */
export const titleOf = (scheme) => (scheme === "none" ? "No positions" : schemeOf(scheme).title);

/**
 * What sentences are made of.
 * @typedef {object} Sources
 * @property {Tensor} words  [T, D], a model's vectors of the words
 * @property {Tensor} positions  [N, D], its learned positions
 */

/** The buckets of T5. */
const BUCKETS = 32;

const matrices = remembered(matricesOf);

/** T5's table of one head before training. */
const bucketTable = remembered(
  /** @param {Phasor} phasor @param {number} seed */
  ({ embedding }, seed) =>
    embedding.create(BUCKETS, 1, { std: 1, seed, storage: "on-demand" }).weights(),
);

/** Differences below this are rounding. */
export const ROUNDING = 1e-5;

/**
 * The attention weights among the words of a sentence that begins at a position: one head without a mask, whose matrices
 * are random. What enters is normalized, so that all schemes have scores of one size.
 *
 * @param {Phasor} phasor @param {Sources} sources @param {Scheme} scheme
 * @param {number} from  the position of the first word
 * @param {number} seed
 * @returns {Tensor} [1, T, T]
 */
export function weightsOf(phasor, sources, scheme, from, seed) {
  const { attention, normalize, rope } = phasor;
  const [T, D] = sources.words.shape;
  const x = normalize.layerNorm(inputOf(phasor, sources, scheme, from));
  const { q: ofQueries, k: ofKeys } = matrices(phasor, D, seed);
  const [q, k] = [ofQueries, ofKeys].map((matrix) =>
    attention.linear(x, matrix, { accumulate: "float64" }),
  );
  const heads = /** @type {const} */ ([1, T, HEAD]);
  const scores = attention.scores(q.reshape(...heads), k.reshape(...heads), {
    accumulate: "float64",
    ...(scheme === "rope" && { rope: rope.table(positionsFrom(from, T), HEAD) }),
    ...(scheme in BIASES && { bias: BIASES[scheme](phasor, from, T, seed) }),
  });
  return attention.softmax(scores);
}

/** @param {number} from @param {number} T */
const positionsFrom = (from, T) => Array.from({ length: T }, (_, t) => from + t);

/** What enters the head: the words, and what an absolute scheme adds to them. @param {Phasor} phasor @param {Sources} sources @param {Scheme} scheme @param {number} from */
function inputOf({ sinusoidal }, { words, positions }, scheme, from) {
  const [T, D] = words.shape;
  if (scheme === "learnedPositions") return sum(words, positions.slice(from, from + T), 1);
  if (scheme !== "sinusoidal") return words;
  return sum(words, sinusoidal.table(positionsFrom(from, T), D), Math.sqrt(D)); // as Vaswani et al.
}

/** @param {Tensor} words @param {Tensor} added @param {number} scale  of the words */
function sum(words, added, scale) {
  const data = Float32Array.from(words.data, (x, i) => scale * Number(x) + Number(added.data[i]));
  return new Tensor(data, words.shape);
}

/**
 * What is added to the scores of the last T of all words.
 * @type {Record<string, (phasor: Phasor, from: number, T: number, seed: number) => Tensor>}
 */
const BIASES = {
  alibi: ({ alibi }, from, T) =>
    lastKeys(alibi.bias(1, T, { slopes: [PENALTY], keys: from + T }), T),
  t5Bias: (phasor, from, T, seed) =>
    lastKeys(phasor.t5Bias.bias(bucketTable(phasor, seed), T, { keys: from + T }), T),
};

/** The last T keys of each query. @param {Tensor} bias  [1, T, N] @param {number} T */
function lastKeys({ data, shape }, T) {
  const N = shape[2];
  const kept = Float32Array.from({ length: T * T }, (_, i) =>
    Number(data[Math.floor(i / T) * N + N - T + (i % T)]),
  );
  return new Tensor(kept, [1, T, T]);
}

/**
 * The largest change of a weight when the sentence begins at another position.
 * @param {Phasor} phasor @param {Sources} sources @param {Scheme} scheme @param {number} shift @param {number} seed
 */
export function movedBy(phasor, sources, scheme, shift, seed) {
  const [here, there] = [0, shift].map((from) => weightsOf(phasor, sources, scheme, from, seed));
  return apart(here, there);
}

/**
 * The largest change of a weight between two words when the sentence is reversed.
 * @param {Phasor} phasor @param {Sources} sources @param {Scheme} scheme @param {number} seed
 */
export function reversedBy(phasor, { words, positions }, scheme, seed) {
  const [T, D] = words.shape;
  const backward = new Tensor(
    Float32Array.from(
      Array.from(words)
        .reverse()
        .flatMap(({ data }) => Array.from(data, Number)),
    ),
    [T, D],
  );
  const [typed, other] = [words, backward].map((each) =>
    weightsOf(phasor, { words: each, positions }, scheme, 0, seed),
  );
  return apart(typed, new Tensor(Float32Array.from(other.data, Number).reverse(), typed.shape));
}

/** How far two schemes' weights are apart, at most. @param {Phasor} phasor @param {Sources} sources @param {Scheme} one @param {Scheme} other @param {number} seed */
export function exchangedBy(phasor, sources, one, other, seed) {
  const [a, b] = [one, other].map((scheme) => weightsOf(phasor, sources, scheme, 0, seed));
  return apart(a, b);
}

/** @param {Tensor} a @param {Tensor} b */
function apart(a, b) {
  return Math.max(...Array.from(a.data, (x, i) => Math.abs(Number(x) - Number(b.data[i]))));
}
