import { describe, finite, integer, options } from "../../runtime/check.js";
import { permitOf } from "./address.js";

/** @import { Settings } from "./get.js" */

/**
 * Options for reading files over the network.
 * @typedef {object} RemoteOptions
 * @property {typeof globalThis.fetch} [fetch]  sends the requests to the address's own origin. Default: the platform's
 *   `fetch`, which also follows redirections to other origins, without the headers that a `fetch` adds. Browsers follow
 *   them by themselves, with these headers but Authorization, and send an OPTIONS request first, which the storage of
 *   hubs may refuse
 * @property {AbortSignal} [signal]  aborts the opening; each read has a separate signal
 * @property {readonly string[]} [origins]  further origins to which the server may redirect:
 *   "https://example.org", or "*.example.org" for every subdomain. Others are asked nothing; browsers, which do not show
 *   where a redirection leads, ask them once, and nothing of the answer is read
 * @property {number} [timeout]  the maximal time without a byte, in milliseconds. Default: 30,000
 * @property {number} [maxBytes]  the maximal size of a file that is read as a whole because its server does not
 *   support ranges. Default: 8 MiB
 * @property {{memory?: number, storage?: number} | false} [cache]  the number of bytes of each file
 *   to cache in memory (default: 32 MiB) and in Cache Storage where available (default: 256 MiB). A piece of more
 *   than a quarter of that is not cached
 */

const MIB = 2 ** 20;
const MAX_BYTES = Number.MAX_SAFE_INTEGER;

/** The options of `remote` with their defaults. */
export const DEFAULTS = Object.freeze({
  /** @type {RemoteOptions["fetch"]} */
  fetch: undefined,
  /** @type {AbortSignal | undefined} */
  signal: undefined,
  /** @type {readonly string[]} */
  origins: [],
  timeout: 30_000,
  maxBytes: 8 * MIB,
  /** @type {RemoteOptions["cache"]} */
  cache: {},
});

/**
 * @param {typeof DEFAULTS} wishes
 * @param {string} own  an origin that is always allowed
 * @param {readonly string[]} known  further allowed origins
 * @returns {Settings}
 */
export function settingsOf(wishes, own, known = []) {
  const { fetch = globalThis.fetch, timeout, maxBytes, origins } = wishes;
  if (typeof fetch !== "function") {
    throw new TypeError(`fetch must be a function; got ${describe(fetch)}`);
  }
  const cache = wishes.cache === false ? { memory: 0, storage: 0 } : wishes.cache;
  const { memory, storage } = options(cache, { memory: 32 * MIB, storage: 256 * MIB }, "cache");
  const permits = [permitOf(origins, "origins", own), permitOf(known, "known", own)];
  return {
    fetch,
    timeout: finite(timeout, "timeout", "a positive number of milliseconds", (ms) => ms > 0),
    maxBytes: integer(maxBytes, "maxBytes", 0, MAX_BYTES),
    memory: integer(memory, "cache.memory", 0, MAX_BYTES),
    storage: integer(storage, "cache.storage", 0, MAX_BYTES),
    permit: (url) => permits.some((permit) => permit(url)),
    traffic: [],
  };
}
