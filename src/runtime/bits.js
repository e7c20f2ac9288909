/**
 * The bits of numbers. A NaN that passes through a JavaScript number may come out with another payload, which one
 * depends on the engine: numbers that are only moved are moved as their bits.
 */

import { wordsIn } from "./arrays.js";

/**
 * The bits of numbers of 32 bits.
 * @param {Float32Array | Int32Array} numbers
 * @returns {Int32Array} of the same memory
 */
export function bitsOf(numbers) {
  return wordsIn(numbers, Int32Array);
}

/**
 * The bits of numbers of any width.
 * @param {import("./tensor.js").TensorData} numbers
 * @returns {BigInt64Array | Int32Array | Uint16Array | Uint8Array} of the same memory
 */
export function wordsOf(numbers) {
  const bytes = numbers.BYTES_PER_ELEMENT;
  if (bytes === 8) return wordsIn(numbers, BigInt64Array);
  if (bytes === 4) return wordsIn(numbers, Int32Array);
  return bytes === 2 ? wordsIn(numbers, Uint16Array) : wordsIn(numbers, Uint8Array);
}
