/**
 * Sends one GET request and reads its response. Requests are such that browsers send no OPTIONS request first: one
 * plain range and no custom header.
 */
import { kindOf } from "../../runtime/arrays.js";
import { describe } from "../../runtime/check.js";
import { RemoteError } from "../../runtime/errors.js";
import { allocate } from "../bytes.js";
import { parsed, shown } from "./address.js";

/** @import { Use } from "../bytes.js" */
/** @import { Permit } from "./address.js" */

/**
 * @typedef {{requests: number, bytesRead: number}} Traffic  counters of network use
 *
 * @typedef {object} Settings
 * @property {typeof globalThis.fetch} fetch
 * @property {number} timeout  maximal time without a byte, milliseconds
 * @property {Permit} permit  whether a response may come from an origin
 * @property {number} maxBytes  bytes of a file that is read as a whole
 * @property {number} memory  bytes of a file to cache in memory
 * @property {number} storage  bytes of a file to cache in Cache Storage
 * @property {Traffic[]} traffic  the counters to increment
 * @property {string} [commit]  of the hub's model that a response may name
 *
 * @typedef {AsyncIterable<Uint8Array<ArrayBuffer>>} Chunks  of a response body
 */

const LONGEST_TIMER = 2 ** 31 - 1;

const MOVED = [301, 302, 303, 307, 308];
const MOST_HOPS = 20; // as the platforms' own fetch

/**
 * Requests a file or a range of it. The unread rest of the response is cancelled.
 *
 * @template T
 * @param {URL} address
 * @param {Settings} settings
 * @param {{begin?: number, end?: number, signal?: AbortSignal}} wish  bytes begin to end - 1
 * @param {(response: Response, chunks: Chunks) => Promise<T>} use
 * @returns {Promise<T>}
 * @throws {RemoteError} REMOTE_NETWORK, REMOTE_STALLED, REMOTE_ORIGIN, or what `use` throws
 */
export async function get(address, settings, { begin, end, signal }, use) {
  signal?.throwIfAborted();
  const { fetch, timeout, permit, traffic, commit } = settings;
  const controller = new AbortController();
  const stop = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", stop);
  /** Rejects the current wait. @type {(reason: unknown) => void} */
  let giveUp = () => {};
  controller.signal.addEventListener("abort", () => giveUp(controller.signal.reason));

  /** @param {string} code @param {string} rule @param {unknown} [got] @param {unknown} [cause] */
  const failure = (code, rule, got = "none", cause) =>
    new RemoteError(`REMOTE_${code}`, `${shown(address)} must ${rule}; got ${got}`, { cause });

  let came = 0;
  /**
   * Waits for a promise unless aborted first: a custom `fetch` may ignore its signal.
   * @template Value @param {Promise<Value>} promised @returns {Promise<Value>}
   */
  const awaited = async (promised) => {
    const stall = () => controller.abort(failure("STALLED", `send a byte ${within(timeout)}`));
    const timer = timeout <= LONGEST_TIMER ? setTimeout(stall, timeout) : undefined;
    try {
      // Promise.race with one long-lived promise would keep every chunk in memory.
      return await new Promise((resolve, reject) => {
        giveUp = reject;
        if (controller.signal.aborted) reject(controller.signal.reason);
        Promise.resolve(promised).then(resolve, reject);
      });
    } catch (cause) {
      if (controller.signal.aborted) throw controller.signal.reason;
      const why = describe(reasonOf(cause));
      throw failure("NETWORK", "answer to the end", `${why} after ${came} bytes`, cause);
    } finally {
      clearTimeout(timer);
    }
  };

  /** @param {Response} response @returns {AsyncGenerator<Uint8Array<ArrayBuffer>>} */
  async function* chunksOf({ body }) {
    const reader = body?.getReader();
    if (!reader) return;
    try {
      for (;;) {
        const { done, value } = await awaited(reader.read());
        if (done) return;
        if (kindOf(value) !== "Uint8Array") throw failure("NETWORK", "send bytes", describe(value));
        came += value.length;
        for (const counts of traffic) counts.bytesRead += value.length;
        yield value;
      }
    } finally {
      reader.cancel().catch(() => {});
      reader.releaseLock();
    }
  }

  /** @type {Response | undefined} */
  let response;

  /** @param {URL} at @param {RequestInit} init */
  const sent = async (at, init) => {
    // A caller's fetch may add headers, which are for the origin that the caller has named.
    const send = at.origin === address.origin ? fetch : globalThis.fetch;
    const answer = await awaited(send(at.href, init));
    if (typeof answer?.headers?.get !== "function") {
      throw new TypeError(`fetch must return a Response; got ${describe(answer)}`);
    }
    response = answer;
    return answer;
  };

  /** Follows redirections to permitted origins alone, where the platform shows where they lead. */
  const followed = async () => {
    /** @type {RequestInit} */
    const init = {
      headers: end === undefined ? {} : { Range: `bytes=${begin}-${end - 1}` },
      credentials: "omit",
      cache: "no-store", // the browser's cache would store the bytes twice and serialize range requests
      signal: controller.signal,
    };
    const shows = showsRedirects();
    let at = address;
    for (let hop = 0; hop <= MOST_HOPS; ++hop) {
      let answer = await sent(at, shows ? { ...init, redirect: "manual" } : init);
      if (answer.type === "opaqueredirect") answer = await sent(at, init);
      const { url, status, headers } = answer;
      const from = permitted(url === "" ? at.href : url, at);
      const named = headers.get("x-repo-commit");
      if (commit !== undefined && named !== null && named !== commit) {
        throw failure("ANSWER", `answer for commit ${commit}`, describe(named));
      }
      const location = MOVED.includes(status) ? headers.get("location") : null;
      if (location === null) return answer;
      answer.body?.cancel().catch(() => {});
      at = permitted(location, from);
    }
    throw failure("NETWORK", `redirect at most ${MOST_HOPS} times`, "more");
  };

  /** @param {string} url @param {URL} base */
  const permitted = (url, base) => {
    const to = parsed(url, base.href);
    if (to !== undefined && permit(to)) return to;
    const got = to === undefined ? "none" : shown(to);
    throw failure("ORIGIN", "redirect to https and allowed origins only", got);
  };

  try {
    for (const counts of traffic) ++counts.requests;
    const answer = await followed();
    return await use(answer, chunksOf(answer));
  } finally {
    signal?.removeEventListener("abort", stop);
    response?.body?.cancel().catch(() => {});
    controller.abort(); // stops the transfer of the unread rest
  }
}

