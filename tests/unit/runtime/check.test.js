import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as arrays from "../../../src/runtime/arrays.js";
import * as check from "../../../src/runtime/check.js";

describe("bytesOf", () => {
  const bytes = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);

  test("bytesOf returns the bytes of a buffer and of every view of one, on the same memory", () => {
    const { buffer } = bytes;
    for (const value of [buffer, bytes, new DataView(buffer), new Uint32Array(buffer)]) {
      const found = arrays.bytesOf(value, "bytes");
      assert.deepEqual(found, bytes);
      assert.equal(found?.buffer, buffer);
    }
    for (const view of [new DataView(buffer, 4, 2), new Uint16Array(buffer, 4, 1)]) {
      assert.deepEqual(arrays.bytesOf(view, "bytes"), Uint8Array.of(5, 6));
    }
    for (const other of [undefined, null, 7, [1], { buffer }]) {
      assert.equal(arrays.bytesOf(other, "bytes"), undefined);
    }
  });
});

describe("shares and overlaps", () => {
  const { buffer } = new Float32Array(8);
  const part = (/** @type {number} */ from, /** @type {number} */ to) =>
    new Float32Array(buffer, 4 * from, to - from);

  test("adjacent arrays share nothing; identical ones share memory and do not overlap", () => {
    const middle = part(2, 4);
    for (const [other, isShared, isOverlap] of /** @type {[any, boolean, boolean][]} */ ([
      [part(0, 2), false, false],
      [part(4, 6), false, false],
      [part(2, 4), true, false],
      [part(2, 3), true, true],
      [part(1, 3), true, true],
      [part(3, 5), true, true],
      [new Float32Array(2), false, false],
    ])) {
      for (const pair of [
        [middle, other],
        [other, middle],
      ]) {
        // prettier-ignore
        const [a, b] = pair;
        assert.equal(arrays.shares(a, b), isShared, `${other.byteOffset}`);
        assert.equal(arrays.overlaps(a, b), isOverlap, `${other.byteOffset}`);
      }
    }
  });
});

describe("describe", () => {
  test("describe describes every value, even an object that throws", () => {
    const throws = () => {
      throw new Error("no");
    };
    const trap = new Proxy({}, { get: throws });
    const lie = Object.defineProperty({}, "constructor", { get: throws });
    /** @type {[unknown, string][]} */
    const known = [
      [trap, "an object"],
      [lie, "an object"],
      [{}, "an object"],
      [{ constructor: { name: "" } }, "an object"],
      [new Map(), "Map"],
      [new DataView(new ArrayBuffer(8)), "DataView"],
      [new Float32Array(3), "Float32Array of 3"],
      [[1, 2], "an array of 2"],
      [-0, "-0"],
      [7n, "7n"],
      [null, "null"],
      ["x".repeat(60), JSON.stringify("x".repeat(60))],
      ["x".repeat(61), JSON.stringify(`${"x".repeat(57)}...`)],
    ];
    for (const [value, words] of known) assert.equal(check.describe(value), words);
  });
});
