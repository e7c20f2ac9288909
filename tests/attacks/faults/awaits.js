/**
 * Awaits in the hands of a test: they are counted as allocations are, and something can happen at any of them.
 */
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { setImmediate, setTimeout } from "node:timers/promises";
import { promiseHooks } from "node:v8";
import { fingerprint } from "../../truth/fingerprint.js";
import { until } from "../../until.js";

/** @typedef {{size: number, slice: (begin: number, end: number) => {arrayBuffer: () => Promise<ArrayBuffer>}}} BlobLike */

/** For a promise that hangs, in milliseconds. */
const PATIENCE = 10_000;

/** A safeguard against work without end. */
const MOST = 20_000;

/** What `atAwait` gives where the work did not end. */
export const HANGS = Symbol("it hangs");

/**
 * Runs work, and calls something where the nth promise since then goes on: there a function continues after its await.
 * @param {number} nth @param {() => void} interrupt @param {() => Promise<unknown>} work
 * @returns {Promise<{ value?: unknown, error?: any, isReached: boolean }>} `isReached`: whether the nth was reached
 *   before the work was over
 */
export async function atAwait(nth, interrupt, work) {
  let count = 0;
  let isOver = false;
  const stop = promiseHooks.onBefore(() => {
    if (!isOver && ++count === nth) interrupt();
  });
  const settled = work()
    .then(
      (value) => ({ value, error: undefined }),
      (error) => ({ value: undefined, error }),
    )
    .finally(() => {
      isOver = true;
      stop();
    });
  const late = setTimeout(PATIENCE, { value: HANGS, error: undefined }, { ref: false });
  const outcome = await Promise.race([settled, late]);
  return { ...outcome, isReached: count >= nth };
}

/**
 * Calls a function with 1, 2, 3, ... until it reports fewer awaits.
 * @param {(nth: number) => Promise<boolean>} attempt
 */
export async function atEveryAwait(attempt) {
  for (let nth = 1; nth < MOST; ++nth) if (!(await attempt(nth))) return nth - 1;
  return assert.fail(`more than ${MOST} awaits`);
}

/** Reads and requests that have begun, of all sources and servers of this file. */
let begun = 0;

/**
 * How many of each kind keep the process alive: timers, ports, handles.
 * @returns {Record<string, number>}
 */
export function resources() {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** Waits until no more is open than before. @param {Record<string, number>} before */
export function closed(before) {
  const isClosed = () =>
    Object.entries(resources()).every(([kind, count]) => count <= (before[kind] ?? 0));
  return until(isClosed, "nothing is left open");
}

/**
 * Aborts a read before it begins, and then at each of its awaits. The promise rejects with the signal's reason, or
 * gives the right result; no bytes are asked for afterwards; the signal keeps no listener, and nothing stays open; and
 * the same object then reads the same bits.
 *
 * @param {string} name
 * @param {() => Promise<(signal?: AbortSignal) => Promise<unknown>>} prepare  opens what is read, afresh each time
 */
export function abortedEverywhere(name, prepare) {
  test(name, async (t) => {
    const want = fingerprint(await (await prepare())());
    const before = resources();
    const late = async () => (await prepare())(AbortSignal.abort(new Error("before it began")));
    await assert.rejects(late, /^Error: before it began$/);
    let aborted = 0;
    const awaits = await atEveryAwait(async (nth) => {
      const read = await prepare();
      const controller = new AbortController();
      const { signal } = controller;
      const reason = new Error(`stopped at await ${nth}`);
      let asked = Infinity;
      const interrupt = () => {
        asked = begun;
        controller.abort(reason);
      };
      const { value, error, isReached } = await atAwait(nth, interrupt, () => read(signal));
      assert.notEqual(value, HANGS, `aborted at await ${nth}, it hangs`);
      if (error === undefined) assert.equal(fingerprint(value), want, `aborted at await ${nth}`);
      else assert.equal(error, reason, `aborted at await ${nth}: ${error.stack}`);
      if (error) ++aborted;
      assert.deepEqual(getEventListeners(signal, "abort"), [], `listeners after await ${nth}`);
      await setImmediate(); // other branches of the same read
      assert.ok(begun <= asked, `aborted at await ${nth}, it reads on`);
      assert.equal(fingerprint(await read()), want, `read again after await ${nth}`);
      return isReached;
    });
    await closed(before);
    t.diagnostic(`${awaits} awaits, ${aborted} of them stopped it`);
  });
}

/**
 * A source whose bytes come in pieces, some of them after a turn of the event loop.
 * @param {Uint8Array} bytes @returns {BlobLike}
 */
export function slow(bytes) {
  let reads = 0;
  return {
    size: bytes.length,
    slice: (begin, end) => ({
      async arrayBuffer() {
        ++begun;
        await null;
        if (++reads % 3 === 0) await setImmediate();
        return /** @type {ArrayBuffer} */ (bytes.slice(begin, end).buffer);
      },
    }),
  };
}

const COMMIT = "0a".repeat(20);

/**
 * A hub without a network: a fetch that answers in two chunks. A model's files are below /o/m.
 * @param {Record<string, Uint8Array>} files  by path
 * @returns {typeof globalThis.fetch}
 */
export function serving(files) {
  const siblings = Object.keys(files).map((rfilename) => ({ rfilename }));
  const listing = new TextEncoder().encode(JSON.stringify({ id: "o/m", sha: COMMIT, siblings }));
  return async (request, given) => {
    ++begun;
    const headers = new Headers(given?.headers);
    const signal = given?.signal;
    await setImmediate();
    signal?.throwIfAborted();
    const { pathname } = new URL(String(request));
    const path = pathname.replace(`/o/m/resolve/${COMMIT}/`, "").replace(/^\//, "");
    const bytes = path.startsWith("api/") ? listing : files[path];
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(headers.get("Range") ?? "") ?? [];
    if (from === undefined) return new Response(inTwo(bytes, signal), { status: 200 });
    const end = Math.min(Number(to) + 1, bytes.length);
    return new Response(inTwo(bytes.slice(Number(from), end), signal), {
      status: 206,
      headers: { "Content-Range": `bytes ${from}-${end - 1}/${bytes.length}`, ETag: '"a"' },
    });
  };
}

/**
 * The body of an answer, which an abort breaks off.
 * @param {Uint8Array} bytes @param {AbortSignal | null | undefined} signal
 */
export function inTwo(bytes, signal) {
  const half = bytes.length >> 1;
  return new ReadableStream({
    async start(controller) {
      const stop = () => controller.error(signal?.reason);
      signal?.addEventListener("abort", stop);
      controller.enqueue(bytes.slice(0, half));
      await setImmediate();
      signal?.removeEventListener("abort", stop);
      if (signal?.aborted) return;
      controller.enqueue(bytes.slice(half));
      controller.close();
    },
  });
}
