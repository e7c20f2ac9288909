/** @import { Phasor } from "phasor" */
/** @import { Plain } from "./pca.js" */

/** Queries between two reports of progress. */
const TILE = 256;

/** The share of the work that is the search for neighbors. */
const SEARCH = 0.2;

/** Epochs between two reports. */
const EPOCHS = 5;

/** Of UMAP: neighbors of each point, and the least distance of points on the map. */
const [NEIGHBORS, MIN_DISTANCE] = [15, 0.1];

/** Every run gives the same map. */
const SEED = 20180209;

/**
 * A map by UMAP (McInnes, Healy, Melville 2018). The nearest neighbors, by the cosine, are exact; umap-js lays them out.
 *
 * @param {Phasor} phasor
 * @param {{points: Plain}} args  [N, D], N > 2
 * @returns {AsyncGenerator<number, {places: Float32Array}>} the share that is done; [N, 2]
 */
export async function* umap(phasor, { points }) {
  const { UMAP } = await import("umap-js");
  const [N, D] = points.shape;
  const nNeighbors = Math.min(NEIGHBORS, N - 1);
  const index = phasor.nearest.index(points);
  /** @type {number[][]} */
  const ids = [];
  /** @type {number[][]} */
  const distances = [];
  try {
    for (let from = 0; from < N; from += TILE) {
      const to = Math.min(from + TILE, N);
      const data = points.data.subarray(from * D, to * D);
      const found = index.search({ data, shape: [to - from, D] }, { k: nNeighbors });
      for (let q = 0; q < to - from; ++q) {
        const part = [q * nNeighbors, (q + 1) * nNeighbors];
        ids.push(Array.from(found.ids.data.subarray(...part), Number));
        distances.push(
          Array.from(found.scores.data.subarray(...part), (score) =>
            Math.max(0, 1 - Number(score)),
          ),
        );
      }
      yield (SEARCH * to) / N;
    }
  } finally {
    index.dispose();
  }
  const model = new UMAP({ nNeighbors, minDist: MIN_DISTANCE, random: seeded(SEED) });
  model.setPrecomputedKNN(ids, distances);
  const epochs = model.initializeFit(ids); // it reads the neighbors; of the points only their number
  for (let epoch = 0; epoch < epochs; ++epoch) {
    model.step();
    if (epoch % EPOCHS === 0) yield SEARCH + ((1 - SEARCH) * epoch) / epochs;
  }
  return { places: Float32Array.from(model.getEmbedding().flat()) };
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
