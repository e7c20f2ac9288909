import assert from "node:assert/strict";
import { test } from "node:test";
import { between, some } from "../../src/cli/output.js";
import { apart, brief, digits, some as someOnPages } from "../../web/app/numbers.js";

/** A number as pages write it. @param {string} text */
const read = (text) =>
  Number(
    text
      .replace(/\u00a0×\u00a010/, "e")
      .replace(/[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]/g, (sign) => "-0123456789"["⁻⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(sign)])
      .replaceAll("−", "-")
      .replaceAll(",", ""),
  );

test("numbers: one of a noun is singular, none and many are not, on pages and in the terminal", () => {
  for (const write of [some, someOnPages]) {
    const written = [0, 1, 2, 1000].map((n) => write(n, "number"));
    assert.deepEqual(written, ["0 numbers", "1 number", "2 numbers", "1,000 numbers"]);
  }
});

test("numbers: the largest are written with a power of ten, as the smallest are", () => {
  const written = [123456, 5.2e38, -3e15, 2e-44, Infinity].map(brief);
  assert.deepEqual(written, [
    ...["123,000", "5.2\u00a0×\u00a010³⁸", "−3\u00a0×\u00a010¹⁵", "2\u00a0×\u00a010⁻⁴⁴", "∞"],
  ]);
});

test("numbers: the ends of a range differ on pages and in the terminal", () => {
  for (const [least, most] of [
    [1, 1.0003],
    [12345, 12346],
    [0.9999999, 1.0000001],
    [-1e-5, 2e-5],
    [1e-6, 1.001e-6],
    [-100000.2, -100000.1],
    [1 - 2 ** -53, 1],
  ]) {
    for (const ends of [apart([least, most]), between(least, most).split(" to ")]) {
      const [from, to] = ends.map(read);
      assert.ok(Math.abs((to - from) / (most - least) - 1) <= 0.11, ends.join());
    }
  }
  assert.deepEqual(apart([-1, 0.12345, 2]), ["−1", "0.123", "2"]);
  assert.deepEqual(apart([5, 5]), ["5", "5"]);
  assert.equal(between(1, 2), "1.000 to 2.000");
  assert.equal(brief(-1234.567), "−1,230");
  assert.deepEqual([NaN, Infinity, -Infinity].map(brief), ["NaN", "∞", "−∞"]);
  assert.deepEqual([0.25, 1.23456, 2].map(brief), ["0.25", "1.23", "2"]); // whatever else map passes
  assert.equal(digits(-0), "−0");
  assert.equal(brief(1.234e-9), "1.23\u00a0×\u00a010⁻⁹");
});
