/**
 * Attention in double precision, from Vaswani et al. 2017, section 3.2: slow and plain.
 */

/** @typedef {number[][]} Matrix */

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
export const dot = (a, b) => Array.from(a).reduce((sum, x, d) => sum + x * b[d], 0);

/** The weights of logits; a row of -Infinity gives zeros. @param {number[]} logits */
export function softmax(logits) {
  const top = Math.max(...logits);
  if (top === -Infinity) return logits.map(() => 0);
  const parts = logits.map((logit) => Math.exp(logit - top));
  const sum = parts.reduce((a, b) => a + b, 0);
  return parts.map((part) => part / sum);
}

/**
 * The logits of one head.
 * @param {Matrix} q @param {Matrix} k
 * @param {{scale?: number, softcap?: number, bias?: (i: number, j: number) => number, sees?: (i: number, j: number) => boolean}} [options]
 * @returns {Matrix}
 */
export function scores(
  q,
  k,
  { scale = 1 / Math.sqrt(q[0].length), softcap, bias = () => 0, sees = () => true } = {},
) {
  return q.map((query, i) =>
    k.map((key, j) => {
      if (!sees(i, j)) return -Infinity;
      const logit = scale * dot(query, key);
      return (softcap ? softcap * Math.tanh(logit / softcap) : logit) + bias(i, j);
    }),
  );
}

/**
 * What the weights make of the values.
 * @param {Matrix} weights @param {Matrix} v @returns {Matrix}
 */
export function mix(weights, v) {
  return weights.map((row) => v[0].map((_, d) => row.reduce((sum, w, j) => sum + w * v[j][d], 0)));
}
