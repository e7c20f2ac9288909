/**
 * A cache of pieces of a file, up to a number of bytes; the least recently used pieces are dropped first.
 *
 * @template T  the stored value of a piece
 */
export class Pieces {
  /** In order of last use. @type {Map<string, {begin: number, end: number, kept: T}>} */
  #pieces = new Map();
  #bytes = 0;
  #maxBytes;
  #drop;

  /** @param {number} maxBytes  bytes @param {(kept: T) => void} [drop]  called for each dropped piece */
  constructor(maxBytes, drop = () => {}) {
    this.#maxBytes = maxBytes;
    this.#drop = drop;
  }

  /** Whether a piece fits: a large one would displace all others. @param {number} bytes */
  takes(bytes) {
    return bytes <= this.#maxBytes / 4;
  }

  /** Finds a piece with all bytes from begin to end - 1. @param {number} begin @param {number} end */
  find(begin, end) {
    for (const [key, piece] of this.#pieces) {
      if (piece.begin > begin || piece.end < end) continue;
      this.#pieces.delete(key);
      this.#pieces.set(key, piece);
      return piece;
    }
    return undefined;
  }

  /** @param {number} begin @param {number} end @param {T} kept */
  add(begin, end, kept) {
    const inside = [...this.#pieces.values()].filter((p) => p.begin >= begin && p.end <= end);
    for (const piece of inside) this.forget(piece);
    this.#pieces.set(`${begin}-${end}`, { begin, end, kept });
    this.#bytes += end - begin;
    for (const piece of this.#pieces.values()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.forget(piece);
    }
  }

  /** @param {{begin: number, end: number, kept: T}} piece */
  forget({ begin, end, kept }) {
    if (!this.#pieces.delete(`${begin}-${end}`)) return; // another call has
    this.#bytes -= end - begin;
    this.#drop(kept);
  }
}
