/** @import { Phasor } from "phasor" */
/** @import { Plain } from "./pca.js" */
import { procrustes } from "./procrustes.js";

/** Components of each model that are compared, at most. */
const MOST = 64;

/**
 * Vectors of the same words in two models, the second rotated to the first. Each is reduced to its principal components
 * and scaled to the sum of squares 1.
 *
 * @param {Phasor} phasor
 * @param {{first: Plain, second: Plain}} args  [N, D1], [N, D2]: row i of both is the same word
 * @returns {AsyncGenerator<number, Aligned>} the share that is done
 *
 * @typedef {object} Aligned
 * @property {Plain} first  [N, k]
 * @property {Plain} second  [N, k], rotated
 * @property {number} disparity  what the rotation leaves: 1 - (sum of the singular values)^2, from 0 to 1
 * @property {number} chance  the same with the words paired wrongly
 * @property {number} found  the share of words whose rotated vector is nearest to the same word of the first model
 * @property {Float32Array} cosines  [N]: of the two vectors of each word
 */
export async function* align(phasor, { first, second }) {
  const N = first.shape[0];
  const k = Math.max(1, Math.min(MOST, first.shape[1], second.shape[1], N - 1));
  const a = reduced(phasor, first, k);
  yield 0.4;
  const b = reduced(phasor, second, k);
  yield 0.8;
  const { rotation, trace } = procrustes(b, a, k);
  const shifted = Float64Array.from(b, (_, i) => b[(i + k * Math.floor(N / 2)) % b.length]);
  const chance = 1 - procrustes(shifted, a, k).trace ** 2;
  const turned = product(b, rotation, k);
  const plain = (/** @type {Float64Array} */ x) => ({ data: Float32Array.from(x), shape: [N, k] });
  const [one, two] = [plain(a), plain(turned)];
  const { ids } = phasor.nearest(one, two, { k: 1 });
  const found = Array.from(ids.data).filter((id, i) => id === i).length / N;
  const cosines = Float32Array.from({ length: N }, (_, i) => cosine(a, turned, i * k, k));
  return { first: one, second: two, disparity: 1 - trace ** 2, chance, found, cosines };
}

/** @param {Phasor} phasor @param {Plain} points @param {number} k */
function reduced(phasor, points, k) {
  const x = Float64Array.from(phasor.pca(points, { components: k }).projected.data, Number);
  const length = Math.sqrt(x.reduce((sum, each) => sum + each * each, 0)) || 1;
  return x.map((each) => each / length);
}

/** @param {Float64Array} x  [N, D] @param {Float64Array} Q  [D, D] @param {number} D */
function product(x, Q, D) {
  const out = new Float64Array(x.length);
  for (let at = 0; at < x.length; at += D) {
    for (let i = 0; i < D; ++i) {
      for (let j = 0; j < D; ++j) out[at + j] += x[at + i] * Q[i * D + j];
    }
  }
  return out;
}

/** @param {Float64Array} a @param {Float64Array} b @param {number} at @param {number} D */
function cosine(a, b, at, D) {
  let [dot, aa, bb] = [0, 0, 0];
  for (let d = at; d < at + D; ++d) {
    dot += a[d] * b[d];
    aa += a[d] * a[d];
    bb += b[d] * b[d];
  }
  return aa * bb > 0 ? dot / Math.sqrt(aa * bb) : 0;
}
