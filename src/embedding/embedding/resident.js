/** @import { Core } from "../../runtime/wasm.js" */
import { describe } from "../../runtime/check.js";

/**
 * What other rooms may know of an embedding table. Everything that can throw does so before
 * anything is changed.
 * @typedef {object} Resident
 * @property {Core} core
 * @property {number} vocabulary  V
 * @property {number} dim  D
 * @property {number} padding  the row that gets no gradient; -1 for none
 * @property {(where: string) => number} address  of the weights; throws for a table that was
 *   disposed of or is not kept in memory
 * @property {() => void} live  throws once the table was disposed of
 * @property {(ids: Int32Array) => Int32Array} due  the rows to renormalise before a lookup of ids
 * @property {(rows: number, R: number) => void} renormalize  them, given the address of their ids
 */

/** @type {WeakMap<object, Resident>} */
const tables = new WeakMap();

/** @param {object} table @param {Resident} resident */
export function register(table, resident) {
  tables.set(table, resident);
}

/**
 * Read an argument that is an embedding table.
 * @param {unknown} table @param {Core} core  the reader's own
 * @returns {Resident}
 * @throws {TypeError}  if it is none
 * @throws {RangeError} if it lies in another core's memory
 */
export function readTable(table, core) {
  const known = typeof table === "object" && table !== null ? tables.get(table) : undefined;
  if (!known) {
    throw new TypeError(
      `table must be an embedding table, from embedding.create; got ${describe(table)}`,
    );
  }
  if (known.core !== core) {
    throw new RangeError("table must come from the same load(); got one of another");
  }
  return known;
}
