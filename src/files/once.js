import { Flight } from "./remote/flight.js";
import { abortSignal } from "../runtime/check.js";

/**
 * Reads something once for all callers, including concurrent ones. A caller's signal stops only that caller's wait; the
 * read is aborted when no caller waits. After a failure or abort, the next call reads again.
 *
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} read
 * @returns {(signal?: AbortSignal) => Promise<T>}
 */
export function once(read) {
  /** @type {{found: T} | undefined} */
  let kept;
  /** @type {Flight<T> | undefined} */
  let flight;
  return async (signal) => {
    abortSignal(signal)?.throwIfAborted();
    if (kept) return kept.found;
    flight ??= new Flight(
      async (stop) => (kept = { found: await read(stop) }).found,
      () => (flight = undefined),
    );
    return flight.join({ signal });
  };
}
