// What the heads of a trained decoder do with each pair of a rotation, for the worker of the lab.

/** @typedef {Record<string, {data: Float32Array, shape: readonly number[]}>} Weights  as `model.weights()` gives them */

/** The names of in_proj's matrices. @param {Weights} weights */
export const projections = (weights) =>
  Object.keys(weights).filter((name) => /in_proj\.weight$/.test(name));

/**
 * What each head does with each pair: |W_q G| |W_k G| of the pair's two rows, G the weights of the layer norm before
 * them, as a share of the head's sum.
 * @param {Weights} weights @param {number} heads @returns {Float64Array} [layers, heads, D/2]
 */
export function pairShares(weights, heads) {
  const layers = projections(weights).map((name) => {
    const { data, shape } = weights[name];
    const E = shape[1];
    const pairs = E / heads / 2;
    const scale = weights[name.replace("attention.in_proj", "norm1")].data;
    const squares = Array.from({ length: 2 * E }, (_, row) =>
      scale.reduce((sum, g, c) => sum + (g * data[row * E + c]) ** 2, 0),
    );
    const norm = (/** @type {number} */ row) => Math.sqrt(squares[row] + squares[row + pairs]);
    return Array.from({ length: heads }, (_, h) => {
      const all = Array.from({ length: pairs }, (_, i) => {
        const row = 2 * pairs * h + i;
        return norm(row) * norm(E + row);
      });
      const sum = all.reduce((a, b) => a + b);
      return all.map((x) => x / sum);
    });
  });
  return Float64Array.from(layers.flat(2));
}

/** How many tokens a whole turn of each pair takes. @param {number} pairs @param {number} base */
export const wavelengths = (pairs, base) =>
  Array.from({ length: pairs }, (_, i) => 2 * Math.PI * base ** (i / pairs));
