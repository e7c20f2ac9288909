// The rows of the bench: each one job, those who do it, and phasor's goals for it. Everybody takes
// plain arrays and gives plain arrays; what can be prepared (frequencies, a resident table, memory
// for results) is prepared before the clock runs.

import * as jax from "./jax.js";
import { arrays, buffersFor, copyLimits, fillLimits, gatherLimits, readLimits } from "./limits.js";
import { uniform } from "./measure.js";
import * as onnx from "./onnx.js";
import * as plain from "./plain.js";
import { exactFrequencies, misrounded } from "./reference.js";

/** @typedef {import("phasor").Phasor} Phasor */
/** @typedef {import("./measure.js").Contestant} Contestant */

/**
 * A bound on a ratio of times: `who` takes at most `most` times as long as `than`, or `than` at
 * least `least` times as long as `who`.
 *
 * @typedef {{who: string, than: string, most?: number, least?: number}} Goal
 */

/**
 * @typedef {object} Job
 * @property {Contestant[]} contestants the first one is the limit
 * @property {Float32Array[]} expected what every result is compared with
 * @property {() => void} [finish]
 */

/**
 * @typedef {object} Row
 * @property {string} id
 * @property {string} title
 * @property {Goal[]} goals
 * @property {(phasor: Phasor) => Promise<Job>} prepare
 * @property {(result: Float32Array) => {of: number, wrong: number}} [roundings] how many of some
 *   values are not the float32 nearest to the formula's
 */

/** Two doubles that agree, each rounded once: at most a unit of float32 below 1 apart. */
const ONE_UNIT = 2 ** -24;

/** @type {Row[]} */
export const rows = [
  sinusoidalRow("T1", 4096, 768, [
    { who: "phasor", than: "fill", most: 3.7 },
    { who: "phasor", than: "JavaScript", least: 14 },
    { who: "phasor", than: "JavaScript, angle addition", least: 5 },
    { who: "phasor", than: "jax-js", least: 12 },
  ]),
  sinusoidalRow("T1s", 512, 512, [
    { who: "phasor", than: "fill", most: 4 },
    { who: "phasor", than: "JavaScript", least: 10 },
  ]),
  rotateRow("halves"),
  rotateRow("interleaved"),
  rotaryTablesRow(),
  alibiRow(),
  lookupRow(),
  layerNormRow(),
  nearestRow(),
  cosinesRow(),
  pcaRow(),
  decodeRow("float16", 3),
  decodeRow("Q4_0", 4),
  packedRow(),
];

/**
 * @param {string} id @param {number} T @param {number} D @param {Goal[]} goals
 * @returns {Row}
 */
function sinusoidalRow(id, T, D, goals) {
  const theta = plain.frequencies(D / 2);
  const count = buffersFor(T * D * 4);
  return {
    id,
    title: `sinusoidal table ${T} x ${D}`,
    goals,
    async prepare({ sinusoidal }) {
      const [ours, loops, additions] = [0, 1, 2].map(() => arrays(count, T * D));
      const expected = new Float32Array(T * D);
      plain.sinusoidal(T, theta, expected);
      return {
        expected: [expected],
        contestants: [
          ...(await fillLimits(T * D * 4)),
          {
            name: "phasor",
            run: (turn) => sinusoidal.table(T, D, { out: ours[turn % count] }),
            result: () => [ours[0]],
            tolerance: ONE_UNIT,
          },
          {
            name: "JavaScript",
            run: (turn) => plain.sinusoidal(T, theta, loops[turn % count]),
            result: () => [loops[0]],
            tolerance: 0,
          },
          {
            name: "JavaScript, angle addition",
            run: (turn) => plain.sinusoidalByAddition(T, theta, additions[turn % count]),
            result: () => [additions[0]],
            tolerance: ONE_UNIT,
          },
          await jax.sinusoidal(T, D),
        ],
      };
    },
    roundings(result) {
      const random = uniform(7);
      const places = Uint32Array.from({ length: 100_000 }, () => Math.floor(random() * T * D));
      return { of: places.length, wrong: misrounded(result, exactFrequencies(D / 2), places) };
    },
  };
}

