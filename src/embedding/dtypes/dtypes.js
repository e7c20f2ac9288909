/** @import { Core } from "../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { Tensor, TensorInput } from "../../runtime/tensor.js" */
import * as arrays from "../../runtime/arrays.js";
import * as check from "../../runtime/check.js";
import { checkStatus, OutOfMemoryError } from "../../runtime/errors.js";
import { withMemory, put, take, tileRows } from "../../runtime/memory.js";
import * as option from "../../runtime/options.js";
import { output } from "../../runtime/result.js";
import { asFloat32, readShape } from "../../runtime/input.js";

/**
 * How many numbers a block has, and how many bytes. In the order of phasor::dtypes::Format.
 * @type {Readonly<Record<FormatName, readonly [numbers: number, bytes: number]>>}
 */
const BLOCKS = Object.freeze({
  float32: [1, 4],
  float16: [1, 2],
  bfloat16: [1, 2],
  float64: [1, 8],
  float8_e4m3fn: [1, 1],
  float8_e5m2: [1, 1],
  int8: [1, 1],
  uint8: [1, 1],
  int16: [1, 2],
  uint16: [1, 2],
  int32: [1, 4],
  uint32: [1, 4],
  int64: [1, 8],
  uint64: [1, 8],
  bool: [1, 1],
  Q8_0: [32, 34],
  Q4_0: [32, 18],
  Q4_1: [32, 20],
  Q5_0: [32, 22],
  Q5_1: [32, 24],
  Q2_K: [256, 84],
  Q3_K: [256, 110],
  Q4_K: [256, 144],
  Q5_K: [256, 176],
  Q6_K: [256, 210],
  IQ4_NL: [32, 18],
});

const NAMES = /** @type {readonly FormatName[]} */ (Object.keys(BLOCKS));

/** The formats that `encode` writes. */
const ENCODED = /** @type {const} */ (["float32", "float16", "bfloat16"]);

const DECODE = option.optionSet(() => ({
  /** Filled instead of a new array. */
  out: option.out(),
}));

/**
 * A number format: its dtype, or the name of a block format of ggml.
 * @typedef {"float32" | "float16" | "bfloat16" | "float64" | "float8_e4m3fn" | "float8_e5m2" | "int8" | "uint8" | "int16" | "uint16"
 *   | "int32" | "uint32" | "int64" | "uint64" | "bool" | "Q8_0" | "Q4_0" | "Q4_1" | "Q5_0" | "Q5_1" | "Q2_K"
 *   | "Q3_K" | "Q4_K" | "Q5_K" | "Q6_K" | "IQ4_NL"} FormatName
 */

/**
 * Numbers in the format of a file.
 * @typedef {object} Stored
 * @property {Uint8Array} bytes  little-endian, row-major
 * @property {string} dtype  the format's name
 * @property {readonly number[]} shape  sizes of the axes, the last one fastest
 */

/**
 * The size of a format.
 * @typedef {object} FormatSize
 * @property {number} numbers  numbers of a block: 1, 32 or 256. The last axis is a multiple of it
 * @property {number} bytes  bytes of a block
 * @property {number} bits  average bits of a number: 8.5 for Q8_0
 */

/** Each format's size. @returns {Readonly<Record<FormatName, Readonly<FormatSize>>>} */
const sizesOf = () =>
  Object.freeze(
    /** @type {any} */ (
      Object.fromEntries(
        NAMES.map((name) => {
          const [numbers, bytes] = BLOCKS[name];
          return [name, Object.freeze({ numbers, bytes, bits: (8 * bytes) / numbers })];
        }),
      )
    ),
  );

/**
 * Conversion between float32 and the number formats of model files: floats of 8, 16 and 64 bits, integers
 * and the blocks of ggml.
 * @see Micikevicius et al. 2022, FP8 formats for deep learning, https://arxiv.org/abs/2209.05433;
 *   ggml, https://github.com/ggml-org/ggml (blocks); safetensors,
 *   https://github.com/huggingface/safetensors (names)
 * @param {Core} core
 */
