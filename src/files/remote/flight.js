/** @import { Reading } from "../bytes.js" */

/**
 * @template T
 * @typedef {object} Waiter
 * @property {(read: T) => void} resolve
 * @property {(error: unknown) => void} reject
 * @property {Reading["progress"]} progress
 */

/**
 * A read that is under way, for all who wait for it. It is stopped when nobody does any more.
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
   * @param {() => void} over  is called once nobody may join any more
   * @param {(read: T) => T} [copy]  for each but the first; without it, they all get the same
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
   * Wait for it too.
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

  /** @param {T} found */
  #land(found) {
    let own = found;
    for (const { resolve } of this.#waiters) {
      resolve(own);
      own = this.#waiters.size > 0 ? this.#copy(found) : found; // nobody has touched it yet
    }
  }

  /** @param {unknown} error */
  #fail(error) {
    for (const { reject } of this.#waiters) reject(error);
  }
}
