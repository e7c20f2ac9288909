// The rows of the bench: each one job, those who do it, and phasor's goals for it. Everybody takes
// plain arrays and gives plain arrays; what can be prepared (frequencies, a resident table, memory
// for results) is prepared before the clock runs.

import * as jax from "./jax.js";
import { arrays, buffersFor, copyLimits, fillLimits, gatherLimits } from "./limits.js";
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
  lookupRow(),
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
              rope.rotate(tensors[turn % count], table, { layout, out: ours[turn % count] });
            },
            result: () => [ours[0]],
            tolerance: 4e-7, // three float32 roundings of pairs no longer than sqrt(2)
          },
          {
            name: "phasor in place",
            run(turn) {
              const tensor = tensorsInPlace[turn % count];
              rope.rotate(tensor, table, { layout, out: tensor.data });
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
