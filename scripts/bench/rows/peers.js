// Rows beside libraries that do one of phasor's jobs: searches by graphs, ml-pca, transformers.js' functions.

import { arrays, copyLimits, into, readLimits } from "../limits.js";
import { uniform } from "../measure.js";
import * as onnx from "../onnx.js";
import * as peers from "../peers.js";
import * as plain from "../plain.js";
import { rowsOfKind, unitRows } from "./tables.js";

/** @import { Row } from "./index.js" */

/** @type {Row[]} */
export const rows = [
  graphRow("MiniLM's rows"),
  graphRow("GloVe's rows"),
  buildRow(),
  componentsRow(),
  poolingRow(),
  normRow(),
  cosinesRow(),
];

/**
 * A search beside graphs, which may miss rows: their share of the right ones stands in their names.
 * @param {string} kind @returns {Row}
 */
function graphRow(kind) {
  const [k, count] = [10, 200];
  return {
    id: "graph",
    title: `top ${k} by cosine, one query, beside graphs: ${kind}`,
    goals: [],
    async prepare({ nearest }) {
      const table = await rowsOfKind(kind);
      const D = table.shape[1];
      const random = uniform(3);
      const queries = Array.from({ length: count }, () => {
        const from = Math.floor(random() * table.shape[0]) * D;
        return table.data.slice(from, from + D).map((x) => x + 0.02 * (random() - 0.5));
      });
      const index = nearest.index(table);
      const loop = plain.nearestIndex(table.data, D);
      const right = queries.map((query) => [...loop.search(query, k).ids]);
      const graphs = [];
      for (const name of /** @type {const} */ (["hnswlib-wasm", "usearch"])) {
        const make = name === "usearch" ? peers.usearch : peers.hnswlib;
        const search = await make(table.data, D);
        const found = queries.map((query) => new Set(Array.from(search(query, k))));
        const hits = right.flatMap((ids, q) => ids.filter((id) => found[q].has(id)));
        const note = name === "usearch" ? "native, " : "";
        graphs.push({
          name: `${name} (${note}${((100 * hits.length) / (k * count)).toFixed(1)} % of the right rows)`,
          run: (/** @type {number} */ turn) => search(queries[turn % count], k),
        });
      }
      const exact = (/** @type {{ids: ArrayLike<number>, scores: ArrayLike<number>}} */ found) => [
        Float32Array.from(found.ids),
        Float32Array.from(found.scores),
      ];
      const ours = (/** @type {number} */ turn) => {
        const { ids, scores } = index.search(queries[turn % count], { k });
        return { ids: ids.data, scores: scores.data };
      };
      return {
        expected: exact(loop.search(queries[0], k)),
        finish: () => index.dispose(),
        contestants: [
          ...(await readLimits(table.data)),
          { name: "phasor", run: ours, result: () => exact(ours(0)), tolerance: 1.2e-7 },
          {
            name: "JavaScript",
            run: (turn) => loop.search(queries[turn % count], k),
            result: () => exact(loop.search(queries[0], k)),
            tolerance: 0,
          },
          await onnx.nearest(unitRows(table.data, D), unitRows(queries[0], D), D, k),
          ...graphs,
        ],
      };
    },
  };
}

/** @returns {Row} */
function buildRow() {
  return {
    id: "build",
    title: "building an index of GloVe's rows",
    goals: [],
    async prepare({ nearest }) {
      const table = await rowsOfKind("GloVe's rows");
      const D = table.shape[1];
      return {
        expected: [],
        contestants: [
          ...(await copyLimits(table.data.byteLength)),
          { name: "phasor", run: () => nearest.index(table).dispose() },
          { name: "JavaScript", run: () => plain.nearestIndex(table.data, D) },
          { name: "hnswlib-wasm", run: () => peers.hnswlib(table.data, D) },
          { name: "usearch (native)", run: () => peers.usearch(table.data, D) },
        ],
      };
    },
  };
}

