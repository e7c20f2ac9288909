/**
 * Caches pieces of a file in the browser's Cache Storage, where they outlive the page. Each version of a file has a
 * separate cache; those of older versions are deleted. Where Cache Storage is missing, full or forbidden, bytes are
 * read again.
 */
import { Pieces } from "./pieces.js";

export class Store {
  #cache;
  #address;
  /** The cache key of each piece. @type {Pieces<string>} */
  #pieces;

  /**
   * @param {URL} address  of the file @param {string} version  its ETag or similar
   * @param {number} maxBytes  bytes
   * @returns {Promise<Store | undefined>}
   */
  static async open(address, version, maxBytes) {
    try {
      const prefix = `phasor ${address.href} `;
      const name = prefix + version;
      for (const other of await globalThis.caches.keys()) {
        if (other.startsWith(prefix) && other !== name) await globalThis.caches.delete(other);
      }
      const cache = await globalThis.caches.open(name);
      return new Store(cache, address, maxBytes, await cache.keys());
    } catch {
      return undefined;
    }
  }

  /**
   * @param {Cache} cache @param {URL} address @param {number} maxBytes
   * @param {readonly Request[]} kept
   */
  constructor(cache, address, maxBytes, kept) {
    this.#cache = cache;
    this.#address = address;
    this.#pieces = new Pieces(maxBytes, (key) => void cache.delete(key).catch(() => {}));
    for (const { url } of kept) {
      const [, begin, end] = /\/(\d+)-(\d+)$/.exec(url) ?? [];
      if (end !== undefined) this.#pieces.add(Number(begin), Number(end), url);
    }
  }

  /** Whether all bytes from begin to end - 1 are cached. @param {number} begin @param {number} end */
  has(begin, end) {
    return this.#pieces.find(begin, end) !== undefined;
  }

  /**
   * @param {number} begin @param {number} end
   * @returns {Promise<Uint8Array<ArrayBuffer> | undefined>}
   */
  async find(begin, end) {
    const piece = this.#pieces.find(begin, end);
    if (piece === undefined) return undefined;
    try {
      const blob = await (await this.#cache.match(piece.kept))?.blob();
      if (blob?.size === piece.end - piece.begin) {
        const part = blob.slice(begin - piece.begin, end - piece.begin);
        return new Uint8Array(await part.arrayBuffer());
      }
    } catch {
      // deleted elsewhere, or unreadable
    }
    this.#pieces.forget(piece);
    return undefined;
  }

  /** @param {number} begin @param {Uint8Array<ArrayBuffer>} bytes */
  async keep(begin, bytes) {
    const end = begin + bytes.length;
    if (!this.#pieces.takes(bytes.length) || this.has(begin, end)) return;
    const key = new URL(`/${begin}-${end}`, this.#address).href;
    try {
      await this.#cache.put(key, new Response(bytes)); // copies them
      this.#pieces.add(begin, end, key);
    } catch {
      // full, or forbidden
    }
  }
}
