/**
 * What a call leaves of the arrays that it is given for its results, where an argument is invalid: all of them. An
 * argument may be read after those whose results are written first, so each is made wrong alone.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { phasor, Tensor } from "../../phasor.js";

const { attention, axialRope, mrope, rope, xpos } = phasor;

const rows = (/** @type {number[]} */ ...shape) =>
  new Tensor(new Float32Array(shape.reduce((a, b) => a * b, 1)).fill(0.5), shape);

/** @typedef {{args: Record<string, any>, out: Record<string, any>, call: (given: Record<string, any>) => unknown}} Call */

const TURN = { axis: -2, dim: 4, start: 1, inverse: true };

/** A function of several results, with the arrays that it fills. `args`: what is made wrong, each good. @type {Record<string, () => Call>} */
// prettier-ignore
const CALLS = {
  "rope.table": () => ({
    args: { positions: [1, 2], dim: 4, base: 100, precision: "torch", recipe: "exp", offset: 1, length: 5 },
    out: pair(4),
    call: ({ positions, dim, ...options }) => rope.table(positions, dim, options),
  }),
  "rope.apply": () => ({
    args: { q: rows(2, 6), k: rows(2, 6), table: rope.table(4, 4), layout: "halves", offset: 1, ...TURN },
    out: { q: new Float32Array(12), k: new Float32Array(12) },
    call: ({ q, k, table, ...options }) => rope.apply({ q, k }, table, options),
  }),
  "rope.apply with positions": () => ({
    args: { q: rows(1, 2, 2, 4), k: rows(1, 2, 2, 4), positions: [1, 2] },
    out: { q: new Float32Array(16), k: new Float32Array(16) },
    call: ({ q, k, ...options }) => rope.apply({ q, k }, rope.table(4, 4), options),
  }),
  "RotaryCache.apply": () => ({
    args: { q: rows(2, 6), k: rows(2, 6), position: 1, layout: "halves", ...TURN },
    out: { q: new Float32Array(12), k: new Float32Array(12) },
    call: ({ q, k, ...options }) => rope.cache(4).apply(q, k, options),
  }),
  "RotaryCache.apply with positions": () => ({
    args: { q: rows(1, 2, 2, 4), k: rows(1, 2, 2, 4), positions: [1, 2] },
    out: { q: new Float32Array(16), k: new Float32Array(16) },
    call: ({ q, k, ...options }) => rope.cache(4).apply(q, k, options),
  }),
  "mrope.table": () => ({
    args: { positions: [[1], [2]], dim: 4, sections: [1, 1], arrangement: "chunked", base: 10, attentionFactor: 2, length: 4 },
    out: pair(2),
    call: ({ positions, dim, ...options }) => mrope.table(positions, dim, options),
  }),
  "axialRope.table": () => ({
    args: { grid: [1, 2], dim: 4, base: 10, prefix: 1, suffix: 1, offset: 1, scale: 2 },
    out: pair(8),
    call: ({ grid, dim, ...options }) => axialRope.table(grid, dim, options),
  }),
  "axialRope.at": () => ({
    args: { positions: [[1, 2]], dim: 4, base: 10, offset: 1, scale: 2 },
    out: pair(2),
    call: ({ positions, dim, ...options }) => axialRope.at(positions, dim, options),
  }),
  "axialRope.mixed": () => ({
    args: { grid: [1, 2], frequencies: rows(2, 1, 2), prefix: 0 },
    out: pair(4),
    call: ({ grid, frequencies, ...options }) => axialRope.mixed(grid, frequencies, options),
  }),
  "xpos.table": () => ({
    args: { positions: [1, 2], dim: 4, base: 10, scaleBase: 100, center: 1, offset: 1 },
    out: { query: pair(4), key: pair(4) },
    call: ({ positions, dim, ...options }) => xpos.table(positions, dim, options),
  }),
  "attention.scaledDotProduct": () => ({
    args: {
      ...{ q: rows(2, 6), k: rows(2, 6), v: rows(2, 4), scale: 1, softcap: 2, bias: [[0, 0]], causal: true, keyMask: [1, 1] },
      ...{ rope: rope.table(2, 4), layout: "halves", keyLength: 2, accumulate: "float64", ...TURN },
    },
    out: { output: new Float32Array(8), weights: new Float32Array(4) },
    call: ({ q, k, v, ...options }) => attention.scaledDotProduct({ q, k, v }, options),
  }),
};

/** @param {number} size */
function pair(size) {
  return { cos: new Float32Array(size), sin: new Float32Array(size) };
}

/** The arrays in parts of parts. @param {Record<string, any>} out @returns {Float32Array[]} */
const arraysOf = (out) =>
  Object.values(out).flatMap((part) => (part instanceof Float32Array ? [part] : arraysOf(part)));

/** Wrong for nearly every argument; where one is not, the call need not throw. */
const WRONG = [
  null,
  NaN,
  -7,
  1e300,
  "no",
  true,
  [],
  [9, 9, 9],
  [[NaN]],
  rows(3, 5),
  {},
  { cos: 1 },
];

/** As many numbers in other shapes: what the size of a result does not tell. @param {unknown} x */
const reshaped = (x) =>
  x instanceof Tensor ? [[x.size], [x.size, 1]].map((shape) => new Tensor(x.data, shape)) : [];

for (const [name, make] of Object.entries(CALLS)) {
  test(`${name} writes no result where an argument is invalid`, () => {
    const { args, out: good, call } = make();
    call({ ...args, out: good });
    for (const argument of Object.keys(args)) {
      let refused = 0;
      for (const wrong of [...WRONG, ...reshaped(args[argument])]) {
        const { out } = make();
        for (const array of arraysOf(out)) array.fill(7);
        try {
          call({ ...args, [argument]: wrong, out });
        } catch {
          refused++;
          const isKept = arraysOf(out).every((array) => array.every((x) => x === 7));
          assert.ok(isKept, `${argument} = ${JSON.stringify(wrong)}`);
        }
      }
      assert.ok(refused >= 5, `${argument}: ${refused}`);
    }
    for (const part of Object.keys(good)) {
      const { out } = make();
      for (const array of arraysOf(out)) array.fill(7);
      const short = { ...out, [part]: new Float32Array(1) };
      assert.throws(() => call({ ...args, out: short }));
      assert.ok(
        arraysOf(short).every((array) => array.every((x) => x === 7 || x === 0)),
        part,
      );
    }
  });
}
