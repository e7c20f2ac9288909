// Analysis: search, similarity, principal components.

import { arrays, into, multiplyLimits, readLimits } from "../limits.js";
import * as jax from "../jax.js";
import { uniform } from "../measure.js";
import * as onnx from "../onnx.js";
import * as plain from "../plain.js";
import { rowsOfKind, unitRows } from "./tables.js";

/** @import { Goal, Row } from "./index.js" */

/** @type {Row[]} */
export const rows = [
  nearestRow("T6", 1, [
    { who: "phasor", than: "read", most: 0.6 },
    { who: "phasor", than: "onnxruntime-web", least: 1 },
    { who: "phasor, int8: false", than: "onnxruntime-web", least: 1 },
  ]),
  nearestRow("T6b", 32, [{ who: "phasor", than: "multiply-add", most: 2.1 }]),
  cosinesRow(),
  pcaRow("T8", 10000, [{ who: "phasor", than: "read", most: 39 }]),
  pcaRow("T8L", 50257, [{ who: "phasor", than: "read", most: 40 }]),
  ...["MiniLM's rows", "a common mean", "eight large columns", "white noise"].map(pcaKindRow),
  packedRow(),
  ...["white noise", "heavy tails", "clusters", "a common mean", "four large columns"].map(kindRow),
  ...["MiniLM's rows", "GloVe's rows"].map(kindRow),
  ...["eight large columns", "a mean of 30 deviations"].map(kindRow), // fall back
];

/**
 * @param {string} id @param {number} Q  queries @param {Goal[]} goals
 * @returns {Row}
 */
function nearestRow(id, Q, goals) {
  const [V, D, k] = [50257, 768, 10];
  return {
    id,
    title: `top ${k} by cosine of ${V} x ${D}, ${Q === 1 ? "one query" : `${Q} queries`}`,
    goals,
    async prepare({ nearest }) {
      const random = uniform(13);
      const table = new Float32Array(V * D).map(() => 2 * random() - 1);
      const queries = new Float32Array(Q * D).map(() => 2 * random() - 1);
      const rows = { data: table, shape: [V, D] };
      const indexes = [nearest.index(rows)];
      if (Q === 1) indexes.push(nearest.index(rows, { int8: false }));
      const ours = indexes.map((index, i) => {
        const run = () => {
          const { ids, scores } = index.search({ data: queries, shape: [Q, D] }, { k });
          return [Float32Array.from(ids.data), scores.data];
        };
        const name = i === 0 ? "phasor" : "phasor, int8: false";
        return { name, run, result: run, tolerance: 1.2e-7 }; // a cosine is rounded once
      });
      const loop = plain.nearestIndex(table, D);
      const loops = () => {
        const found = Q === 1 ? [loop.search(queries, k)] : loop.searchAll(queries, k);
        return [
          Float32Array.from(found.flatMap(({ ids }) => [...ids])),
          Float32Array.from(found.flatMap(({ scores }) => [...scores])),
        ];
      };
      return {
        expected: loops(),
        finish: () => indexes.forEach((index) => index.dispose()),
        contestants: [
          ...(await (Q === 1 ? readLimits(table) : multiplyLimits(Q * V * D))),
          ...ours,
          { name: "JavaScript", run: loops, result: loops, tolerance: 0 },
          await onnx.nearest(unitRows(table, D), unitRows(queries, D), D, k),
        ],
      };
    },
  };
}

/**
 * A search of an index with its int8 copy and without it, on one kind of rows.
 * @param {string} kind @returns {Row}
 */
function kindRow(kind) {
  const k = 10;
  return {
    id: "T6k",
    title: `top ${k} by cosine, one query: ${kind}`,
    goals: [{ who: "phasor", than: "phasor, int8: false", most: 1.1 }],
    async prepare({ nearest }) {
      const rows = await rowsOfKind(kind);
      const [V, D] = rows.shape;
      const query = rows.data.slice(4321 * D, 4322 * D);
      const indexes = [nearest.index(rows), nearest.index(rows, { int8: false })];
      const [ours, floats] = indexes.map((index) => () => {
        const { ids, scores } = index.search(query, { k });
        return [Float32Array.from(ids.data), scores.data];
      });
      const loop = plain.nearestIndex(rows.data, D);
      const loops = () => {
        const { ids, scores } = loop.search(query, k);
        return [Float32Array.from(ids), Float32Array.from(scores)];
      };
      return {
        expected: loops(),
        finish: () => indexes.forEach((index) => index.dispose()),
        contestants: [
          ...(await readLimits(rows.data)),
          { name: "phasor", run: ours, result: ours, tolerance: 1.2e-7 },
          { name: "phasor, int8: false", run: floats, result: floats, tolerance: 1.2e-7 },
          { name: `JavaScript, ${V} x ${D}`, run: loops, result: loops, tolerance: 0 },
        ],
      };
    },
  };
}

