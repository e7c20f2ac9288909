/** @import { Core } from "../../runtime/wasm.js" */
/** @import { Rows } from "../../runtime/table.js" */
/** @import { TensorInput } from "../../runtime/tensor.js" */
/** @import { AnalogySettings, NearestSettings, Part } from "./nearest.js" */
import * as check from "../../runtime/check.js";
import { checkStatus, wrongShape } from "../../runtime/errors.js";
import { readIds } from "../../runtime/ids.js";
import { copyFloats, putPart } from "../../runtime/memory.js";
import { readVectors } from "../../runtime/table.js";
import { codeOf } from "../similarity/similarity.js";

/** phasor::nearest::kNoId: the row of a place for which there is none. */
const NO_ROW = 2 ** 31 - 1;

/**
 * A search, its arguments read and checked.
 * @typedef {object} Search
 * @property {number} metric
 * @property {number} k
 * @property {readonly number[]} shape  of the queries, without their last axis
 * @property {number} Q  the number of queries
 * @property {Int32Array} excluded  ids of rows to leave out: [E], or [Q, E]
 * @property {number} E
 * @property {(from: number, count: number, at: number, workAt: number) => void} writeQueries  writes
 *   some queries in double
 * @property {number} workBytes  how much memory that needs for each query
 * @property {(row: number) => number} idOf  the id of a row
 * @property {boolean} sortKeys  whether to return them
 */

/**
 * @param {Core} core @param {Rows} table @param {unknown} queries @param {NearestSettings} options
 * @param {Part} part
 * @returns {Search}
 */
export function readSearch(
  core,
  { N, D },
  queries,
  { k, metric, exclude = [], ids, sortKeys },
  part,
) {
  const { first, vocabulary } = part;
  const rowIds =
    ids === undefined ? undefined : readRowIds(ids, vocabulary).subarray(first, first + N);
  const given = readIds(exclude, rowIds ? 2 ** 31 : vocabulary, "exclude").data;
  const rows = rowIds ? rowsOf(given, rowIds) : given.map((id) => id - first);
  const excluded = rows.filter((row) => row >= 0 && row < N).sort();
  const { data, shape, N: Q, D: width } = readVectors(queries, "queries", "[..., D]");
  if (width !== D) {
    throw new RangeError(`queries must be as wide as the vectors, ${D}; got [${shape.join(", ")}]`);
  }
  return {
    metric: codeOf(metric),
    k: Math.min(k, N - new Set(excluded).size),
    shape: shape.slice(0, -1),
    Q,
    excluded,
    E: excluded.length,
    writeQueries(from, count, at) {
      core.raw.HEAPF64.set(data.subarray(from * D, (from + count) * D), at >>> 3);
    },
    workBytes: 0,
    idOf: (row) => (rowIds ? rowIds[row] : first + row),
    sortKeys,
  };
}

/**
 * @param {Core} core @param {Rows} table @param {TensorInput} triples
 * @param {AnalogySettings} options @param {Part} part
 * @returns {Search}
 */
export function readAnalogies(core, table, triples, options, part) {
  const { k, metric, normalize, exclude = [], sortKeys, rows } = options;
  const { N, D } = table;
  const { first, vocabulary } = part;
  const more = readIds(exclude, vocabulary, "exclude").data;
  const { data, shape } = readIds(triples, vocabulary, "triples");
  if (shape[shape.length - 1] !== 3) {
    throw wrongShape("triples", "[3] or [..., 3]", shape);
  }
  if (rows === undefined) checkPart(data, part, N, "triples");
  const given = rows === undefined ? undefined : readRows(rows, [...shape, D]);
  const { excluded, E, fewest, most } = excludedBy(data, more, first, N);
  return {
    metric: codeOf(metric),
    k: Math.min(k, N - (N < vocabulary ? fewest : most)),
    shape: shape.slice(0, -1),
    Q: data.length / 3,
    excluded,
    E,
    writeQueries(from, count, at, workAt) {
      for (let i = 3 * from, to = workAt; i < 3 * (from + count); ++i, to += D * 4) {
        if (given) putPart(core, given, i * D, (i + 1) * D, to);
        else copyFloats(core, table.place(data[i] - first, 1, to), D, to);
      }
      checkStatus(core.raw.nearest_targets(workAt, count, D, normalize, at));
    },
    workBytes: 12 * D,
    idOf: (row) => (row === NO_ROW ? -1 : first + row),
    sortKeys,
  };
}

