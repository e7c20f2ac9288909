/** @import { Core } from "../../runtime/wasm.js" */
/** @import { Rows, TableInput } from "../../runtime/table.js" */
/** @import { Tensor, TensorInput } from "../../runtime/tensor.js" */
/** @import { OptionsOf } from "../../runtime/options.js" */
import { readIds } from "../../runtime/ids.js";
import { disposable } from "../../runtime/lifetime.js";
import { take } from "../../runtime/memory.js";
import * as option from "../../runtime/options.js";
import { output } from "../../runtime/result.js";
import { readTable } from "../../runtime/table.js";
import { metricOption } from "../similarity/similarity.js";
import { checkPart, readAnalogies, readPart, readSearch, wholeOf } from "./arguments.js";
import { indexMemory } from "./memory.js";
import { findCandidates, findNearest } from "./results.js";

const SORT_KEYS = () => ({
  /** Whether to return the sort keys, too: the numbers in double by which rows are ordered. They join results of parts of a table. */
  sortKeys: option.boolean(false),
});

const SEARCH_OPTIONS = () => ({
  /** The number of neighbors. Fewer are returned where the table has fewer rows. */
  k: option.integer({ default: 10 }),
  /** The measure. `cosine` and `dot`: largest first. `euclidean`: smallest distance first. */
  metric: metricOption(),
  /** Ids of rows to leave out. */
  exclude: option.value(/** @type {number | TensorInput | undefined} */ (undefined)),
  /** The ids of the rows [V], ascending, where vectors are only some rows of a table. Results and `exclude` use them. Default: 0, 1, 2, ... */
  ids: option.tensor(),
  ...SORT_KEYS(),
});

const INDEX_OPTIONS = () => ({
  /**
   * Whether the index also keeps its rows in int8, which takes a quarter more memory, and 28 bytes a row. A search reads them first, and
   * of the float32 rows only those that may be among the nearest; the results are the same, bit for bit. An index
   * whose rows are narrower than 64 numbers, or for which memory is short, has none.
   */
  int8: option.boolean(true),
  /**
   * The first row and the number of all rows, where vectors are consecutive rows of a larger table. Ids of results,
   * of `exclude` and of triples, and `ids`, are then those of all rows.
   */
  part: option.value(/** @type {Part | undefined} */ (undefined)),
});

const INDEX = option.optionSet(INDEX_OPTIONS);
const NEAREST = option.optionSet(SEARCH_OPTIONS);
const CANDIDATES = option.optionSet(() => {
  const { sortKeys: _, ...options } = SEARCH_OPTIONS();
  return options;
});
const INDEX_SEARCH = option.optionSet(SEARCH_OPTIONS);

const ANALOGY_OPTIONS = () => ({
  /** The number of answers. Fewer are returned where the table has fewer rows. */
  k: option.integer({ default: 10 }),
  /** The measure, as in `nearest`. */
  metric: metricOption(),
  /** Whether to divide a, b and c by their lengths, so that all words have the same weight. */
  normalize: option.boolean(true),
  /** Ids of rows to leave out in addition to a, b and c. */
  exclude: option.value(/** @type {number | TensorInput | undefined} */ (undefined)),
  ...SORT_KEYS(),
});

const INDEX_ANALOGY_OPTIONS = () => ({
  ...ANALOGY_OPTIONS(),
  /** The rows of a, b and c, float32 [..., 3, D], where the index is a part of a table that may lack them. */
  rows: option.tensor(),
});

const ANALOGY = option.optionSet(ANALOGY_OPTIONS);
const INDEX_ANALOGY = option.optionSet(INDEX_ANALOGY_OPTIONS);

/**
 * Which rows of a table an index has.
 * @typedef {object} Part
 * @property {number} first  the id of its first row
 * @property {number} vocabulary  the number of rows of the table
 */

/** @typedef {OptionsOf<typeof NEAREST>} SearchOptions */
/** @typedef {OptionsOf<typeof ANALOGY>} AnalogyOptions */
/** @typedef {ReturnType<typeof NEAREST["read"]>} NearestSettings  options as they were read */
/** @typedef {ReturnType<typeof INDEX_ANALOGY["read"]>} AnalogySettings  options as they were read */

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
 * @property {number} byteLength  bytes of memory: 4 V D for the vectors, 8 V, and with `int8` V D + 28 V + 8 D + 16 more
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
      const part = readPart(given, table.N);
      const { rows, byteLength, dispose } = indexMemory(core, table, int8);
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
      const search = readSearch(
        core,
        table,
        queries,
        { ...given, sortKeys: false },
        wholeOf(table),
      );
      return findCandidates(core, table, search);
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
      return findAnalogies(table, triples, given, wholeOf(table));
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
    return search(table, queries, given, wholeOf(table));
  }

  /**
   * @param {Rows} table @param {Part} part @param {number} byteLength @param {() => void} dispose
   * @returns {NearestIndex}
   */
  function index(table, part, byteLength, dispose) {
    const { live, D } = table;
    return disposable("NearestIndex", {
      vocabulary: part.vocabulary,
      dim: D,
      byteLength,
      search(queries, options = {}) {
        live();
        return search(table, queries, INDEX_SEARCH.read(options), part);
      },
      analogy(triples, options = {}) {
        live();
        return findAnalogies(table, triples, INDEX_ANALOGY.read(options), part);
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
   * @param {Rows} table @param {TensorInput} queries @param {NearestSettings} options
   * @param {Part} part
   */
  function search(table, queries, options, part) {
    const search = readSearch(core, table, queries, options, part);
    return findNearest(core, table, search, table.errorsAt !== undefined);
  }

  /**
   * @param {Rows} table @param {TensorInput} triples @param {AnalogySettings} options
   * @param {Part} part
   */
  function findAnalogies(table, triples, options, part) {
    const search = readAnalogies(core, table, triples, options, part);
    return findNearest(core, table, search, false);
  }
}