/**
 * Principal components of one kind of rows, beside sums that are all in double.
 * @param {string} kind @returns {Row}
 */
function pcaKindRow(kind) {
  return {
    id: "T8k",
    title: `two principal components: ${kind}`,
    goals: [{ who: "phasor", than: "phasor, float64", most: 1.1 }],
    async prepare({ pca }) {
      const x = await rowsOfKind(kind);
      const [ours, doubles] = /** @type {const} */ (["float32", "float64"]).map(
        (accumulate) => () => [pca(x, { accumulate }).explainedVarianceRatio.data],
      );
      return {
        expected: doubles(),
        contestants: [
          ...(await readLimits(x.data)),
          { name: "phasor", run: ours, result: ours, tolerance: 1e-6 },
          { name: "phasor, float64", run: doubles, result: doubles, tolerance: 0 },
        ],
      };
    },
  };
}

/** @returns {Row} */
function packedRow() {
  const [V, D, k] = [50257, 768, 10];
  const dtypes = /** @type {const} */ (["float16", "bfloat16", "int8", "float32"]);
  return {
    id: "T10",
    title: `top ${k} by cosine of ${V} x ${D} kept in fewer bits, one query`,
    goals: [
      { who: "phasor, int8", than: "phasor, float32", most: 2.5 },
      { who: "phasor, float16", than: "phasor, float32", most: 3.5 },
      { who: "phasor, float16", than: "onnxruntime-web", least: 1 },
    ],
    async prepare({ embedding, nearest }) {
      const random = uniform(13);
      const table = new Float32Array(V * D).map(() => 2 * random() - 1);
      const query = new Float32Array(D).map(() => 2 * random() - 1);
      for (let near = 1; near <= k; ++near) {
        const row = table.subarray(near * 4999 * D, (near * 4999 + 1) * D);
        row.forEach((x, d) => (row[d] = query[d] + (near / k) * x)); // clearly apart
      }
      const weights = { data: table, shape: [V, D] };
      const kept = dtypes.map((dtype) => embedding.quantize(weights, { dtype }));
      const loops = plain.nearestIndex(table, D);
      const loop = () => loops.search(query, k);
      /** @param {{ids: ArrayLike<number>, scores: Float32Array}} found */
      const flat = ({ ids, scores }) => [Float32Array.from(ids), scores];
      return {
        expected: flat(loop()),
        finish: () => kept.forEach((each) => each.dispose()),
        contestants: [
          ...kept.map((each, i) => {
            const search = () => {
              const { ids, scores } = nearest(each, query, { k });
              return { ids: ids.data, scores: scores.data };
            };
            return {
              name: `phasor, ${dtypes[i]}`,
              run: search,
              result: () => flat(search()),
              tolerance: 1e-2, // ids are equal; cosines are those of rounded rows
            };
          }),
          { name: "JavaScript", run: loop, result: () => flat(loop()), tolerance: 0 },
          await onnx.nearest(unitRows(table, D), unitRows(query, D), D, k), // all in float32
        ],
      };
    },
  };
}

/** @returns {Row} */
function cosinesRow() {
  const [N, D] = [1000, 768];
  return {
    id: "T7",
    title: `cosine of every two rows of ${N} x ${D}`,
    goals: [{ who: "phasor", than: "multiply-add", most: 3.6 }],
    async prepare({ similarity }) {
      const random = uniform(17);
      const x = new Float32Array(N * D).map(() => 2 * random() - 1);
      const tensor = { data: x, shape: [N, D] };
      const [ours, loop] = arrays(2, N * N);
      const expected = new Float32Array(N * N);
      plain.cosines(x, D, expected);
      return {
        expected: [expected],
        contestants: [
          ...(await multiplyLimits((N * N * D) / 2)),
          into("phasor", [ours], 1.2e-7, (out) => similarity.matrix(tensor, tensor, { out })),
          into("JavaScript", [loop], 0, (out) => plain.cosines(x, D, out)),
          await jax.cosines(x, D),
          await onnx.cosines(x, D),
        ],
      };
    },
  };
}

/**
 * @param {string} id @param {number} N  rows @param {Goal[]} goals
 * @returns {Row}
 */
function pcaRow(id, N, goals) {
  const D = 768;
  return {
    id,
    title: `the two principal components of ${N} x ${D}`,
    goals,
    async prepare({ pca }) {
      const random = uniform(19);
      // the first two directions stand out: iterations settle in few turns
      const x = new Float32Array(N * D).map((_, at) => {
        const column = at % D;
        return (2 * random() - 1) * (column < 2 ? 8 - 3 * column : 1);
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
          await jax.variances(x, D, 7),
        ],
      };
    },
  };
}
