/** @import { Network } from "./network.js" */

/** FNV-1a's start, as two halves, and the low part of its prime, 2^40 + 0x1b3. */
const [HIGH, LOW, PRIME] = [0xcbf29ce4, 0x84222325, 0x1b3];

/**
 * FNV-1a of 64 bits, over the bytes of all weights in their order.
 * @param {Network} network
 * @returns {string} 16 hexadecimal digits
 * @see Fowler, Noll, Vo, http://www.isthe.com/chongo/tech/comp/fnv/
 */
export function hashOf(network) {
  let [high, low] = [HIGH, LOW];
  for (const parameter of network.parameters) {
    const { buffer, byteOffset, byteLength } = network.view(parameter);
    for (const byte of new Uint8Array(buffer, byteOffset, byteLength)) {
      const mixed = (low ^ byte) >>> 0;
      const product = mixed * PRIME; // below 2^41
      high = (Math.imul(high, PRIME) + Math.floor(product / 2 ** 32) + (mixed << 8)) >>> 0;
      low = product % 2 ** 32;
    }
  }
  return [high, low].map((half) => half.toString(16).padStart(8, "0")).join("");
}
