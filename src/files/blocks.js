/**
 * Decodes ggml's blocks without WebAssembly: integer codes that share a scale and often an offset. The layouts
 * are drawn in src/embedding/dtypes/blocks.h.
 *
 *   number = a * code - b   in float32; the product is rounded before the difference
 */
import { allocate } from "./bytes.js";

/**
 * @typedef {object} Block
 * @property {number} numbers  in one block
 * @property {number} bytes  of one block
 * @property {(bytes: Uint8Array, at: number, group: number) => readonly [a: number, b: number]} scale
 *   a and b of the sixteen numbers from 16 * group on, in the block that begins at `at`
 * @property {(bytes: Uint8Array, at: number, i: number) => number} code  of number i of the block
 */

/** @type {(numbers: number, bytes: number, scale: Block["scale"], code: Block["code"]) => Block} */
const block = (numbers, bytes, scale, code) => ({ numbers, bytes, scale, code });

/** The levels of IQ4_NL. */
const LEVELS = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];

/** The block formats by ggml's names. @type {ReadonlyMap<string, Block>} */
export const BLOCKS = new Map([
  ["Q8_0", block(32, 34, scaleOnly, (x, at, i) => signed(x[at + 2 + i]))],
  ["Q4_0", block(32, 18, scaleOnly, (x, at, i) => nibble(x, at + 2, i) - 8)],
  ["Q4_1", block(32, 20, scaleAndOffset, (x, at, i) => nibble(x, at + 4, i))],
  ["Q5_0", block(32, 22, scaleOnly, (x, at, i) => five(x, at + 6, at + 2, i) - 16)],
  ["Q5_1", block(32, 24, scaleAndOffset, (x, at, i) => five(x, at + 8, at + 4, i))],
  ["IQ4_NL", block(32, 18, scaleOnly, (x, at, i) => LEVELS[nibble(x, at + 2, i)])],
  ["Q2_K", block(256, 84, scaleOfQ2, (x, at, i) => pair(x, at + 16, i))],
  ["Q3_K", block(256, 110, scaleOfQ3, (x, at, i) => (pair(x, at + 32, i) | bit(x, at, i, 2)) - 4)],
  ["Q4_K", block(256, 144, scaleOfQ4, (x, at, i) => run(x, at + 16, i))],
  ["Q5_K", block(256, 176, scaleOfQ4, (x, at, i) => run(x, at + 48, i) | bit(x, at + 16, i, 4))],
  ["Q6_K", block(256, 210, scaleOfQ6, codeOfQ6)],
]);

/**
 * @param {Uint8Array} bytes  whole blocks @param {string} dtype  one of `BLOCKS`
 * @returns {Float32Array<ArrayBuffer>} bit-equal to `dtypes.decode`
 */
export function decodeBlocks(bytes, dtype) {
  const format = /** @type {Block} */ (BLOCKS.get(dtype));
  const count = bytes.length / format.bytes;
  const floats = allocate(Float32Array, count * format.numbers, "a float32 copy");
  for (let at = 0, to = 0; at < bytes.length; at += format.bytes) {
    for (let i = 0; i < format.numbers;) {
      const [a, b] = format.scale(bytes, at, i / 16);
      for (const end = i + 16; i < end; ++i, ++to) {
        const value = Math.fround(a * format.code(bytes, at, i)) - b;
        floats[to] = value === value ? value : NaN; // one NaN: its bits differ between processors
      }
    }
  }
  return floats;
}

/** @param {number} byte */
const signed = (byte) => (byte << 24) >> 24;

/** 4 bits: the lower halves of sixteen bytes, then the upper halves. @type {Block["code"]} */
const nibble = (x, at, i) => (x[at + (i % 16)] >> (i < 16 ? 0 : 4)) & 15;

/** @param {Uint8Array} x @param {number} low  4 bits of each @param {number} high  the fifth bits @param {number} i */
const five = (x, low, high, i) => nibble(x, low, i) | (((x[high + (i >> 3)] >> (i & 7)) & 1) << 4);

/** 2 bits: four runs of 32 numbers in 32 bytes. @type {Block["code"]} */
const pair = (x, at, i) => (x[at + 32 * (i >> 7) + (i & 31)] >> (2 * ((i >> 5) & 3))) & 3;

/** 4 bits: two runs of 32 numbers in 32 bytes. @type {Block["code"]} */
const run = (x, at, i) => (x[at + 32 * (i >> 6) + (i & 31)] >> (4 * ((i >> 5) & 1))) & 15;

/** One bit for each of eight runs of 32 numbers. @param {Uint8Array} x @param {number} at @param {number} i @param {number} shift */
const bit = (x, at, i, shift) => ((x[at + (i & 31)] >> (i >> 5)) & 1) << shift;

/** @type {Block["code"]} */
function codeOfQ6(x, at, i) {
  const shift = 4 * ((i >> 6) & 1);
  const low = (x[at + 64 * (i >> 7) + (i & 63)] >> shift) & 15;
  return (low | (pair(x, at + 128, i) << 4)) - 32;
}

/** @param {Uint8Array} x @param {number} at */
function float16(x, at) {
  const bits = x[at] | (x[at + 1] << 8);
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? (1024 + fraction) * 2 ** (exponent - 25) : fraction * 2 ** -24);
}

/** @param {Uint8Array} x @param {number} at @returns {readonly [number, number]} */
function scaleOnly(x, at) {
  return [float16(x, at), 0];
}

/** @param {Uint8Array} x @param {number} at @returns {readonly [number, number]} */
function scaleAndOffset(x, at) {
  return [float16(x, at), -float16(x, at + 2)];
}

/** A byte for scale and offset. @type {Block["scale"]} */
function scaleOfQ2(x, at, group) {
  const byte = x[at + group];
  return [float16(x, at + 80) * (byte & 15), float16(x, at + 82) * (byte >> 4)];
}

/** Scales of 6 bits: the lower 4 in eight bytes, the upper 2 in four more. @type {Block["scale"]} */
function scaleOfQ3(x, at, group) {
  const low = (x[at + 96 + (group & 7)] >> (group < 8 ? 0 : 4)) & 15;
  const high = (x[at + 104 + (group & 3)] >> (2 * (group >> 2))) & 3;
  return [float16(x, at + 108) * (((high << 4) | low) - 32), 0];
}

/** Scales and offsets of 6 bits for 32 numbers, packed into twelve bytes. @type {Block["scale"]} */
function scaleOfQ4(x, at, group) {
  const s = group >> 1;
  const first = at + 4 + s;
  const [scale, offset] =
    s < 4
      ? [x[first] & 63, x[first + 4] & 63]
      : [
          (x[first + 4] & 15) | ((x[first - 4] >> 6) << 4),
          (x[first + 4] >> 4) | ((x[first] >> 6) << 4),
        ];
  return [float16(x, at) * scale, float16(x, at + 2) * offset];
}

/** @type {Block["scale"]} */
function scaleOfQ6(x, at, group) {
  return [float16(x, at + 208) * signed(x[at + 192 + group]), 0];
}
