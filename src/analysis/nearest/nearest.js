/** @import { Core, Raw } from "../../runtime/wasm.js" */
/** @import { Rows, TableInput } from "../../runtime/table.js" */
/** @import { TensorInput } from "../../runtime/tensor.js" */
/** @import { Metric } from "../similarity/similarity.js" */
import * as check from "../../runtime/check.js";
import { checkStatus } from "../../runtime/errors.js";
import {
  allocate,
  copyFloats,
  freeing,
  withMemory,
  put,
  take,
  tileBytes,
  tileRows,
} from "../../runtime/memory.js";
import { readIds } from "../../runtime/ids.js";
import { beginLife, disposable } from "../../runtime/lifetime.js";
import { readTable, readVectors, residentRows } from "../../runtime/table.js";
import { Tensor } from "../../runtime/tensor.js";
import { guard } from "../../runtime/wasm.js";
import { readMetric } from "../similarity/similarity.js";

/** phasor::similarity::Metric */
const COSINE = 1;

/** phasor::nearest::End */
const LOW = -1;
const MIDDLE = 0;

const ROWS = /** @type {const} */ (["normalized", "raw"]);

/**
 * @typedef {object} SearchOptions
 * @property {number} [k]  how many neighbours; default 10, and never more than there are
 * @property {Metric} [metric]  `cosine` (default) and `dot`: largest first; `euclidean`: the
 *   distance, smallest first
 * @property {number | TensorInput} [exclude]  ids of rows to leave out
 * @property {TensorInput} [ids]  the rows' own ids [V], ascending, where vectors are some rows of a
 *   table: what is found is named by them, and so is `exclude`; default 0, 1, 2, ...
 */

/**
 * @typedef {object} AnalogyOptions
 * @property {number} [k]  how many answers; default 10
 * @property {Metric} [metric]  default `cosine`
 * @property {typeof ROWS[number]} [rows]  b - a + c of rows of length 1 (`normalized`, default: every
 *   word weighs the same) or of the rows as they are (`raw`)
 * @property {number | TensorInput} [exclude]  ids to leave out besides a, b and c
 */

/**
 * What was found for each query.
 * @typedef {object} Neighbours
 * @property {Tensor<Int32Array>} ids  int32 [..., k], best first; equal scores: lower id first, and
 *   rows whose score is NaN last
 * @property {Tensor} scores  float32 [..., k]: the metric's values
 * @property {Tensor<Uint8Array>} [certain]  of a search of rows that were rounded, as in
 *   `embedding.quantize`: uint8 [..., k], 1 where the answer is certain to be among the k nearest of the
 *   rows as they were given
 * @property {Tensor} [recall]  float32 [...]: the part of the k that is certain. At least so much of
 *   the true answer was found
 */

/**
 * Vectors that stay in WASM memory, with their lengths.
 * @typedef {object} NearestIndex
 * @property {number} vocabulary  V, rows
 * @property {number} dim  D
 * @property {(queries: TensorInput, options?: SearchOptions) => Neighbours} search  as `nearest`
 * @property {(triples: TensorInput, options?: AnalogyOptions) => Neighbours} analogy  as
 *   `nearest.analogy`
 * @property {() => void} dispose  give the memory back; twice does nothing
 */

/**
 * Nearest neighbours: which rows of a table are most like a vector.
 * @see no paper: every row is compared
 * @param {Core} core
 */
