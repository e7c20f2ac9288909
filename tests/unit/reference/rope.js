/** Rotary position embedding from the paper (Su et al. 2021), one pair at a time, in double. */
import { frequencies, phase } from "./exact.js";

/**
 * The components of each pair.
 * @param {number} dim @param {string} layout
 * @returns {[number, number][]}
 */
export function pairs(dim, layout) {
  return Array.from({ length: dim / 2 }, (_, i) =>
    layout === "interleaved" ? [2 * i, 2 * i + 1] : [i, i + dim / 2],
  );
}

/**
 * @param {ArrayLike<number>} positions @param {number} dim @param {number} [base]
 * @returns {{cos: Float64Array, sin: Float64Array}} [T, R/2]
 */
export function table(positions, dim, base = 10000) {
  const thetas = frequencies(base, dim / 2, dim / 2);
  const rows = Array.from(positions, (position) => thetas.map((theta) => phase(position, theta)));
  return {
    cos: Float64Array.from(rows.flat(), ({ cos }) => cos),
    sin: Float64Array.from(rows.flat(), ({ sin }) => sin),
  };
}

/**
 * Turn one row.
 * @param {ArrayLike<number>} row @param {ArrayLike<number>} cos @param {ArrayLike<number>} sin
 * @param {string} layout
 * @returns {Float64Array}
 */
export function rotate(row, cos, sin, layout) {
  const out = Float64Array.from(row);
  for (const [i, [a, b]] of pairs(2 * cos.length, layout).entries()) {
    out[a] = row[a] * cos[i] - row[b] * sin[i];
    out[b] = row[b] * cos[i] + row[a] * sin[i];
  }
  return out;
}
