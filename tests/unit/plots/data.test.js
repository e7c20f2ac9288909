import assert from "node:assert/strict";
import { test } from "node:test";
import { Tensor } from "../../../src/runtime/tensor.js";
import {
  apart,
  brief,
  count,
  digits,
  extent,
  matrix,
  reach,
  shortest,
  subject,
  tensor,
  text,
  texts,
  vector,
} from "../../../src/plots/data.js";
import { sampled } from "../../sample.js";
import { random } from "../reference/samples.js";

test("matrix: tensors, {data, shape}, {data, dims} and nested arrays are the same numbers", () => {
  const data = Float32Array.of(1, 2, 3, 4, 5, 6);
  for (const given of [
    new Tensor(data, [2, 3]),
    { data, shape: [2, 3] },
    { data, dims: [2, 3] },
    [
      [1, 2, 3],
      [4, 5, 6],
    ],
    [Float32Array.of(1, 2, 3), Float32Array.of(4, 5, 6)],
    { data: BigInt64Array.of(1n, 2n, 3n, 4n, 5n, 6n), shape: [2, 3] },
  ]) {
    const { values, rows, columns } = matrix(given);
    assert.deepEqual([rows, columns, ...Array.from(values)], [2, 3, 1, 2, 3, 4, 5, 6]);
  }
  assert.equal(matrix({ data, shape: [2, 3] }).values, data, "a large table costs no copy");
});

test("matrix: an empty one is valid", () => {
  assert.deepEqual([matrix([]).rows, matrix([]).columns], [0, 0]);
  assert.deepEqual([matrix([[], []]).rows, matrix([[], []]).columns], [2, 0]);
});

test("matrix, vector and tensor reject other values with typed errors", () => {
  assert.throws(() => matrix([1, 2]), {
    name: "RangeError",
    message: "matrix must have the shape [rows, columns]; got [2]",
  });
  assert.throws(() => matrix("12"), TypeError);
  assert.throws(() => matrix([["1"]]), {
    name: "TypeError",
    message: 'matrix must hold numbers; got "1" at 0',
  });
  assert.throws(() => matrix([[1], [1, 2]]), RangeError);
  assert.throws(() => vector([[1]], "x"), RangeError);
  assert.throws(() => vector([1, 2], "x", 3), { message: "x must hold 3 numbers; got 2" });
  assert.throws(
    () => tensor({ data: new Uint16Array(1), shape: [1], dtype: "float16" }, "x", ["n"]),
    {
      message: "x must hold numbers; got float16 bits",
    },
  );
  assert.deepEqual(Array.from(vector([NaN, -Infinity], "x").values), [NaN, -Infinity]);
});

test("text: a long one is cut at 256 code points, and never within one", () => {
  assert.equal(text("a".repeat(256), "x"), "a".repeat(256));
  assert.equal(text("🐱".repeat(300), "x"), `${"🐱".repeat(256)}…`);
  assert.equal(text(5, "x"), "5");
  assert.throws(() => text({}, "x"), {
    name: "TypeError",
    message: "x must be text; got an object",
  });
});

test("texts: the number of texts must match", () => {
  assert.equal(texts(undefined, "labels", 2), undefined);
  assert.deepEqual(texts(["a", 1], "labels", 2), ["a", "1"]);
  assert.throws(() => texts(["a"], "labels", 2), { message: "labels must hold 2 texts; got 1" });
  assert.throws(() => texts("ab", "labels", 2), TypeError);
  assert.throws(() => texts(["a", null], "labels", 2), {
    message: "labels[1] must be text; got null",
  });
});

test("extent: the range of the finite numbers, with a count of the others", () => {
  assert.deepEqual(extent([3, NaN, -2, Infinity, -Infinity]), { least: -2, most: 3, missing: 3 });
  assert.deepEqual(extent([]), { least: Infinity, most: -Infinity, missing: 0 });
});

