/** An index whose rows are in several workers. */
import * as arrays from "../runtime/arrays.js";
import * as check from "../runtime/check.js";
import { readIds } from "../runtime/ids.js";
import { Tensor } from "../runtime/tensor.js";
import { ending } from "./connect.js";
import { joinNeighbors } from "./split.js";
import { attempt, together } from "./together.js";

/** @import { Range } from "./split.js" */

/** How many neighbors are found where the options do not say. */
const K = 10;

/**
 * Arguments that no part can take are given to the first as they are: it says what is wrong with them.
 * @param {readonly any[]} parts  indexes, one of each worker, that were made with `part`
 * @param {readonly Range[]} ranges  the rows of each
 * @returns {any} as `connect` returns an index
 */
export function joinedIndex(parts, ranges) {
  const [first] = parts;
  const { vocabulary, dim } = first;

  /** The rows of ids. @param {Int32Array} ids */
  const rowsOf = async (ids) => {
    const rows = arrays.float32s(ids.length * dim, "rows of an index");
    const fetched = parts.map(async (part, i) => {
      const [from, to] = ranges[i];
      const places = Array.from(ids.keys()).filter((t) => ids[t] >= from && ids[t] < to);
      const { data } = await part.rows(Int32Array.from(places, (t) => ids[t]));
      places.forEach((t, row) => rows.set(data.subarray(row * dim, (row + 1) * dim), t * dim));
    });
    await Promise.all(fetched);
    return rows;
  };

  /**
   * What all parts find, joined.
   * @param {"search" | "analogy"} method @param {unknown} asked  queries or triples
   * @param {any} options @param {readonly unknown[]} given  the arguments of the caller
   */
  const find = async (method, asked, options, given) => {
    const { k = K, sortKeys = false } = options;
    const own = { ...options, sortKeys: sortKeys === false || sortKeys };
    const calls = parts.map((part) => () => part[method](asked, own));
    return joinNeighbors(await together(given, calls), Number(k), sortKeys);
  };

  /** Copies of ids that are read twice. @param {unknown} triples @param {any} options */
  const readTriples = (triples, { exclude = [] }) => {
    const given = readIds(triples, vocabulary, "triples");
    return { ...given, exclude: readIds(exclude, vocabulary, "exclude").data };
  };

  const index = {
    vocabulary,
    dim,
    byteLength: parts.reduce((sum, { byteLength }) => sum + byteLength, 0),

    async search(/** @type {unknown} */ queries, /** @type {unknown} */ options = {}) {
      if (!check.isRecord(options)) return first.search(queries, options);
      return find("search", queries, options, [queries, options]);
    },

    async analogy(/** @type {unknown} */ triples, /** @type {unknown} */ options = {}) {
      if (!check.isRecord(options)) return first.analogy(triples, options);
      if (options.rows !== undefined) return find("analogy", triples, options, [triples, options]);
      const given = attempt(() => readTriples(triples, options));
      if (given?.shape[given.shape.length - 1] !== 3) return first.analogy(triples, options);
      const { data, shape, exclude } = given;
      const own = { ...options, exclude }; // the options of now: the rows are waited for
      const [rows] = await together([triples, options], [() => rowsOf(data)]);
      const withRows = { ...own, rows: new Tensor(rows, [...shape, dim]) };
      return find("analogy", new Tensor(data, shape), withRows, []);
    },

    async rows(/** @type {unknown} */ ids) {
      const given = attempt(() => readIds(ids, vocabulary, "ids"));
      if (!given) return first.rows(ids);
      const [rows] = await together([ids], [() => rowsOf(given.data)]);
      return new Tensor(rows, [...given.shape, dim]);
    },
  };
  return ending(index, async () => {
    await Promise.all(parts.map((part) => part.dispose()));
  });
}
