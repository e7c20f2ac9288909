/** @import { Phasor, Tensor } from "phasor" */
/** @import { Settings } from "./settings.js" */
/** @import { Table } from "../app/text/tokens.js" */
import { remembered } from "../app/remembered.js";

/**
 * The stages from tokens to the input of a transformer; T tokens, L positions, width D.
 *
 * @typedef {object} Stages
 * @property {Tensor} vectors  [T, D], rows of the table
 * @property {Tensor} scaled  [T, D], times sqrt(D)
 * @property {Tensor} positions  [L, D]
 * @property {Tensor} sum  [T, D], scaled plus the first T positions
 */

/**
 * Computes the stages again whose inputs have changed.
 *
 * @param {Phasor} phasor
 * @returns {(table: Table, ids: Int32Array, settings: Settings) => Stages} at most L ids; throws
 *   phasor's own errors
 */
export function stages({ sinusoidal }) {
  const look = remembered((/** @type {Table} */ table, /** @type {Int32Array} */ ids) =>
    table.lookup(ids),
  );
  const scale = remembered((/** @type {Table} */ table, /** @type {Int32Array} */ ids) =>
    table.lookup(ids, { scale: "sqrt" }),
  );
  const encode = remembered(
    /**
     * @param {number} length @param {number} dim @param {number} base
     * @param {Settings["layout"]} layout @param {Settings["precision"]} precision
     */
    (length, dim, base, layout, precision) =>
      sinusoidal.table(length, dim, { base, layout, precision }),
  );
  const add = remembered(
    (/** @type {Table} */ table, /** @type {Int32Array} */ ids, /** @type {Tensor} */ positions) =>
      table.lookup(ids, { scale: "sqrt", add: positions.slice(0, ids.length) }),
  );
  return (table, ids, { length, base, layout, precision }) => {
    const positions = encode(length, table.dim, base, layout, precision);
    return {
      vectors: look(table, ids),
      scaled: scale(table, ids),
      positions,
      sum: add(table, ids, positions),
    };
  };
}
