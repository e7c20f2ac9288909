/** @import { Plain } from "../app/models/rank.js" */
/** @import { Remote } from "../app/in-worker.js" */

/** Components of each model that are compared, at most. */
const MOST = 64;

/**
 * Vectors of the same words in two models, the second rotated to the first. Each is reduced to its principal components
 * and scaled to the sum of squares 1.
 *
 * @param {Remote} phasor
 * @param {Plain} first  [N, D1] @param {Plain} second  [N, D2]: row i of both is the same word
 * @returns {Promise<Aligned>}
 *
 * @typedef {object} Aligned
 * @property {Plain} first  [N, k]
 * @property {Plain} second  [N, k], rotated
 * @property {number} disparity  what the rotation leaves: 1 - (sum of the singular values)^2, from 0 to 1
 * @property {number} chance  the same with the words paired wrongly
 * @property {number} found  the share of words whose rotated vector is nearest to the same word of the first model
 * @property {Float32Array} cosines  [N]: of the two vectors of each word
 */
export async function align(phasor, first, second) {
  const N = first.shape[0];
  const k = Math.max(1, Math.min(MOST, first.shape[1], second.shape[1], N - 1));
  const [one, other] = [await reduced(phasor, first, k), await reduced(phasor, second, k)];
  const { rotated, scale } = await phasor.procrustes(other, one);
  const shift = k * Math.floor(N / 2);
  const wrong = Float32Array.from(other.data, (_, i) => other.data[(i + shift) % (N * k)]);
  const chance = (await phasor.procrustes({ data: wrong, shape: [N, k] }, one)).scale;
  const { ids } = await phasor.nearest(one, rotated, { k: 1 });
  const found = Array.from(ids.data).filter((id, i) => id === i).length / N;
  const cosines = await phasor.similarity.rows(one, rotated);
  return {
    first: one,
    second: rotated,
    disparity: 1 - scale ** 2,
    chance: 1 - chance ** 2,
    found,
    cosines: cosines.data,
  };
}

/** @param {Remote} phasor @param {Plain} points @param {number} k @returns {Promise<Plain>} */
async function reduced({ pca }, points, k) {
  const found = await pca(points, { components: k });
  void found.dispose();
  const { data, shape } = found.projected;
  const length = Math.sqrt(data.reduce((sum, x) => sum + x * x, 0)) || 1;
  return { data: data.map((x) => x / length), shape };
}
