/**
 * Relative positions, slow and plain: DeBERTa's buckets in whole numbers, and the papers' logits and
 * outputs in double precision.
 */
import { dot } from "./attention.js";

/** @typedef {number[][]} Matrix */

/**
 * The largest distance of each step beyond mid, decided by whole numbers: n steps are enough for r if
 *
 *     ln(r/mid) / ln(last/mid) (mid - 1) <= n     <=>     r^(mid-1) mid^n <= last^n mid^(mid-1)
 *
 * @param {number} mid @param {number} last @param {number} farthest
 * @returns {number[]} by n = 0, 1, ..., as far as `farthest`
 */
function reaches(mid, last, farthest) {
  const m = BigInt(mid - 1);
  const [start, end] = [BigInt(mid), BigInt(last)];
  /** @type {number[]} */
  const reach = [];
  let [left, right] = [1n, start ** m];
  while (reach.length === 0 || reach[reach.length - 1] < farthest) {
    let [low, high] = [reach[reach.length - 1] ?? mid, farthest];
    while (low < high) {
      const r = Math.ceil((low + high) / 2);
      if (BigInt(r) ** m * left <= right) low = r;
      else high = r - 1;
    }
    reach.push(low);
    left *= start;
    right *= end;
  }
  return reach;
}

/**
 * DeBERTa's bucket of each distance 0 .. farthest.
 * @param {number} buckets @param {number} maxDistance @param {number} farthest
 */
export function buckets(buckets, maxDistance, farthest) {
  const mid = Math.floor(buckets / 2);
  const reach = reaches(mid, maxDistance - 1, farthest);
  let n = 0;
  return Int32Array.from({ length: farthest + 1 }, (_, r) => {
    if (r <= mid) return r;
    while (r > reach[n]) ++n;
    return mid + n;
  });
}

/**
 * The same in PyTorch's float32 steps.
 * @param {number} buckets @param {number} maxDistance @param {number} farthest
 */
export function torchBuckets(buckets, maxDistance, farthest) {
  const f = Math.fround;
  const mid = Math.floor(buckets / 2);
  const whole = f(Math.log(f((maxDistance - 1) / mid)));
  return Int32Array.from({ length: farthest + 1 }, (_, r) => {
    if (r <= mid) return r;
    return mid + Math.ceil(f(f(f(Math.log(f(r / mid))) / whole) * (mid - 1)));
  });
}

/**
 * Shaw's logits and output with given weights: q.k_j + q.aK[r] over sqrt(D), sum of w (v_j + aV[r]).
 * @param {Matrix} q @param {Matrix} k @param {Matrix} aK @param {number} K
 */
export function shawScores(q, k, aK, K) {
  return q.map((query, i) =>
    k.map((key, j) => {
      const r = Math.min(Math.max(j - (i + k.length - q.length), -K), K) + K;
      return (dot(query, key) + dot(query, aK[r])) / Math.sqrt(query.length);
    }),
  );
}

/**
 * @param {Matrix} weights @param {Matrix} v @param {Matrix} aV @param {number} K
 */
export function shawOutput(weights, v, aV, K) {
  return weights.map((row, i) =>
    v[0].map((_, d) =>
      row.reduce((sum, w, j) => {
        const r = Math.min(Math.max(j - (i + v.length - weights.length), -K), K) + K;
        return sum + w * (v[j][d] + aV[r][d]);
      }, 0),
    ),
  );
}

/**
 * Transformer-XL's logits: ((q_i + u).k_j + (q_i + v).r_(i-j)) / sqrt(D) for j up to i.
 * @param {Matrix} q @param {Matrix} k @param {(distance: number) => number[]} r
 * @param {number[]} u @param {number[]} v
 */
export function transformerXL(q, k, r, u, v) {
  const plus = (/** @type {number[]} */ a, /** @type {number[]} */ b) => a.map((x, d) => x + b[d]);
  return q.map((query, i) =>
    k.map((key, j) => {
      const distance = i + k.length - q.length - j;
      if (distance < 0) return -Infinity;
      const sum = dot(plus(query, u), key) + dot(plus(query, v), r(distance));
      return sum / Math.sqrt(query.length);
    }),
  );
}
