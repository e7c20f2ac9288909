import { Flight } from "../../files/remote/flight.js";
import { signalOf } from "../../files/remote/settings.js";

/**
 * What is read once for all who ask, also at the same time. Who stops waiting fails alone; the reading
 * is stopped when nobody waits any more, and one that was stopped or failed begins anew for the next.
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
    signalOf(signal)?.throwIfAborted();
    if (kept) return kept.found;
    flight ??= new Flight(
      async (stop) => (kept = { found: await read(stop) }).found,
      () => (flight = undefined),
    );
    return flight.join({ signal });
  };
}
