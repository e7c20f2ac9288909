import { FileError } from "../../runtime/errors.js";
import { inHostOrder } from "../numbers.js";

/** @import {Bytes} from "../bytes.js" */

const FIRST = 65_536;
const MAX_PIECE = 2 ** 23;
const MAX_BYTES = 2 ** 28; // a limit of this reader: headers with large vocabularies take tens of MB
const MAX_STRING = 2 ** 24;

/** Thrown when more bytes have to be read before an item is complete. */
class Short extends Error {
  /** @param {number} needed  from the beginning of the item */
  constructor(needed) {
    super();
    this.needed = needed;
  }
}

/**
 * Reads a header of unknown length in pieces of increasing size. Every claimed length is checked against the
 * size of the file first.
 */
export class Head {
  #bytes;
  #signal;
  /** The bytes that have been read and not yet released. */
  #piece = new Uint8Array(0);
  #view = new DataView(this.#piece.buffer);
  /** The offset of the piece in the file, and that of the next byte in the piece. */
  #from = 0;
  #at = 0;

  /** @param {Bytes} bytes @param {AbortSignal} [signal] */
  constructor(bytes, signal) {
    this.#bytes = bytes;
    this.#signal = signal;
  }

  /** The offset of the next byte in the file. */
  get place() {
    return this.#from + this.#at;
  }

  /** The number of bytes from the next one to the end of the file. */
  get left() {
    return this.#bytes.size - this.place;
  }

  /**
   * Reads an item. `take` is called again after more bytes have been read, so it must not have side effects.
   * @template T
   * @param {() => T} take
   * @returns {Promise<T>}
   */
  async take(take) {
    for (;;) {
      const begin = this.#at;
      try {
        return take();
      } catch (error) {
        if (!(error instanceof Short)) throw error;
        const needed = this.#at - begin + error.needed;
        this.#at = begin;
        await this.#readOn(needed);
      }
    }
  }

  /** @param {string} what */
  u32(what) {
    return this.#view.getUint32(this.#step(4, what), true);
  }

  /** @param {string} what */
  u64(what) {
    return this.#view.getBigUint64(this.#step(8, what), true);
  }

  /**
   * Reads a count of items, each of which takes at least `bytes` bytes.
   * @param {string} what @param {number} max @param {number} bytes
   */
  count(what, max, bytes) {
    const claim = this.u64(what);
    const fit = Math.min(max, Math.floor(this.left / bytes));
    if (claim > BigInt(fit)) {
      throw new FileError(
        "GGUF_COUNT",
        `${what} must be at most ${fit} in this file; got ${claim}`,
      );
    }
    return Number(claim);
  }

  /** @param {string} what */
  string(what) {
    const length = this.count(`length of ${what}`, MAX_STRING, 1);
    const at = this.#step(length, what);
    try {
      return utf8().decode(this.#piece.subarray(at, at + length));
    } catch (cause) {
      throw new FileError("GGUF_UTF8", `${what} must be UTF-8; got other bytes`, { cause });
    }
  }

  /**
   * Reads consecutive numbers.
   * @template T
   * @param {new (buffer: ArrayBuffer) => T} Kind @param {number} size  of one
   * @param {number} count @param {string} what
   */
  numbers(Kind, size, count, what) {
    const at = this.#step(size * count, what);
    const bytes = this.#piece.slice(at, at + size * count);
    inHostOrder(bytes, size, "little");
    return new Kind(bytes.buffer);
  }

  /** Makes sure that the given number of bytes has been read. @param {number} bytes @param {string} what */
  need(bytes, what) {
    this.#at = this.#step(bytes, what);
  }

  /** Skips some bytes and returns their offset in the piece. @param {number} bytes @param {string} what */
  #step(bytes, what) {
    if (bytes > this.left) {
      throw new FileError(
        "GGUF_LENGTH",
        `file must have ${bytes} more bytes for ${what}; got ${this.left}`,
      );
    }
    if (bytes > this.#piece.length - this.#at) throw new Short(bytes);
    const begin = this.#at;
    this.#at += bytes;
    return begin;
  }

  /** @param {number} needed  bytes from the next one on */
  async #readOn(needed) {
    const kept = this.#piece.subarray(this.#at);
    const from = this.place;
    const begin = from + kept.length;
    const size = Math.min(Math.max(FIRST, begin), MAX_PIECE); // as many as have been read
    const end = Math.min(Math.max(begin + size, from + needed), this.#bytes.size, MAX_BYTES);
    if (end < from + needed) {
      throw new FileError(
        "GGUF_LENGTH",
        `header must take at most ${MAX_BYTES} bytes; got at least ${from + needed}`,
      );
    }
    const piece = await this.#bytes.read(begin, end, { signal: this.#signal });
    this.#piece = new Uint8Array(kept.length + piece.length);
    this.#piece.set(kept);
    this.#piece.set(piece, kept.length);
    this.#view = new DataView(this.#piece.buffer);
    this.#from = from;
    this.#at = 0;
  }
}

/** Made when it is first used: jsdom has no such class. @type {TextDecoder | undefined} */
let strict;
const utf8 = () => (strict ??= new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }));
