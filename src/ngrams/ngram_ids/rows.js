/** @import { Core } from "../../runtime/wasm.js" */
import * as arrays from "../../runtime/arrays.js";
import { wrongShape } from "../../runtime/errors.js";
import { readIds } from "../../runtime/ids.js";
import { readMask } from "../../runtime/mask.js";
import { overRows } from "../../runtime/memory.js";
import { outputInt32 } from "../../runtime/result.js";

/** Ids and rows are below this. */
export const END = 2 ** 31;

/** The most tables, those of earlier layers included. */
export const TABLES = 4096;

/** What draws multipliers, as the core numbers it. */
export const SPLITMIX = 0;
export const NUMPY = 1;

/** What hides the tokens before a token from those after it, as the core numbers it. */
export const OPEN = 0;
export const END_OF_TEXT = 1;
export const EXCLUDED = 2; // and from the token itself

/**
 * Ids [..., N], what hides what is before them, and the number of those without rows.
 * @typedef {{ids: Int32Array, breaks: Int32Array, shape: readonly number[], past: number}} Sequences
 */

/** @param {unknown} ids @param {number} past @param {number} [end]  above the largest id */
export function readSequences(ids, past, end = END) {
  const { data, shape } = readIds(ids, end);
  if (shape.length === 0) throw wrongShape("ids", "[..., T]", shape);
  const T = shape[shape.length - 1];
  if (past > T) throw new RangeError(`past must be at most the number of ids, ${T}; got ${past}`);
  return { data, shape };
}

/** Which ids are tokens, if a mask says so. @param {unknown} mask @param {readonly number[]} shape */
export function readTokens(mask, shape) {
  if (mask === undefined) return;
  const read = readMask(mask, "mask");
  if (!arrays.areEqual(read.shape, shape)) {
    throw wrongShape("mask", `that of ids, [${shape.join(", ")}]`, read.shape);
  }
  return read.data;
}

/**
 * A list of whole numbers.
 * @param {unknown} value @param {string} name @param {readonly number[]} otherwise @param {number} least
 * @param {number} end
 */
export function readList(value, name, otherwise, least, end) {
  const { data, shape } = readIds(value === undefined ? otherwise : value, end, name);
  if (shape.length !== 1 || data.length === 0) throw wrongShape(name, "[N], N > 0", shape);
  const small = data.find((number) => number < least);
  if (small !== undefined) throw new RangeError(`${name} must be at least ${least}; got ${small}`);
  return data;
}

/** @param {number} rows  of a table @param {string} name */
export function checkRows(rows, name) {
  if (rows >= END) throw new RangeError(`${name} must leave fewer than 2^31 rows; got ${rows}`);
}

/** @param {number} tables @param {string} name */
export function checkTables(tables, name) {
  if (tables <= TABLES) return;
  throw new RangeError(`${name} must leave at most ${TABLES} tables; got ${tables}`);
}

/**
 * The rows of XOR hashes.
 * @param {Core} core @param {Sequences} of @param {number} fill @param {number} generator @param {number} seed
 * @param {{layer: number, vocabulary: number, buckets: number, size: number, heads: number}} tables @param {unknown} out
 */
export function mixed(core, of, fill, generator, seed, tables, out) {
  const { raw } = core;
  const { layer, vocabulary, buckets, size, heads } = tables;
  const K = (size - 1) * heads;
  const all = K * (layer + 1);
  checkTables(K, "heads");
  checkTables(all, "layer");
  const sizes = written(core, all, (at) => raw.ngram_ids_primes(buckets, at, all)).slice(all - K);
  checkRows(
    sizes.reduce((sum, rows) => sum + rows, 0),
    "buckets",
  );
  const by = written(core, 2 * size, (at) =>
    raw.ngram_ids_multipliers(generator, vocabulary, seed, at, size),
  );
  return rowsOf(core, of, [by, sizes], K, out, (tokens, [multipliers, sizes, out]) => {
    const sequences = { ...tokens, longest: size, fill };
    return raw.ngram_ids_mixed({ of: sequences, multipliers, sizes, out, K });
  });
}

/**
 * The rows of polynomial hashes, the newest token first.
 * @param {Core} core @param {Sequences} of @param {number} vocabulary @param {number} size @param {Int32Array} tables  rows
 * of each @param {unknown} out
 */
export function powers(core, of, vocabulary, size, tables, out) {
  const K = tables.length;
  return rowsOf(core, of, [tables], K, out, (tokens, [sizes, out]) => {
    const sequences = { ...tokens, longest: size, fill: 0 };
    return core.raw.ngram_ids_powers({ of: sequences, sizes, out, K, vocabulary });
  });
}

/**
 * The rows of polynomial hashes, the oldest token first.
 * @param {Core} core @param {Sequences} of @param {Int32Array} lengths @param {number} K @param {number} buckets
 * @param {unknown} out
 */
export function rolling(core, of, lengths, K, buckets, out) {
  const G = lengths.length;
  return rowsOf(core, of, [lengths], K, out, ({ ids, B, N, past }, [groups, out]) =>
    core.raw.ngram_ids_rolling({ ids, groups, out, B, N, past, G, K, buckets }),
  );
}

/** Numbers that a kernel writes. @param {Core} core @param {number} count @param {(at: number) => number} kernel */
function written(core, count, kernel) {
  const data = new Int32Array(count);
  overRows(core, 1, [{ data, row: count, direction: "out" }], (_, __, [at]) => kernel(at));
  return data;
}

/**
 * Runs a kernel over sequences.
 * @param {Core} core @param {Sequences} of @param {Int32Array[]} others  that it reads whole @param {number} K
 * @param {unknown} out
 * @param {(tokens: {ids: number, breaks: number, B: number, N: number, past: number}, at: number[]) => number} kernel
 *   of the addresses of `others` and of the result
 */
function rowsOf(core, { ids, breaks, shape, past }, others, K, out, kernel) {
  const N = shape[shape.length - 1];
  const result = outputInt32(out, [...shape.slice(0, -1), N - past, K]);
  const pieces = [
    { data: ids, row: N },
    { data: breaks, row: N },
    ...others.map((data) => ({ data })),
    { data: result.data, row: (N - past) * K, direction: /** @type {const} */ ("out") },
  ];
  const all = result.data.length === 0 ? 0 : ids.length / N;
  overRows(core, all, pieces, (B, _, [ids, breaks, ...at]) =>
    kernel({ ids, breaks, B, N, past }, at),
  );
  return result.done();
}
