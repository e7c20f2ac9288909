/**
 * Reads ranges and rows, with abort signals and progress. Rows that are close together are read in one request.
 */
import { abortSignal, describe, options } from "../runtime/check.js";
import { allocate } from "./bytes.js";

/** @import {Bytes, Reading} from "./bytes.js" */

/** The bytes between rows that may always be read with them: they cost about as much as a request. */
const LEAST_SPARE = 65_536;

/** The number of concurrent requests: the limit of browsers for one host. */
const AT_ONCE = 6;

/** The options of functions that read, with their defaults. @type {Reading} */
export const READING = Object.freeze({ signal: undefined, progress: undefined });

/**
 * @param {Reading} options
 * @returns {Reading}
 * @throws {TypeError} if an option has the wrong type
 */
export function readReading({ signal, progress }) {
  abortSignal(signal);
  if (progress !== undefined && typeof progress !== "function") {
    throw new TypeError(`progress must be a function; got ${describe(progress)}`);
  }
  return { signal, progress };
}

/**
 * Reads the options of a function that takes a signal alone.
 * @param {{signal?: AbortSignal} | undefined} given
 * @returns {{signal?: AbortSignal}}
 * @throws {TypeError} if signal is not an AbortSignal
 */
export function readSignal(given) {
  /** @type {{signal?: AbortSignal}} */
  const defaults = { signal: undefined };
  const { signal } = readReading(options(given, defaults));
  return { signal };
}

/**
 * Reads the bytes from begin to end - 1.
 * @param {Bytes} bytes @param {number} begin @param {number} end @param {Reading} reading
 */
export function readRange(bytes, begin, end, reading) {
  return followed(bytes, end - begin, reading)(begin, end);
}

/**
 * Reads rows of a table in the given order. The bytes between nearby rows are read with them, the smallest gaps
 * first, as long as these take no more than the rows themselves or 64 KiB.
 *
 * @param {Bytes} bytes
 * @param {number} begin  the offset of the table
 * @param {number} size  the bytes of a row
 * @param {Int32Array} rows  in any order, repetitions allowed
 * @param {Reading} reading
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export async function gather(bytes, begin, size, rows, reading) {
  if (rows.every((row, i) => row === rows[0] + i)) {
    const from = begin + (rows[0] ?? 0) * size;
    return readRange(bytes, from, from + rows.length * size, reading); // consecutive: no second copy
  }
  const gathered = allocate(Uint8Array, rows.length * size, `${rows.length} rows`);
  const runs = runsOf(rows, size);
  const total = runs.reduce((sum, { first, last }) => sum + (last - first + 1) * size, 0);
  const read = followed(bytes, total, reading);
  for (let i = 0; i < runs.length; i += AT_ONCE) {
    const wanted = runs.slice(i, i + AT_ONCE).map(async ({ first, last, places }) => {
      const run = await read(begin + first * size, begin + (last + 1) * size);
      for (const place of places) {
        const from = (rows[place] - first) * size;
        gathered.set(run.subarray(from, from + size), place * size);
      }
    });
    await Promise.all(wanted);
  }
  return gathered;
}

/**
 * Reports several reads as one.
 * @param {Bytes} bytes @param {number} total  bytes of all of them @param {Reading} reading
 * @returns {(begin: number, end: number) => Promise<Uint8Array<ArrayBuffer>>}
 */
function followed({ read }, total, { signal, progress }) {
  let done = 0;
  return async (begin, end) => {
    let seen = 0; // of this read; a source may report the same number twice
    const follow = (/** @type {number} */ now) => {
      if (now <= seen) return;
      done += now - seen;
      seen = now;
      progress?.(done, total);
    };
    return read(begin, end, { signal, progress: follow });
  };
}

/**
 * Groups rows that are read together, with their indices in the list.
 * @param {Int32Array} rows  one or more @param {number} size
 */
function runsOf(rows, size) {
  const places = new Uint32Array(rows.keys()).sort((a, b) => rows[a] - rows[b]);
  /** The number of rows between two consecutive rows: -1 if they are the same. @param {number} i */
  const gap = (i) => rows[places[i]] - rows[places[i - 1]] - 1;
  const steps = Array.from(places.subarray(1), (_, i) => i + 1);
  const distinct = 1 + steps.filter((i) => gap(i) >= 0).length;
  let spare = Math.max(LEAST_SPARE, distinct * size);
  const gaps = steps.filter((i) => gap(i) > 0).sort((a, b) => gap(a) - gap(b));
  const cuts = new Set(gaps.filter((i) => (spare -= gap(i) * size) < 0));
  /** @type {{first: number, last: number, places: number[]}[]} */
  const runs = [];
  for (const [i, place] of places.entries()) {
    const row = rows[place];
    if (i === 0 || cuts.has(i)) runs.push({ first: row, last: row, places: [] });
    const run = runs[runs.length - 1];
    run.last = row;
    run.places.push(place);
  }
  return runs;
}
