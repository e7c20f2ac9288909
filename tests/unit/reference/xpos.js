/** Tables of xPos (Sun et al. 2022, arXiv:2212.10554, section 3.2), one pair at a time, in double. */
import { frequencies, phase } from "./exact.js";

/**
 * @param {ArrayLike<number>} positions @param {number} dim @param {number} center
 * @param {{base?: number, scaleBase?: number, gamma?: number}} [options]
 * @returns {Record<"query" | "key", Record<"cos" | "sin", Float64Array>>} [T, R/2] each
 */
export function table(positions, dim, center, { base = 10000, scaleBase = 512, gamma = 0.4 } = {}) {
  const thetas = frequencies(base, dim / 2, dim / 2);
  const cells = Array.from(positions, (position) =>
    thetas.map((theta, i) => {
      const zeta = (2 * i + gamma * dim) / ((1 + gamma) * dim);
      return { ...phase(position, theta), scale: zeta ** ((position - center) / scaleBase) };
    }),
  ).flat();
  const all = (/** @type {(cell: typeof cells[number]) => number} */ value) =>
    Float64Array.from(cells, value);
  return {
    query: { cos: all((cell) => cell.cos * cell.scale), sin: all((cell) => cell.sin * cell.scale) },
    key: { cos: all((cell) => cell.cos / cell.scale), sin: all((cell) => cell.sin / cell.scale) },
  };
}
