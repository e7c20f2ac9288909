/** @import { Plain } from "./models/rank.js" */
import { UMAP } from "umap-js";

/** Epochs between two reports, and milliseconds between two that have the places. */
const EPOCHS = 5;
const PAUSE = 400;

/** The least distance of points on the map. */
const MIN_DISTANCE = 0.1;

/** Every run gives the same map. */
const SEED = 20180209;

/**
 * A map by UMAP (McInnes, Healy, Melville 2018), which umap-js lays out.
 *
 * @param {{ids: Plain<Int32Array>, scores: Plain}} neighbors  [N, k]: of each point, by the cosine
 * @param {(told: {share: number, places?: Float32Array}) => void} tell  called with the share that is done, and now and
 *   then with the places as they are
 * @returns {{places: Float32Array}} [N, 2]
 */
export function umap({ ids, scores }, tell) {
  const [N, nNeighbors] = ids.shape;
  /** @param {Plain<Int32Array | Float32Array>} matrix */
  const rows = ({ data }) =>
    Array.from({ length: N }, (_, i) =>
      Array.from(data.subarray(i * nNeighbors, (i + 1) * nNeighbors)),
    );
  const near = rows(ids);
  const distances = rows(scores).map((row) => row.map((score) => Math.max(0, 1 - score)));
  const model = new UMAP({ nNeighbors, minDist: MIN_DISTANCE, random: seeded(SEED) });
  model.setPrecomputedKNN(near, distances);
  const epochs = model.initializeFit(near); // it reads the neighbors; of the points only their number
  const placesNow = () => Float32Array.from(model.getEmbedding().flat());
  let last = -Infinity;
  for (let epoch = 0; epoch < epochs; ++epoch) {
    model.step();
    if (epoch % EPOCHS !== 0) continue;
    const share = (epoch + 1) / epochs;
    if (performance.now() - last < PAUSE) tell({ share });
    else {
      tell({ share, places: placesNow() });
      last = performance.now();
    }
  }
  return { places: placesNow() };
}

/** Random numbers from 0 to 1 of a seed: mulberry32. @param {number} seed */
function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
