/** Asks several workers at once. */
import { arraysIn, empty, unmark } from "./arguments.js";

/**
 * Makes calls in several workers with the same arguments. Each copies its arguments before it waits: what the caller
 * changes later has no effect. Arrays to be moved are empty afterwards.
 * @template Result
 * @param {readonly unknown[]} values  the arguments as the caller gave them
 * @param {readonly (() => Promise<Result>)[]} calls
 * @returns {Promise<Result[]>}
 */
export async function together(values, calls) {
  const moved = values.flatMap((value) => arraysIn(value)).filter(unmark);
  const asked = calls.map(async (call) => call());
  empty(moved);
  try {
    return await Promise.all(asked);
  } catch (error) {
    for (const each of asked) void each.then(release, () => {});
    throw error;
  }
}

/**
 * What a call in several workers gives, unless a signal is aborted before: then they go on, and nobody gets the result.
 * @template Result
 * @param {Promise<Result>} given @param {AbortSignal} signal
 * @returns {Promise<Result>}
 */
export function unlessAborted(given, signal) {
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(signal.reason);
      void given.then(release, () => {});
    };
    signal.addEventListener("abort", abort, { once: true });
    const heard = () => signal.removeEventListener("abort", abort);
    void given.finally(heard).then(resolve, reject);
  });
}

/** Disposes of a result that nobody gets, if it is an object in a worker. @param {any} result */
const release = (result) => result?.dispose?.();

/**
 * What a function returns; undefined if it throws. Arguments that cannot be read are left to a worker, which says what
 * is wrong with them.
 * @template Result
 * @param {() => Result} read
 */
export function attempt(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}
