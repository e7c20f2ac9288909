/** @import { Reading } from "../bytes.js" */

/**
 * @template T
 * @typedef {object} Waiter
 * @property {(read: T) => void} resolve
 * @property {(error: unknown) => void} reject
 * @property {Reading["progress"]} progress
 */

/**
 * A read in progress that several callers share. It is aborted when the last caller stops waiting.
 * @template T
 */
export class Flight {
  /** @type {Set<Waiter<T>>} */
  #waiters = new Set();
  #controller = new AbortController();
  #over;
  #copy;

  /**
   * @param {(signal: AbortSignal, progress: (done: number, total: number) => void) => Promise<T>} read
   * @param {() => void} over  called when no further caller can join
   * @param {(read: T) => T} [copy]  copies the result for each caller but the first; without it, all callers get the same object
   */
  constructor(read, over, copy = (same) => same) {
    this.#over = over;
    this.#copy = copy;
    read(this.#controller.signal, (done, total) => this.#tell(done, total)).then(
      (found) => this.#land(found),
      (error) => this.#fail(error),
    );
  }

  /**
   * Waits for the result.
   * @param {Reading} reading
   * @returns {Promise<T>}
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
        resolve: (/** @type {T} */ found) => (leave(), resolve(found)),
        reject: (/** @type {unknown} */ error) => (leave(), reject(error)),
        progress,
      };
      signal?.addEventListener("abort", stop);
      this.#waiters.add(waiter);
    });
  }

  /** Rejects a caller whose progress callback throws. @param {number} done @param {number} total */
  #tell(done, total) {
    for (const waiter of this.#waiters) {
      try {
        waiter.progress?.(done, total);
      } catch (error) {
        waiter.reject(error);
      }
    }
  }

  /** @param {T} found */
  #land(found) {
    let own = found;
    for (const { resolve } of this.#waiters) {
      resolve(own);
      own = this.#waiters.size > 0 ? this.#copy(found) : found; // the first caller gets the original
    }
  }

  /** @param {unknown} error */
  #fail(error) {
    for (const { reject } of this.#waiters) reject(error);
  }
}
