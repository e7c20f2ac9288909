/** @import { Table } from "./table.js" */
/** @typedef {"cosine" | "euclidean"} Metric */

/**
 * Words with their scores, best first.
 * @typedef {{id: number, score: number}[]} Ranking
 */

/**
 * The words nearest to a word.
 * @param {Table} table @param {number} id @param {number} k @param {Metric} metric
 * @returns {Ranking}
 */
export function neighbours({ index, vectors }, id, k, metric) {
  return ranking(index.search(vectors.row(id), { k, metric, exclude: id }));
}

/**
 * The words nearest to a - b + c. All three vectors are brought to length 1 first, so that each
 * counts the same.
 *
 * @param {import("phasor").Phasor} phasor @param {Table} table
 * @param {readonly [a: number, b: number, c: number]} ids
 * @param {number} k @param {Metric} metric @param {boolean} inputs  may be among the answers
 * @returns {Ranking}
 */
export function analogy({ normalize }, { index, vectors }, ids, k, metric, inputs) {
  if (!inputs) return ranking(index.analogy([ids[1], ids[0], ids[2]], { k, metric }));
  const [a, b, c] = ids.map((id) => normalize.l2(vectors.row(id)).data);
  const target = Array.from(a, (x, d) => Number(x) - Number(b[d]) + Number(c[d]));
  return ranking(index.search(target, { k, metric }));
}

/** @param {import("phasor").Neighbours} found @returns {Ranking} */
function ranking({ ids, scores }) {
  return Array.from(ids.data, (id, i) => ({ id, score: Number(scores.data[i]) }));
}
