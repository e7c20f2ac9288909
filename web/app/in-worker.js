/** @import { RemotePhasor } from "phasor/worker" */
import { DisposedError, load } from "phasor/worker";
import { trusted } from "./trusted.js";

/** How long a stopped computation may go on before its worker is ended, ms. */
const PATIENCE = 100;

/** The modules that the worker has (`thread` in web/vite.config.js). @typedef {Pick<RemotePhasor, keyof import("phasor/analysis").Analysis>} Remote */

/** The worker of the page, from the first call on. @type {Promise<RemotePhasor> | undefined} */
let current;

/**
 * Computes with phasor/worker. A long computation that is stopped ends the worker: what else it had to do is computed
 * in another.
 *
 * @template Result
 * @param {(phasor: Remote) => Promise<Result>} compute  may run again
 * @param {AbortSignal} [signal]
 * @returns {Promise<Result>}
 * @throws {unknown} what `compute` throws, why the worker cannot start, or the reason of the signal
 */
export async function inWorker(compute, signal) {
  signal?.throwIfAborted();
  const phasor = (current ??= load({ worker: trusted("thread") }));
  const result = phasor.then(compute);
  const stopped = new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  try {
    return await /** @type {Promise<Result>} */ (Promise.race([result, stopped]));
  } catch (error) {
    if (signal?.aborted) {
      const timer = setTimeout(end, PATIENCE, phasor);
      result.catch(() => {}).finally(() => clearTimeout(timer));
    } else if (error instanceof DisposedError) {
      return inWorker(compute, signal); // another computation has ended the worker
    } else if (!(error instanceof TypeError || error instanceof RangeError)) {
      end(phasor); // it could not start, or has failed
    }
    throw error;
  }
}

/** @param {Promise<RemotePhasor>} phasor */
function end(phasor) {
  if (current === phasor) current = undefined;
  phasor.then(({ dispose }) => dispose()).catch(() => {});
}
