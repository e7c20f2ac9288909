import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertRefused, battery, declaredBattery } from "../../battery.js";
import { phasor, Tensor } from "../../../phasor.js";
import { dot } from "../../reference/attention.js";
import * as reference from "../../reference/relative.js";
import { numbers } from "../../reference/samples.js";
import { random } from "../../tensors.js";

const { attention, shaw, sinusoidal, transformerXL } = phasor;

/** One float32 rounding, of what a float32 can hold near 1. */
const ROUNDING = 2 ** -24;

describe("transformerXL.scores and transformerXL.shift", () => {
  const [H, Tq, Tk, D, E] = [2, 4, 7, 6, 8];
  const q = random([H, Tq, D], 21);
  const k = random([H, Tk, D], 22);
  const [u, v] = [23, 24].map((seed) => random([H, D], seed));
  const W = random([H * D, E], 25);
  const positions = Array.from({ length: Tk }, (_, c) => Tk - 1 - c);
  const sines = sinusoidal.table(positions, E, { layout: "halves" });

  test("transformerXL.scores with attention.scores gives the paper's scores, memory included", () => {
    const bias = transformerXL.scores({ q, k, r: sines }, { u, v, projection: W });
    const got = attention.scores(q, k, { bias, causal: true });
    for (let h = 0; h < H; ++h) {
      const r = (/** @type {number} */ distance) => {
        const row = numbers(sinusoidal.table([distance], E, { layout: "halves" }));
        return Array.from({ length: D }, (_, d) => dot(numbers(W.row(h * D + d)), row));
      };
      const [x, y] = [q, k].map((heads) => heads.row(h).toArray());
      const want = reference.transformerXL(x, y, r, ...pair(h));
      want.forEach((row, i) =>
        row.forEach((logit, j) => {
          const at = got.at(h, i, j);
          if (logit === -Infinity) assert.equal(at, -Infinity);
          // W r, up to 4, is rounded, and summed with numbers up to 2; then two sums below 8
          else assert.ok(Math.abs(at - logit) <= (2 * 4 * D * 0.5 + 3 * 8) * ROUNDING);
        }),
      );
    }
  });

  /** @param {number} h @returns {[number[], number[]]} */
  const pair = (h) => [numbers(u.row(h)), numbers(v.row(h))];

  test("transformerXL.scores equals transformerXL.shift of the products with all distances", () => {
    const r = random([H, Tk, D], 26);
    const every = Array.from({ length: Tq }, () => Array.from({ length: Tk }, (_, c) => c));
    const products = shaw.scores(q, r, { index: every, scale: 0.25 });
    const shifted = transformerXL.shift(products);
    const got = transformerXL.scores({ q, r }, { scale: 0.25 });
    assert.deepEqual(got, shifted);
    const wrapped = transformerXL.shift(products, { upper: "wrapped" });
    const causal = /** @type {const} */ ({ causal: true });
    assert.deepEqual(
      attention.scores(q, k, { bias: wrapped, ...causal }),
      attention.scores(q, k, { bias: shifted, ...causal }),
    );
  });

  test("transformerXL.scores gives keys after the query only the first term", () => {
    const r = random([Tk, D], 27);
    const got = transformerXL.scores({ q, k, r }, { u: u.row(0), scale: 1 });
    for (let j = Tk - Tq + 1; j < Tk; ++j) {
      const want = dot(numbers(u.row(0)), numbers(k.row(1).row(j)));
      assert.ok(Math.abs(got.at(1, 0, j) - want) <= 4 * ROUNDING);
    }
    const none = transformerXL.scores({ q, r });
    assert.equal(none.at(0, 0, Tk - 1), 0);
  });

  test("transformerXL.scores accepts vectors for all heads, and inputs without axes of heads and batch", () => {
    const r = random([Tk, D], 28);
    const whole = transformerXL.scores({ q, k, r }, { u, v });
    const one = transformerXL.scores({ q: q.row(1), k: k.row(1), r }, { u: u.row(1), v: v.row(1) });
    assert.deepEqual(one, whole.row(1));
    const batch = transformerXL.scores(
      { q: q.reshape(1, H, Tq, D), k: k.reshape(1, H, Tk, D), r },
      { u, v },
    );
    assert.deepEqual(batch, whole.reshape(1, H, Tq, Tk));
    const long = random([300, D], 29);
    const all = transformerXL.scores({ q: long, k: long, r: long }, { u: u.row(0) });
    for (const i of [0, 210, 212, 214, 299]) {
      const alone = transformerXL.scores(
        { q: long.slice(i, i + 1), k: long.slice(0, i + 1), r: long.slice(299 - i) },
        { u: u.row(0) },
      );
      assert.deepEqual(all.row(i).slice(0, i + 1), alone.row(0));
    }
  });

  test("bidirectional: keys after the query have rows of negative distances, as in XLNet", () => {
    const both = { direction: /** @type {const} */ ("bidirectional") };
    for (const [queries, keys] of [
      [Tq, Tk],
      [Tq, Tq],
      [1, Tk],
      [1, 1],
    ]) {
      const [x, y] = [random([H, queries, D], 35), random([H, keys, D], 36)];
      const r = random([H, keys + queries - 1, D], 37);
      const got = transformerXL.scores({ q: x, k: y, r }, { u, v, scale: 0.5, ...both });
      assert.deepEqual(got.shape, [H, queries, keys]);
      const past = transformerXL.scores(
        { q: x, k: y, r: new Tensor(firstRows(r, keys), [H, keys, D]) },
        { u, v, scale: 0.5 },
      );
      for (let h = 0; h < H; ++h) {
        const plus = (/** @type {number[]} */ a, /** @type {number[]} */ b) =>
          a.map((value, d) => Math.fround(value + b[d]));
        for (let i = 0; i < queries; ++i) {
          for (let j = 0; j < keys; ++j) {
            const row = numbers(r.row(h).row(j + queries - 1 - i));
            const first = Math.fround(0.5 * dot(numbers(u.row(h)), numbers(y.row(h).row(j))));
            const want = first + 0.5 * dot(plus(numbers(x.row(h).row(i)), numbers(v.row(h))), row);
            // the first term, below 4, and the sum, below 8, are rounded
            assert.ok(Math.abs(got.at(h, i, j) - want) <= 8 * ROUNDING);
            if (j <= i + keys - queries) assert.equal(got.at(h, i, j), past.at(h, i, j));
          }
        }
      }
    }
    assert.deepEqual(
      transformerXL.scores({ q: random([3, D]), r: random([5, D]) }, both).shape,
      [3, 3],
    );
    assert.throws(
      () => transformerXL.scores({ q, r: random([2 * Tq - 2, D]) }, both),
      /^RangeError: transformerXL.scores: r must have a row for each of 7 distances; got 6$/,
    );
  });

  /** The first rows of each head. @param {Tensor} r @param {number} count */
  const firstRows = (r, count) =>
    Float32Array.from(
      Array.from({ length: H }, (_, h) => numbers(r.row(h).slice(0, count))).flat(),
    );

  test("transformerXL.shift pads and reshapes, with documented values above the diagonal", () => {
    const x = random([2, 3, Tq, Tk], 31);
    const wrapped = transformerXL.shift(x, { upper: "wrapped" });
    const zero = transformerXL.shift(x);
    for (let b = 0; b < 6; ++b) {
      const rows = Array.from({ length: Tq }, (_, i) =>
        numbers({ data: x.data.subarray((b * Tq + i) * Tk, (b * Tq + i + 1) * Tk) }),
      );
      const padded = rows.flatMap((row) => [0, ...row]).slice(Tq);
      padded.forEach((want, at) => {
        assert.equal(wrapped.data[b * Tq * Tk + at], want);
        const [i, j] = [Math.floor(at / Tk), at % Tk];
        const shown = j <= i + Tk - Tq;
        assert.equal(zero.data[b * Tq * Tk + at], shown ? want : 0);
        if (shown) assert.equal(want, rows[i][j + Tq - 1 - i]);
      });
    }
    const copy = new Tensor(x.data.slice(), x.shape);
    assert.equal(transformerXL.shift(copy, { out: copy }).data, copy.data);
    assert.deepEqual(copy.data, zero.data);
    assert.deepEqual(transformerXL.shift({ data: [], shape: [0, 3] }).shape, [0, 3]);
  });

  test("transformerXL.scores and transformerXL.shift name the argument with the wrong shape", () => {
    /** @type {[RegExp, () => unknown][]} */
    const clashes = [
      [
        /^\S+: k must have shape/,
        () => transformerXL.scores({ q, k: q, r: sines.slice(0, 7) }, { u, projection: W }),
      ],
      [/^\S+: k must be a tensor/, () => transformerXL.scores({ q, r: random([Tk, D]) }, { u })],
      [
        /^\S+: r must have a row for each of 4/,
        () => transformerXL.scores({ q, r: random([3, D]) }),
      ],
      [/^\S+: r must have shape \[R, 6\]/, () => transformerXL.scores({ q, r: sines })],
      [
        /^\S+: r must have shape \[Tk, E\]/,
        () => transformerXL.scores({ q, r: [1] }, { projection: W }),
      ],
      [
        /^\S+: projection must have shape \[12, 3\]/,
        () => transformerXL.scores({ q, r: random([7, 3]) }, { projection: W }),
      ],
      [
        /^\S+: u must have shape \[2, 6\] or \[6\]/,
        () => transformerXL.scores({ q, k, r: random([Tk, D]) }, { u: [1] }),
      ],
      [/^\S+: x must have shape \[..., Tq, R\]/, () => transformerXL.shift([1, 2])],
      [
        /^\S+: inputs must have only q, k, r; got "u"/,
        () => transformerXL.scores(/** @type {any} */ ({ q, k, r: random([Tk, D]), u })),
      ],
    ];
    for (const [message, call] of clashes) assertRefused(message, call);
  });
});

const rows = [[1], [2], [3], [4]];

declaredBattery(
  "transformerXL.scores",
  { inputs: { q: rows, k: rows, r: rows }, $: { u: [1] } },
  { inputs: ["options", "inputs", "q"], scale: ["number"] },
);

test("transformerXL.scores refuses keys that nothing multiplies", () => {
  const inputs = { q: [[1]], k: [[2]], r: [[3]] };
  const message = "transformerXL.scores: k must be left out without u; got an array of 1";
  assert.throws(() => transformerXL.scores(inputs), { name: "RangeError", message });
});

battery("transformerXL.scores of tensors", {
  call: ({ q, k, r }) => transformerXL.scores({ q, k, r }, { u: [1] }),
  good: { q: rows, k: rows, r: rows },
  args: { q: ["tensor"], k: ["tensor"], r: ["tensor"] },
});

declaredBattery("transformerXL.shift", { x: rows });
