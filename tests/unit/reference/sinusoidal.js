/** Sinusoidal encodings from the papers, one value at a time. */
import { frequencies, phase } from "./exact.js";

/**
 * @typedef {object} Conventions
 * @property {string} [layout]
 * @property {string} [odd]
 * @property {number} [base]
 * @property {number} [n]  theta_i = base^(-i/n); default D/2 (Vaswani et al. 2017)
 */

/**
 * The columns of each pair; an odd width's last sine has no cosine.
 * @param {number} dim @param {Conventions} [conventions]
 * @returns {{sin: number, cos: number | undefined}[]}
 */
export function columns(dim, { layout = "interleaved", odd = "sine-last" } = {}) {
  const sines = odd === "sine-last" ? Math.ceil(dim / 2) : Math.floor(dim / 2);
  const cosines = Math.floor(dim / 2);
  return Array.from({ length: sines }, (_, i) => {
    const cosine = (/** @type {number} */ column) => (i < cosines ? column : undefined);
    if (layout === "interleaved") return { sin: 2 * i, cos: cosine(2 * i + 1) };
    if (layout === "halves") return { sin: i, cos: cosine(sines + i) };
    return { sin: cosines + i, cos: cosine(i) };
  });
}

/**
 * @param {ArrayLike<number>} positions @param {number} dim @param {Conventions} [conventions]
 * @returns {Float64Array} [T, D]
 */
export function table(positions, dim, conventions = {}) {
  const { base = 10000, n = dim / 2 } = conventions;
  const pairs = columns(dim, conventions);
  const thetas = frequencies(base, n, pairs.length);
  const out = new Float64Array(positions.length * dim);
  for (let t = 0; t < positions.length; ++t) {
    for (const [i, column] of pairs.entries()) {
      const { sin, cos } = phase(positions[t], thetas[i]);
      out[t * dim + column.sin] = sin;
      if (column.cos !== undefined) out[t * dim + column.cos] = cos;
    }
  }
  return out;
}