/** @returns {Row} */
function componentsRow() {
  const [N, D] = [2000, 64];
  return {
    id: "mlpca",
    title: `the two principal components of ${N} x ${D}, beside ml-pca`,
    goals: [],
    async prepare({ pca }) {
      const random = uniform(29);
      const x = new Float32Array(N * D).map((_, at) => {
        const column = at % D;
        return (2 * random() - 1) * (column < 2 ? 4 - column : 1);
      });
      const tensor = { data: x, shape: [N, D] };
      const ours = () => [/** @type {Float32Array} */ (pca(tensor).explainedVariance.data)];
      const loops = () => [plain.variances(x, D)];
      return {
        expected: loops(),
        contestants: [
          ...(await readLimits(x)),
          { name: "phasor", run: ours, result: ours, tolerance: 1e-4 },
          { name: "JavaScript", run: loops, result: loops, tolerance: 0 },
          await peers.variances(x, D),
        ],
      };
    },
  };
}

/** @returns {Row} */
function poolingRow() {
  const shape = [8, 256, 384];
  const [B, T, D] = shape;
  return {
    id: "pool",
    title: `mean pooling of ${B} x ${T} x ${D} by a mask`,
    goals: [],
    async prepare({ pooling }) {
      const random = uniform(31);
      const x = new Float32Array(B * T * D).map(() => 2 * random() - 1);
      const mask = Array.from({ length: B * T }, (_, at) => Number(at % T < T - 20 * (at / T)));
      const kept = { data: Int32Array.from(mask), shape: [B, T] };
      const [ours, loops] = arrays(2, B * D);
      const hidden = { data: x, shape };
      plain.meanPooling(x, mask, D, loops);
      return {
        expected: [loops.slice()],
        contestants: [
          ...(await readLimits(x)),
          into("phasor", [ours], 1e-6, (out) => pooling.apply(hidden, { mask: kept, out })),
          into("JavaScript", [loops], 0, (out) => plain.meanPooling(x, mask, D, out)),
          await peers.meanPooling(x, shape, mask),
        ],
      };
    },
  };
}

/** @returns {Row} */
function normRow() {
  const [T, D] = [2048, 384];
  return {
    id: "norm",
    title: `LayerNorm of ${T} x ${D} without a weight`,
    goals: [],
    async prepare({ normalize }) {
      const random = uniform(37);
      const x = new Float32Array(T * D).map(() => 2 * random() - 1);
      const [ours, loops] = arrays(2, T * D);
      const tensor = { data: x, shape: [T, D] };
      const [ones, zeros] = [new Float32Array(D).fill(1), new Float32Array(D)];
      plain.layerNorm(x, ones, zeros, 1e-5, loops);
      return {
        expected: [loops.slice()],
        contestants: [
          ...(await copyLimits(x.byteLength)),
          into("phasor", [ours], 1e-6, (out) => normalize.layerNorm(tensor, { out })),
          into("JavaScript", [loops], 0, (out) => plain.layerNorm(x, ones, zeros, 1e-5, out)),
          await peers.layerNorm(x, D),
        ],
      };
    },
  };
}

/** @returns {Row} */
function cosinesRow() {
  const [V, D] = [2000, 384];
  return {
    id: "cos1",
    title: `cosines of one row and ${V} x ${D}`,
    goals: [],
    async prepare({ similarity }) {
      const random = uniform(41);
      const rows = new Float32Array(V * D).map(() => 2 * random() - 1);
      const query = rows.slice(5 * D, 6 * D);
      const [ours, loops] = arrays(2, V);
      const [one, all] = [
        { data: query, shape: [1, D] },
        { data: rows, shape: [V, D] },
      ];
      plain.cosinesOfOne(query, rows, loops);
      return {
        expected: [loops.slice()],
        contestants: [
          ...(await readLimits(rows)),
          into("phasor", [ours], 1.2e-7, (out) => similarity.matrix(one, all, { out })),
          into("JavaScript", [loops], 0, (out) => plain.cosinesOfOne(query, rows, out)),
          await peers.cosinesOfOne(query, rows),
        ],
      };
    },
  };
}
