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
    const words = isOfTrust(cause)
      ? refusalOf("phasor could not start its worker", TRUSTED)
      : refusal;
    throw words(/** @type {Error} */ (cause).message, cause);
  }
}

/** Whether a page refused an address because it is no trusted one. @param {unknown} error */
const isOfTrust = (error) => /trusted/i.test(String(error));

/** Where an address is refused that is no trusted one, whatever it is. */
const TRUSTED =
  'allow a policy named "phasor" in the page\'s trusted-types directive, or pass a TrustedScriptURL or a Worker';

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
    address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  }
  const make = (/** @type {any} */ from) => new Worker(from, { type: "module", name });
  try {
    return address === undefined ? own(name) : make(address);
  } catch (error) {
    if (!isOfTrust(error)) throw error;
    return make(trusted(address ?? beside(), error));
  }
}

/** @type {any} */
let policy;

/**
 * An address for a page that takes trusted ones alone, if it allows this package's policy.
 * @param {string | URL} address @param {unknown} refused  what the page says of the address as it is
 */
function trusted(address, refused) {
  const rules = { createScriptURL: String };
  try {
    policy ??= /** @type {any} */ (globalThis).trustedTypes.createPolicy("phasor", rules);
  } catch {
    throw refused; // the page has other policies
  }
  return policy.createScriptURL(address);
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

/** Marks a worker's error as handled: Deno ends the program otherwise. Browsers would no longer print it. @param {any} event */
export function handled(event) {
  if ("Deno" in globalThis) event.preventDefault?.();
}

/**
 * The message target of this worker in browsers, Deno, Bun and Node.
 * @returns {Pick<EventTarget, "addEventListener"> | undefined} undefined where this is no worker
 */
export function thisWorker() {
  if (typeof postMessage === "function") return globalThis;
  return builtin("node:worker_threads")?.parentPort ?? undefined;
}
