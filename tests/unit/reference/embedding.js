/** Lookups, bags and their gradients in double, one number at a time; and finite differences. */

/**
 * scale * table[ids], [T, D].
 * @param {ArrayLike<number>} weights @param {number} D @param {ArrayLike<number>} ids
 * @param {number} [scale]
 */
export function lookup(weights, D, ids, scale = 1) {
  return Float64Array.from(
    { length: ids.length * D },
    (_, k) => scale * weights[ids[Math.floor(k / D)] * D + (k % D)],
  );
}

/**
 * nn.EmbeddingBag, [B, D].
 * @param {ArrayLike<number>} weights @param {number} D @param {ArrayLike<number>} ids
 * @param {readonly number[]} starts  [B + 1]
 * @param {{mode: string, padding?: number, perSampleWeights?: ArrayLike<number>}} options
 */
export function bag(weights, D, ids, starts, { mode, padding = -1, perSampleWeights }) {
  const bags = starts.slice(1).map((end, b) => {
    const places = Array.from({ length: end - starts[b] }, (_, k) => starts[b] + k);
    return places.filter((n) => ids[n] !== padding);
  });
  return Float64Array.from({ length: bags.length * D }, (_, k) => {
    const places = bags[Math.floor(k / D)];
    const values = places.map((n) => (perSampleWeights?.[n] ?? 1) * weights[ids[n] * D + (k % D)]);
    if (mode === "max") return values.length ? Math.max(...values) : 0;
    const sum = values.reduce((total, x) => total + x, 0);
    return mode === "mean" ? sum / Math.max(values.length, 1) : sum;
  });
}

/**
 * The gradient of a number that depends on others, by central differences in double.
 * @param {(x: Float64Array) => number} loss @param {ArrayLike<number>} at
 */
export function differences(loss, at) {
  const step = 1e-5; // its square, times a third derivative of about 1, is what is left out
  return Float64Array.from(at, (_, k) => {
    const moved = (/** @type {number} */ by) => {
      const x = Float64Array.from(at);
      x[k] += by;
      return loss(x);
    };
    return (moved(step) - moved(-step)) / (2 * step);
  });
}
