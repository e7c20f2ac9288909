import { describe, finite, integer, options } from "../../runtime/check.js";
import { permitOf } from "./address.js";

/** @import { Settings } from "./get.js" */

/**
 * How files are read over the network.
 * @typedef {object} RemoteOptions
 * @property {typeof globalThis.fetch} [fetch]  asks; the platform's own by default. One that adds
 *   a header makes browsers ask the server's leave by an OPTIONS, which hubs' stores may refuse
 * @property {AbortSignal} [signal]  stops the opening; each read has one of its own
 * @property {readonly string[]} [origins]  from where else an answer may come by redirection:
 *   "https://example.org", or "*.example.org" for every host below it
 * @property {number} [timeout]  for how many milliseconds no byte may come: 30,000 by default
 * @property {number} [most]  how many bytes a file may have that is read whole, because its server
 *   knows no ranges: 8 MiB by default
 * @property {{memory?: number, storage?: number} | false} [cache]  how many bytes of each file are
 *   kept, in memory (32 MiB by default) and in Cache Storage where there is one (256 MiB); a piece
 *   of more than a quarter of that is not kept
 */

const MIB = 2 ** 20;
const MOST_BYTES = Number.MAX_SAFE_INTEGER;

/** Every option of `remote` with its default. */
export const DEFAULTS = Object.freeze({
  /** @type {RemoteOptions["fetch"]} */
  fetch: undefined,
  /** @type {AbortSignal | undefined} */
  signal: undefined,
  /** @type {readonly string[]} */
  origins: [],
  timeout: 30_000,
  most: 8 * MIB,
  /** @type {RemoteOptions["cache"]} */
  cache: {},
});

/**
 * @param {typeof DEFAULTS} wishes
 * @param {string} own  the origin that needs no leave
 * @param {readonly string[]} known  more of them
 * @returns {Settings}
 */
export function settingsOf(wishes, own, known = []) {
  const { fetch = globalThis.fetch, timeout, most, origins } = wishes;
  if (typeof fetch !== "function") {
    throw new TypeError(`fetch must be a function; got ${describe(fetch)}`);
  }
  const cache = wishes.cache === false ? { memory: 0, storage: 0 } : wishes.cache;
  const { memory, storage } = options(cache, { memory: 32 * MIB, storage: 256 * MIB }, "cache");
  const permits = [permitOf(origins, "origins", own), permitOf(known, "known", own)];
  return {
    fetch,
    timeout: finite(timeout, "timeout", "a positive number of milliseconds", (ms) => ms > 0),
    most: integer(most, "most", 0, MOST_BYTES),
    memory: integer(memory, "cache.memory", 0, MOST_BYTES),
    storage: integer(storage, "cache.storage", 0, MOST_BYTES),
    permit: (url) => permits.some((permit) => permit(url)),
    traffic: [],
  };
}

/**
 * @param {unknown} signal
 * @returns {AbortSignal | undefined}
 */
export function signalOf(signal) {
  const it = /** @type {AbortSignal | undefined} */ (signal);
  if (it === undefined || typeof it?.addEventListener === "function") return it;
  throw new TypeError(`signal must be an AbortSignal; got ${describe(signal)}`);
}
