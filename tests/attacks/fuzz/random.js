/** Random choices that a seed and an index repeat, so that one case can be made again without those before it. */

/** Numbers at which readers go wrong: ends of types, powers of two, neighbors of zero. */
export const EDGES = Object.freeze([
  ...[0, 1, 2, 3, 4, 7, 8, 12, 16, 31, 32, 63, 64, 127, 128, 255, 256, 1000, 4096, 65535, 65536],
  ...[65537, 100_000, 2 ** 24, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 40],
  ...[Number.MAX_SAFE_INTEGER, 2 ** 53, 2 ** 63, 2 ** 64 - 2 ** 11],
]);

export class Random {
  /** @type {Uint32Array} */
  #state;

  /** @param {number} seed @param {string} name @param {number} index  of the case */
  constructor(seed, name, index) {
    this.#state = Uint32Array.of(seed, Math.floor(seed / 2 ** 32), index, 0x9e3779b9);
    for (const letter of name) {
      this.#state[3] = Math.imul(this.#state[3], 31) + letter.charCodeAt(0);
    }
    for (let i = 0; i < 12; ++i) this.bits();
  }

  /** 32 random bits: sfc32 (Chris Doty-Humphrey, PractRand). */
  bits() {
    const state = this.#state; // read by index: an iterator takes longer than the rest
    const [a, b, c, count] = [state[0], state[1], state[2], state[3]];
    const sum = (a + b + count) >>> 0;
    state[0] = b ^ (b >>> 9);
    state[1] = c + (c << 3);
    state[2] = ((c << 21) | (c >>> 11)) + sum;
    state[3] = count + 1;
    return sum;
  }

  /** A whole number from 0 to end - 1. @param {number} end */
  below(end) {
    return Math.floor((this.bits() / 2 ** 32) * end);
  }

  /** A whole number. @param {number} least @param {number} most */
  between(least, most) {
    return least + this.below(most - least + 1);
  }

  /** @param {number} chance  from 0 to 1 */
  happens(chance) {
    return this.bits() < chance * 2 ** 32;
  }

  /** @template T @param {readonly T[]} list @returns {T} */
  pick(list) {
    return list[this.below(list.length)];
  }

  /** A list of items. @template T @param {number} least @param {number} most @param {(i: number) => T} item */
  list(least, most, item) {
    return Array.from({ length: this.between(least, most) }, (_, i) => item(i));
  }

  /** @param {number} length */
  bytes(length) {
    return Uint8Array.from({ length }, () => this.bits() & 255);
  }

  /** A number at the edge of something, or close to it. */
  edge() {
    return this.pick(EDGES) + (this.happens(0.2) ? this.between(-2, 2) : 0);
  }
}
