/**
 * Floats of 16 bits, which no typed array of every engine holds: their bits as float32, and back.
 *
 *   float16   s eeeee ffffffffff                      bias 15
 *   bfloat16  s eeeeeeee fffffff                      bias 127: the upper half of a float32
 *   float32   s eeeeeeee fffffffffffffffffffffff      bias 127
 */
import { float32s, kindOf } from "./arrays.js";

/**
 * A Float16Array, in the types of hosts that have it.
 * @typedef {typeof globalThis extends {Float16Array: {prototype: infer Array}} ? Array : never} Half
 */

/** The host's Float16Array, if it has it. @type {(new (buffer: ArrayBufferLike) => Half) | undefined} */
export const HalfArray = /** @type {any} */ (globalThis).Float16Array;

/** The bits of float16 numbers, on the same memory. @param {Uint16Array | Half} data @returns {Uint16Array} */
export function halfBits(data) {
  const { buffer, byteOffset, length } = /** @type {Uint16Array} */ (data);
  return new Uint16Array(buffer, byteOffset, length);
}

/**
 * Widen float16 to float32.
 *
 * Shapes    halves [n] of float16, or their bits
 * Accuracy  exact for each of the 65,536 patterns; a NaN keeps its sign and payload
 *
 * @param {Uint16Array | Half} halves
 * @returns {Float32Array} [n], newly made
 */
export function float32FromFloat16(halves) {
  const bits = halfBits(halves);
  const floats = float32s(bits.length, "a float32 copy");
  const words = new Uint32Array(floats.buffer);
  for (let i = 0; i < bits.length; ++i) {
    const sign = (bits[i] & 0x8000) << 16;
    const magnitude = bits[i] & 0x7fff;
    if (magnitude < 0x0400) {
      // exponent 0: zero and the subnormals, fraction * 2^-24
      floats[i] = (sign === 0 ? 1 : -1) * magnitude * 5.9604644775390625e-8;
    } else {
      // exponent 31 stands for infinity and NaN and becomes 255; the others change their bias
      const bias = magnitude < 0x7c00 ? 127 - 15 : 255 - 31;
      words[i] = sign | ((magnitude << 13) + (bias << 23));
    }
  }
  return floats;
}

/**
 * Widen bfloat16 to float32.
 *
 * Shapes    bits [n] of bfloat16
 * Accuracy  exact for each of the 65,536 patterns; a NaN keeps its sign and payload
 *
 * @param {Uint16Array} bits
 * @returns {Float32Array} [n], newly made
 */
export function float32FromBfloat16(bits) {
  const floats = float32s(bits.length, "a float32 copy");
  const words = new Uint32Array(floats.buffer);
  for (let i = 0; i < bits.length; ++i) words[i] = bits[i] << 16;
  return floats;
}

/**
 * The numbers of 16-bit floats.
 * @param {any} data @param {string} dtype
 * @returns {Float32Array | undefined} newly made; undefined for any other dtype
 */
export function widened(data, dtype) {
  if (dtype === "float16") return float32FromFloat16(data);
  return dtype === "bfloat16" ? float32FromBfloat16(data) : undefined;
}

/**
 * Round numbers to float16 or bfloat16, as `dtypes.encode` does.
 *
 * Shapes    numbers [n], bits [n]
 * Accuracy  rounded once to the nearest, ties to even; infinity beyond the range. NaN becomes 0x7e00 in float16,
 *           with the sign that a float32 has; bfloat16 keeps the upper half of a float32 NaN, made quiet
 *
 * @param {ArrayLike<number>} numbers  typed, not wider than float64
 * @param {"float16" | "bfloat16"} dtype @param {Uint16Array} bits
 */
export function round(numbers, dtype, bits) {
  const words = wordsOf(kindOf(numbers) === "Float32Array" ? numbers : float32Of(numbers, true));
  const rounded = dtype === "float16" ? float16Of : bfloat16Of;
  for (let i = 0; i < bits.length; ++i) bits[i] = rounded(words[i]);
}

/** The bits of float32 numbers, on the same memory. @param {any} floats */
const wordsOf = ({ buffer, byteOffset, length }) => new Uint32Array(buffer, byteOffset, length);

/**
 * Numbers as float32, to the nearest or to odd: the latter, rounded to 16 bits, is as if rounded once. NaN is
 * 0x7fc00000.
 * @param {ArrayLike<number>} numbers @param {boolean} [isOdd]
 * @returns {Float32Array} [n], newly made
 */
export function float32Of(numbers, isOdd = false) {
  const floats = float32s(numbers.length, "a float32 copy");
  const words = wordsOf(floats);
  for (let i = 0; i < words.length; ++i) {
    const x = numbers[i];
    floats[i] = x;
    if (x !== x) words[i] = 0x7fc00000;
    else if (isOdd && floats[i] !== x) {
      words[i] = (words[i] - (Math.abs(floats[i]) > Math.abs(x) ? 1 : 0)) | 1;
    }
  }
  return floats;
}

const float = new Float32Array(1);
const word = wordsOf(float);

/** @param {number} bits  of a float32 */
function float16Of(bits) {
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  if (magnitude >= 0x477ff000) return sign | 0x7c00; // from 65520 on
  if (magnitude < 0x38800000) {
    // below 2^-14: adding 1/2 leaves multiples of 2^-24 in the last bits
    word[0] = magnitude;
    float[0] += 0.5;
    return sign | (word[0] - 0x3f000000);
  }
  return sign | ((magnitude - 0x38000000 + 0xfff + ((magnitude >>> 13) & 1)) >>> 13);
}

/** @param {number} bits  of a float32 */
function bfloat16Of(bits) {
  if ((bits & 0x7fffffff) > 0x7f800000) return (bits >>> 16) | 0x40;
  return (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16;
}
