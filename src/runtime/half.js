/**
 * Half-width floats, which no typed array of every engine holds: their bits as float32.
 *
 *   float16   s eeeee ffffffffff                      bias 15
 *   bfloat16  s eeeeeeee fffffff                      bias 127: the upper half of a float32
 *   float32   s eeeeeeee fffffffffffffffffffffff      bias 127
 */
import { float32s } from "./check.js";

/**
 * Widen float16 to float32.
 *
 * Shapes    bits [n] of float16
 * Accuracy  exact for each of the 65,536 patterns; a NaN keeps its sign and payload
 *
 * @param {Uint16Array} bits
 * @returns {Float32Array} [n], newly made
 */
export function float32FromFloat16(bits) {
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
