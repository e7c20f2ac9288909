import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { FileError } from "./entry.js";

/**
 * A file of tests/golden, as bytes of its own.
 * @param {string} path
 */
export function golden(path) {
  return new Uint8Array(readFileSync(new URL(`../golden/${path}`, import.meta.url)));
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
export function refusal(code = /^(SAFETENSORS|NPY)_[A-Z0-9_]+$/) {
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
