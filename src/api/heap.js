/** @import { Core } from "./wasm.js" */
import { OutOfMemory } from "./errors.js";
import { guard } from "./wasm.js";

/**
 * Results cross the border in tiles of about this size: small enough to stay in the cache, large
 * enough that the calls cost nothing. WASM memory stays small whatever the size of a result.
 */
const TILE_BYTES = 1 << 18;

/**
 * How many rows of a tensor make a tile.
 * @param {number} rowBytes @param {number} rows  all there are
 */
export function tileRows(rowBytes, rows) {
  return Math.max(1, Math.min(rows, Math.floor(TILE_BYTES / Math.max(rowBytes, 1))));
}

/**
 * Lend pieces of WASM memory to one call and take them back, whatever happens.
 * @template Result
 * @param {Core} core
 * @param {string} what  for the message when memory is short
 * @param {readonly number[]} sizes  bytes of each piece
 * @param {(...at: number[]) => Result} use  gets the address of each piece, 16-byte aligned
 * @returns {Result}
 * @throws {OutOfMemory}
 */
export function lend(core, what, sizes, use) {
  const padded = sizes.map((bytes) => Math.ceil(bytes / 16) * 16);
  const total = padded.reduce((sum, bytes) => sum + bytes, 16);
  return guard(core, () => {
    const base = allocate(core, what, total);
    try {
      let next = Math.ceil(base / 16) * 16;
      return use(
        ...padded.map((bytes) => {
          const at = next;
          next += bytes;
          return at;
        }),
      );
    } finally {
      core.raw._free(base);
    }
  });
}

/**
 * @param {Core} core @param {string} what @param {number} bytes
 * @returns {number} the address
 * @throws {OutOfMemory}
 */
export function allocate(core, what, bytes) {
  // Emscripten takes a request as signed: from 2 GiB on, its check for the end of memory is left out.
  const fits = bytes < 2 ** 31 || core.raw.HEAPU8.length + bytes + 2 ** 16 <= 2 ** 32;
  const at = fits ? core.raw._malloc(bytes) >>> 0 : 0;
  if (at === 0) throw new OutOfMemory(what, bytes);
  return at;
}

/** Copy numbers in. @param {Core} core @param {Float32Array} floats @param {number} at */
export function put(core, floats, at) {
  core.raw.HEAPF32.set(floats, at >>> 2);
}

/**
 * Copy numbers out.
 * @param {Core} core @param {number} at @param {number} count
 * @param {Float32Array} into @param {number} [offset]
 */
export function take(core, at, count, into, offset = 0) {
  const from = at >>> 2;
  into.set(core.raw.HEAPF32.subarray(from, from + count), offset);
}
