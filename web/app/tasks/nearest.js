/** @import { Phasor } from "phasor" */
/** @import { Plain } from "./pca.js" */

/** Queries between two reports. */
const TILE = 128;

/**
 * Finds the nearest rows of each query.
 *
 * @param {Phasor} phasor
 * @param {{vectors: Plain, queries: Plain, k?: number, metric?: "cosine" | "dot" | "euclidean"}} args
 *   [V, D]; [Q, D]; default 10; default cosine
 * @returns {AsyncGenerator<number, {ids: Plain<Int32Array>, scores: Plain}>} the share that is done;
 *   [Q, k]
 */
export async function* nearest(phasor, { vectors, queries, k = 10, metric = "cosine" }) {
  const index = phasor.nearest.index(vectors);
  try {
    const [Q, D] = queries.shape;
    const each = Math.min(k, index.vocabulary);
    const ids = new Int32Array(Q * each);
    const scores = new Float32Array(Q * each);
    for (let from = 0; from < Q; from += TILE) {
      const to = Math.min(from + TILE, Q);
      const data = queries.data.subarray(from * D, to * D);
      const found = index.search({ data, shape: [to - from, D] }, { k, metric });
      ids.set(found.ids.data, from * each);
      scores.set(found.scores.data, from * each);
      yield to / Q;
    }
    const shape = [Q, each];
    return { ids: { data: ids, shape }, scores: { data: scores, shape } };
  } finally {
    index.dispose();
  }
}