export function nearest(core) {
  const raw =
    /**
     * @type {Raw & {
     *   nearest_squares(rows: number, N: number, D: number, out: number): void,
     *   nearest_scan(...numbers: number[]): number,
     *   nearest_mark(...numbers: number[]): number,
     *   nearest_certify(keys: number, ids: number, highKeys: number, highIds: number, Q: number,
     *     k: number, errors: number, V: number, queries: number, D: number, metric: number,
     *     certain: number): number,
     *   nearest_rank(keys: number, ids: number, Q: number, k: number, metric: number,
     *     scores: number): number,
     *   nearest_targets(rows: number, Q: number, D: number, unit: boolean, out: number): number,
     * }}
     */ (core.raw);

  return Object.assign(ofVectors, {
    /**
     * Keep vectors in WASM memory, for many searches: nothing is copied in per call, and the
     * lengths are known.
     *
     * @param {TableInput} vectors  [V, D]; copied
     * @returns {NearestIndex} in WASM memory until `dispose()`
     * @throws {TypeError | RangeError} if vectors are of the wrong kind or shape
     * @throws {OutOfMemoryError} if they do not fit
     * @example
     * const index = nearest.index([[1, 0], [0, 1], [1, 1]]);
     * index.search([2, 1], { k: 2 }).ids.toArray()
     * // [2, 0]
     */
    index(vectors) {
      const given = readTable(core, vectors, "vectors");
      const { N: V, D } = given;
      const at = guard(core, () =>
        allocate(core, `an index of ${V} x ${D}`, V * D * 4 + V * 8 + 8),
      );
      const squaresAt = at + Math.ceil((V * D * 4) / 8) * 8;
      const { live, dispose } = beginLife("the index", freeing(core, at));
      try {
        guard(core, () => {
          copyFloats(core, given.place(0, V, at), V * D, at);
          raw.nearest_squares(at, V, D, squaresAt);
        });
      } catch (cause) {
        dispose();
        throw cause;
      }
      return index({ ...residentRows(V, D, at, live), squaresAt }, dispose);
    },

    /**
     * The rows that may be among the k nearest of any query, where rows were rounded: for certain, none
     * of the true ones is missing. Comparing just these as they were given is the exact search:
     *
     *     const ids = nearest.candidates(table, query, { k: 10 });
     *     const rows = ... // these rows, exactly: from the file, say
     *     nearest(rows, query, { k: 10, ids }) // as nearest(all rows, query, { k: 10 }), to the bit
     *
     * They are those whose high end, of what their score may be, reaches the k-th of all low ends.
     *
     * @param {TableInput} vectors  [V, D]; of a tensor they are the k nearest, and rows that are equal
     *   to the last of them
     * @param {TensorInput} queries  [D] or [..., D]
     * @param {SearchOptions} [options]
     * @returns {Tensor<Int32Array>} int32 [C]: ids, ascending; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or widths differ
     * @see Fagin, Lotem, Naor 2003, Optimal aggregation algorithms for middleware, section 8 (the k best
     *   by bounds of what is not known exactly)
     * @example
     * const rows = [[1, 0.002], [1, 0], [-1, 0], [0, 1]];
     * const table = embedding.quantize(rows, { dtype: "int8" });
     * const ids = nearest.candidates(table, [1, 0.1], { k: 1 });
     * ids.toArray()
     * // [0, 1]
     * nearest(Array.from(ids.data, (id) => rows[id]), [1, 0.1], { k: 1, ids }).ids.toArray()
     * // [0]
     */
    candidates(vectors, queries, options = {}) {
      const where = "nearest.candidates";
      const table = readTable(core, vectors, "vectors");
      return candidates(table, readSearch(table, queries, options, where), where);
    },

    /**
     * Answer "a is to b as c is to ...?": the rows nearest to b - a + c, without a, b and c.
     *
     * @param {TableInput} vectors  [V, D]; of a table that was rounded, its rows as they are kept
     * @param {TensorInput} triples  ids [3] or [..., 3]: (a, b, c)
     * @param {AnalogyOptions} [options]
     * @returns {Neighbours} ids and scores [..., k]; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see Mikolov, Yih, Zweig 2013, Linguistic regularities in continuous space word representations,
     *   section 4 (`rows: "normalized"`)
     * @example
     * const [man, woman, king] = [[1, 0], [1, 1], [3, 0]];
     * const vectors = [man, woman, king, [3, 1], [0, 3]];
     * nearest.analogy(vectors, [0, 1, 2], { k: 1, rows: "raw" }).ids.toArray()
     * // [3]
     */
    analogy(vectors, triples, options = {}) {
      const rows = readTable(core, vectors, "vectors");
      return analogy(rows, triples, options, "nearest.analogy");
    },
  });

  /**
   * Find the rows of a table that are most like each query.
   *
   * The order is exact: scores are compared in double, before they are rounded; equal ones by the
   * lower id, NaN last. A row of zeros has cosine 0 with everything.
   * Accuracy: cosine within 3e-8; distance within 6e-8 of itself.
   *
   * Of a table that was rounded (`embedding.quantize`) the scores are those of its rows as they are kept,
   * w'. A score of the row as it was given, w, is off by at most |q| |w - w'| (`dot`), |w - w'|
   * (`euclidean`) or |w/|w| - w'/|w'|| (`cosine`), which the table knows of each row. So an answer is
   * `certain` where the low end of its score is above the (k+1)-th highest of all high ends, for then
   * at most k - 1 other rows can be before it; `recall` is the part that is. `nearest.candidates` makes
   * the search exact.
   *
   * @overload
   * @param {TableInput} vectors  [V, D]; a tensor is copied in tile by tile with every call:
   *   `nearest.index` keeps it, and tables are searched where they lie
   * @param {TensorInput} queries  [D] or [..., D]
   * @param {SearchOptions} [options]
   * @returns {Neighbours} ids and scores [k] or [..., k]; the caller's own
   * @throws {TypeError | RangeError} if an argument is of the wrong kind or widths differ
   * @example
   * nearest([[1, 0], [0, 1], [1, 1]], [2, 1], { k: 2, metric: "dot" }).scores.toArray()
   * // [3, 2]
   */
  // The overload is the function itself: declarations keep the comments of overloads alone.
  /** @param {TableInput} vectors @param {TensorInput} queries @param {SearchOptions} [options] */
  function ofVectors(vectors, queries, options = {}) {
    return search(readTable(core, vectors, "vectors"), queries, options, "nearest");
  }

  /**
   * @param {Rows} rows @param {() => void} dispose
   * @returns {NearestIndex}
   */
  function index(rows, dispose) {
    return disposable({
      vocabulary: rows.N,
      dim: rows.D,
      search(queries, options = {}) {
        rows.live();
        return search(rows, queries, options, "search");
      },
      analogy(triples, options = {}) {
        rows.live();
        return analogy(rows, triples, options, "analogy");
      },
      dispose,
    });
  }

  /**
   * What is searched for.
   * @typedef {object} Wanted
   * @property {number} metric
   * @property {number} k
   * @property {readonly number[]} shape  of the queries, without their last axis
   * @property {number} Q  queries
   * @property {Int32Array} left  ids that are left out: [E], or [Q, E]
   * @property {number} E
   * @property {(from: number, count: number, at: number, workAt: number) => void} write  some
   *   queries, in double
   * @property {number} workBytes  that it needs for each
   * @property {Int32Array} [names]  the rows' own ids
   */

  /**
   * @param {Rows} table @param {unknown} queries @param {unknown} options @param {string} where
   * @returns {Wanted}
   */
  function readSearch(table, queries, options, where) {
    const defaults = { k: 10, metric: "cosine", exclude: [], ids: undefined };
    const given = check.options(options, defaults, where);
    const { N: V, D } = table;
    const metric = readMetric(given.metric);
    const most = check.integer(given.k, "k");
    const names = given.ids === undefined ? undefined : readNames(given.ids, V);
    const excluded = readIds(given.exclude, names ? 2 ** 31 : V, "exclude").data;
    const left = (names ? placesOf(excluded, names) : excluded).sort();
    const { data, shape, N: Q, D: width } = readVectors(queries, "queries", "[..., D]");
    if (width !== D) {
      throw new RangeError(
        `queries must be as wide as the vectors, ${D}; got [${shape.join(", ")}]`,
      );
    }
    return {
      ...{ metric, k: Math.min(most, V - new Set(left).size), shape: shape.slice(0, -1), Q },
      ...{ left, E: left.length, workBytes: 0, names },
      write(from, count, at) {
        core.raw.HEAPF64.set(data.subarray(from * D, (from + count) * D), at >>> 3);
      },
    };
  }

  /** @param {Rows} table @param {TensorInput} queries @param {unknown} options @param {string} where */
  function search(table, queries, options, where) {
    const wanted = readSearch(table, queries, options, where);
    const found = find(table, wanted, where, table.errorsAt !== undefined);
    const { names } = wanted;
    if (names) found.ids.data.forEach((row, i, ids) => (ids[i] = names[row]));
    return found;
  }

  /**
   * @param {Rows} table @param {TensorInput} triples @param {unknown} options
   * @param {string} where
   */
  function analogy(table, triples, options, where) {
    const defaults = { k: 10, metric: "cosine", rows: "normalized", exclude: [] };
    const { k, metric, rows, exclude } = check.options(options, defaults, where);
    const { N: V, D } = table;
    const kind = readMetric(metric);
    const most = check.integer(k, "k");
    const unit = check.oneOf(rows, "rows", ROWS) === "normalized";
    const more = readIds(exclude, V, "exclude").data;
    const { data, shape } = readIds(triples, V, "triples");
    if (shape[shape.length - 1] !== 3) {
      throw new RangeError(`triples must have shape [3] or [..., 3]; got [${shape.join(", ")}]`);
    }
    const Q = data.length / 3;
    const E = 3 + more.length;
    const ids = new Int32Array(Q * E);
    let excluded = 0; // at most, in any query
    for (let q = 0; q < Q; ++q) {
      const out = ids.subarray(q * E, (q + 1) * E);
      out.set(more);
      out.set(data.subarray(3 * q, 3 * q + 3), more.length);
      excluded = Math.max(excluded, new Set(out.sort()).size);
    }
    /** @type {Wanted} */
    const wanted = {
      ...{ metric: kind, k: Math.min(most, V - excluded), shape: shape.slice(0, -1), Q },
      ...{ left: ids, E, workBytes: 12 * D },
      write(from, count, at, workAt) {
        for (let i = 0; i < 3 * count; ++i) {
          const to = workAt + i * D * 4;
          copyFloats(core, table.place(data[3 * from + i], 1, to), D, to);
        }
        checkStatus(raw.nearest_targets(workAt, count, D, unit, at), where);
      },
    };
    return find(table, wanted, where, false);
  }

  /**
   * @param {Rows} table @param {Wanted} wanted @param {string} where
   * @param {boolean} certify  whether to say what is certain
   */
  function find(table, wanted, where, certify) {
    const { metric, k } = wanted;
    const { N: V, D } = table;
    const found = results(wanted.shape, k, certify);
    const { ids, scores, certain, recall } = found;
    const more = certify ? k + 1 : 0;
    const sizes = [k * 4, more * 8, more * 4, certify ? k : 0];
    overQueries(table, wanted, where, sizes, 0, (from, count, overTiles, at) => {
      const [keysAt, idsAt, queriesAt, scoresAt, highKeysAt, highIdsAt, certainAt] = at;
      overTiles((tile) =>
        raw.nearest_scan(...tile, ...[keysAt, idsAt, k, MIDDLE, highKeysAt, highIdsAt, more]),
      );
      checkStatus(raw.nearest_rank(keysAt, idsAt, count, k, metric, scoresAt), where);
      take(core, idsAt, count * k, ids.data, from * k);
      take(core, scoresAt, count * k, scores.data, from * k);
      if (!certain || !recall) return;
      const heaps = /** @type {const} */ ([keysAt, idsAt, highKeysAt, highIdsAt, count, k]);
      const errorsAt = errorsOf(table, metric);
      checkStatus(
        raw.nearest_certify(...heaps, errorsAt, V, queriesAt, D, metric, certainAt),
        where,
      );
      certain.data.set(core.raw.HEAPU8.subarray(certainAt, certainAt + count * k), from * k);
      for (let q = from; q < from + count; ++q) {
        const own = certain.data.subarray(q * k, (q + 1) * k);
        recall.data[q] = own.reduce((sum, one) => sum + one, 0) / k;
      }
    });
    return found;
  }

  /** @param {Rows} table @param {Wanted} wanted @param {string} where */
  function candidates(table, wanted, where) {
    const { k, names } = wanted;
    const marks = new Uint8Array(table.N);
    overQueries(table, wanted, where, [], 1, (_from, _count, overTiles, at) => {
      const [keysAt, idsAt, , marksAt] = at;
      overTiles((tile) => raw.nearest_scan(...tile, ...[keysAt, idsAt, k, LOW, 0, 0, 0]));
      overTiles((tile, first, N) => {
        core.raw.HEAPU8.set(marks.subarray(first, first + N), marksAt);
        const status = raw.nearest_mark(...tile, keysAt, idsAt, k, marksAt);
        marks.set(core.raw.HEAPU8.subarray(marksAt, marksAt + N), first);
        return status;
      });
    });
    const count = marks.reduce((sum, one) => sum + one, 0);
    const ids = check.destinationInt32(undefined, [count]);
    let next = 0;
    marks.forEach((one, row) => {
      if (one) ids[next++] = names ? names[row] : row;
    });
    return new Tensor(ids, [count]);
  }

  /**
   * Go through queries in tiles, and for each of them through the rows in tiles.
   * @param {Rows} table @param {Wanted} wanted @param {string} where
   * @param {readonly number[]} sizes  bytes of memory for each query @param {number} rowBytes  for
   *   each row of a tile
   * @param {(from: number, count: number,
   *   overTiles: (kernel: (tile: number[], first: number, N: number) => number) => void,
   *   at: number[]) => void} use  gets what runs a kernel over the rows, given what it compares with
   *   what, and the addresses of keys [count, k], ids [count, k], queries, and the memory
   */
  function overQueries(
    table,
    { metric, k, Q, left, E, write, workBytes },
    where,
    sizes,
    rowBytes,
    use,
  ) {
    if (Q * k === 0) return;
    const { N: V, D, squaresAt = 0 } = table;
    const errorsAt = errorsOf(table, metric);
    const queryBytes = sizes.reduce((sum, bytes) => sum + bytes, D * 8 + workBytes + k * 12);
    const step = tileRows(queryBytes, Q);
    const rows = table.resident ? V : tileRows(D * 4, V);
    const each = left.length > E; // query has ids of its own to leave out
    const pieces = [
      tileBytes(table, rows),
      step * workBytes,
      (each ? step : 1) * E * 4,
      ...[step * k * 8, step * k * 4, step * D * 8],
      ...sizes.map((bytes) => step * bytes),
      rows * rowBytes,
    ];
    withMemory(core, where, pieces, (tileAt, workAt, leftAt, ...at) => {
      for (let q = 0; q < Q; q += step) {
        const count = Math.min(step, Q - q);
        const out = each ? left.subarray(q * E, (q + count) * E) : left;
        put(core, out, leftAt);
        write(q, count, at[2], workAt);
        /** @param {(tile: number[], first: number, N: number) => number} kernel */
        const overTiles = (kernel) => {
          for (let first = 0; first < V; first += rows) {
            const N = Math.min(rows, V - first);
            const tile = [
              ...[table.place(first, N, tileAt), first, N, D],
              ...[squaresAt && squaresAt + first * 8, squaresAt && N],
              ...[errorsAt && errorsAt + first * 4, errorsAt && N],
              ...[at[2], count, metric, leftAt, out.length, E],
            ];
            checkStatus(kernel(tile, first, N), where);
          }
        };
        use(q, count, overTiles, at);
      }
    });
  }
}