/**
 * Whether fetch shows where a redirection leads, before it is followed: so do Node, Deno and Bun. Browsers show nothing of
 * it, so that the origin can be checked only after they have followed it.
 */
function showsRedirects() {
  return typeof (/** @type {any} */ (globalThis).process?.versions?.node) === "string";
}

/**
 * Why a request failed. Node's fetch says "fetch failed" and has the reason in its cause.
 * @param {any} error
 */
function reasonOf(error) {
  const inner = error?.cause?.message || error?.cause?.code;
  return inner ? `${error.message}: ${inner}` : (error?.message ?? error);
}

/**
 * Reads a body of exactly the given length.
 *
 * @param {Chunks} chunks @param {number} length @param {URL} address  for messages
 * @param {(done: number, total: number) => void} [progress]
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export async function exactly(chunks, length, address, progress) {
  const bytes = allocate(Uint8Array, length, `${length} bytes of ${shown(address)}`);
  await each(chunks, length, address, (chunk, at) => {
    bytes.set(chunk, at);
    progress?.(at + chunk.length, length);
  });
  return bytes;
}

/**
 * Passes on a body of exactly the given length in chunks.
 *
 * @param {Chunks} chunks @param {number} length @param {URL} address  for messages @param {Use} use
 */
export async function each(chunks, length, address, use) {
  const rule = `${shown(address)} must send the announced ${length} bytes`;
  let at = 0;
  for await (const chunk of chunks) {
    if (at + chunk.length > length) throw new RemoteError("REMOTE_LONG", `${rule}; got more`);
    await use(chunk, at);
    at += chunk.length;
  }
  if (at < length) throw new RemoteError("REMOTE_SHORT", `${rule}; got ${at}`);
}

/**
 * Reads a body of any length up to a limit.
 *
 * @param {Response} response @param {Chunks} chunks @param {number} maxBytes
 * @returns {Promise<Uint8Array<ArrayBuffer> | undefined>} undefined if it is longer
 */
export async function upTo(response, chunks, maxBytes) {
  if (Number(response.headers.get("content-length")) > maxBytes) return undefined;
  const parts = [];
  let length = 0;
  for await (const chunk of chunks) {
    if ((length += chunk.length) > maxBytes) return undefined;
    parts.push(chunk);
  }
  const bytes = allocate(Uint8Array, length, `${length} bytes`);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** @param {number} ms */
const within = (ms) => `within ${ms < 1000 ? `${ms} ms` : `${ms / 1000} s`}`;

/** The usual meaning of a status for files. @type {Record<number, string>} */
const MEANING = {
  401: "not there, private, or gated",
  403: "forbidden",
  404: "not there",
  416: "no such range",
  429: "too many requests",
};

/**
 * @param {Response} response @param {URL} address
 */
export function refused({ status, headers }, address) {
  const seconds = headers.get("retry-after") ?? "";
  const retryAfter = /^\d{1,9}$/.test(seconds) ? Number(seconds) : undefined;
  const named = headers.get("x-error-code") ?? ""; // of a hub: RepoNotFound, GatedRepo, ...
  const words = [
    MEANING[status] ?? (status >= 500 ? "the server's own failure" : ""),
    /^\w{1,40}$/.test(named) ? named : "",
    retryAfter === undefined ? "" : `again in ${retryAfter} s`,
  ].filter((word) => word !== "");
  const got = words.length > 0 ? `${status} (${words.join("; ")})` : status;
  const message = `${shown(address)} must return the file; got ${got}`;
  return new RemoteError("REMOTE_STATUS", message, { status, retryAfter });
}
