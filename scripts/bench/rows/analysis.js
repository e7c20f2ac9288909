// Analysis: search, similarity, principal components.

import { readFile } from "node:fs/promises";
import { arrays, multiplyLimits, readLimits } from "../limits.js";
import * as jax from "../jax.js";
import { uniform } from "../measure.js";
import * as onnx from "../onnx.js";
import * as plain from "../plain.js";

/** @import { Goal, Row } from "./index.js" */

/** @type {Row[]} */
export const rows = [
  nearestRow("T6", 1, [
    { who: "phasor", than: "read", most: 0.6 },
    { who: "phasor", than: "JavaScript", least: 10 },
  ]),
  nearestRow("T6b", 32, [{ who: "phasor", than: "multiply-add", most: 2.1 }]),
  cosinesRow(),
  pcaRow("T8", 10000, [
    { who: "phasor", than: "read", most: 39 },
    { who: "phasor", than: "JavaScript", least: 30 },
  ]),
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
      const index = nearest.index({ data: table, shape: [V, D] });
      const ours = () => {
        const { ids, scores } = index.search({ data: queries, shape: [Q, D] }, { k });
        return [Float32Array.from(ids.data), scores.data];
      };
      const loops = () => {
        const found = Array.from({ length: Q }, (_, q) =>
          plain.nearest(table, queries.subarray(q * D, (q + 1) * D), k),
        );
        return [
          Float32Array.from(found.flatMap(({ ids }) => [...ids])),
          Float32Array.from(found.flatMap(({ scores }) => [...scores])),
        ];
      };
      return {
        expected: loops(),
        finish: () => index.dispose(),
        contestants: [
          ...(await (Q === 1 ? readLimits(table) : multiplyLimits(Q * V * D))),
          { name: "phasor", run: ours, result: ours, tolerance: 1.2e-7 }, // a cosine is rounded once
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
      const loops = () => {
        const { ids, scores } = plain.nearest(rows.data, query, k);
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

/** @param {string} kind @returns {Promise<{data: Float32Array, shape: number[]}>} */
async function rowsOfKind(kind) {
  const random = uniform(23);
  const normal = () => 1.4 * (random() + random() + random() + random() + random() + random() - 3);
  if (kind === "MiniLM's rows") return offGrid("minilm", "words", random);
  if (kind === "GloVe's rows") return offGrid("glove-10k-100d", "embedding", random);
  const [V, D] = [20000, 768];
  const centers = new Float32Array(50 * D).map(normal);
  /** @type {Record<string, (x: number, v: number, d: number) => number>} */
  const rules = {
    "white noise": (x) => x,
    "heavy tails": (x) => x ** 3,
    clusters: (x, v, d) => centers[(v % 50) * D + d] + 0.3 * x,
    "a common mean": (x, _, d) => 3 * centers[d] + x,
    "four large columns": (x, _, d) => (d % 200 === 138 ? 50 * x : x),
    "eight large columns": (x, _, d) => (d % 100 === 38 ? 50 * x : x),
    "a mean of 30 deviations": (x, _, d) => 30 * centers[d] + x,
  };
  const data = new Float32Array(V * D).map((_, i) =>
    rules[kind](normal(), Math.floor(i / D), i % D),
  );
  return { data, shape: [V, D] };
}

/**
 * Rows of one of the site's tables, moved off the grid of their int8 numbers, which would flatter an int8 copy.
 * @param {string} file @param {string} name @param {() => number} random
 */
async function offGrid(file, name, random) {
  /** @type {typeof import("phasor/files")} */
  const { safetensors } = await import(new URL("../../../dist/files.js", import.meta.url).href);
  const url = new URL(`../../../web/data/${file}.safetensors`, import.meta.url);
  const opened = await safetensors.read(await readFile(url));
  const { data, shape } = await opened.tensor(`${name}.weight`);
  const { data: scales } = await opened.tensor(`${name}.scale`);
  const D = shape[1];
  const rows = Float32Array.from(data, (x, i) => (x + random() - 0.5) * scales[Math.floor(i / D)]);
  return { data: rows, shape: [...shape] };
}

/** Rows divided by their lengths. @param {Float32Array} rows  [N, D] @param {number} D */
function unitRows(rows, D) {
  const units = new Float32Array(rows.length);
  for (let from = 0; from < rows.length; from += D) {
    let square = 0;
    for (let d = from; d < from + D; ++d) square += rows[d] * rows[d];
    for (let d = from; d < from + D; ++d) units[d] = rows[d] / Math.sqrt(square);
  }
  return units;
}

/** @returns {Row} */
function packedRow() {
  const [V, D, k] = [50257, 768, 10];
  const dtypes = /** @type {const} */ (["float32", "float16", "bfloat16", "int8"]);
  return {
    id: "T10",
    title: `top ${k} by cosine of ${V} x ${D} kept in fewer bits, one query`,
    goals: [
      { who: "phasor, int8", than: "phasor, float32", most: 2.5 },
      { who: "phasor, float16", than: "phasor, float32", most: 3.5 },
      { who: "phasor, int8", than: "JavaScript", least: 5 },
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
      const loop = () => plain.nearest(table, query, k);
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
          {
            name: "JavaScript",
            run: loop,
            result: () => flat(loop()),
            tolerance: 0,
          },
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
    goals: [{ who: "phasor", than: "JavaScript", least: 17 }],
    async prepare({ similarity }) {
      const random = uniform(17);
      const x = new Float32Array(N * D).map(() => 2 * random() - 1);
      const tensor = { data: x, shape: [N, D] };
      const [ours, loop, sums] = arrays(3, N * N);
      const expected = new Float32Array(N * N);
      plain.cosines(x, D, expected);
      return {
        expected: [expected],
        contestants: [
          ...(await multiplyLimits((N * N * D) / 2)),
          {
            name: "phasor",
            run: () => similarity.matrix(tensor, tensor, { out: ours }),
            result: () => [ours],
            tolerance: 1.2e-7,
          },
          {
            name: "JavaScript",
            run: () => plain.cosines(x, D, loop),
            result: () => [loop],
            tolerance: 0,
          },
          {
            name: "JavaScript, four sums",
            run: () => plain.cosinesByFourSums(x, D, sums),
            result: () => [sums],
            tolerance: 1.2e-7,
          },
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
  const [D, turns] = [768, 24];
  return {
    id,
    title: `the two principal components of ${N} x ${D}`,
    goals,
    async prepare({ pca }) {
      const random = uniform(19);
      // the first two directions stand out: power iteration settles in few turns
      const x = new Float32Array(N * D).map((_, at) => {
        const column = at % D;
        return (2 * random() - 1) * (column < 2 ? 8 - 3 * column : 1);
      });
      const tensor = { data: x, shape: [N, D] };
      const ours = () => [/** @type {Float32Array} */ (pca(tensor).explainedVariance.data)];
      const loops = () => [plain.variances(x, D, turns)];
      const isTimed = goals.some(({ than }) => than === "JavaScript"); // it takes seconds
      return {
        expected: loops(),
        contestants: [
          ...(await readLimits(x)),
          { name: "phasor", run: ours, result: ours, tolerance: 1e-4 },
          ...(isTimed ? [{ name: "JavaScript", run: loops, result: loops, tolerance: 0 }] : []),
          await jax.variances(x, D, 7),
        ],
      };
    },
  };
}
