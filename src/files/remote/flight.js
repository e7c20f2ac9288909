/** @import { Reading } from "../bytes.js" */

/**
 * @typedef {object} Waiter
 * @property {(bytes: Uint8Array<ArrayBuffer>) => void} resolve
 * @property {(error: unknown) => void} reject
 * @property {Reading["progress"]} progress
 */

/** A read that is under way, for all who wait for it. It is stopped when nobody does any more. */
export class Flight {
  /** @type {Set<Waiter>} */
  #waiters = new Set();
  #controller = new AbortController();
  #over;

  /**
   * @param {(signal: AbortSignal, progress: (done: number, total: number) => void) => Promise<Uint8Array<ArrayBuffer>>} read
   * @param {() => void} over  is called once nobody may join any more
   */
  constructor(read, over) {
    this.#over = over;
    read(this.#controller.signal, (done, total) => this.#tell(done, total)).then(
      (bytes) => this.#land(bytes),
      (error) => this.#fail(error),
    );
  }

  /**
   * Wait for it too.
   * @param {Reading} reading
   * @returns {Promise<Uint8Array<ArrayBuffer>>} the caller's own
   */
  join({ signal, progress }) {
    return new Promise((resolve, reject) => {
      const stop = () => waiter.reject(signal?.reason);
      const leave = () => {
        signal?.removeEventListener("abort", stop);
        this.#waiters.delete(waiter);
        if (this.#waiters.size > 0) return;
        this.#over();
        this.#controller.abort();
      };
      const waiter = {
        resolve: (/** @type {Uint8Array<ArrayBuffer>} */ bytes) => (leave(), resolve(bytes)),
        reject: (/** @type {unknown} */ error) => (leave(), reject(error)),
        progress,
      };
      signal?.addEventListener("abort", stop);
      this.#waiters.add(waiter);
    });
  }

  /** Who does not want to hear it gets the error that was thrown. @param {number} done @param {number} total */
  #tell(done, total) {
    for (const waiter of this.#waiters) {
      try {
        waiter.progress?.(done, total);
      } catch (error) {
        waiter.reject(error);
      }
    }
  }

  /** @param {Uint8Array<ArrayBuffer>} bytes */
  #land(bytes) {
    let own = bytes;
    for (const { resolve } of this.#waiters) {
      resolve(own);
      own = this.#waiters.size > 0 ? bytes.slice() : bytes; // nobody has touched them yet
    }
  }

  /** @param {unknown} error */
  #fail(error) {
    for (const { reject } of this.#waiters) reject(error);
  }
}
