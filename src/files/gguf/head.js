import { FileError } from "../../runtime/errors.js";
import { inHostOrder } from "../numbers.js";

/** @import {Bytes} from "../bytes.js" */

const FIRST = 65_536;
const MOST_AT_ONCE = 2 ** 23;
const MOST_BYTES = 2 ** 28; // ours: headers with large vocabularies take tens of MB
const MOST_STRING = 2 ** 24;

/** More bytes have to be read before something can be taken. */
class Short extends Error {
  /** @param {number} needed  from where it begins */
  constructor(needed) {
    super();
    this.needed = needed;
  }
}

/**
 * The beginning of a file, which ends nobody knows where: read in pieces that double, as far as it is
 * asked for. What is taken is checked against the size of the whole file first.
 */
export class Head {
  #bytes;
  #signal;
  /** What has been read and not yet left behind. */
  #piece = new Uint8Array(0);
  #view = new DataView(this.#piece.buffer);
  /** Where the piece begins in the file, and where the next sign is in the piece. */
  #from = 0;
  #at = 0;

  /** @param {Bytes} bytes @param {AbortSignal} [signal] */
  constructor(bytes, signal) {
    this.#bytes = bytes;
    this.#signal = signal;
  }

  /** Where in the file the next byte is. */
  get place() {
    return this.#from + this.#at;
  }

  /** How many bytes of the file are still to come. */
  get left() {
    return this.#bytes.size - this.place;
  }

  /**
   * Take something. It begins anew when more has to be read for it, so it must not do anything else.
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
   * How many of something follow, each of which takes some bytes at least.
   * @param {string} what @param {number} most @param {number} bytes
   */
  count(what, most, bytes) {
    const claim = this.u64(what);
    const fit = bytes === 0 ? most : Math.min(most, Math.floor(this.left / bytes));
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
    const length = this.count(`length of ${what}`, MOST_STRING, 1);
    const at = this.#step(length, what);
    try {
      return UTF8.decode(this.#piece.subarray(at, at + length));
    } catch (cause) {
      throw new FileError("GGUF_UTF8", `${what} must be UTF-8; got other bytes`, { cause });
    }
  }

  /**
   * Numbers, one after the other.
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

  /** Read on now if so many bytes are not at hand. @param {number} bytes @param {string} what */
  need(bytes, what) {
    this.#at = this.#step(bytes, what);
  }

  /** Step over some bytes and say where in the piece they begin. @param {number} bytes @param {string} what */
  #step(bytes, what) {
    if (bytes > this.left) {
      throw new FileError(
        "GGUF_LENGTH",
        `file must hold ${what}, ${bytes} bytes; got ${this.left} to its end`,
      );
    }
    if (bytes > this.#piece.length - this.#at) throw new Short(bytes);
    const begin = this.#at;
    this.#at += bytes;
    return begin;
  }

  /** @param {number} needed  bytes from the next sign on */
  async #readOn(needed) {
    const kept = this.#piece.subarray(this.#at);
    const from = this.place;
    const begin = from + kept.length;
    const size = Math.min(Math.max(FIRST, begin), MOST_AT_ONCE); // as much again as so far
    const end = Math.min(Math.max(begin + size, from + needed), this.#bytes.size, MOST_BYTES);
    if (end < from + needed) {
      throw new FileError(
        "GGUF_LENGTH",
        `header must take at most ${MOST_BYTES} bytes; got ${from + needed} and more`,
      );
    }
    this.#signal?.throwIfAborted();
    const piece = await this.#bytes.read(begin, end, { signal: this.#signal });
    this.#piece = new Uint8Array(kept.length + piece.length);
    this.#piece.set(kept);
    this.#piece.set(piece, kept.length);
    this.#view = new DataView(this.#piece.buffer);
    this.#from = from;
    this.#at = 0;
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