test("reach: excludes the outermost hundredth if that narrows the range", () => {
  const values = Float32Array.from({ length: 1000 }, (_, i) => (i % 100) / 100);
  assert.equal(reach(values, extent(values)), Math.fround(0.99));
  values[17] = -40;
  assert.ok(reach(values, extent(values)) < 1);
  assert.equal(reach([0, 0, 5], extent([0, 0, 5])), 5, "of a few numbers none is outermost");
  const lone = Float64Array.from({ length: 500 }, (_, i) => (i === 7 ? 5 : 0));
  assert.equal(reach(lone, extent(lone)), 5, "a cut that leaves no color is none");
  assert.equal(reach([NaN], extent([NaN])), 0);
});

test("digits: the fewest that identify a float32 among all float32", () => {
  assert.equal(digits(Math.fround(0.1), true), "0.1");
  assert.equal(digits(Math.fround(0.1), false), "0.10000000149011612");
  const next = random(1);
  const floats = new Float32Array(1);
  const bits = new Uint32Array(floats.buffer);
  for (let i = 0; i < 20_000; ++i) {
    bits[0] = next();
    if (!Number.isFinite(floats[0])) continue;
    const found = shortest(floats[0], true);
    assert.equal(Math.fround(found), floats[0]);
    assert.ok(
      String(found)
        .replace(/e.*|\D/g, "")
        .replace(/^0+/, "").length <= 9 || Math.abs(found) >= 1e9,
    );
  }
});

test("digits and brief: typeset, with names for values that are not finite", () => {
  assert.equal(digits(-1.5), "−1.5");
  assert.equal(digits(-0), "−0");
  assert.equal(digits(1e-7), "1e−7");
  assert.equal(digits(NaN), "no number");
  assert.equal(digits(-Infinity), "−infinity");
  assert.equal(brief(-1234.567), "−1,230");
  assert.equal(brief(0.00001234), "0.0000123");
  assert.equal(brief(1.234e-9), "1.23e−9");
  assert.equal(brief(0), "0");
});

test("count and subject: singular and plural", () => {
  assert.equal(count(1, "row"), "1 row");
  assert.equal(count(12345, "row"), "12,345 rows");
  assert.equal(subject("position (tokens)"), "position");
  assert.equal(subject("key"), "key");
});

test("apart: as many digits as show how far the ends of a range are apart", () => {
  assert.deepEqual(apart(-1, 1), ["−1", "1"]);
  assert.deepEqual(apart(12.34, 56.78), ["12.3", "56.8"]);
  assert.deepEqual(apart(12345, 12346), ["12,345", "12,346"]);
  assert.deepEqual(apart(0.1, 0.1 + 2 ** -56), ["0.1", "0.10000000000000002"]);
  assert.deepEqual(apart(7, 7), ["7", "7"]);
  assert.equal(
    brief(Number.MAX_VALUE),
    "1.7976931348623157e+308",
    "a finite number is no infinity",
  );
});

test("reach: whatever the columns of a table, about a hundredth of its values is beyond", () => {
  for (const columns of sampled([3, 5, 15, 63, 255, 768, 771, 1023, 1155], 0.3)) {
    for (const step of [3, 5, 7, 9, 11, 15, 21, 45]) {
      const rows = Math.ceil((16384 * (step - 0.5)) / columns);
      const next = random(columns * step);
      // Large in all columns but those of one remainder, and the other way round.
      for (const isLarge of [
        (/** @type {number} */ c) => c % 3 !== 0,
        (/** @type {number} */ c) => c % 5 === 0,
      ]) {
        const values = Float32Array.from({ length: rows * columns }, (_, i) => {
          return (next() / 2 ** 32) * (isLarge(i % columns) ? 100 : 1);
        });
        const most = reach(values, extent(values));
        const beyond = values.filter((x) => x > most).length / values.length;
        assert.ok(beyond < 0.015, `${columns} columns, step ${step}: ${beyond}`);
      }
    }
  }
});
