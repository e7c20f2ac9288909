// Positions: tables, rotations, biases.

import * as jax from "../jax.js";
import { arrays, buffersFor, copyLimits, fillLimits, into } from "../limits.js";
import { uniform } from "../measure.js";
import * as onnx from "../onnx.js";
import * as plain from "../plain.js";
import { exactFrequencies, misrounded } from "../reference.js";

/** @import { Row, Goal } from "./index.js" */

/** Two doubles that agree, each rounded once: at most a unit of float32 below 1 apart. */
const ONE_UNIT = 2 ** -24;

/** @type {Goal[]} */
const ROTATE_GOALS = [
  { who: "phasor", than: "copy", most: 1.9 },
  { who: "phasor in place", than: "copy", most: 1.3 },
  { who: "phasor, pool", than: "phasor, new array", most: 0.7 },
  { who: "phasor", than: "onnxruntime-web", least: 9 },
];

/** @type {Row[]} */
export const rows = [
  sinusoidalRow("T1", 4096, 768, [
    { who: "phasor", than: "fill", most: 3.7 },
    { who: "phasor", than: "JavaScript, angle addition", least: 5 },
    { who: "phasor", than: "jax-js", least: 12 },
  ]),
  sinusoidalRow("T1s", 512, 512, [{ who: "phasor", than: "fill", most: 4 }]),
  listRow("T1f", "fractional", (t) => t + 0.3 * Math.sin(t)),
  listRow("T1w", "scattered whole", (t) => (t * 1237) % 4096),
  rotateRow("halves"),
  rotateRow("interleaved"),
  rotaryTablesRow(),
  alibiRow(),
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
          into("phasor", ours, ONE_UNIT, (out) => sinusoidal.table(T, D, { out })),
          into("JavaScript", loops, 0, (out) => plain.sinusoidal(T, theta, out)),
          into("JavaScript, angle addition", additions, ONE_UNIT, (out) =>
            plain.sinusoidalByAddition(T, theta, out),
          ),
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
 * A table at a list of positions.
 * @param {string} id @param {string} kind  of positions @param {(t: number) => number} position
 * @returns {Row}
 */
function listRow(id, kind, position) {
  const [T, D] = [4096, 512];
  const theta = plain.frequencies(D / 2);
  const positions = Float64Array.from({ length: T }, (_, t) => position(t));
  return {
    id,
    title: `sinusoidal table of ${T} ${kind} positions x ${D}`,
    goals: [{ who: "phasor", than: "JavaScript", least: 2 }],
    async prepare({ sinusoidal }) {
      const [ours, loop] = arrays(2, T * D);
      plain.sinusoidalAt(positions, theta, loop);
      return {
        expected: [Float32Array.from(loop)],
        contestants: [
          ...(await fillLimits(T * D * 4)),
          into("phasor", [ours], ONE_UNIT, (out) => sinusoidal.table(positions, D, { out })),
          into("JavaScript", [loop], 0, (out) => plain.sinusoidalAt(positions, theta, out)),
        ],
      };
    },
  };
}

/** Arrays of the same random numbers from -1 to 1. @param {number} count @param {number} size */
function randomArrays(count, size) {
  const random = uniform(3);
  return arrays(count, size).map((x) => x.map(() => 2 * random() - 1));
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
    goals: ROTATE_GOALS,
    async prepare({ rope }, { pool }) {
      const results = pool();
      let pooled = results.tensor([0]);
      const [x, inPlace, loopInPlace] = [0, 1, 2].map(() => randomArrays(count, size));
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
        finish: () => results.dispose(),
        contestants: [
          ...(await copyLimits(size * 4)),
          // three float32 roundings of pairs no longer than sqrt(2)
          into("phasor", ours, 4e-7, (out, i) => rope.apply(tensors[i], table, { layout, out })),
          { name: "phasor, new array", run: () => rope.apply(tensors[0], table, { layout }) },
          {
            name: "phasor, pool",
            run() {
              results.reset();
              pooled = results.tensor(shape);
              rope.apply(tensors[0], table, { layout, out: pooled });
            },
            result: () => [pooled.data],
            tolerance: 4e-7,
          },
          into("phasor in place", inPlace, 4e-7, (out, i) =>
            rope.apply(tensorsInPlace[i], table, { layout, out }),
          ),
          into("JavaScript", loops, 0, (out, i) => loop(x[i], cos, sin, T, P, out)),
          into("JavaScript in place", loopInPlace, 0, (out) => loop(out, cos, sin, T, P, out)),
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
      { who: "phasor", than: "jax-js", least: 28 },
    ],
    async prepare({ rope }) {
      const [cos, sin, loopCos, loopSin, addCos, addSin] = Array.from({ length: 6 }, () =>
        arrays(count, T * P),
      );
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
          {
            name: "JavaScript, angle addition",
            run(turn) {
              plain.rotaryTablesByAddition(T, theta, addCos[turn % count], addSin[turn % count]);
            },
            result: () => [addCos[0], addSin[0]],
            tolerance: ONE_UNIT,
          },
          await jax.rotaryTables(T, P),
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
    goals: [{ who: "phasor", than: "fill", most: 2.6 }], // a prototype's 2.0, and 1.3 times that
    async prepare({ alibi }) {
      const [ours, loops, sets] = [0, 1, 2].map(() => arrays(count, size));
      const slopes = Float64Array.from({ length: H }, (_, h) => 2 ** (-(h + 1) / 4));
      const expected = new Float32Array(size);
      plain.alibi(slopes, T, expected);
      return {
        expected: [expected],
        contestants: [
          ...(await fillLimits(size * 4)),
          // a slope rounded to float32 first, times 1023
          into("phasor", ours, 2e-4, (out) => alibi.bias(H, T, { out })),
          into("JavaScript", loops, 0, (out) => plain.alibi(slopes, T, out)),
          into("JavaScript, rows by set", sets, 0, (out) => plain.alibiByRows(slopes, T, out)),
        ],
      };
    },
  };
}
