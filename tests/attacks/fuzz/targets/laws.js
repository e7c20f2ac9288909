/** What every reader has to do with any file: refuse it by the rules, or read what it says. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { FileError } from "../../../../src/runtime/errors.js";

/** @import { Random } from "../random.js" */

/**
 * One case.
 * @typedef {object} Case
 * @property {any} input  what is read: bytes, or an object
 * @property {any} [expected]  what reading gives if nothing was changed; otherwise undefined
 */

/**
 * A reader under attack.
 * @typedef {object} Target
 * @property {string} name
 * @property {(random: Random) => Case} make
 * @property {(input: any) => any} read  reads all of it; returns what `differential` and `expected` compare
 * @property {(input: any, got: any) => void} [consistent]  throws if the result is not what the input says
 * @property {(error: any) => boolean} isRefusal  whether an error is one that the reader may throw
 * @property {string} [python]  the name of the comparison in reference.py
 */

/** @param {RegExp} code */
export const refusesBy = (code) => (/** @type {any} */ error) =>
  error instanceof FileError &&
  code.test(error.code) &&
  error.message.length < 400 &&
  /^\S.* must .+; got .+$/s.test(error.message);

/** Errors about arguments: a class of the language and a sentence by the rules. @param {any} error */
export const isArgumentError = (error) =>
  (error instanceof TypeError || error instanceof RangeError) &&
  error.message.length < 2000 &&
  /^[\w.]+: \S.* must .+; got .|^cannot \S.*: \S/s.test(error.message);

/** The first 16 digits of the SHA-256. @param {Uint8Array} bytes */
export const digest = (bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 16);

/**
 * Every tensor of an open file. Its numbers are read where there is a reader for its type.
 *
 * @param {any} file
 * @param {number} size  of the whole file
 */
export async function tensorsOf(file, size) {
  const found = [];
  for (const name of file.names) {
    const info = await file.info(name);
    assert.ok(info.byteLength <= size || file.constructor.name === "NpzFile", `${name} fits`);
    const { bytes, dtype, shape } = await file.stored(name);
    assert.equal(bytes.length, info.byteLength, `${name}: info's byteLength`);
    assert.deepEqual([dtype, shape], [info.dtype, info.shape], `${name}: info`);
    found.push({ name, dtype, shape: [...shape], digest: digest(bytes) });
    await numbersOf(file, name, shape);
  }
  return found;
}

/** Reads a tensor as numbers, and its first row. @param {any} file @param {string} name @param {readonly number[]} shape */
async function numbersOf(file, name, shape) {
  try {
    const tensor = await file.tensor(name, { dtype: "float32" });
    const size = shape.reduce((product, n) => product * n, 1);
    assert.equal(tensor.data.length, size, `${name}: as many numbers as its shape`);
    if (!file.rows || !(shape[0] > 0 && shape[0] <= 2 ** 31)) return; // ids are below 2^31
    const row = await file.rows(name, [shape[0] - 1], { dtype: "float32" });
    const last = tensor.data.subarray(size - size / shape[0]);
    assert.equal(digest(raw(row.data)), digest(raw(last)), `${name}: its last row`);
  } catch (error) {
    const { code, message } = /** @type {any} */ (error);
    const isRefusal =
      /_DTYPE_UNSUPPORTED$/.test(code) || /tensor whose rows are whole bytes/.test(message);
    if (!isRefusal) throw error;
  }
}

/** @param {Float32Array} data */
const raw = (data) => new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
