/** @import { Core } from "../../runtime/wasm.js" */
/** @import { Rows, TableInput } from "../../runtime/table.js" */
/** @import { TensorInput } from "../../runtime/tensor.js" */
/** @import { OptionsOf } from "../../runtime/options.js" */
import * as check from "../../runtime/check.js";
import { checkStatus, wrongShape } from "../../runtime/errors.js";
import {
  allocate,
  copyFloats,
  freeing,
  withMemory,
  put,
  putPart,
  take,
  tileBytes,
  tileRows,
} from "../../runtime/memory.js";
import { readIds } from "../../runtime/ids.js";
import { beginLife, disposable } from "../../runtime/lifetime.js";
import * as option from "../../runtime/options.js";
import { output, outputInt32 } from "../../runtime/result.js";
import { readTable, readVectors, residentRows } from "../../runtime/table.js";
import { Tensor } from "../../runtime/tensor.js";
import { guard } from "../../runtime/wasm.js";
import { codeOf, metricOption } from "../similarity/similarity.js";

/** phasor::similarity::Metric */
const COSINE = 1;

/** phasor::nearest::kWidest: wider rows have no first pass, whose memory would be large. */
const WIDEST = 2 ** 16;

/** Narrower rows gain nothing by an int8 copy: at 100 numbers a search with it takes as long or longer. */
const NARROWEST = 128;

/** phasor::nearest::End */
const LOW = -1;
const MIDDLE = 0;

/** phasor::nearest::kNoId: the row of a place for which there is none. */
const NO_ROW = 2 ** 31 - 1;

const SORT_KEYS = {
  /** Whether to return the sort keys, too: the numbers in double by which rows are ordered. They join results of parts of a table. */
  sortKeys: option.boolean(false),
};

const SEARCH_OPTIONS = {
  /** The number of neighbors. Fewer are returned where the table has fewer rows. */
  k: option.integer({ default: 10 }),
  /** The measure. `cosine` and `dot`: largest first. `euclidean`: smallest distance first. */
  metric: metricOption(),
  /** Ids of rows to leave out. */
  exclude: option.value(/** @type {number | TensorInput | undefined} */ (undefined)),
  /** The ids of the rows [V], ascending, where vectors are only some rows of a table. Results and `exclude` use them. Default: 0, 1, 2, ... */
  ids: option.tensor(),
  ...SORT_KEYS,
};

const INDEX_OPTIONS = {
  /**
   * Whether the index also keeps its rows in int8, which takes a quarter more memory. A search reads them first, and
   * of the float32 rows only those that may be among the nearest; the results are the same, bit for bit. An index
   * whose rows are narrower than 128 numbers, or for which memory is short, has none.
   */
  int8: option.boolean(true),
  /**
   * The first row and the number of all rows, where vectors are consecutive rows of a larger table. Ids of results,
   * of `exclude` and of triples, and `ids`, are then those of all rows.
   */
  part: option.value(/** @type {Part | undefined} */ (undefined)),
};

const INDEX = option.optionSet("nearest.index", INDEX_OPTIONS);
const NEAREST = option.optionSet("nearest", SEARCH_OPTIONS);
const { sortKeys: _, ...CANDIDATE_OPTIONS } = SEARCH_OPTIONS;
const CANDIDATES = option.optionSet("nearest.candidates", CANDIDATE_OPTIONS);
const INDEX_SEARCH = option.optionSet("search", SEARCH_OPTIONS);

const ANALOGY_OPTIONS = {
  /** The number of answers. Fewer are returned where the table has fewer rows. */
  k: option.integer({ default: 10 }),
  /** The measure, as in `nearest`. */
  metric: metricOption(),
  /** Whether to divide a, b and c by their lengths, so that all words have the same weight. */
  normalize: option.boolean(true),
  /** Ids of rows to leave out in addition to a, b and c. */
  exclude: option.value(/** @type {number | TensorInput | undefined} */ (undefined)),
  ...SORT_KEYS,
};

const INDEX_ANALOGY_OPTIONS = {
  ...ANALOGY_OPTIONS,
  /** The rows of a, b and c, float32 [..., 3, D], where the index is a part of a table that may lack them. */
  rows: option.tensor(),
};

const ANALOGY = option.optionSet("nearest.analogy", ANALOGY_OPTIONS);
const INDEX_ANALOGY = option.optionSet("analogy", INDEX_ANALOGY_OPTIONS);

