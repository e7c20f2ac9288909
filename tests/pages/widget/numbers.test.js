import assert from "node:assert/strict";
import { test } from "node:test";
import { Tensor } from "../../../src/runtime/tensor.js";
import { readNumbers, readTensor, same, writeNumbers } from "../../../src/widget/numbers.js";
import { received } from "./host.js";

test("readNumbers: bytes that begin anywhere become the numbers that they are", () => {
  /** @type {[string, ArrayBufferView, number[]][]} */
  const cases = [
    ["float32", Float32Array.of(1.5, -2, NaN), [1.5, -2, NaN]],
    ["float64", Float64Array.of(0.1, -0), [0.1, -0]],
    ["int32", Int32Array.of(-7, 7), [-7, 7]],
    ["int64", BigInt64Array.of(-7n, 2n ** 40n), [-7, 2 ** 40]],
    ["uint8", Uint8Array.of(0, 255), [0, 255]],
  ];
  for (const [dtype, array, values] of cases) {
    const view = received(array);
    assert.notEqual(view.byteOffset % 4, 0);
    const { data, shape } = readNumbers({ data: view, shape: [values.length], dtype }, "data");
    assert.deepEqual(Array.from(data, Number), values, dtype);
    assert.deepEqual(shape, [values.length]);
  }
});

test("readNumbers: a buffer without a dtype is float32, and other values stay as they are", () => {
  const { buffer } = Float32Array.of(3, 4);
  assert.deepEqual(readNumbers({ data: buffer, shape: [2] }, "x").data, Float32Array.of(3, 4));
  const typed = { data: Float32Array.of(1), shape: [1] };
  for (const value of [typed, [[1, 2]], 5, "halves", null, undefined]) {
    assert.equal(readNumbers(value, "x"), value);
  }
});

test("readNumbers: invalid bytes are rejected with a message", () => {
  const bytes = new DataView(new ArrayBuffer(5));
  assert.throws(() => readNumbers(bytes, "data"), {
    name: "TypeError",
    message: "data must have a shape next to its bytes; got DataView",
  });
  assert.throws(() => readNumbers({ data: bytes, shape: [1] }, "data"), {
    name: "RangeError",
    message: "data.data must hold whole numbers of float32; got 5 bytes",
  });
  assert.throws(() => readNumbers({ data: bytes, shape: [1], dtype: "<f4" }, "options.table"), {
    name: "RangeError",
    message: /^options\.table\.dtype must be one of "float32", .*; got "<f4"$/,
  });
});

test("writeNumbers: what readTensor reads is the same tensor", () => {
  const part = Float32Array.of(9, 1, 2, 3, 4).subarray(1);
  for (const tensor of [new Tensor(part, [2, 2]), new Tensor(Int32Array.of(5, 6), [1, 2])]) {
    const written = writeNumbers(tensor);
    assert.equal(written.data.byteLength, tensor.data.byteLength);
    assert.deepEqual(readTensor(structuredClone(written)), tensor);
  }
  assert.equal(readTensor({}), undefined);
  assert.equal(readTensor(null), undefined);
});

test("same: bytes are compared by what they hold, wherever they begin", () => {
  const a = { data: received(Float32Array.of(1, 2)), shape: [2] };
  assert.ok(same(a, { data: new DataView(Float32Array.of(1, 2).buffer), shape: [2] }));
  assert.ok(!same(a, { data: received(Float32Array.of(1, 3)), shape: [2] }));
  assert.ok(!same(a, { data: received(Float32Array.of(1)), shape: [2] }));
  assert.ok(!same(a, { ...a, dtype: "float32" }));
  assert.ok(same(null, null) && !same(null, {}) && !same({}, a));
});
