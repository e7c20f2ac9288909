/**
 * Skip-gram with negative sampling as Mikolov et al. 2013 (arXiv:1310.4546, section 2.2) state it,
 * with the gradients of Rong 2014 (arXiv:1411.2738, equations 59 to 61), in double, number by number.
 */
import { block } from "./philox.js";

/** @typedef {number[][]} Rows */

/** @param {number} x */
const sigma = (x) => 1 / (1 + Math.exp(-x));

/** @param {readonly number[]} a @param {readonly number[]} b */
const dot = (a, b) => a.reduce((sum, x, d) => sum + x * b[d], 0);

/**
 * All (center, context) of a text.
 * @param {readonly (readonly number[])[]} sentences @param {number} window
 */
export function pairs(sentences, window) {
  return sentences.flatMap((words) =>
    words.flatMap((center, t) =>
      words.flatMap((context, s) =>
        s !== t && Math.abs(s - t) <= window ? [[center, context]] : [],
      ),
    ),
  );
}

/**
 * P(w): how likely each word is as a negative.
 * @param {readonly (readonly number[])[]} sentences @param {number} V @param {number} power
 */
export function noise(sentences, V, power) {
  const weights = Array.from({ length: V }, (_, w) => {
    const count = sentences.flat().filter((word) => word === w).length;
    return count === 0 ? 0 : count ** power;
  });
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
}

/**
 * The negatives of the n-th pair: the inverse of the cumulative distribution without the context, in
 * shares of 2^-30.
 * @param {readonly number[]} P @param {number} context @param {number} K @param {number} n
 * @param {bigint} seed
 */
export function draw(P, context, K, n, seed) {
  const shares = P.map((p) => (p === 0 ? 0 : Math.max(1, Math.floor(p * 2 ** 30))));
  const others = shares.map((share, w) => (w === context ? 0 : share));
  const sum = others.reduce((a, b) => a + b, 0);
  if (sum === 0) return [];
  return Array.from({ length: K }, (_, k) => {
    const counter = BigInt(n) | (2n << 64n) | (BigInt(Math.floor(k / 4)) << 96n);
    let x = Number((BigInt(block(counter, seed)[k % 4]) * BigInt(sum)) >> 32n);
    return others.findIndex((share) => (x -= share) < 0);
  });
}

/**
 * The loss of one pair: -log sigma(u_o . v_c) - sum over k of log sigma(-u_k . v_c).
 * @param {readonly number[]} v @param {readonly (readonly number[])[]} u  the context's, then the
 *   negatives'
 */
export function pairLoss(v, u) {
  return u.reduce((sum, row, j) => sum - Math.log(sigma((j === 0 ? 1 : -1) * dot(row, v))), 0);
}

/**
 * One step against the gradient of that loss, in place.
 * @param {Rows} vectors @param {Rows} contexts @param {number} center
 * @param {readonly number[]} targets  the context, then the negatives @param {number} rate
 */
export function step(vectors, contexts, center, targets, rate) {
  const v = vectors[center].slice();
  const u = targets.map((target) => contexts[target].slice());
  const errors = u.map((row, j) => (j === 0 ? 1 : 0) - sigma(dot(row, v)));
  vectors[center] = v.map(
    (x, d) => x + rate * errors.reduce((sum, error, j) => sum + error * u[j][d], 0),
  );
  targets.forEach((target, j) => {
    contexts[target] = contexts[target].map((x, d) => x + rate * errors[j] * v[d]);
  });
}

/**
 * Train on `count` pairs in turn, in place.
 * @param {{vectors: Rows, contexts: Rows}} tables
 * @param {readonly (readonly number[])[]} sentences
 * @param {{window: number, negatives: number, power: number, seed: bigint, learningRate: number}} options
 * @param {number} first  pairs trained before @param {number} count
 * @returns {{loss: number, centers: Set<number>, targets: Set<number>}}
 */
export function train({ vectors, contexts }, sentences, options, first, count) {
  const { window, negatives, power, seed, learningRate } = options;
  const all = pairs(sentences, window);
  const P = noise(sentences, vectors.length, power);
  const [centers, used] = [new Set(), new Set()];
  let loss = 0;
  for (let n = first; n < first + count; ++n) {
    const [center, context] = all[n % all.length];
    const targets = [context, ...draw(P, context, negatives, n, seed)];
    loss += pairLoss(
      vectors[center],
      targets.map((target) => contexts[target]),
    );
    step(vectors, contexts, center, targets, learningRate);
    centers.add(center);
    for (const target of targets) used.add(target);
  }
  return { loss: loss / count, centers, targets: used };
}

/**
 * The mean loss that the pairs of a text are expected to have.
 * @param {{vectors: Rows, contexts: Rows}} tables
 * @param {readonly (readonly number[])[]} sentences
 * @param {{window: number, negatives: number, power: number}} options
 */
export function expectedLoss({ vectors, contexts }, sentences, { window, negatives, power }) {
  const all = pairs(sentences, window);
  const P = noise(sentences, vectors.length, power);
  const losses = all.map(([c, o]) => {
    const others = P.map((p, w) => (w === o ? 0 : p));
    const sum = others.reduce((a, b) => a + b, 0);
    const one = (/** @type {number} */ sign, /** @type {number} */ w) =>
      -Math.log(sigma(sign * dot(contexts[w], vectors[c])));
    if (sum === 0) return one(1, o);
    return one(1, o) + negatives * others.reduce((mean, p, w) => mean + (p / sum) * one(-1, w), 0);
  });
  return losses.reduce((a, b) => a + b, 0) / all.length;
}