/**
 * Which rows of a table an index has.
 * @typedef {object} Part
 * @property {number} first  the id of its first row
 * @property {number} vocabulary  the number of rows of the table
 */

/** @typedef {OptionsOf<typeof NEAREST>} SearchOptions */
/** @typedef {OptionsOf<typeof ANALOGY>} AnalogyOptions */

/**
 * The rows that were found for each query.
 * @typedef {object} Neighbors
 * @property {Tensor<Int32Array>} ids  int32 [..., k], best first. Scores that are equal in double are ordered by id,
 *   and rows whose score is NaN come last
 * @property {Tensor} scores  float32 [..., k]: the values of the metric
 * @property {Tensor<Uint8Array>} [certain]  only for tables that `embedding.quantize` rounded: uint8
 *   [..., k], 1 where the row is certain to be among the k nearest of the rows before rounding
 * @property {Tensor} [recall]  only for rounded tables: float32 [...], the share of the k that is certain, a
 *   lower bound of the recall
 * @property {Tensor<Float64Array>} [sortKeys]  only with `sortKeys: true`: float64 [..., k], by which rows are ordered, the largest
 *   first, then equal ones by id, NaN last: dot products, cosines, or negated squares of distances
 */

/**
 * Vectors in WASM memory, with their lengths.
 * @typedef {object} NearestIndex
 * @property {number} vocabulary  V, the number of rows; for a `part`, of the whole table
 * @property {number} dim  D
 * @property {number} byteLength  bytes of memory: 4 V D for the vectors, 8 V, and with `int8` V D + 24 V + 8 D + 16 more
 * @property {(queries: TensorInput, options?: OptionsOf<typeof INDEX_SEARCH>) => Neighbors} search  finds neighbors as `nearest`
 *   does
 * @property {(triples: TensorInput, options?: OptionsOf<typeof INDEX_ANALOGY>) => Neighbors} analogy  answers analogies as
 *   `nearest.analogy` does. A `part` has k places as soon as one triple leaves it k rows; the others then have the id -1
 *   and NaN where no row is left
 * @property {(ids: TensorInput) => Tensor} rows  returns a copy of the rows of ids [...]: float32 [..., D]
 * @property {() => void} dispose  frees the memory; further calls have no effect
 */

/**
 * Exact nearest-neighbor search: the rows of a table that are most similar to a vector.
 * @see no paper: every row is compared
 * @param {Core} core
 */
