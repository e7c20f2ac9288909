// Embeddings: rows of tables, and what is done with rows.

import { arrays, buffersFor, copyLimits, gatherLimits, into, readLimits } from "../limits.js";
import { uniform } from "../measure.js";
import * as onnx from "../onnx.js";
import * as plain from "../plain.js";

/** @import { Goal, Row } from "./index.js" */

/** @type {Row[]} */
export const rows = [
  lookupRow(),
  plainLookupRow(),
  normRow("layerNorm", "T5", [{ who: "phasor", than: "copy", most: 5.6 }]), // a prototype's 4.3, and 1.3 times that
  normRow("rmsNorm", "T5r", [{ who: "phasor", than: "copy", most: 4.2 }]),
  bagRow(),
  gradientRow(),
];

/** @returns {Row} */
function lookupRow() {
  const [V, B, T, D] = [50257, 8, 512, 768];
  const scale = Math.sqrt(D);
  const count = buffersFor(B * T * D * 4);
  return {
    id: "T4",
    title: `lookup of ${B} x ${T} ids in ${V} x ${D}, times sqrt(D), plus positions`,
    goals: [
      { who: "phasor", than: "gather", most: 1.15 },
      { who: "phasor", than: "onnxruntime-web", least: 2.5 },
    ],
    async prepare({ embedding }) {
      const table = embedding.create(V, D, { std: 0.02, seed: 1 });
      const weights = new Float32Array(V * D);
      table.weights({ out: weights });
      const random = uniform(5);
      const ids = Array.from({ length: count }, () =>
        Int32Array.from({ length: B * T }, () => Math.floor(random() * V)),
      );
      const tensors = ids.map((data) => ({ data, shape: [B, T] }));
      const places = new Float32Array(T * D);
      plain.sinusoidal(T, plain.frequencies(D / 2), places);
      const add = { data: places, shape: [T, D] };

      const [ours, loops] = [0, 1].map(() => arrays(count, B * T * D));
      const expected = new Float32Array(B * T * D);
      plain.lookup(weights, D, ids[0], scale, places, expected);
      return {
        expected: [expected],
        finish: () => table.dispose(),
        contestants: [
          ...(await gatherLimits(weights, D, ids)),
          // two float32 roundings of numbers below 8
          into("phasor", ours, 1e-6, (out, i) =>
            table.lookup(tensors[i], { scale: "sqrt", add, out }),
          ),
          into("JavaScript", loops, 0, (out, i) =>
            plain.lookup(weights, D, ids[i], scale, places, out),
          ),
          await onnx.lookup(weights, D, ids, scale, places),
        ],
      };
    },
  };
}

/** @returns {Row} */
function plainLookupRow() {
  const [V, N, D] = [50257, 4096, 768];
  const count = buffersFor(N * D * 4);
  return {
    id: "T4p",
    title: `lookup of ${N} ids in ${V} x ${D}, the rows as they are`,
    goals: [{ who: "phasor", than: "gather", most: 1.7 }],
    async prepare({ embedding }) {
      const table = embedding.create(V, D, { std: 0.02, seed: 1 });
      const weights = new Float32Array(V * D);
      table.weights({ out: weights });
      const random = uniform(5);
      const ids = Array.from({ length: count }, () =>
        Int32Array.from({ length: N }, () => Math.floor(random() * V)),
      );
      const tensors = ids.map((data) => ({ data, shape: [N] }));
      const [ours, sets] = [0, 1].map(() => arrays(count, N * D));
      const set = (/** @type {number} */ turn) => {
        const to = sets[turn % count];
        const list = ids[turn % count];
        for (let t = 0; t < N; ++t) {
          to.set(weights.subarray(list[t] * D, (list[t] + 1) * D), t * D);
        }
      };
      set(0);
      const [gather] = await gatherLimits(weights, D, ids);
      return {
        expected: [sets[0].slice()],
        finish: () => table.dispose(),
        contestants: [
          gather,
          into("phasor", ours, 0, (out, i) => table.lookup(tensors[i], { out })),
          { name: "JavaScript, rows by set", run: set, result: () => [sets[0]], tolerance: 0 },
        ],
      };
    },
  };
}

/**
 * @param {"layerNorm" | "rmsNorm"} norm @param {string} id @param {Goal[]} goals
 * @returns {Row}
 */
