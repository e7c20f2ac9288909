/**
 * One GET, from the question to the last byte of the answer. Nothing is asked for that would make a
 * browser send an OPTIONS first: no other method, one plain range, no header of our own.
 */
import { describe } from "../../runtime/check.js";
import { RemoteError } from "../../runtime/errors.js";
import { allocate } from "../bytes.js";
import { shown } from "./address.js";

/** @import { Use } from "../bytes.js" */
/** @import { Permit } from "./address.js" */

/**
 * @typedef {{requests: number, bytesRead: number}} Traffic  what has been asked for, what has come
 *
 * @typedef {object} Settings
 * @property {typeof globalThis.fetch} fetch
 * @property {number} timeout  milliseconds without a byte
 * @property {Permit} permit  where an answer may come from
 * @property {number} most  bytes of a file that is read whole
 * @property {number} memory  bytes of a file that are kept there @property {number} storage
 * @property {Traffic[]} traffic  what counts along
 *
 * @typedef {AsyncIterable<Uint8Array<ArrayBuffer>>} Chunks  of a body, as they come
 */

const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Ask for a file or a range of it. Whatever is not read of the answer is cancelled.
 *
 * @template T
 * @param {URL} address
 * @param {Settings} settings
 * @param {{begin?: number, end?: number, signal?: AbortSignal}} wish  bytes begin to end - 1
 * @param {(response: Response, chunks: Chunks) => Promise<T>} use
 * @returns {Promise<T>}
 * @throws {RemoteError} REMOTE_NETWORK, REMOTE_STALLED, REMOTE_ORIGIN, or what `use` throws
 */
export async function get(address, settings, { begin = 0, end, signal }, use) {
  signal?.throwIfAborted();
  const { fetch, timeout, permit, traffic } = settings;
  const controller = new AbortController();
  const stop = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", stop);
  /** Ends the waiting for what was promised last. @type {(reason: unknown) => void} */
  let giveUp = () => {};
  controller.signal.addEventListener("abort", () => giveUp(controller.signal.reason));

  /** @param {string} code @param {string} rule @param {unknown} [got] @param {unknown} [cause] */
  const failure = (code, rule, got = "none", cause) =>
    new RemoteError(`REMOTE_${code}`, `${shown(address)} must ${rule}; got ${got}`, { cause });

  let came = 0;
  /**
   * What the platform promises, unless we are stopped first: not every `fetch` that a caller gives
   * heeds a signal.
   * @template Value @param {Promise<Value>} promised @returns {Promise<Value>}
   */
  const awaited = async (promised) => {
    const stall = () => controller.abort(failure("STALLED", `send a byte within ${timeout} ms`));
    const timer = timeout <= LONGEST_TIMER ? setTimeout(stall, timeout) : undefined;
    try {
      // Promise.race with one promise of the end would hold every chunk that ever came before it.
      return await new Promise((resolve, reject) => {
        giveUp = reject;
        if (controller.signal.aborted) reject(controller.signal.reason);
        Promise.resolve(promised).then(resolve, reject);
      });
    } catch (cause) {
      if (controller.signal.aborted) throw controller.signal.reason;
      const why = describe(/** @type {any} */ (cause)?.message ?? cause);
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
  try {
    for (const counts of traffic) ++counts.requests;
    response = await awaited(
      fetch(address.href, {
        headers: end === undefined ? {} : { Range: `bytes=${begin}-${end - 1}` },
        credentials: "omit",
        cache: "no-store", // the browser's own would keep it twice, and let ranges wait in line
        signal: controller.signal,
      }),
    );
    const from = response.url === "" ? address : new URL(response.url);
    if (!permit(from)) {
      throw failure("ORIGIN", "send us to https and allowed origins only", shown(from));
    }
    return await use(response, chunksOf(response));
  } finally {
    signal?.removeEventListener("abort", stop);
    response?.body?.cancel().catch(() => {});
    controller.abort(); // what is not read is not sent either
  }
}

/**
 * A body of a known length, not a byte more or less.
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
 * The same as it comes.
 *
 * @param {Chunks} chunks @param {number} length @param {URL} address  for messages @param {Use} use
 */
export async function each(chunks, length, address, use) {
  const rule = `${shown(address)} must send the ${length} bytes that it announces`;
  let at = 0;
  for await (const chunk of chunks) {
    if (at + chunk.length > length) throw new RemoteError("REMOTE_LONG", `${rule}; got more`);
    await use(chunk, at);
    at += chunk.length;
  }
  if (at < length) throw new RemoteError("REMOTE_SHORT", `${rule}; got ${at}`);
}

/**
 * A body of any length up to a limit.
 *
 * @param {Response} response @param {Chunks} chunks @param {number} most
 * @returns {Promise<Uint8Array<ArrayBuffer> | undefined>} undefined if it is longer
 */
export async function upTo(response, chunks, most) {
  if (Number(response.headers.get("content-length")) > most) return undefined;
  const parts = [];
  let length = 0;
  for await (const chunk of chunks) {
    if ((length += chunk.length) > most) return undefined;
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

/** What a status usually means where files lie. @type {Record<number, string>} */
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
  const named = headers.get("x-error-code") ?? ""; // a hub's: RepoNotFound, GatedRepo, ...
  const words = [
    MEANING[status] ?? (status >= 500 ? "the server's own failure" : ""),
    /^\w{1,40}$/.test(named) ? named : "",
    retryAfter === undefined ? "" : `again in ${retryAfter} s`,
  ].filter((word) => word !== "");
  const got = words.length > 0 ? `${status} (${words.join("; ")})` : status;
  const message = `${shown(address)} must give the file; got ${got}`;
  return new RemoteError("REMOTE_STATUS", message, { status, retryAfter });
}