export function nearest(core) {
  const { raw } = core;

  const module = Object.assign(ofVectors, {
    /**
     * Copies vectors and their lengths into WASM memory, for many searches. An int8 copy of the rows makes a search
     * of them several times as fast (`int8`).
     *
     * @param {TableInput} vectors  [V, D]
     * @param {OptionsOf<typeof INDEX>} [options]
     * @returns {NearestIndex} in WASM memory until `dispose()`
     * @throws {TypeError | RangeError} if an argument has the wrong type or shape
     * @throws {OutOfMemoryError} if memory for the vectors cannot be allocated
     * @example
     * const index = nearest.index([[1, 0], [0, 1], [1, 1]]);
     * index.search([2, 1], { k: 2 }).ids.toArray()
     * // [2, 0]
     */
    index(vectors, options = {}) {
      const { int8, part: given } = INDEX.read(options);
      const table = readTable(core, vectors, "vectors");
      const { N: V, D } = table;
      const part = readPart(given, V);
      const rowsBytes = Math.ceil((V * D * 4) / 8) * 8 + V * 8;
      const at = guard(core, () => allocate(core, `an index of ${V} x ${D}`, rowsBytes));
      const squaresAt = at + rowsBytes - V * 8;
      const sketchBytes =
        int8 && D >= NARROWEST && D <= WIDEST ? raw.nearest_sketch_bytes(V, D) : 0;
      const sketchAt = sketchBytes && guard(core, () => raw._malloc(sketchBytes));
      const { live, dispose } = beginLife("the index", freeing(core, at, sketchAt));
      try {
        guard(core, () => {
          copyFloats(core, table.place(0, V, at), V * D, at);
          raw.nearest_squares(at, V, D, squaresAt);
          if (sketchAt) raw.nearest_sketch(at, squaresAt, V, D, sketchAt);
        });
      } catch (cause) {
        dispose();
        throw cause;
      }
      const byteLength = rowsBytes + (sketchAt && sketchBytes);
      const rows = { ...residentRows(V, D, at, live), squaresAt, sketchAt };
      return index(rows, part, byteLength, dispose);
    },

    /**
     * Finds all rows of a rounded table that may be among the k nearest of any query before rounding. No
     * true neighbor is missing. A search of these rows before rounding gives the exact result:
     *
     *     const ids = nearest.candidates(table, query, { k: 10 });
     *     const rows = ... // these rows before rounding, for example from the file
     *     nearest(rows, query, { k: 10, ids }) // bit-equal to nearest(allRows, query, { k: 10 })
     *
     * A row is a candidate if the upper bound of its score reaches the k-th largest of all lower bounds.
     *
     * @param {TableInput} vectors  [V, D]; for a tensor the candidates are the k nearest rows and the
     *   rows whose score equals the k-th
     * @param {TensorInput} queries  [D] or [..., D]
     * @param {OptionsOf<typeof CANDIDATES>} [options]
     * @returns {Tensor<Int32Array>} int32 [C]: ids, ascending
     * @throws {TypeError | RangeError} if an argument has the wrong type or widths differ
     * @see Fagin, Lotem, Naor 2003, Optimal aggregation algorithms for middleware, section 8 (the k best
     *   by lower and upper bounds)
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
      const given = CANDIDATES.read(options);
      const table = readTable(core, vectors, "vectors");
      const search = readSearch(table, queries, { ...given, sortKeys: false }, wholeOf(table));
      return findCandidates(table, search, CANDIDATES.of);
    },

    /**
     * Answers "a is to b as c is to ...?": finds the rows nearest to b - a + c, without a, b and c.
     *
     * @param {TableInput} vectors  [V, D]; for a rounded table, its rows after rounding
     * @param {TensorInput} triples  ids [3] or [..., 3]: (a, b, c)
     * @param {AnalogyOptions} [options]
     * @returns {Neighbors} ids and scores [..., k]
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Mikolov, Yih, Zweig 2013, Linguistic regularities in continuous space word representations,
     *   section 4
     * @example
     * const [man, woman, king] = [[1, 0], [1, 1], [3, 0]];
     * const vectors = [man, woman, king, [3, 1], [0, 3]];
     * nearest.analogy(vectors, [0, 1, 2], { k: 1, normalize: false }).ids.toArray()
     * // [3]
     */
    analogy(vectors, triples, options = {}) {
      const given = { ...ANALOGY.read(options), rows: undefined };
      const table = readTable(core, vectors, "vectors");
      return findAnalogies(table, triples, given, wholeOf(table), ANALOGY.of);
    },
  });
  option.withOptions({ nearest: ofVectors }, { nearest: NEAREST });
  return option.withOptions(module, { index: INDEX, candidates: CANDIDATES, analogy: ANALOGY });

  /**
   * Finds the rows of a table that are most similar to each query.
   *
   * The order is that of the scores in double, before they are rounded. Rows whose scores are equal in double are
   * ordered by id; NaN comes last. Cosines of which only the formula says that they are equal, as those of [1, 0, 0]
   * and [2, 1, -2] with [1, 1, 0], may differ in the last bit of the double, which then decides. A row of zeros has
   * cosine 0 with every vector.
   * Accuracy: cosine within 3e-8; distance within 6e-8 of itself.
   *
   * For a rounded table (`embedding.quantize`) the scores are those of its rows after rounding, w'. The
   * table stores for each row how much the score of the row before rounding, w, can differ:
   *
   *     dot         |q| |w - w'|
   *     euclidean   |w - w'|
   *     cosine      |w/|w| - w'/|w'||
   *
   * A result is `certain` if the lower bound of its score is above the (k+1)-th largest upper bound: then
   * at most k - 1 other rows can be nearer. `recall` is the share of certain results. Use
   * `nearest.candidates` for an exact search.
   *
   * @overload
   * @param {TableInput} vectors  [V, D]; a tensor is copied into WASM memory by every call, and
   *   `nearest.index` avoids the copy; a table is not copied
   * @param {TensorInput} queries  [D] or [..., D]
   * @param {SearchOptions} [options]
   * @returns {Neighbors} ids and scores [k] or [..., k]
   * @throws {TypeError | RangeError} if an argument has the wrong type or widths differ
   * @example
   * nearest([[1, 0], [0, 1], [1, 1]], [2, 1], { k: 2, metric: "dot" }).scores.toArray()
   * // [3, 2]
   */
  // TypeScript keeps the comment of an overload in declarations, but not that of a nested function.
  /** @param {TableInput} vectors @param {TensorInput} queries @param {SearchOptions} [options] */
  function ofVectors(vectors, queries, options = {}) {
    const given = NEAREST.read(options);
    const table = readTable(core, vectors, "vectors");
    return search(table, queries, given, wholeOf(table), NEAREST.of);
  }

  /**
   * @param {Rows} table @param {Part} part @param {number} byteLength @param {() => void} dispose
   * @returns {NearestIndex}
   */
  function index(table, part, byteLength, dispose) {
    const { live, D } = table;
    return disposable({
      vocabulary: part.vocabulary,
      dim: D,
      byteLength,
      search(queries, options = {}) {
        live();
        return search(table, queries, INDEX_SEARCH.read(options), part, INDEX_SEARCH.of);
      },
      analogy(triples, options = {}) {
        live();
        return findAnalogies(table, triples, INDEX_ANALOGY.read(options), part, INDEX_ANALOGY.of);
      },
      rows(ids) {
        live();
        const { data, shape } = readIds(ids, part.vocabulary, "ids");
        checkPart(data, part, table.N, "ids");
        const sizes = [...shape, D];
        const rows = output(undefined, sizes);
        data.forEach((id, t) =>
          take(core, table.place(id - part.first, 1, 0), D, rows.data, t * D),
        );
        return rows.done();
      },
      dispose,
    });
  }

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
   * @param {Rows} table @param {unknown} queries @param {ReturnType<typeof NEAREST["read"]>} options
   * @param {Part} part
   * @returns {Search}
   */
  function readSearch({ N, D }, queries, { k, metric, exclude = [], ids, sortKeys }, part) {
    const { first, vocabulary } = part;
    const rowIds =
      ids === undefined ? undefined : readRowIds(ids, vocabulary).subarray(first, first + N);
    const given = readIds(exclude, rowIds ? 2 ** 31 : vocabulary, "exclude").data;
    const rows = rowIds ? rowsOf(given, rowIds) : given.map((id) => id - first);
    const excluded = rows.filter((row) => row >= 0 && row < N).sort();
    const { data, shape, N: Q, D: width } = readVectors(queries, "queries", "[..., D]");
    if (width !== D) {
      throw new RangeError(
        `queries must be as wide as the vectors, ${D}; got [${shape.join(", ")}]`,
      );
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
   * @param {Rows} table @param {TensorInput} queries @param {ReturnType<typeof NEAREST["read"]>} options
   * @param {Part} part @param {string} where
   */
  function search(table, queries, options, part, where) {
    const search = readSearch(table, queries, options, part);
    return findNearest(table, search, where, table.errorsAt !== undefined);
  }

  /**
   * @param {Rows} table @param {TensorInput} triples
   * @param {ReturnType<typeof INDEX_ANALOGY["read"]>} options @param {Part} part @param {string} where
   */
  function findAnalogies(table, triples, options, part, where) {
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
    /** @type {Search} */
    const search = {
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
        checkStatus(raw.nearest_targets(workAt, count, D, normalize, at), where);
      },
      workBytes: 12 * D,
      idOf: (row) => (row === NO_ROW ? -1 : first + row),
      sortKeys,
    };
    return findNearest(table, search, where, false);
  }

  /**
   * @param {Rows} table @param {Search} search @param {string} where
   * @param {boolean} certify  whether to compute which results are certain
   */
  function findNearest(table, search, where, certify) {
    const { metric, k, idOf } = search;
    const found = newNeighbors(search.shape, k, certify, search.sortKeys);
    const upperK = certify ? k + 1 : 0;
    const bytesPerQuery = [k * 4, upperK * 8, upperK * 4, certify ? k : 0];
    overQueries(table, search, where, bytesPerQuery, 0, (tile) => {
      const { from, count, keysAt, idsAt } = tile;
      const [scoresAt, upperKeysAt, upperIdsAt] = tile.moreAt;
      tile.overRows((rows) =>
        raw.nearest_scan(...rows, keysAt, idsAt, k, MIDDLE, upperKeysAt, upperIdsAt, upperK),
      );
      checkStatus(raw.nearest_rank(keysAt, idsAt, count, k, metric, scoresAt), where);
      take(core, idsAt, count * k, found.ids.data, from * k);
      take(core, scoresAt, count * k, found.scores.data, from * k);
      if (found.sortKeys) take(core, keysAt, count * k, found.sortKeys.data, from * k);
      if (certify) fillCertain(table, search, where, tile, found);
    });
    found.ids.data.forEach((row, i, ids) => (ids[i] = idOf(row)));
    return found;
  }

  /**
   * Fills `certain` and `recall` for a tile of queries, after a scan.
   * @param {Rows} table @param {Search} search @param {string} where @param {QueryTile} tile
   * @param {Neighbors} found
   */
  function fillCertain(table, { metric, k }, where, tile, { certain, recall }) {
    if (!certain || !recall) return;
    const { from, count, keysAt, idsAt, queriesAt } = tile;
    const [, upperKeysAt, upperIdsAt, certainAt] = tile.moreAt;
    const { N: V, D } = table;
    checkStatus(
      raw.nearest_certify(
        ...[keysAt, idsAt, upperKeysAt, upperIdsAt, count, k],
        ...[errorsOf(table, metric), V, queriesAt, D, metric, certainAt],
      ),
      where,
    );
    certain.data.set(core.raw.HEAPU8.subarray(certainAt, certainAt + count * k), from * k);
    for (let q = from; q < from + count; ++q) {
      const flags = certain.data.subarray(q * k, (q + 1) * k);
      recall.data[q] = flags.reduce((sum, flag) => sum + flag, 0) / k;
    }
  }

  /** @param {Rows} table @param {Search} search @param {string} where */
  function findCandidates(table, search, where) {
    const { k, idOf } = search;
    const marks = new Uint8Array(table.N);
    overQueries(table, search, where, [], 1, ({ keysAt, idsAt, moreAt: [marksAt], overRows }) => {
      overRows((rows) => raw.nearest_scan(...rows, keysAt, idsAt, k, LOW, 0, 0, 0));
      overRows((rows, first, N) => {
        core.raw.HEAPU8.set(marks.subarray(first, first + N), marksAt);
        const status = raw.nearest_mark(...rows, keysAt, idsAt, k, marksAt);
        marks.set(core.raw.HEAPU8.subarray(marksAt, marksAt + N), first);
        return status;
      });
    });
    const count = marks.reduce((sum, mark) => sum + mark, 0);
    const ids = outputInt32(undefined, [count]);
    let next = 0;
    marks.forEach((mark, row) => {
      if (mark) ids.data[next++] = idOf(row);
    });
    return ids.done();
  }

  /**
   * Runs a kernel over the rows of a table. The kernel gets the arguments that all kernels of a search have
   * in common: the rows, the queries and the excluded ids.
   * @typedef {(kernel: (common: Common, first: number, N: number) => number) => void} OverRows
   *
   * @typedef {[at: number, first: number, N: number, D: number, codes: number, scales: number,
   *   packed: number, squares: number, known: number, errors: number, rounded: number, sketch: number,
   *   V: number]} RowTile
   * @typedef {[...RowTile, queries: number, Q: number, metric: number, excluded: number, size: number,
   *   E: number, work: number, bytes: number]} Common
   */

  /**
   * Some queries of a search, in WASM memory.
   * @typedef {object} QueryTile
   * @property {number} from  the first query
   * @property {number} count
   * @property {number} queriesAt  address of the queries [count, D]
   * @property {number} keysAt  address of the keys [count, k]
   * @property {number} idsAt  address of the ids [count, k]
   * @property {number[]} moreAt  addresses of the memory that the caller asked for
   * @property {OverRows} overRows
   */

  /**
   * Calls a function for all queries, tile by tile.
   * @param {Rows} table @param {Search} search @param {string} where
   * @param {readonly number[]} bytesPerQuery  sizes of more memory for each query
   * @param {number} bytesPerRow  the size of more memory for each row of a tile
   * @param {(tile: QueryTile) => void} use
   */
  function overQueries(table, search, where, bytesPerQuery, bytesPerRow, use) {
    const { metric, k, Q, excluded, E, writeQueries, workBytes } = search;
    if (Q * k === 0) return;
    const { N: V, D } = table;
    const queryBytes = bytesPerQuery.reduce(
      (sum, bytes) => sum + bytes,
      D * 8 + workBytes + k * 12,
    );
    const step = tileRows(queryBytes, Q);
    const screens = D <= WIDEST;
    const codes = screens ? table.codes : undefined;
    const rows = table.resident || codes ? V : tileRows(D * 4, V);
    const perQuery = excluded.length > E; // each query excludes its own ids
    // the kernel's workspace: queries in groups of eight, rows of a block, whole queries, bounds, paces
    const screenBytes = screens
      ? (Math.ceil(step / 8) * 8 + 64) * D * 4 + step * (D * 2 + 128) + 16
      : 0;
    const pieces = [
      ...[codes ? 0 : tileBytes(table, rows), step * workBytes, (perQuery ? step : 1) * E * 4],
      ...[screenBytes, step * k * 8, step * k * 4, step * D * 8],
      ...bytesPerQuery.map((bytes) => step * bytes),
      rows * bytesPerRow,
    ];
    withMemory(core, where, pieces, (tileAt, workAt, excludedAt, screenAt, ...at) => {
      const [keysAt, idsAt, queriesAt, ...moreAt] = at;
      for (let from = 0; from < Q; from += step) {
        const count = Math.min(step, Q - from);
        const ids = perQuery ? excluded.subarray(from * E, (from + count) * E) : excluded;
        put(core, ids, excludedAt);
        writeQueries(from, count, queriesAt, workAt);
        const comparison = /** @type {const} */ ([
          queriesAt,
          count,
          metric,
          excludedAt,
          ids.length,
          E,
          screenAt,
          screenBytes,
        ]);
        /** @type {OverRows} */
        const overRows = (kernel) =>
          overTiles({ ...table, codes }, metric, rows, tileAt, where, (tile, first, N) =>
            kernel([...tile, ...comparison], first, N),
          );
        use({ from, count, queriesAt, keysAt, idsAt, moreAt, overRows });
      }
    });
  }

  /**
   * Runs a kernel over all rows of a table, tile by tile. The kernel gets the arguments that describe a tile.
   * @param {Rows} table @param {number} metric @param {number} rows  how many of a tile
   * @param {number} tileAt @param {string} where
   * @param {(tile: RowTile, first: number, N: number) => number} kernel
   */
  function overTiles(table, metric, rows, tileAt, where, kernel) {
    const { N: V, D, squaresAt = 0, sketchAt = 0, codes } = table;
    const errorsAt = errorsOf(table, metric);
    table.live();
    for (let first = 0; first < V; first += rows) {
      const N = Math.min(rows, V - first);
      /** @type {RowTile} */
      const tile = [
        codes ? 0 : table.place(first, N, tileAt),
        first,
        codes ? 0 : N,
        D,
        codes?.at ?? 0,
        codes?.scalesAt ?? 0,
        codes ? N : 0,
        squaresAt && squaresAt + first * 8,
        squaresAt && N,
        errorsAt && errorsAt + first * 4,
        errorsAt && N,
        sketchAt,
        sketchAt && V,
      ];
      checkStatus(kernel(tile, first, N), where);
    }
  }
}

/**
 * The address of the error bounds that a metric uses; 0 if the rows are exact.
 * @param {Rows} table @param {number} metric
 */
function errorsOf({ errorsAt }, metric) {
  return (metric === COSINE ? errorsAt?.directions : errorsAt?.lengths) ?? 0;
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

/** The part that is the whole table. @param {Rows} table @returns {Part} */
const wholeOf = ({ N }) => ({ first: 0, vocabulary: N });

/**
 * @param {unknown} given @param {number} N  rows of the part
 * @returns {Part}
 */
function readPart(given, N) {
  if (given === undefined) return { first: 0, vocabulary: N };
  if (!check.isRecord(given)) {
    throw new TypeError(`part must be {first, vocabulary}; got ${check.describe(given)}`);
  }
  const vocabulary = check.integer(given.vocabulary, "part.vocabulary", N);
  return { first: check.integer(given.first, "part.first", 0, vocabulary - N), vocabulary };
}

/**
 * Throws for an id of another part.
 * @param {Int32Array} ids @param {Part} part @param {number} N  rows of the part @param {string} name
 */
function checkPart(ids, { first }, N, name) {
  const bad = ids.findIndex((id) => id < first || id >= first + N);
  if (bad < 0) return;
  const rule = `ids of rows of this part, ${first} to ${first + N - 1}`;
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
 * @param {readonly number[]} shape @param {number} k @param {boolean} certify @param {boolean} sortKeys
 * @returns {Neighbors}
 */
function newNeighbors(shape, k, certify, sortKeys) {
  const sizes = [...shape, k];
  const ids = outputInt32(undefined, sizes).done();
  const scores = output(undefined, sizes).done();
  const certain = certify && new Tensor(new Uint8Array(ids.size), sizes);
  const recall = certify && output(undefined, shape).done();
  if (recall) recall.data.fill(1);
  return {
    ...{ ids, scores },
    ...(certain && recall && { certain, recall }),
    ...(sortKeys && { sortKeys: new Tensor(new Float64Array(ids.size), sizes) }),
  };
}
