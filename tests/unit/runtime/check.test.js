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

describe("checks", () => {
  const { proxy: revoked, revoke } = Proxy.revocable([], {});
  revoke();

  test("a list, a record and an object are distinguished, and a revoked proxy is none of them", () => {
    for (const [
      value,
      list,
      record,
      object,
    ] of /** @type {[unknown, boolean, boolean, boolean][]} */ ([
      [[], true, false, true],
      [{}, false, true, true],
      [null, false, false, false],
      [undefined, false, false, false],
      ["text", false, false, false],
      [() => {}, false, false, false],
      [revoked, false, false, false],
    ])) {
      assert.equal(check.isList(value), list);
      assert.equal(check.isRecord(value), record);
      assert.equal(check.isObject(value), object);
    }
    assert.deepEqual([revoked, () => {}, Symbol("s"), undefined, true].map(check.describe), [
      "a revoked proxy",
      "a function",
      "a symbol",
      "undefined",
      "true",
    ]);
  });

  test("whole numbers and pairs have their limits, also as bigints", () => {
    const from = (/** @type {number} */ least, most = 2 ** 31 - 1) =>
      `a whole number from ${least} to ${most}`;
    for (const value of [1, 2 ** 31 - 1, 1n]) {
      assert.equal(check.integer(value, "n"), Number(value));
    }
    for (const value of [0, -1, 2 ** 31, 1.5, NaN]) {
      const message = `n must be ${from(1)}; got ${value}`;
      assert.throws(() => check.integer(value, "n"), { name: "RangeError", message });
    }
    const safe = BigInt(Number.MAX_SAFE_INTEGER);
    assert.equal(check.integer(safe, "n", 0, Infinity), Number(safe));
    assert.equal(check.integer(-safe, "n", -Infinity), -Number(safe));
    for (const value of [safe + 1n, -safe - 1n, "1", null]) {
      const message = `n must be a whole number; got ${check.describe(value)}`;
      const name = "TypeError";
      assert.throws(() => check.integer(value, "n", -Infinity, Infinity), { name, message });
    }
    assert.deepEqual([2, 4, 2 ** 31 - 2].map((dim) => check.pairs(dim)), [1, 2, 2 ** 30 - 1]); // prettier-ignore
    assert.throws(() => check.pairs(0), { message: `dim must be ${from(2)}; got 0` });
    assert.throws(() => check.pairs(3), { message: "dim must be even; got 3" });
    assert.throws(() => check.pairs(1), { message: `dim must be ${from(2)}; got 1` });
    assert.throws(() => check.pairs(8, 4, 6), { message: `dim must be ${from(4, 6)}; got 8` });
    assert.equal(check.MOST, new Float32Array(new Uint32Array([0x7f7fffff]).buffer)[0]);
  });

  test("options that do not exist are named, beside those that do", () => {
    const defaults = { one: 1, two: undefined };
    assert.deepEqual(check.options(undefined, defaults), defaults);
    assert.deepEqual(check.options({ one: undefined, two: 2 }, defaults), { one: 1, two: 2 });
    for (const [given, message] of /** @type {[unknown, string][]} */ ([
      [null, "options must be an object; got null"],
      [[], "options must be an object; got an array of 0"],
      [7, "options must be an object; got 7"],
      [{ three: 3 }, 'options must have only one, two; got "three"'],
      [{ toString: 3 }, 'options must have only one, two; got "toString"'],
    ])) {
      assert.throws(() => check.options(given, defaults), { name: "TypeError", message });
    }
    const empty = 'cache must be empty; got "one"';
    assert.throws(() => check.known({ one: 1 }, {}, "cache"), {
      name: "TypeError",
      message: empty,
    });
  });
});