/**
 * @param {"halves" | "interleaved"} layout
 * @returns {Row}
 */
function rotateRow(layout) {
  const [H, T, D] = [32, 2048, 128];
  const P = D / 2;
  const size = H * T * D;
  const count = buffersFor(size * 4);
  return {
    id: "T2",
    title: `rotary embedding of q (1, ${H}, ${T}, ${D}), layout ${layout}`,
    goals: [
      { who: "phasor", than: "copy", most: 1.9 },
      { who: "phasor in place", than: "copy", most: 1.3 },
      { who: "phasor", than: "JavaScript", least: 3.2 },
      { who: "phasor", than: "onnxruntime-web", least: 9 },
    ],
    async prepare({ rope }) {
      const queries = () => {
        const random = uniform(3);
        return arrays(count, size).map((x) => x.map(() => 2 * random() - 1));
      };
      const [x, inPlace, loopInPlace] = [queries(), queries(), queries()];
      const [ours, loops] = [0, 1].map(() => arrays(count, size));
      const loop = layout === "halves" ? plain.rotateHalves : plain.rotateInterleaved;

      const [cos, sin] = arrays(2, T * P);
      plain.rotaryTables(T, plain.frequencies(P), cos, sin);
      const table = { cos: { data: cos, shape: [T, P] }, sin: { data: sin, shape: [T, P] } };
      const shape = [1, H, T, D];
      const tensors = x.map((data) => ({ data, shape }));
      const tensorsInPlace = inPlace.map((data) => ({ data, shape }));

      const expected = new Float32Array(size);
      loop(x[0], cos, sin, T, P, expected);
      return {
        expected: [expected],
        contestants: [
          ...(await copyLimits(size * 4)),
          {
            name: "phasor",
            run(turn) {
              rope.apply(tensors[turn % count], table, { layout, out: ours[turn % count] });
            },
            result: () => [ours[0]],
            tolerance: 4e-7, // three float32 roundings of pairs no longer than sqrt(2)
          },
          {
            name: "phasor in place",
            run(turn) {
              const tensor = tensorsInPlace[turn % count];
              rope.apply(tensor, table, { layout, out: tensor.data });
            },
            result: () => [inPlace[0]],
            tolerance: 4e-7,
          },
          {
            name: "JavaScript",
            run: (turn) => loop(x[turn % count], cos, sin, T, P, loops[turn % count]),
            result: () => [loops[0]],
            tolerance: 0,
          },
          {
            name: "JavaScript in place",
            run(turn) {
              const data = loopInPlace[turn % count];
              loop(data, cos, sin, T, P, data);
            },
            result: () => [loopInPlace[0]],
            tolerance: 0,
          },
          await onnx.rotate(x, cos, sin, { H, T, P, layout }),
        ],
      };
    },
  };
}

/** @returns {Row} */
function rotaryTablesRow() {
  const [T, P] = [32768, 128];
  const theta = plain.frequencies(P);
  const count = buffersFor(2 * T * P * 4);
  return {
    id: "T2b",
    title: `rotary tables: cosines and sines, each ${T} x ${P}`,
    goals: [
      { who: "phasor", than: "fill", most: 2 },
      { who: "phasor", than: "JavaScript", least: 28 },
      { who: "phasor", than: "jax-js", least: 28 },
    ],
    async prepare({ rope }) {
      const [cos, sin, loopCos, loopSin] = [0, 1, 2, 3].map(() => arrays(count, T * P));
      const expected = arrays(2, T * P);
      plain.rotaryTables(T, theta, expected[0], expected[1]);
      return {
        expected,
        contestants: [
          ...(await fillLimits(2 * T * P * 4)),
          {
            name: "phasor",
            run(turn) {
              rope.table(T, 2 * P, { out: { cos: cos[turn % count], sin: sin[turn % count] } });
            },
            result: () => [cos[0], sin[0]],
            tolerance: ONE_UNIT,
          },
          {
            name: "JavaScript",
            run(turn) {
              plain.rotaryTables(T, theta, loopCos[turn % count], loopSin[turn % count]);
            },
            result: () => [loopCos[0], loopSin[0]],
            tolerance: 0,
          },
          await jax.rotaryTables(T, P),
        ],
      };
    },
  };
}

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
      { who: "phasor", than: "JavaScript", least: 4 },
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
          {
            name: "phasor",
            run(turn) {
              table.lookup(tensors[turn % count], { scale: "sqrt", add, out: ours[turn % count] });
            },
            result: () => [ours[0]],
            tolerance: 1e-6, // two float32 roundings of numbers below 8
          },
          {
            name: "JavaScript",
            run(turn) {
              plain.lookup(weights, D, ids[turn % count], scale, places, loops[turn % count]);
            },
            result: () => [loops[0]],
            tolerance: 0,
          },
          await onnx.lookup(weights, D, ids, scale, places),
        ],
      };
    },
  };
}

