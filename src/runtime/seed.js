import { describe, integer } from "./check.js";

/**
 * Read an argument that is a seed: 0 .. 2^64-1.
 * @param {unknown} seed
 * @returns {bigint}
 * @throws {TypeError | RangeError}
 */
export function readSeed(seed) {
  if (typeof seed !== "bigint") {
    return BigInt(integer(seed, "seed", 0, Number.MAX_SAFE_INTEGER));
  }
  if (seed < 0n || seed >= 1n << 64n) {
    throw new RangeError(`seed must be from 0 to 2^64-1; got ${describe(seed)}`);
  }
  return seed;
}

/** The two halves of a seed, as C++ takes it. @param {bigint} seed @returns {[low: number, high: number]} */
export function halves(seed) {
  return [Number(seed & 0xffffffffn), Number(seed >> 32n)];
}
