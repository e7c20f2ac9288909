// Two heads of attention, each made for one task, to see what a longer text does to it. Their queries and keys are not
// trained: those of one head are fitted, those of the other follow from its task.

/** @import { Phasor } from "phasor" */

/** What both heads have in common: width, base, and the length of the texts in training. */
export const HEAD = Object.freeze({ dim: 128, base: 10000, trained: 4096 });
const PAIRS = HEAD.dim / 2;

/** The score of a key that is found, where all other tokens have 0. */
export const SCORE = 14;

/** The first of the slow pairs, which the first head uses; the distances between those that it is fitted to. */
const SLOW = 32;
const EVERY = 64;
const RIDGE = 1e-3; // keeps query and key short, as weight decay does

/** The fast pairs, which the second head uses, and its score for the previous token. */
export const FAST = 16;
const SHARP = 40;

/** Tokens that the second head chooses from. */
const NEAR = 256;

/** @typedef {{ q: number[], k: number[] }} Head */

/** @param {Phasor} phasor */
function frequencies({ rope }) {
  return Array.from(rope.frequencies(HEAD.dim, { base: HEAD.base }).frequencies.data, Number);
}

/**
 * A query and a key whose score at distance n is the sum of cosine · cos(n θ) + sine · sin(n θ) over some pairs.
 * @param {number} first  of the pairs @param {readonly { cosine: number, sine: number }[]} waves @returns {Head}
 */
function headOf(first, waves) {
  const [q, k] = [0, 1].map(() => Array.from({ length: HEAD.dim }, () => 0));
  for (const [i, { cosine, sine }] of waves.entries()) {
    const at = 2 * (first + i);
    const length = Math.sqrt(Math.hypot(cosine, sine));
    if (length === 0) continue;
    [q[at], q[at + 1], k[at]] = [cosine / length, -sine / length, length];
  }
  return { q, k };
}

/**
 * The head that finds its key: the score is fitted by least squares to be the same at all distances of training.
 * @param {Phasor} phasor @returns {Head}
 */
export function finder(phasor) {
  const thetas = frequencies(phasor).slice(SLOW);
  const P = PAIRS - SLOW;
  const rows = Array.from({ length: HEAD.trained / EVERY + 1 }, (_, i) => [
    ...thetas.map((theta) => Math.cos(i * EVERY * theta)),
    ...thetas.map((theta) => Math.sin(i * EVERY * theta)),
  ]);
  const squares = rows[0].map((_, a) =>
    rows[0].map((_, b) => {
      const sum = rows.reduce((all, row) => all + row[a] * row[b], 0);
      return sum + (a === b ? RIDGE * rows.length : 0);
    }),
  );
  const wanted = rows[0].map((_, a) => rows.reduce((all, row) => all + SCORE * row[a], 0));
  const found = solved(squares, wanted);
  const waves = thetas.map((_, i) => ({ cosine: found[i], sine: found[P + i] }));
  return headOf(SLOW, waves);
}

/**
 * The head that attends to the previous token: its query is its key, rotated back by one step.
 * @param {Phasor} phasor @returns {Head}
 */
export function previous(phasor) {
  const waves = frequencies(phasor)
    .slice(0, FAST)
    .map((theta) => ({
      cosine: (SHARP / FAST) * Math.cos(theta),
      sine: (SHARP / FAST) * Math.sin(theta),
    }));
  return headOf(0, waves);
}

/**
 * The scores of a head at some distances.
 * @param {Phasor} phasor @param {Head} head @param {readonly number[]} distances
 * @param {object} options  of rope.table
 */
function scoresOf({ attention, rope }, { q, k }, distances, options) {
  const last = Math.max(...distances);
  const rotated = (/** @type {number[]} */ row, /** @type {number[]} */ positions) => {
    const data = Float32Array.from(
      { length: positions.length * HEAD.dim },
      (_, i) => row[i % HEAD.dim],
    );
    const table = rope.table(positions, HEAD.dim, options);
    const shape = [positions.length, HEAD.dim];
    return rope.apply({ data, shape }, table, { layout: "interleaved" });
  };
  const keys = rotated(
    k,
    distances.map((distance) => last - distance),
  );
  return Array.from(attention.scores(rotated(q, [last]), keys, { scale: 1 }).data, Number);
}

/**
 * The weight of a head's key at some distances, in a text of a given length, the others with a score of 0.
 * @param {Phasor} phasor @param {Head} head @param {readonly number[]} distances @param {number} tokens @param {object} options
 */
export function weightsOfKey(phasor, head, distances, tokens, options) {
  const others = Math.log(tokens - 1); // as many scores of 0 weigh as much as one score of this size
  const scores = scoresOf(phasor, head, distances, options).map((score) => [score, others]);
  return Array.from(phasor.attention.softmax(scores), ({ data }) => Number(data[0]));
}

/**
 * The weights of the nearest tokens, which all have the head's key.
 * @param {Phasor} phasor @param {Head} head @param {number} shown @param {object} options
 */
export function weightsNear(phasor, head, shown, options) {
  const distances = Array.from({ length: NEAR }, (_, n) => n);
  const weights = phasor.attention.softmax([scoresOf(phasor, head, distances, options)]);
  return Array.from(weights.data.slice(0, shown), Number);
}

/**
 * The solution of a system of linear equations whose matrix is symmetric and positive definite, by Cholesky's method.
 * @param {number[][]} matrix  is overwritten @param {readonly number[]} right
 */
function solved(matrix, right) {
  const n = right.length;
  for (let j = 0; j < n; ++j) {
    for (let k = 0; k < j; ++k) {
      for (let i = j; i < n; ++i) matrix[i][j] -= matrix[i][k] * matrix[j][k];
    }
    const root = Math.sqrt(matrix[j][j]);
    for (let i = j; i < n; ++i) matrix[i][j] /= root;
  }
  const x = [...right];
  for (let i = 0; i < n; ++i) {
    for (let k = 0; k < i; ++k) x[i] -= matrix[i][k] * x[k];
    x[i] /= matrix[i][i];
  }
  for (let i = n - 1; i >= 0; --i) {
    for (let k = i + 1; k < n; ++k) x[i] -= matrix[k][i] * x[k];
    x[i] /= matrix[i][i];
  }
  return x;
}