/** The part that is the whole table. @param {Rows} table @returns {Part} */
export const wholeOf = ({ N }) => ({ first: 0, vocabulary: N });

/**
 * @param {unknown} given @param {number} N  rows of the part
 * @returns {Part}
 */
export function readPart(given, N) {
  if (given === undefined) return { first: 0, vocabulary: N };
  const part = Object(check.parts(given, ["first", "vocabulary"], "part"));
  const vocabulary = check.integer(part.vocabulary, "part.vocabulary", N);
  return { first: check.integer(part.first, "part.first", 0, vocabulary - N), vocabulary };
}

/**
 * Throws for an id of another part.
 * @param {Int32Array} ids @param {Part} part @param {number} N  rows of the part @param {string} name
 */
export function checkPart(ids, { first }, N, name) {
  const bad = ids.findIndex((id) => id < first || id >= first + N);
  if (bad < 0) return;
  const rule = N > 0 ? `ids of rows of this part, ${first} to ${first + N - 1}` : check.idsRule(0);
  throw new RangeError(`${name} must be ${rule}; got ${ids[bad]} at ${bad}`);
}

/**
 * The rows of triples.
 * @param {unknown} given @param {readonly number[]} sizes
 */
function readRows(given, sizes) {
  const { data, shape } = readVectors(given, "rows", "[..., D]");
  if (shape.join() === sizes.join()) return data;
  throw wrongShape("rows", `[${sizes.join(", ")}]`, shape);
}

/**
 * Reads the ids of the rows of a part of a table.
 * @param {unknown} ids @param {number} V
 */
function readRowIds(ids, V) {
  const { data } = readIds(ids, 2 ** 31, "ids");
  if (data.length !== V) {
    throw new RangeError(`ids must be as many as the rows, ${V}; got ${data.length}`);
  }
  const bad = data.findIndex((id, i) => i > 0 && id <= data[i - 1]);
  if (bad > 0) {
    throw new RangeError(`ids must ascend, each once; got ${data[bad]} after ${data[bad - 1]}`);
  }
  return data;
}

/**
 * The rows that have some ids. Ids without a row are skipped.
 * @param {Int32Array} ids @param {Int32Array} rowIds
 */
function rowsOf(ids, rowIds) {
  const rows = new Map(Array.from(rowIds, (id, row) => [id, row]));
  return Int32Array.from(Array.from(ids, (id) => rows.get(id) ?? -1).filter((row) => row >= 0));
}

/**
 * The rows that an analogy leaves out, for each triple: a, b, c and those of `more`.
 * @param {Int32Array} triples  [Q, 3] @param {Int32Array} more
 * @param {number} first  the id of the first row @param {number} N  how many rows there are
 * @returns {{excluded: Int32Array, E: number, fewest: number, most: number}} rows [Q, E], ascending for each triple,
 *   of which some may be those of other parts, and the least and the largest number of different rows of a triple
 */
function excludedBy(triples, more, first, N) {
  const Q = triples.length / 3;
  const E = 3 + more.length;
  const excluded = new Int32Array(Q * E);
  let [fewest, most] = [Q === 0 ? 0 : E, 0];
  for (let q = 0; q < Q; ++q) {
    const rows = excluded.subarray(q * E, (q + 1) * E);
    rows.set(more);
    rows.set(triples.subarray(3 * q, 3 * q + 3), more.length);
    rows.forEach((id, i) => (rows[i] = id - first));
    rows.sort();
    const { size } = new Set(rows.filter((row) => row >= 0 && row < N));
    fewest = Math.min(fewest, size);
    most = Math.max(most, size);
  }
  return { excluded, E, fewest, most };
}