function normRow(norm, id, goals) {
  const [T, D] = [4096, 768];
  const count = buffersFor(T * D * 4);
  const eps = 1e-5;
  return {
    id,
    title: `${norm === "layerNorm" ? "LayerNorm" : "RMSNorm"} of ${T} x ${D}`,
    goals,
    async prepare({ normalize }) {
      const random = uniform(11);
      const x = arrays(count, T * D).map((data) => data.map(() => 2 * random() - 1));
      const [weight, bias] = arrays(2, D).map((data) => data.map(() => 2 * random() - 1));
      const tensors = x.map((data) => ({ data, shape: [T, D] }));
      const [ours, loops] = [0, 1].map(() => arrays(count, T * D));
      const expected = new Float32Array(T * D);
      /** @param {{data: Float32Array, shape: number[]}} tensor @param {Float32Array} out */
      const call = (tensor, out) =>
        norm === "layerNorm"
          ? normalize.layerNorm(tensor, { weight, bias, eps, out })
          : normalize.rmsNorm(tensor, { weight, eps, out });
      /** @param {Float32Array} data @param {Float32Array} out */
      const loop = (data, out) =>
        norm === "layerNorm"
          ? plain.layerNorm(data, weight, bias, eps, out)
          : plain.rmsNorm(data, weight, eps, out);
      loop(x[0], expected);
      return {
        expected: [expected],
        contestants: [
          ...(await copyLimits(T * D * 4)),
          // both in double, rounded once: values below 4
          into("phasor", ours, 2.4e-7, (out, i) => call(tensors[i], out)),
          into("JavaScript", loops, 0, (out, i) => loop(x[i], out)),
          await onnx.normalize(x, norm === "layerNorm" ? [weight, bias] : [weight]),
        ],
      };
    },
  };
}

/** @returns {Row} */
function bagRow() {
  const [V, B, N, D] = [50257, 1024, 32, 768];
  const lists = 2; // each reads 100 MB
  return {
    id: "bag",
    title: `sums of ${B} bags of ${N} rows of ${V} x ${D}`,
    goals: [{ who: "phasor", than: "read", most: 5.3 }],
    async prepare({ embedding, embeddingBag }) {
      const table = embedding.create(V, D, { std: 0.02, seed: 1 });
      const weights = new Float32Array(V * D);
      table.weights({ out: weights });
      const bags = embeddingBag.create(table, { mode: "sum" });
      const random = uniform(6);
      const ids = Array.from({ length: lists }, () =>
        Int32Array.from({ length: B * N }, () => Math.floor(random() * V)),
      );
      const tensors = ids.map((data) => ({ data, shape: [B, N] }));
      const [ours, loops] = [0, 1].map(() => arrays(lists, B * D));
      const expected = new Float32Array(B * D);
      plain.bagSums(weights, D, ids[0], N, expected);
      return {
        expected: [expected],
        finish: () => table.dispose(),
        contestants: [
          ...(await readLimits(weights.subarray(0, B * N * D))),
          into("phasor", ours, 0, (out, i) => bags.pool(tensors[i], { out })),
          into("JavaScript", loops, 0, (out, i) => plain.bagSums(weights, D, ids[i], N, out)),
          await onnx.bag(weights, D, ids, N),
        ],
      };
    },
  };
}

/** @returns {Row} */
function gradientRow() {
  const [V, T, D] = [50257, 16384, 768];
  const random = uniform(7);
  // Zipf's law: the k-th word is drawn with a probability of about 1/k.
  const ids = Int32Array.from({ length: T }, () => Math.floor(V ** random()));
  return {
    id: "bwd",
    title: `gradient of a lookup of ${T} ids of Zipf's law in ${V} x ${D}, the rows that occur`,
    goals: [{ who: "phasor", than: "read", most: 13 }],
    async prepare({ embedding }) {
      const table = embedding.create(V, D, { std: 0.02, seed: 1 });
      const gradients = new Float32Array(T * D).map(() => random() - 0.5);
      const tensor = { data: gradients, shape: [T, D] };
      const { rows, values: expected } = plain.sparseGradient(ids, gradients, D);
      const dense = new Float32Array(V * D);
      /** @type {Float32Array} */
      let ours;
      /** @type {Float32Array} */
      let loops;
      return {
        expected: [expected],
        finish: () => table.dispose(),
        contestants: [
          ...(await readLimits(gradients)),
          {
            name: "phasor",
            run() {
              const { values } = table.gradient(ids, tensor, { sparse: true });
              ours = /** @type {Float32Array} */ (values.data);
            },
            result: () => [ours],
            tolerance: 0,
          },
          {
            name: "JavaScript, Map",
            run: () => (loops = plain.sparseGradient(ids, gradients, D).values),
            result: () => [loops],
            tolerance: 0,
          },
          {
            name: "JavaScript, all rows",
            run: () => plain.denseGradient(ids, gradients, D, dense),
            result: () => [plain.pick(dense, D, rows)],
            tolerance: 2e-4, // it sums in float32
          },
        ],
      };
    },
  };
}
