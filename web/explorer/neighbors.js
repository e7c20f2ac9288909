/** @import { Plain } from "../app/models/rank.js" */
/** @import { Remote } from "../app/in-worker.js" */

/** Neighbors of each point, of UMAP. */
const NEIGHBORS = 15;

/** Queries between two reports of progress. */
const TILE = 256;

/**
 * The nearest neighbors of each point among all, by the cosine.
 *
 * @param {Remote} phasor
 * @param {Plain} points  [N, D], N > 2
 * @param {AbortSignal} signal
 * @param {(share: number) => void} tell  called with the share that is done
 * @returns {Promise<{ids: Plain<Int32Array>, scores: Plain}>} [N, k]
 */
export async function neighborsOf({ nearest }, points, signal, tell) {
  const [N, D] = points.shape;
  const k = Math.min(NEIGHBORS, N - 1);
  const ids = { data: new Int32Array(N * k), shape: [N, k] };
  const scores = { data: new Float32Array(N * k), shape: [N, k] };
  const index = await nearest.index(points);
  try {
    for (let from = 0; from < N; from += TILE) {
      const to = Math.min(from + TILE, N);
      const data = points.data.subarray(from * D, to * D);
      const found = await index.search({ data, shape: [to - from, D] }, { k });
      signal.throwIfAborted();
      ids.data.set(found.ids.data, from * k);
      scores.data.set(found.scores.data, from * k);
      tell(to / N);
    }
  } finally {
    void index.dispose();
  }
  return { ids, scores };
}
