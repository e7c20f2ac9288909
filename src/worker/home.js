/** Opens the worker of a remote phasor. Only this file knows the address of the worker. */
/* global Worker */
import { builtin } from "../runtime/builtin.js";
import { describe } from "../runtime/check.js";
import { LoadError } from "../runtime/errors.js";

/**
 * @typedef {object} Home
 * @property {Worker} worker
 * @property {boolean} isOurs  whether this package started it, and ends it with its phasor
 * @property {(why: string, cause?: unknown) => LoadError} refusal  creates the error of a worker that does not start
 */

/**
 * @param {unknown} worker  an address or a worker; undefined for the worker of the package
 * @param {string} name  shown in developer tools
 * @returns {Home}
 * @throws {TypeError} if worker is neither
 * @throws {LoadError} if the host has no workers or cannot start this one
 */
export function open(worker, name) {
  if (isWorker(worker)) {
    const refusal = words("phasor could not start in the worker");
    return { worker: /** @type {Worker} */ (worker), isOurs: false, refusal };
  }
  const address = worker === undefined ? undefined : readAddress(worker);
  const refusal =
    address === undefined
      ? words(
          "phasor could not start its worker",
          'give load({ worker }) the address of "phasor/worker-thread"',
        )
      : words(`phasor could not start its worker from ${address}`);
  try {
    return { worker: start(address, name), isOurs: true, refusal };
  } catch (cause) {
    throw refusal(/** @type {Error} */ (cause).message, cause);
  }
}

/** Whether a value is a worker or a port, and no address. @param {unknown} worker */
export function isWorker(worker) {
  return typeof (/** @type {any} */ (worker)?.postMessage) === "function";
}

/** @param {string} what @param {string} [advice] @returns {Home["refusal"]} */
function words(what, advice) {
  return (why, cause) =>
    new LoadError([`${what}: ${why}`, advice].filter(Boolean).join("; "), { cause });
}

/** @param {unknown} worker @returns {any} what `new Worker` takes */
function readAddress(worker) {
  const kind = Object.prototype.toString.call(worker).slice(8, -1);
  if (["String", "URL", "TrustedScriptURL"].includes(kind)) return worker;
  throw new TypeError(`worker must be a URL or a Worker; got ${describe(worker)}`);
}

/** @param {any} address @param {string} name @returns {Worker} */
function start(address, name) {
  if (typeof Worker !== "function") {
    const threads = builtin("node:worker_threads");
    if (!threads) throw new Error("this host has no workers");
    return new threads.Worker(new URL(address ?? beside()), { name, execArgv: [] });
  }
  if (isElsewhere(address ?? import.meta.url)) {
    // The script of a worker must have the origin of the page, but may import from another origin.
    const code = `import ${JSON.stringify(String(address ?? beside()))};`;
    const script = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    return new Worker(script, { type: "module", name });
  }
  if (address !== undefined) return new Worker(address, { type: "module", name });
  // Bundlers recognize exactly this expression.
  return new Worker(new URL("./worker-thread.js", import.meta.url), { type: "module", name });
}

/** Where it is beside this module, unknown to bundlers. */
function beside(base = import.meta.url) {
  return new URL("worker-thread.js", base);
}

/** Whether an address is of another origin than the page. @param {string | URL} address */
function isElsewhere(address) {
  const here = globalThis.location;
  const { protocol, origin } = new URL(address, here?.href);
  return here !== undefined && /^https?:$/.test(protocol) && origin !== here.origin;
}
