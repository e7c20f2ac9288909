import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { everyNth } from "../../sample.js";
import { FileError, Tensor } from "./entry.js";

/**
 * A file of tests/truth/golden, as a separate copy of its bytes.
 * @param {string} path
 */
export function golden(path) {
  return new Uint8Array(readFileSync(new URL(`../../truth/golden/${path}`, import.meta.url)));
}

const ARRAYS = {
  float32: Float32Array,
  float64: Float64Array,
  float16: Uint16Array,
  bfloat16: Uint16Array,
  int64: BigInt64Array,
  int32: Int32Array,
  int8: Int8Array,
  uint8: Uint8Array,
  bool: Uint8Array,
};

/**
 * The tensor whose stored bytes these are; of float16 and bfloat16, the bits.
 * @param {{bytes: Uint8Array<ArrayBuffer>, dtype: string, shape: readonly number[]}} stored
 */
export function tensorOf({ bytes, dtype, shape }) {
  const known = /** @type {keyof typeof ARRAYS} */ (dtype);
  return new Tensor(new ARRAYS[known](bytes.buffer), shape, known === "bool" ? "uint8" : known);
}

/**
 * A file that notes which of its bytes are read.
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {number} [size]  what it claims to be
 */
export function noting(bytes, size = bytes.length) {
  /** @type {[begin: number, end: number][]} */
  const reads = [];
  const blob = new Blob([bytes]);
  /** @param {number} begin @param {number} end */
  const slice = (begin, end) => {
    reads.push([begin, end]);
    return blob.slice(begin, end);
  };
  return { size, slice, reads };
}

/**
 * For assert.rejects: a FileError with this code and a sentence by the rules.
 * @param {string | RegExp} [code]
 */
export function refusal(code = /^(SAFETENSORS|GGUF|NPY|NPZ|VOCABULARY)_[A-Z0-9_]+$/) {
  return (/** @type {unknown} */ error) => {
    assert.ok(error instanceof FileError, String(error));
    assert.match(error.message, /^\S.* must .+; got .+$/s);
    assert.ok(error.message.length < 400, error.message);
    if (typeof code === "string") assert.equal(error.code, code, error.message);
    else assert.match(error.code, code);
    return true;
  };
}

/**
 * Equal numbers, NaN to NaN and -0 to -0.
 * @param {ArrayLike<number | bigint>} got @param {ArrayLike<number | bigint>} expected
 */
export function same(got, expected) {
  assert.deepEqual(Array.from(got), Array.from(expected));
}

/** @param {ArrayLike<number | bigint>} data */
export const asFloats = (data) => Float32Array.from(Array.from(data, Number));

/**
 * A file changed in every way that a test asks for, each of which must be refused or give a sound
 * reading: never another error, and never a wait without end.
 *
 * @param {Iterable<Uint8Array<ArrayBuffer>>} variants
 * @param {(bytes: Uint8Array<ArrayBuffer>) => Promise<unknown>} read  all of it
 * @returns {Promise<{accepted: number, refused: number}>}
 */
export async function survives(variants, read) {
  const counts = { accepted: 0, refused: 0 };
  for (const variant of variants) {
    try {
      await read(variant);
      ++counts.accepted;
    } catch (error) {
      refusal()(error);
      ++counts.refused;
    }
  }
  return counts;
}

/** Every beginning of a file that is shorter than it. @param {Uint8Array<ArrayBuffer>} bytes */
export function* truncations(bytes) {
  for (let length = 0; length < bytes.length; ++length) yield bytes.slice(0, length);
}

/**
 * A file with one byte changed: to nothing, to all ones, by each bit. A change's run has a seventh of these, of every
 * byte one or two, others than of the byte before it.
 * @param {Uint8Array<ArrayBuffer>} bytes @param {number} [end]  the first byte that stays
 */
export function* flips(bytes, end = bytes.length) {
  const isTaken = everyNth(7);
  for (let at = 0; at < end; ++at) {
    for (const value of [
      0,
      255,
      ...Array.from({ length: 8 }, (_, bit) => bytes[at] ^ (1 << bit)),
    ]) {
      if (!isTaken() || value === bytes[at]) continue;
      const changed = bytes.slice();
      changed[at] = value;
      yield changed;
    }
  }
}
