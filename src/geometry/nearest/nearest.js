/** @import { Core, Raw } from "../../api/wasm.js" */
/** @import { Rows, VectorsInput } from "../../api/rows.js" */
/** @import { TensorInput } from "../../api/tensor.js" */
/** @import { Metric } from "../similarity/similarity.js" */
import * as check from "../../api/check.js";
import { must } from "../../api/errors.js";
import { allocate, copyFloats, lend, put, take, tileBytes, tileRows } from "../../api/heap.js";
import { readIds } from "../../api/ids.js";
import { beginLife, disposable } from "../../api/life.js";
import { readRows, readVectors, residentRows } from "../../api/rows.js";
import { Tensor } from "../../api/tensor.js";
import { guard } from "../../api/wasm.js";
import { readMetric } from "../similarity/similarity.js";

const ROWS = /** @type {const} */ (["normalized", "raw"]);

/**
 * @typedef {object} SearchOptions
 * @property {number} [k]  how many neighbours; default 10, and never more than there are
 * @property {Metric} [metric]  `cosine` (default) and `dot`: largest first; `euclidean`: the
 *   distance, smallest first
 * @property {number | TensorInput} [exclude]  ids of rows to leave out
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
     *   nearest_scan(rows: number, first: number, N: number, D: number, squares: number,
     *     known: number, queries: number, Q: number, metric: number, excluded: number, size: number,
     *     E: number, keys: number, ids: number, k: number): number,
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
     * @param {VectorsInput} vectors  [V, D]; copied
     * @returns {NearestIndex} in WASM memory until `dispose()`
     * @throws {TypeError | RangeError} if vectors are of the wrong kind or shape
     * @throws {OutOfMemory} if they do not fit
     * @example
     * const index = nearest.index([[1, 0], [0, 1], [1, 1]]);
     * index.search([2, 1], { k: 2 }).ids.toArray()
     * // [2, 0]
     */
    index(vectors) {
      const given = readRows(core, vectors, "vectors");
      const { N: V, D } = given;
      const at = guard(core, () =>
        allocate(core, `an index of ${V} x ${D}`, V * D * 4 + V * 8 + 8),
      );
      const squaresAt = at + Math.ceil((V * D * 4) / 8) * 8;
      const { live, dispose } = beginLife("the index", freeing(at));
      try {
        guard(core, () => {
          copyFloats(core, given.place(0, V, at), V * D, at);
          raw.nearest_squares(at, V, D, squaresAt);
        });
      } catch (cause) {
        dispose();
        throw cause;
      }
      const rows = residentRows(V, D, () => (live(), at));
      return index({ ...rows, squaresAt }, live, dispose);
    },

    /**
     * Answer "a is to b as c is to ...?": the rows nearest to b - a + c, without a, b and c.
     *
     * @param {VectorsInput} vectors  [V, D]
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
      const rows = readRows(core, vectors, "vectors");
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
   * @overload
   * @param {VectorsInput} vectors  [V, D]; copied in tile by tile with every call:
   *   `nearest.index` keeps them
   * @param {TensorInput} queries  [D] or [..., D]
   * @param {SearchOptions} [options]
   * @returns {Neighbours} ids and scores [k] or [..., k]; the caller's own
   * @throws {TypeError | RangeError} if an argument is of the wrong kind or widths differ
   * @example
   * nearest([[1, 0], [0, 1], [1, 1]], [2, 1], { k: 2, metric: "dot" }).scores.toArray()
   * // [3, 2]
   */
  // The overload is the function itself: declarations keep the comments of overloads alone.
  /** @param {VectorsInput} vectors @param {TensorInput} queries @param {SearchOptions} [options] */
  function ofVectors(vectors, queries, options = {}) {
    return search(readRows(core, vectors, "vectors"), queries, options, "nearest");
  }

  /**
   * What frees an address, apart from whatever would keep its user alive.
   * @param {number} at
   */
  function freeing(at) {
    return () => {
      if (!core.dead) core.raw._free(at);
    };
  }

  /**
   * @param {Rows} rows @param {() => void} live @param {() => void} dispose
   * @returns {NearestIndex}
   */
  function index(rows, live, dispose) {
    return disposable({
      vocabulary: rows.N,
      dim: rows.D,
      search(queries, options = {}) {
        live();
        return search(rows, queries, options, "search");
      },
      analogy(triples, options = {}) {
        live();
        return analogy(rows, triples, options, "analogy");
      },
      dispose,
    });
  }

  /**
   * @param {Rows} table @param {TensorInput} queries @param {unknown} options
   * @param {string} where
   */
  function search(table, queries, options, where) {
    const defaults = { k: 10, metric: "cosine", exclude: [] };
    const { k, metric, exclude } = check.options(options, defaults, where);
    const { N: V, D } = table;
    const kind = readMetric(metric);
    const most = check.integer(k, "k");
    const ids = readIds(exclude, V, "exclude").data.sort();
    const { data, shape, N: Q, D: width } = readVectors(queries, "queries", "[..., D]");
    if (width !== D) {
      throw new RangeError(
        `queries must be as wide as the vectors, ${D}; got [${shape.join(", ")}]`,
      );
    }
    const found = results(shape.slice(0, -1), Math.min(most, V - new Set(ids).size));
    find(
      table,
      kind,
      found,
      { ids, E: ids.length },
      where,
      (from, count, at) => {
        core.raw.HEAPF64.set(data.subarray(from * D, (from + count) * D), at >>> 3);
      },
      Q,
    );
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
    const found = results(shape.slice(0, -1), Math.min(most, V - excluded));
    find(
      table,
      kind,
      found,
      { ids, E },
      where,
      (from, count, at, workAt) => {
        for (let i = 0; i < 3 * count; ++i) {
          const to = workAt + i * D * 4;
          copyFloats(core, table.place(data[3 * from + i], 1, to), D, to);
        }
        must(raw.nearest_targets(workAt, count, D, unit, at), where);
      },
      Q,
      12 * D,
    );
    return found;
  }

  /**
   * @param {Rows} table @param {number} metric @param {Neighbours} found  filled
   * @param {{ids: Int32Array, E: number}} excluded  [E] or [Q, E] @param {string} where
   * @param {(from: number, count: number, at: number, workAt: number) => void} write  some queries,
   *   in double @param {number} Q @param {number} [workBytes]  that it needs for each
   */
  function find(table, metric, { ids, scores }, { ids: left, E }, where, write, Q, workBytes = 0) {
    const k = ids.shape[ids.rank - 1];
    if (ids.size === 0) return;
    const { N: V, D, squaresAt = 0 } = table;
    const step = tileRows(D * 8 + workBytes + k * 16, Q);
    const rows = table.resident ? V : tileRows(D * 4, V);
    const each = left.length > E; // query has ids of its own to leave out
    const pieces = [
      tileBytes(table, rows),
      step * D * 8,
      step * workBytes,
      (each ? step : 1) * E * 4,
      ...[step * k * 8, step * k * 4, step * k * 4],
    ];
    lend(core, where, pieces, (tileAt, queriesAt, workAt, leftAt, keysAt, idsAt, scoresAt) => {
      for (let q = 0; q < Q; q += step) {
        const count = Math.min(step, Q - q);
        const out = each ? left.subarray(q * E, (q + count) * E) : left;
        put(core, out, leftAt);
        write(q, count, queriesAt, workAt);
        for (let first = 0; first < V; first += rows) {
          const N = Math.min(rows, V - first);
          must(
            raw.nearest_scan(
              ...[table.place(first, N, tileAt), first, N, D],
              ...[squaresAt && squaresAt + first * 8, squaresAt && N, queriesAt, count, metric],
              ...[leftAt, out.length, E, keysAt, idsAt, k],
            ),
            where,
          );
        }
        must(raw.nearest_rank(keysAt, idsAt, count, k, metric, scoresAt), where);
        take(core, idsAt, count * k, ids.data, q * k);
        take(core, scoresAt, count * k, scores.data, q * k);
      }
    });
  }
}

/** @param {readonly number[]} shape @param {number} k @returns {Neighbours} */
function results(shape, k) {
  const sizes = [...shape, k];
  return {
    ids: new Tensor(check.destinationInt32(undefined, sizes), sizes),
    scores: new Tensor(check.destination(undefined, sizes), sizes),
  };
}