/** @returns {Row} */
function alibiRow() {
  const [H, T] = [32, 1024];
  const size = H * T * T;
  const count = buffersFor(size * 4);
  return {
    id: "T3",
    title: `ALiBi bias of ${H} heads, ${T} x ${T}`,
    goals: [
      { who: "phasor", than: "fill", most: 1.1 },
      { who: "phasor", than: "JavaScript", least: 5 },
    ],
    async prepare({ alibi }) {
      const [ours, loops] = [0, 1].map(() => arrays(count, size));
      const slopes = Float64Array.from({ length: H }, (_, h) => 2 ** (-(h + 1) / 4));
      const expected = new Float32Array(size);
      plain.alibi(slopes, T, expected);
      return {
        expected: [expected],
        contestants: [
          ...(await fillLimits(size * 4)),
          {
            name: "phasor",
            run: (turn) => alibi.bias(H, T, { out: ours[turn % count] }),
            result: () => [ours[0]],
            tolerance: 2e-4, // a slope rounded to float32 first, times 1023
          },
          {
            name: "JavaScript",
            run: (turn) => plain.alibi(slopes, T, loops[turn % count]),
            result: () => [loops[0]],
            tolerance: 0,
          },
        ],
      };
    },
  };
}

/** @returns {Row} */
function layerNormRow() {
  const [T, D] = [4096, 768];
  const count = buffersFor(T * D * 4);
  return {
    id: "T5",
    title: `LayerNorm of ${T} x ${D}`,
    goals: [
      { who: "phasor", than: "copy", most: 1.7 },
      { who: "phasor", than: "JavaScript", least: 8 },
    ],
    async prepare({ normalize }) {
      const random = uniform(11);
      const x = arrays(count, T * D).map((data) => data.map(() => 2 * random() - 1));
      const [weight, bias] = arrays(2, D).map((data) => data.map(() => 2 * random() - 1));
      const tensors = x.map((data) => ({ data, shape: [T, D] }));
      const [ours, loops] = [0, 1].map(() => arrays(count, T * D));
      const expected = new Float32Array(T * D);
      plain.layerNorm(x[0], weight, bias, 1e-5, expected);
      return {
        expected: [expected],
        contestants: [
          ...(await copyLimits(T * D * 4)),
          {
            name: "phasor",
            run: (turn) =>
              normalize.layerNorm(tensors[turn % count], { weight, bias, out: ours[turn % count] }),
            result: () => [ours[0]],
            tolerance: 2.4e-7, // both in double, rounded once: values below 4
          },
          {
            name: "JavaScript",
            run: (turn) =>
              plain.layerNorm(x[turn % count], weight, bias, 1e-5, loops[turn % count]),
            result: () => [loops[0]],
            tolerance: 0,
          },
        ],
      };
    },
  };
}

