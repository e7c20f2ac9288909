// NaNs have 2^24 - 2 patterns of bits, and engines differ in what they make of one that passes through a
// JavaScript number. So a result may have a NaN of its arguments, bit for bit, or 0x7fc00000, and no other.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { calls } from "../../calls.js";
import { phasor, Tensor } from "../../phasor.js";

/** @import { Phasor } from "phasor" */

/** NaNs that are not quiet: V8 sets their quiet bit, and JavaScriptCore forgets their payload. */
const GIVEN = [0x7fa24000, 0xffb00001, 0x7f800001];
const COMPUTED = 0x7fc00000;

/** A float32 array whose numbers at each `step` are NaNs. @param {Float32Array} data @param {number} step */
function spoiled(data, step) {
  const bits = new Uint32Array(data.slice().buffer);
  for (let i = 0; i < bits.length; i += step) bits[i] = GIVEN[(i / step) % GIVEN.length];
  return new Float32Array(bits.buffer);
}

/** Arguments with NaNs in all their floats. @param {any} value @param {number} step @returns {any} */
function spoil(value, step) {
  if (value instanceof Tensor && value.data instanceof Float32Array) {
    return new Tensor(spoiled(value.data, step), value.shape);
  }
  if (Array.isArray(value)) return value.map((item) => spoil(item, step));
  if (typeof value !== "object" || value === null) return value;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const isTable = Object.values(value).some((member) => typeof member === "function");
  if (isTable) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, spoil(item, step)]));
}

/** phasor, with NaNs in what it is given. @param {any} of @param {number} step @returns {any} */
function spoiling(of, step) {
  const call =
    typeof of === "function" ? (/** @type {any[]} */ ...args) => of(...spoil(args, step)) : {};
  const members = Object.entries(of).map(([name, member]) => [
    name,
    typeof member === "function" || (member && typeof member === "object" && name in phasor)
      ? spoiling(member, step)
      : member,
  ]);
  return Object.assign(call, Object.fromEntries(members));
}

/** The bits of all NaNs in the floats of a result. @param {unknown} result @returns {string[]} */
function nansOf(result) {
  if (result instanceof Float32Array) {
    const bits = new Uint32Array(result.buffer, result.byteOffset, result.length);
    return Array.from(bits)
      .filter((_, i) => Number.isNaN(result[i]))
      .map((word) => `0x${word.toString(16)}`);
  }
  if (result instanceof Float64Array) {
    const bits = new BigUint64Array(result.buffer, result.byteOffset, result.length);
    return Array.from(bits)
      .filter((_, i) => Number.isNaN(result[i]))
      .map((word) => `0x${word.toString(16)}`);
  }
  if (ArrayBuffer.isView(result) || typeof result !== "object" || result === null) return [];
  return Object.values(result).flatMap(nansOf);
}

const ALLOWED = new Set([...GIVEN, COMPUTED].map((word) => `0x${word.toString(16)}`));
ALLOWED.add("0x7ff8000000000000");

describe("NaNs of the arguments are returned unchanged, or as 0x7fc00000", () => {
  for (const [name, call] of Object.entries(calls)) {
    test(name, async () => {
      for (const step of [1, 5]) {
        let result;
        try {
          result = await call(/** @type {Phasor} */ (spoiling(phasor, step)));
        } catch (error) {
          assert.ok(error instanceof TypeError || error instanceof RangeError, String(error));
          continue; // NaNs are refused
        }
        assert.deepEqual(
          [...new Set(nansOf(result))].filter((bits) => !ALLOWED.has(bits)),
          [],
        );
      }
    });
  }
});

/** @param {number[]} words */
const ofBits = (words) => new Float32Array(Uint32Array.from(words).buffer);
/** @param {{data: Float32Array}} tensor */
const bitsOf = ({ data }) => [...new Uint32Array(data.buffer, data.byteOffset, data.length)];

describe("functions that move numbers copy their bits", () => {
  const { fourierFeatures, rope, t5Bias, transformerXL, windowBias } = phasor;
  const [a, b, c] = GIVEN;

  test("t5Bias.bias, with few and with many rows", () => {
    const table = new Tensor(ofBits([a, b, c, a]), [4, 1]);
    for (const length of [1, 100]) {
      const bits = bitsOf(t5Bias.bias(table, length, { maxDistance: 4 }));
      assert.equal(bits[0], a);
      assert.deepEqual(
        [...new Set(bits)].filter((word) => !GIVEN.includes(word)),
        [],
      );
    }
  });

  test("windowBias.bias", () => {
    const table = new Tensor(ofBits([a, b, c]), [3, 1]);
    assert.deepEqual(bitsOf(windowBias.bias(table, [1, 2])), [b, a, c, b]);
  });

  test("transformerXL.shift", () => {
    const x = new Tensor(ofBits([0, a, b, c]), [2, 2]);
    assert.deepEqual(bitsOf(transformerXL.shift(x)), [a, 0, b, c]);
    assert.deepEqual(bitsOf(transformerXL.shift(x, { upper: "wrapped" })), [a, 0, b, c]);
  });

  test("Tensor.transpose", () => {
    const x = new Tensor(ofBits([1, a, b, c]), [2, 2]);
    assert.deepEqual(bitsOf(x.transpose(0, 1)), [1, b, a, c]);
    const wide = new Tensor(
      new Float64Array(BigUint64Array.of(1n, 0x7ff4000000000001n, 2n, 3n).buffer),
      [2, 2],
    );
    const { data } = wide.transpose(0, 1);
    assert.deepEqual([...new BigUint64Array(data.buffer)], [1n, 2n, 0x7ff4000000000001n, 3n]);
  });

  test("a NaN of another array type counts as computed", () => {
    const wide = new Float64Array(
      BigUint64Array.of(0xfff4000000000001n, 0x7ff8000000000000n).buffer,
    );
    const negative = new Float64Array(ofBits([0xffc12345]))[0];
    for (const given of [[...wide], wide, [negative, NaN]]) {
      const bits = bitsOf(phasor.embedding.from({ data: given, shape: [1, 2] }).weights());
      assert.deepEqual(bits, [COMPUTED, COMPUTED]);
    }
  });

  test("rope.fromFullWidth and fourierFeatures reject or keep them", () => {
    assert.throws(() => fourierFeatures.nerf(new Tensor(ofBits([a]), [1, 1])), RangeError);
    const full = { cos: new Tensor(ofBits([a, a]), [1, 2]), sin: [[0, 0]] };
    assert.throws(() => rope.fromFullWidth(full, { layout: "halves" }), RangeError);
  });
});