export function dtypes(core) {
  const { raw } = core;

  const module = {
    /** The size of every format: `dtypes.sizes.Q4_K.bits` is 4.5. */
    sizes: sizesOf(),

    /**
     * Converts numbers from the format of a file to float32.
     *
     *     exact               float32, float16, bfloat16, float8_e4m3fn, float8_e5m2, int8, uint8,
     *                         int16, uint16, bool (0 or 1); floats keep the sign and payload of NaN
     *     rounded once        float64, int32, uint32, int64, uint64: to the nearest, ties to even
     *     bit-equal to ggml   Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q2_K, Q3_K, Q4_K, Q5_K, Q6_K, IQ4_NL
     *
     * @param {{bytes: ArrayBufferView | ArrayBuffer, dtype: string, shape: ArrayLike<number>}} stored
     *   `bytes`: the bytes of the file, little-endian; `dtype`: the name of the format; `shape`: its
     *   last axis is a multiple of the format's block
     * @param {OptionsOf<typeof DECODE>} [options]
     * @returns {Tensor} float32 [...shape]
     * @throws {TypeError | RangeError} if the format is unknown, or the number of bytes does not match
     *   dtype and shape
     * @throws {OutOfMemoryError} if memory for the numbers cannot be allocated
     * @example
     * const bytes = Uint8Array.of(0x00, 0x3c, 0x00, 0xc0);
     * dtypes.decode({ bytes, dtype: "float16", shape: [2] }).toArray()
     * // [1, -2]
     */
    decode(stored, options = {}) {
      const { out } = DECODE.read(options);
      const { bytes, dtype, shape } = readStored(stored, "stored");
      const result = output(out, shape);
      const source = result.data.buffer === bytes.buffer ? bytes.slice() : bytes;
      decodeTiles(core, { bytes: source, dtype, shape }, (at, from, count) =>
        take(core, at, count, result.data, from),
      );
      return result.done();
    },

    /**
     * Converts float32 numbers to a format of files.
     *
     * `float16` and `bfloat16` round to the nearest, ties to even. Numbers beyond their range become
     * infinite.
     *
     * @param {TensorInput} x  any shape
     * @param {typeof ENCODED[number]} dtype  the format
     * @returns {Stored} the bytes, with the shape of x
     * @throws {TypeError | RangeError} if an argument has the wrong type or the format is unknown
     * @throws {OutOfMemoryError} if memory for the bytes cannot be allocated
     * @example
     * Array.from(dtypes.encode([1, -2], "bfloat16").bytes)
     * // [128, 63, 0, 192]
     */
    encode(x, dtype) {
      const { data, shape } = asFloat32(x, "x");
      const format = check.oneOf(dtype, "dtype", ENCODED);
      const width = BLOCKS[format][1];
      const bytes = newBytes(data.length * width);
      const step = tileRows(4, data.length);
      withMemory(core, [step * 4, step * width], (at, to) => {
        for (let from = 0; from < data.length; from += step) {
          const count = Math.min(step, data.length - from);
          put(core, data.subarray(from, from + count), at);
          checkStatus(raw.dtypes_encode(at, count, NAMES.indexOf(format), to, count * width));
          bytes.set(core.raw.HEAPU8.subarray(to, to + count * width), from * width);
        }
      });
      return { bytes, dtype: format, shape };
    },
  };
  return option.withOptions(module, { decode: DECODE });
}

/**
 * Reads an argument that is the numbers of a file.
 * @param {unknown} stored @param {string} name
 * @returns {{bytes: Uint8Array, dtype: FormatName, shape: number[]}} bytes are shared
 * @throws {TypeError | RangeError}
 */
export function readStored(stored, name) {
  if (!check.isObject(stored)) {
    throw new TypeError(
      `${name} must be an object { bytes, dtype, shape }; got ${check.describe(stored)}`,
    );
  }
  const given = /** @type {Record<string, unknown>} */ (stored);
  const dtype = check.oneOf(given.dtype, "dtype", NAMES);
  const shape = readShape(given.shape, "shape");
  const bytes = readBytes(given.bytes);
  const [numbers, size] = BLOCKS[dtype];
  const described = `${dtype} of shape [${shape.join(", ")}]`;
  if (numbers > 1 && !((shape.at(-1) ?? 1) % numbers === 0)) {
    throw new RangeError(`shape must end in a multiple of ${numbers}; got ${described}`);
  }
  const wanted = (arrays.count(shape) / numbers) * size;
  if (bytes.length !== wanted) {
    throw new RangeError(`bytes must be ${wanted} for ${described}; got ${bytes.length}`);
  }
  return { bytes, dtype, shape };
}

/** @param {unknown} bytes */
function readBytes(bytes) {
  const found = arrays.bytesOf(bytes, "bytes");
  if (found) return found;
  throw new TypeError(`bytes must be a Uint8Array or an ArrayBuffer; got ${check.describe(bytes)}`);
}

/**
 * Decodes numbers of a file tile by tile, so that the WASM memory does not grow with their number.
 * @param {Core} core
 * @param {{bytes: Uint8Array, dtype: FormatName, shape: readonly number[], unit?: number}} stored
 *   `unit`: how many numbers a tile never splits, a multiple of the block; default: a block
 * @param {(at: number, from: number, count: number, encoded: Uint8Array) => void} use  gets the address
 *   of `count` float32 numbers, from number `from` on, and the bytes that they were decoded from
 */
export function decodeTiles(core, { bytes, dtype, shape, unit = BLOCKS[dtype][0] }, use) {
  const raw = /** @type {any} */ (core.raw);
  const [numbers, size] = BLOCKS[dtype];
  const unitBytes = (unit / numbers) * size;
  const units = arrays.count(shape) / unit;
  const step = tileRows(unit * 4, units);
  withMemory(core, [step * unitBytes, step * unit * 4], (bytesAt, at) => {
    for (let from = 0; from < units; from += step) {
      const count = Math.min(step, units - from);
      const encoded = bytes.subarray(from * unitBytes, (from + count) * unitBytes);
      core.raw.HEAPU8.set(encoded, bytesAt);
      const format = NAMES.indexOf(dtype);
      checkStatus(raw.dtypes_decode(bytesAt, encoded.length, format, at, count * unit));
      use(at, from * unit, count * unit, encoded);
    }
  });
}

/** @param {number} length @returns {Uint8Array<ArrayBuffer>} */
function newBytes(length) {
  try {
    return new Uint8Array(length);
  } catch {
    throw new OutOfMemoryError("the bytes", length);
  }
}
