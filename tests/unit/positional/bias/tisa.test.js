import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { declaredBattery } from "../../battery.js";
import { phasor } from "../../../phasor.js";
import { ulps } from "../../reference/exact.js";
import { noise, numbers } from "../../reference/samples.js";
import { testSpan } from "./span.js";

const { tisa } = phasor;

/** Rounded once from double, whose error is far smaller: half an ULP. */
const ONCE = 0.501;

/**
 * Wennberg and Henter 2021, arXiv:2106.01950: the terms of f(j - i) of one head.
 * @param {ArrayLike<number>} a @param {ArrayLike<number>} b @param {ArrayLike<number>} c @param {number} relative
 */
function terms(a, b, c, relative) {
  return Array.from(a, (height, s) => height * Math.exp(-Math.abs(b[s]) * (relative - c[s]) ** 2));
}

/** @param {number[]} terms */
const sum = (terms) => terms.reduce((before, term) => before + term, 0);

/**
 * Parameters of 3 heads with 5 kernels, as float32.
 * @param {(x: number) => number} height  of a number between -1 and 1
 */
function parameters(height) {
  const [H, S] = [3, 5];
  const of = (/** @type {number} */ seed, /** @type {(x: number) => number} */ map) => ({
    data: noise(H * S, seed).map(map),
    shape: [H, S],
  });
  return { a: of(1, height), b: of(2, (x) => x ** 3), c: of(3, (x) => 30 * x) };
}

describe("tisa.bias", () => {
  /**
   * Compares each value with the paper's formula.
   * @param {ReturnType<typeof parameters>} given @param {number} offset
   * @param {(got: number, terms: number[], label: string) => void} compare
   */
  function eachValue({ a, b, c }, offset, compare) {
    const [Tq, Tk, S] = [4, 70, 5];
    const got = tisa.bias(3, Tq, { keys: Tk, offset, a, b, c });
    assert.deepEqual(got.shape, [3, Tq, Tk]);
    for (let h = 0; h < 3; ++h) {
      const [of, by, at] = [a, b, c].map(({ data }) => data.subarray(h * S, (h + 1) * S));
      for (let i = 0; i < Tq; ++i) {
        for (let j = 0; j < Tk; ++j) {
          const want = terms(of, by, at, j - (offset + i));
          compare(Number(got.at(h, i, j)), want, `head ${h}, ${i}, ${j}`);
        }
      }
    }
  }

  test(`tisa.bias equals its formula within ${ONCE} ULP where heights have one sign`, () => {
    for (const offset of [0, 35, 60, -20, 2 ** 31 - 100]) {
      eachValue(parameters(Math.abs), offset, (got, terms, label) => {
        const want = sum(terms);
        assert.ok(ulps(got, want) <= ONCE, `${label}: ${got}, not ${want}`);
      });
    }
  });

  test("tisa.bias equals its formula where heights have both signs", () => {
    eachValue(parameters(Number), 35, (got, terms, label) => {
      const want = sum(terms);
      const rounding = Math.abs(want) * 2 ** -24 + 2 ** -150; // half an ULP of float32
      const cancelled = sum(terms.map(Math.abs)) * 2 ** -42; // what the contract allows
      assert.ok(Math.abs(got - want) <= rounding + cancelled, `${label}: ${got}, not ${want}`);
    });
  });

  test("tisa.bias hides keys after the query, and nothing else, if causal", () => {
    const given = { keys: 6, offset: 2, ...parameters(Math.abs) };
    const want = tisa.bias(3, 4, given);
    const got = tisa.bias(3, 4, { ...given, causal: true });
    numbers(got).forEach((x, at) => {
      const [i, j] = [Math.floor(at / 6) % 4, at % 6];
      assert.equal(x, j > 2 + i ? -Infinity : want.data[at]);
    });
  });

  test("tisa.bias takes a number for all, one a head, or one a head and kernel", () => {
    const one = tisa.bias(2, 5, { a: 2, b: 0.25, c: 1 });
    assert.deepEqual(tisa.bias(2, 5, { a: [2, 2], b: [[0.25], [0.25]], c: 1 }), one);
    const mixed = tisa.bias(2, 5, { a: [1, 3], b: 0.5, c: [[0, 2], [-1, 4]] }); // prettier-ignore
    const each = { a: [[1, 1], [3, 3]], b: [[0.5, 0.5], [0.5, 0.5]], c: [[0, 2], [-1, 4]] }; // prettier-ignore
    assert.deepEqual(tisa.bias(2, 5, each), mixed);
  });

  test("tisa.bias is the sum of the biases of its kernels", () => {
    const sizes = { a: [[0.5, 2]], b: [[0, 0]], c: [[1, 3]] };
    assert.deepEqual(numbers(tisa.bias(1, 2, sizes)), [2.5, 2.5, 2.5, 2.5]);
  });

  test("tisa.bias refuses parameters of other shapes, or that are not finite", () => {
    for (const options of /** @type {any[]} */ ([
      ...[{ a: [1] }, { a: [[[1]], [[1]]] }, { a: [[], []] }, { a: [1, NaN] }, { a: 1e39 }],
      { a: [[1, 2, 3]] },
    ])) {
      assert.throws(() => tisa.bias(2, 3, options), /^RangeError: \S+: a must .+; got /);
    }
    const unequal = { a: [[1, 2]], b: [[1, 2, 3]] };
    assert.throws(
      () => tisa.bias(1, 3, unequal),
      /^RangeError: \S+: b must .*\[1, 2\].*; got \[1, 3\]/,
    );
    assert.equal(tisa.bias(1, 1, { a: [[3e38, 3e38]] }).at(0, 0, 0), Infinity);
  });
});

testSpan("tisa.bias", (options) => tisa.bias(2, 3, options));

declaredBattery(
  "tisa.bias",
  { heads: 1, length: 2 },
  { offset: ["reach"], a: ["wordOrNumber"], b: ["wordOrNumber"], c: ["wordOrNumber"] },
);
