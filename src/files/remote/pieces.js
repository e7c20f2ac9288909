/**
 * Pieces of a file, the latest used of them up to a number of bytes.
 *
 * @template T  what is kept of a piece
 */
export class Pieces {
  /** In the order of their last use. @type {Map<string, {begin: number, end: number, kept: T}>} */
  #pieces = new Map();
  #bytes = 0;
  #most;
  #drop;

  /** @param {number} most  bytes @param {(kept: T) => void} [drop]  hears what goes */
  constructor(most, drop = () => {}) {
    this.#most = most;
    this.#drop = drop;
  }

  /** Whether a piece would be kept: a large one would drive out all the others. @param {number} bytes */
  takes(bytes) {
    return bytes <= this.#most / 4;
  }

  /** A piece that holds all of the bytes begin to end - 1. @param {number} begin @param {number} end */
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
      if (this.#bytes <= this.#most) break;
      this.forget(piece);
    }
  }

  /** @param {{begin: number, end: number, kept: T}} piece */
  forget({ begin, end, kept }) {
    this.#pieces.delete(`${begin}-${end}`);
    this.#bytes -= end - begin;
    this.#drop(kept);
  }
}