/** Where errors of rows lie that count for a metric; 0 if rows are exact. @param {Rows} table @param {number} metric */
function errorsOf({ errorsAt }, metric) {
  return (metric === COSINE ? errorsAt?.directions : errorsAt?.lengths) ?? 0;
}

/**
 * The ids of some rows of a table.
 * @param {unknown} ids @param {number} V
 */
function readNames(ids, V) {
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

/** The rows that have some ids; ids of no row are passed over. @param {Int32Array} ids @param {Int32Array} names */
function placesOf(ids, names) {
  const rows = new Map(Array.from(names, (id, row) => [id, row]));
  return Int32Array.from(Array.from(ids, (id) => rows.get(id) ?? -1).filter((row) => row >= 0));
}

/** @param {readonly number[]} shape @param {number} k @param {boolean} certify @returns {Neighbours} */
function results(shape, k, certify) {
  const sizes = [...shape, k];
  const ids = new Tensor(check.destinationInt32(undefined, sizes), sizes);
  const scores = new Tensor(check.destination(undefined, sizes), sizes);
  if (!certify) return { ids, scores };
  const certain = new Tensor(new Uint8Array(ids.size), sizes);
  const recall = new Tensor(check.destination(undefined, shape).fill(1), shape);
  return { ids, scores, certain, recall };
}
