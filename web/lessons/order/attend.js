/** @import { Phasor } from "phasor" */
import { Tensor } from "phasor";

/**
 * How attention gets positions, and which tokens a token sees.
 *
 * @typedef {"none" | "sinusoidal" | "rope" | "distance"} Scheme
 * @typedef {"none" | "causal"} Mask
 */

/** The width of queries, keys and values. */
export const HEAD = 64;

/** The penalty of a score for each step of distance. */
export const PENALTY = 0.5;

/** Sums in double, rounded once: they must not depend on the order of the words. */
const exact = /** @type {const} */ ({ accumulate: "float64" });

/** @typedef {Record<"q" | "k" | "v", Tensor>} Matrices */

/**
 * The three matrices, drawn at random.
 * @param {Phasor} phasor @param {number} width  D @param {number} seed @returns {Matrices}
 */
export function matricesOf({ embedding }, width, seed) {
  const options = { std: 1 / Math.sqrt(width), seed, storage: /** @type {const} */ ("on-demand") };
  const all = embedding.create(3 * HEAD, width, options).weights();
  const [q, k, v] = [0, 1, 2].map((part) => all.slice(part * HEAD, (part + 1) * HEAD));
  return { q, k, v };
}

/**
 * Attention over the vectors of a sentence.
 *
 * @param {Phasor} phasor
 * @param {Tensor} vectors  [T, D], without positions
 * @param {Matrices} matrices
 * @param {Scheme} [scheme]
 * @param {Mask} [mask]
 */
export function attend(phasor, vectors, matrices, scheme = "none", mask = "none") {
  const { alibi, attention, rope } = phasor;
  const x = inputs(phasor, vectors, scheme);
  const [T] = x.shape;
  const [q, k, v] = [matrices.q, matrices.k, matrices.v].map((matrix) =>
    attention.linear(x, matrix, exact),
  );
  return attention.scaledDotProduct(
    { q, k, v },
    {
      ...exact,
      causal: mask === "causal",
      ...(scheme === "rope" && { rope: rope.table(T, HEAD) }),
      ...(scheme === "distance" && { bias: alibi.bias(1, T, { slopes: [PENALTY] }) }),
    },
  );
}

/**
 * What goes in: the vectors times sqrt(D), and sinusoids if they are asked for: [T, D].
 * @param {Phasor} phasor @param {Tensor} vectors @param {Scheme} scheme
 */
export function inputs({ sinusoidal }, vectors, scheme) {
  const [T, D] = vectors.shape;
  const added = scheme === "sinusoidal" ? sinusoidal.table(T, D).data : undefined;
  const data = Float32Array.from(
    vectors.data,
    (x, i) => Number(x) * Math.sqrt(D) + Number(added?.[i] ?? 0),
  );
  return new Tensor(data, [T, D]);
}

/**
 * Six orders of `length` things, evenly spread over all of them in lexicographic order: 0 leaves the
 * things as they are, 5 reverses them.
 *
 * @param {number} length
 * @param {number} which  0 .. 5
 * @returns {number[]} the thing at each place
 */
export function orderOf(length, which) {
  const rest = Array.from({ length }, (_, i) => i);
  let later = Math.floor((which * (factorial(length) - 1)) / 5); // orders that come before
  return Array.from({ length }, (_, place) => {
    const alike = factorial(length - 1 - place); // orders that have the same things up to here
    const next = Math.floor(later / alike);
    later -= next * alike;
    return rest.splice(next, 1)[0];
  });
}

/** @param {number} n @returns {number} */
function factorial(n) {
  return n < 2 ? 1 : n * factorial(n - 1);
}

/**
 * Where each word is in another order of the words. Of equal words the first is the first there, too.
 *
 * @param {readonly unknown[]} words @param {readonly unknown[]} others
 */
export function placesIn(words, others) {
  const taken = new Set();
  return words.map((word) => {
    const place = others.findIndex((other, at) => other === word && !taken.has(at));
    taken.add(place);
    return place;
  });
}
