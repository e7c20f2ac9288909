/**
 * @import { EmbeddingTable, PackedTable, Phasor } from "phasor"
 * @import { Plain } from "../site/tasks/pca.js"
 */

/** @typedef {"cosine" | "euclidean"} Metric */
/** @typedef {EmbeddingTable | PackedTable} Rows  of words, in memory */

/**
 * Words with their scores, best first.
 * @typedef {{id: number, score: number}[]} Ranking
 */

/**
 * The words nearest to a word.
 * @param {Phasor} phasor @param {Rows} table @param {number} id @param {number} k @param {Metric} metric
 * @returns {Ranking}
 */
export function neighboursIn({ nearest }, table, id, k, metric) {
  return ranking(nearest(table, table.lookup(id), { k, metric, exclude: id }));
}

/**
 * The words nearest to a - b + c. All three vectors are brought to length 1 first, so that each
 * counts the same.
 *
 * @param {Phasor} phasor @param {Rows} table
 * @param {readonly [a: number, b: number, c: number]} ids
 * @param {number} k @param {Metric} metric @param {boolean} inputs  may be among the answers
 * @returns {Ranking}
 */
export function analogyIn({ nearest, normalize }, table, ids, k, metric, inputs) {
  if (!inputs) return ranking(nearest.analogy(table, [ids[1], ids[0], ids[2]], { k, metric }));
  const [a, b, c] = ids.map((id) => normalize.l2(table.lookup(id)).data);
  const target = Array.from(a, (x, d) => Number(x) - Number(b[d]) + Number(c[d]));
  return ranking(nearest(table, target, { k, metric }));
}

/**
 * The cosine of each word with each.
 * @param {Phasor} phasor @param {Rows} table @param {readonly number[]} ids
 * @returns {Plain} [N, N]
 */
export function cosinesIn({ similarity }, table, ids) {
  const { data, shape } = similarity.matrix(table.lookup(ids));
  return { data, shape };
}

/**
 * Where words lie along their principal components.
 * @param {Phasor} phasor @param {Rows} table @param {Int32Array | undefined} ids  undefined: all
 * @param {number} components
 */
export function componentsIn({ pca }, table, ids, components) {
  const found = pca(ids ? table.lookup(ids) : table, { components });
  return { projected: found.projected.data, ratio: found.explainedVarianceRatio.data };
}

/** @param {import("phasor").Neighbours} found @returns {Ranking} */
function ranking({ ids, scores }) {
  return Array.from(ids.data, (id, i) => ({ id, score: Number(scores.data[i]) }));
}
