/** Starts workers in browsers and in Node. */
/* global Worker */
import { builtin } from "./builtin.js";
import { describe } from "./check.js";
import { LoadError } from "./errors.js";

/**
 * A script of the package that runs in a worker.
 * @typedef {object} Script
 * @property {string} base  the address of the entry that it is beside: `import.meta.url`
 * @property {string} file  its name
 * @property {(name: string) => Worker} own  starts it, by the expression that bundlers recognize
 * @property {string} rule  what the option `worker` may be
 * @property {string} advice  what to do where it does not start
 */

/**
 * A worker that starts.
 * @typedef {object} Started
 * @property {Worker} worker
 * @property {(why: string, cause?: unknown) => LoadError} refusal  creates the error of a worker that does not start
 */

/**
 * Starts a worker.
 * @param {Script} script
 * @param {unknown} given  the address of another script; undefined for this one
 * @param {string} name  shown in developer tools
 * @returns {Started}
 * @throws {TypeError} if it is no address
 * @throws {LoadError} if the host has no workers or cannot start this one
 */
export function startWorker(script, given, name) {
  const address = given === undefined ? undefined : readAddress(given, script.rule);
  const refusal =
    address === undefined
      ? refusalOf("phasor could not start its worker", script.advice)
      : refusalOf(`phasor could not start its worker from ${address}`);
  try {
    return { worker: start(script, address, name), refusal };
  } catch (cause) {
    throw refusal(/** @type {Error} */ (cause).message, cause);
  }
}

/** @param {string} what @param {string} [advice] @returns {Started["refusal"]} */
export function refusalOf(what, advice) {
  return (why, cause) =>
    new LoadError([`${what}: ${why}`, advice].filter(Boolean).join("; "), { cause });
}

/** @param {unknown} worker @param {string} rule @returns {any} what `new Worker` takes */
function readAddress(worker, rule) {
  const kind = Object.prototype.toString.call(worker).slice(8, -1);
  if (["String", "URL", "TrustedScriptURL"].includes(kind)) return worker;
  throw new TypeError(`worker must be ${rule}; got ${describe(worker)}`);
}

/** @param {Script} script @param {any} address @param {string} name @returns {Worker} */
function start({ base, file, own }, address, name) {
  const beside = () => new URL(file, base); // unknown to bundlers
  if (typeof Worker !== "function") {
    const threads = builtin("node:worker_threads");
    if (!threads) throw new Error("this host has no workers");
    return new threads.Worker(new URL(address ?? beside()), { name, execArgv: [] });
  }
  if (isElsewhere(address ?? base)) {
    // The script of a worker must have the origin of the page, but may import from another origin.
    const code = `import ${JSON.stringify(String(address ?? beside()))};`;
    const script = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    return new Worker(script, { type: "module", name });
  }
  return address === undefined ? own(name) : new Worker(address, { type: "module", name });
}

/** Whether an address is of another origin than the page. @param {string | URL} address */
function isElsewhere(address) {
  const here = globalThis.location;
  const { protocol, origin } = new URL(address, here?.href);
  return here !== undefined && /^https?:$/.test(protocol) && origin !== here.origin;
}

/** Adds a listener in browsers and in Node. @param {any} worker @param {string} kind @param {(event: any) => void} heard */
export function listen(worker, kind, heard) {
  if (worker.addEventListener) worker.addEventListener(kind, heard);
  else worker.on(kind, heard);
}

/**
 * The message target of this worker in browsers, Deno, Bun and Node.
 * @returns {Pick<EventTarget, "addEventListener"> | undefined} undefined where this is no worker
 */
export function thisWorker() {
  if (typeof postMessage === "function") return globalThis;
  return builtin("node:worker_threads")?.parentPort ?? undefined;
}
