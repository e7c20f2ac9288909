/** Opens the worker of a remote phasor. Only this file knows the address of the worker. */
/* global Worker */
import { refusalOf, startWorker } from "../runtime/threads.js";

/** @import { Script, Started } from "../runtime/threads.js" */

/**
 * @typedef {object} Home
 * @property {Worker} worker
 * @property {boolean} isOurs  whether this package started it, and ends it with its phasor
 * @property {() => Home} [again]  opens another one like it, if it is ours
 * @property {Started["refusal"]} refusal  creates the error of a worker that does not start
 */

/** @type {Script} */
const script = {
  base: import.meta.url,
  file: "worker-thread.js",
  // Bundlers recognize exactly this expression.
  own: (name) =>
    new Worker(new URL("./worker-thread.js", import.meta.url), { type: "module", name }),
  rule: "a URL or a Worker",
  advice: 'give load({ worker }) the address of "phasor/worker-thread"',
};

/**
 * @param {unknown} worker  an address or a worker; undefined for the worker of the package
 * @param {string} name  shown in developer tools
 * @returns {Home}
 * @throws {TypeError} if worker is neither
 * @throws {LoadError} if the host has no workers or cannot start this one
 */
export function open(worker, name) {
  if (!isWorker(worker)) {
    const again = () => open(worker, name);
    return { ...startWorker(script, worker, name), isOurs: true, again };
  }
  const refusal = refusalOf("phasor could not start in the worker");
  return { worker: /** @type {Worker} */ (worker), isOurs: false, refusal };
}

/** Whether a value is a worker or a port, and no address. @param {unknown} worker */
export function isWorker(worker) {
  return typeof (/** @type {any} */ (worker)?.postMessage) === "function";
}