/** @returns {Row} */
function nearestRow() {
  const [V, D, k] = [50257, 768, 10];
  return {
    id: "T6",
    title: `top ${k} by cosine of ${V} x ${D}, one query`,
    goals: [
      { who: "phasor", than: "read", most: 1.1 },
      { who: "phasor", than: "JavaScript", least: 10 },
    ],
    async prepare({ nearest }) {
      const random = uniform(13);
      const table = new Float32Array(V * D).map(() => 2 * random() - 1);
      const query = new Float32Array(D).map(() => 2 * random() - 1);
      const index = nearest.index({ data: table, shape: [V, D] });
      /** @param {{ids: ArrayLike<number>, scores: Float32Array}} found */
      const flat = ({ ids, scores }) => [Float32Array.from(ids), scores];
      const ours = () => {
        const { ids, scores } = index.search(query, { k });
        return { ids: ids.data, scores: /** @type {Float32Array} */ (scores.data) };
      };
      return {
        expected: flat(plain.nearest(table, query, k)),
        finish: () => index.dispose(),
        contestants: [
          ...(await readLimits(table)),
          {
            name: "phasor",
            run: ours,
            result: () => flat(ours()),
            tolerance: 1.2e-7, // ids are equal; a cosine is rounded once
          },
          {
            name: "JavaScript",
            run: () => plain.nearest(table, query, k),
            result: () => flat(plain.nearest(table, query, k)),
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
      const [ours, loop] = arrays(2, N * N);
      const expected = new Float32Array(N * N);
      plain.cosines(x, D, expected);
      return {
        expected: [expected],
        contestants: [
          ...(await readLimits(x)),
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
        ],
      };
    },
  };
}

/** @returns {Row} */
function pcaRow() {
  const [N, D, turns] = [10000, 768, 24];
  return {
    id: "T8",
    title: `the two principal components of ${N} x ${D}`,
    goals: [{ who: "phasor", than: "JavaScript", least: 30 }],
    async prepare({ pca }) {
      const random = uniform(19);
      // the first two directions stand out: power iteration settles in few turns
      const x = new Float32Array(N * D).map((_, at) => {
        const column = at % D;
        return (2 * random() - 1) * (column < 2 ? 8 - 3 * column : 1);
      });
      const tensor = { data: x, shape: [N, D] };
      const ours = () => [/** @type {Float32Array} */ (pca(tensor).explainedVariance.data)];
      return {
        expected: [plain.variances(x, D, turns)],
        contestants: [
          ...(await readLimits(x)),
          { name: "phasor", run: ours, result: ours, tolerance: 1e-4 },
          {
            name: "JavaScript",
            run: () => plain.variances(x, D, turns),
            result: () => [plain.variances(x, D, turns)],
            tolerance: 0,
          },
        ],
      };
    },
  };
}

/**
 * @param {"float16" | "Q4_0"} dtype @param {number} most  times a copy of the numbers
 * @returns {Row}
 */
function decodeRow(dtype, most) {
  const [V, D] = [16384, 768];
  const count = buffersFor(V * D * 4);
  return {
    id: "T9",
    title: `decoding ${V} x ${D} numbers of ${dtype}`,
    goals: [
      { who: "phasor", than: "copy", most },
      { who: "phasor", than: "JavaScript", least: 2 },
    ],
    async prepare({ dtypes }) {
      const { numbers, bytes: size } = dtypes.sizes[dtype];
      const random = uniform(17);
      const bytes = new Uint8Array(((V * D) / numbers) * size).map(() => 256 * random());
      // exponents of float16 from 2^-3 to 2^0: the weights of models are near 1, and finite
      const step = dtype === "float16" ? 2 : size;
      for (let at = 1; at < bytes.length; at += step) bytes[at] = (bytes[at] & 0x8f) | 0x30;
      const [ours, loops] = [0, 1].map(() => arrays(count, V * D));
      const stored = { bytes, dtype, shape: [V, D] };
      const loop = (/** @type {Float32Array} */ out) =>
        dtype === "float16"
          ? plain.widenFloat16(new Uint16Array(bytes.buffer), out)
          : plain.decodeQ4(bytes, out);
      const expected = new Float32Array(V * D);
      loop(expected);
      return {
        expected: [expected],
        contestants: [
          ...(await copyLimits(V * D * 4)),
          {
            name: "phasor",
            run: (turn) => dtypes.decode(stored, { out: ours[turn % count] }),
            result: () => [ours[0]],
            tolerance: 0,
          },
          {
            name: "JavaScript",
            run: (turn) => loop(loops[turn % count]),
            result: () => [loops[0]],
            tolerance: 0,
          },
        ],
      };
    },
  };
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
