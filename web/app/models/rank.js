/** @import { EmbeddingTable, QuantizedTable, Phasor } from "phasor" */

/**
 * Numbers and their shape: the part of a Tensor that can be sent to or from a worker.
 * @template [Data=Float32Array]
 * @typedef {{data: Data, shape: readonly number[]}} Plain
 */

/** @typedef {"cosine" | "dot" | "euclidean"} Metric */
/** @typedef {readonly [a: number, b: number, c: number]} Triple  of ids: of a - b + c */
/** @typedef {EmbeddingTable | QuantizedTable} Rows  of words, in memory */

/**
 * Words with their scores, best first.
 * @typedef {{id: number, score: number}[]} Ranking
 */

/**
 * The words nearest to a word.
 * @param {Phasor} phasor @param {Rows} table @param {number} id @param {number} k @param {Metric} metric
 * @returns {Ranking}
 */
export function neighborsIn({ nearest }, table, id, k, metric) {
  return ranking(nearest(table, table.lookup(id), { k, metric, exclude: id }));
}

/**
 * The words nearest to a - b + c. All three vectors are normalized to length 1, so that they have
 * equal weights.
 *
 * @param {Phasor} phasor @param {Rows} table
 * @param {Triple} ids
 * @param {number} k @param {Metric} metric @param {boolean} inputs  may be among the answers
 * @returns {Ranking}
 */
export function analogyIn(phasor, table, ids, k, metric, inputs) {
  return ranking(asked(phasor, table, [ids], { k, metric }, inputs));
}

/**
 * The best answer to each of many such questions, by the cosine.
 * @param {Phasor} phasor @param {Rows} table @param {readonly Triple[]} triples @param {boolean} inputs
 * @returns {Int32Array} ids
 */
export function answersIn(phasor, table, triples, inputs) {
  return Int32Array.from(asked(phasor, table, triples, { k: 1 }, inputs).ids.data);
}

/**
 * @param {Phasor} phasor @param {Rows} table @param {readonly Triple[]} triples
 * @param {{k: number, metric?: Metric}} options @param {boolean} inputs
 */
function asked({ nearest, normalize }, table, triples, options, inputs) {
  if (!inputs) {
    const ordered = triples.map(([a, b, c]) => [b, a, c]);
    return nearest.analogy(table, ordered, options);
  }
  const { data, shape } = normalize.l2(table.lookup(triples));
  const D = shape[2];
  const sums = new Float32Array(triples.length * D);
  for (let n = 0; n < triples.length; ++n) {
    for (let d = 0, at = 3 * n * D; d < D; ++d, ++at) {
      sums[n * D + d] = Number(data[at]) - Number(data[at + D]) + Number(data[at + 2 * D]);
    }
  }
  return nearest(table, { data: sums, shape: [triples.length, D] }, options);
}

/** Rows that are looked up at a time. */
const TILE = 4096;

/**
 * The first numbers of every row.
 * @param {Rows} table @param {number} columns
 * @returns {Plain} [V, columns]
 */
export function numbersIn(table, columns) {
  const { vocabulary: V, dim: D } = table;
  const data = new Float32Array(V * columns);
  for (let first = 0; first < V; first += TILE) {
    const ids = Int32Array.from({ length: Math.min(TILE, V - first) }, (_, i) => first + i);
    const rows = /** @type {Float32Array} */ (table.lookup(ids).data);
    for (const i of ids.keys()) {
      data.set(rows.subarray(i * D, i * D + columns), (first + i) * columns);
    }
  }
  return { data, shape: [V, columns] };
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
 * The coordinates of words along their principal components.
 * @param {Phasor} phasor @param {Rows} table @param {Int32Array | undefined} ids  undefined: all
 * @param {number} components
 */
export function componentsIn({ pca }, table, ids, components) {
  const found = pca(ids ? table.lookup(ids) : table, { components });
  return { projected: found.projected.data, ratio: found.explainedVarianceRatio.data };
}

/** @param {import("phasor").Neighbors} found @returns {Ranking} */
function ranking({ ids, scores }) {
  return Array.from(ids.data, (id, i) => ({ id, score: Number(scores.data[i]) }));
}
