// One call reads every number format as float32, and agrees with `dtypes.decode` of the core.

import assert from "node:assert/strict";
import { test } from "node:test";
import { phasor } from "../../phasor.js";
import { gguf, npy, npz, safetensors } from "./entry.js";
import { decode, READABLE } from "../../../src/files/numbers.js";

const { dtypes } = phasor;

/** @param {number} length @param {number} seed */
function random(length, seed) {
  let state = seed;
  return Uint8Array.from({ length }, () => (state = (state * 48271) % 2147483647) >> 8);
}

/** @param {ArrayLike<number> & {buffer: ArrayBufferLike}} floats */
const bitsOf = (floats) => new Uint32Array(floats.buffer);

test("every readable dtype has the bits of dtypes.decode, for random bytes", () => {
  assert.deepEqual([...READABLE].sort(), Object.keys(dtypes.sizes).sort());
  for (const [k, dtype] of READABLE.entries()) {
    const { numbers, bytes: size } = dtypes.sizes[/** @type {keyof typeof dtypes.sizes} */ (dtype)];
    const bytes = random(size * 4096, 7 + k);
    const shape = [4096 * numbers];
    const expected = dtypes.decode({ bytes, dtype, shape }).data;
    const { data, dtype: found } = decode(bytes.slice(), dtype, true);
    assert.equal(found, "float32", dtype);
    assert.deepEqual(bitsOf(/** @type {Float32Array} */ (data)), bitsOf(expected), dtype);
  }
});

test("64-bit integers are rounded once", () => {
  const values = [
    2n ** 24n + 1n,
    2n ** 53n + 2n ** 29n + 1n,
    2n ** 62n + 2n ** 38n + 1n,
    2n ** 63n - 1n,
  ];
  const signed = BigInt64Array.of(...values, ...values.map((value) => -value), -(2n ** 63n));
  const bytes = new Uint8Array(signed.buffer);
  const expected = dtypes.decode({ bytes, dtype: "int64", shape: [signed.length] }).data;
  assert.deepEqual(
    [.../** @type {any} */ (decode(bytes.slice(), "int64", true).data)],
    [...expected],
  );
});

test("tensor and rows of a GGUF file read quantized blocks", async () => {
  const text = (/** @type {string} */ value) => [BigUint64Array.of(BigInt(value.length)), value];
  const start = [Uint32Array.of(0x46554747, 3), BigUint64Array.of(1n, 0n)];
  const tensor = [...text("t"), Uint32Array.of(2), BigUint64Array.of(256n, 3n), Uint32Array.of(12)];
  const header = new Blob([...start, ...tensor, BigUint64Array.of(0n)]);
  const padding = new Uint8Array((32 - (header.size % 32)) % 32);
  const blocks = random(3 * 144, 99);
  const tail = new Uint8Array((32 - (blocks.length % 32)) % 32);
  const file = await gguf.read(new Blob([header, padding, blocks, tail]));
  const expected = dtypes.decode({ bytes: blocks, dtype: "Q4_K", shape: [3, 256] });
  const all = await file.tensor("t");
  assert.deepEqual([all.dtype, ...all.shape], ["float32", 3, 256]);
  assert.deepEqual(bitsOf(all.data), bitsOf(expected.data));
  const [last] = (await file.rows("t", [2])).toArray();
  assert.deepEqual(last, expected.toArray()[2]);
});

test("integers and float64 keep their dtype, and become float32 on request", async () => {
  const tensors = { ids: BigInt64Array.of(-5n, 2n ** 40n), wide: Float64Array.of(0.1, -0) };
  const files = [
    await safetensors.read(safetensors.write(tensors)),
    await npz.read(await npz.write(tensors)),
  ];
  for (const file of files) {
    assert.equal((await file.tensor("ids")).dtype, "int64");
    assert.equal((await file.tensor("wide")).dtype, "float64");
    const ids = await file.tensor("ids", { dtype: "float32" });
    assert.deepEqual([ids.dtype, ...ids.data], ["float32", -5, 2 ** 40]);
    const wide = await file.tensor("wide", { dtype: "float32" });
    assert.deepEqual([wide.dtype, ...wide.data], ["float32", Math.fround(0.1), -0]);
  }
  const flags = { data: Uint8Array.of(1, 0), shape: [2], dtype: "bool" };
  for (const array of [Int8Array.of(1, 0), Uint8Array.of(1, 0), Int32Array.of(1, 0), flags]) {
    const read = await npy.read(npy.write(/** @type {any} */ (array)), { dtype: "float32" });
    assert.deepEqual([read.dtype, ...read.data], ["float32", 1, 0]);
  }
});
