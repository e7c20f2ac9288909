// Arrays that are no positions: of many kinds, shapes and formats none gets a name.
import assert from "node:assert/strict";
import { test } from "node:test";
import { identify } from "phasor/oracle";
import { phasor } from "../../phasor.js";
import { isNight, SEED } from "../../sample.js";
import { Random } from "../../attacks/fuzz/random.js";
import { rounded } from "./conventions.js";

/** @typedef {{random: Random, rows: number, columns: number, x: () => number, normal: () => number}} Of */

/** Numbers [rows, columns] by a function of row and column. @param {Of} of @param {(t: number, c: number) => number} at */
const filled = ({ rows, columns }, at) =>
  Float64Array.from({ length: rows * columns }, (_, k) => at(Math.floor(k / columns), k % columns));

/** Rows and columns in another order. @param {Of} of @param {number} count */
function shuffled({ random }, count) {
  const order = Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; --i) {
    const j = random.below(i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

/** Two arrays of noise, each the same kind. @type {Record<string, (of: Of) => [Float64Array, Float64Array]>} */
const KINDS = {
  uniform: (of) => [filled(of, of.x), filled(of, of.x)],
  normal: (of) => [filled(of, of.normal), filled(of, of.normal)],
  "walks down the rows": (of) => [walk(of), walk(of)],
  "sorted numbers": (of) => [filled(of, of.x).sort(), filled(of, of.x).sort()],
  "few values": (of) => [filled(of, () => Math.round(2 * of.x())), filled(of, () => Math.round(2 * of.x()))],
  "rank two": (of) => [product(of), product(of)],
  "weights with outliers": (of) => [weights(of), weights(of)],
  "points of a circle": (of) => ofAngles(filled(of, () => Math.PI * of.x())),
  "waves of random frequencies"(of) {
    const theta = Float64Array.from({ length: of.columns }, () => 10 ** (2 * of.x() - 2));
    return ofAngles(filled(of, (t, c) => t * theta[c]));
  },
  "waves of one frequency and random phases"(of) {
    const phases = filled({ ...of, rows: 1 }, () => Math.PI * of.x());
    return ofAngles(filled(of, (t, c) => 0.3 * t + phases[c]));
  },
  "a table with its columns shuffled"(of) {
    const order = shuffled(of, of.columns);
    return ofAngles(filled(of, (t, c) => t * 10000 ** (-order[c] / of.columns)));
  },
  "a table with its numbers shuffled"(of) {
    const order = shuffled(of, of.rows * of.columns);
    const angles = filled(of, (t, c) => t * 10000 ** (-c / of.columns));
    return ofAngles(angles.map((_, k) => angles[order[k]]));
  },
  "a table with one number in ten replaced"(of) {
    const [cos, sin] = ofAngles(filled(of, (t, c) => t * 10000 ** (-c / of.columns)));
    return [cos.map((x, k) => (k % 10 === 3 ? of.x() : x)), sin];
  },
  "a table with noise"(of) {
    const [cos, sin] = ofAngles(filled(of, (t, c) => t * 10000 ** (-c / of.columns)));
    return [cos.map((x) => x + 0.05 * of.x()), sin.map((x) => x + 0.05 * of.x())];
  },
  "one-hot rows"(of) {
    const at = shuffled(of, Math.max(of.rows, of.columns));
    return [filled(of, (t, c) => Number(at[t] === c)), filled(of, (t, c) => Number(at[t] !== c))];
  },
  "constant rows"(of) {
    const [one, two] = [0, 1].map(() => filled({ ...of, columns: 1 }, of.x));
    return [filled(of, (t) => one[t]), filled(of, (t) => two[t])];
  },
  "constant columns"(of) {
    const [one, two] = [0, 1].map(() => filled({ ...of, rows: 1 }, of.x));
    return [filled(of, (_, c) => one[c]), filled(of, (_, c) => two[c])];
  },
  "one number": (of) => [filled(of, () => 0.5), filled(of, () => -0.25)],
  "the same with noise"(of) {
    const one = filled(of, of.normal);
    return [one, one.map((x) => x + 0.01 * of.normal())];
  },
  "a multiple"(of) {
    const one = filled(of, of.normal);
    return [one, one.map((x) => -2 * x)];
  },
  "columns in another order"(of) {
    const [one, order] = [filled(of, of.normal), shuffled(of, of.columns)];
    return [one, filled(of, (t, c) => one[t * of.columns + order[c]])];
  },
  "a mixing of columns"(of) {
    const one = filled(of, of.normal);
    const mix = filled({ ...of, rows: of.columns }, of.normal);
    const mixed = (/** @type {number} */ t, /** @type {number} */ c) => {
      let sum = 0;
      for (let k = 0; k < of.columns; ++k) sum += one[t * of.columns + k] * mix[k * of.columns + c];
      return sum;
    };
    return [one, filled(of, mixed)];
  },
}; // prettier-ignore

/** @param {Of} of */
function walk(of) {
  const all = filled(of, of.normal);
  return all.map((_, k) => {
    let sum = 0;
    for (let at = k; at >= 0; at -= of.columns) sum += all[at];
    return sum / 8;
  });
}

/** @param {Of} of */
function product(of) {
  const [u, v] = [filled({ ...of, columns: 2 }, of.normal), filled({ ...of, rows: 2 }, of.normal)];
  return filled(of, (t, c) => u[2 * t] * v[c] + u[2 * t + 1] * v[of.columns + c]);
}

/** Small numbers, and a column in eight of large ones. @param {Of} of */
function weights(of) {
  const sizes = filled({ ...of, rows: 1 }, () => (of.random.happens(0.125) ? 1 : 0.02));
  return filled(of, (_, c) => sizes[c] * of.normal());
}

/** @param {Float64Array} angles @returns {[Float64Array, Float64Array]} */
const ofAngles = (angles) => [angles.map(Math.cos), angles.map(Math.sin)];

const BITS = { float32: 24, float16: 11, bfloat16: 8 };

/** How noise is passed: as two arrays or as one. @type {((one: any, two: any) => any)[]} */
const PASSED = [
  (cos, sin) => ({ cos, sin }),
  (q, rotated) => ({ q, rotated }),
  (one, two) => ({ q: one, rotated: two, k: two, k_rotated: one }),
  (table) => ({ table }),
];

/** @param {number} index */
function noiseOf(index) {
  const random = new Random(SEED, "noise", index);
  const names = Object.keys(KINDS);
  const what = names[index % names.length];
  const [rows, columns] = [random.pick([4, 5, 16, 33, 64, 130]), random.pick([8, 10, 16, 32, 64])];
  const x = () => random.bits() / 2 ** 31 - 1;
  const normal = () => Math.sqrt(-2 * Math.log(1 - (x() + 1) / 2)) * Math.cos(Math.PI * x());
  const format = random.pick(/** @type {(keyof typeof BITS)[]} */ (Object.keys(BITS)));
  const pass = random.pick(PASSED);
  const [one, two] = KINDS[what]({ random, rows, columns, x, normal }).map((all) => ({
    data: Float32Array.from(all, (value) => rounded(value, BITS[format])),
    shape: [rows, columns],
  }));
  const arrays = pass(one, two);
  return { arrays, title: `${index}: ${what}, ${format}, ${Object.keys(arrays)} ${one.shape}` };
}

test(`identify names no noise of ${Object.keys(KINDS).length} kinds`, async () => {
  const named = [];
  for (let index = 0; index < (isNight ? 10000 : 110); ++index) {
    const { arrays, title } = noiseOf(index);
    const { kind, sentence } = await identify(arrays, { phasor });
    if (kind !== "none") named.push(`${title}: ${sentence}`);
  }
  assert.deepEqual(named, []);
});

test("identify refuses arrays with columns of NaN, by their name", async () => {
  const data = Float32Array.from({ length: 64 }, (_, k) => (k % 8 === 3 ? NaN : 1));
  const tensor = { data, shape: [8, 8] };
  const one = { data: data.map((x) => x || 1), shape: [8, 8] };
  for (const [arrays, name] of /** @type {[any, string][]} */ ([
    [{ cos: tensor, sin: one }, "cos"],
    [{ q: one, rotated: tensor }, "rotated"],
    [{ table: tensor }, "table"],
    [{ bias: tensor }, "bias"],
  ])) {
    await assert.rejects(identify(arrays, { phasor }), {
      message: RegExp(`^identify: ${name}\\b.* must .*; got NaN at number 3`),
    });
  }
});
