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
export function stages({ inputEmbeddings, sinusoidal }) {
  const input = remembered(
    /** @param {Table} words @param {Int32Array} ids @param {string} options  as JSON */
    (words, ids, options) =>
      inputEmbeddings(
        {
          tokens: { scale: "sqrt" },
          positions: { scheme: "sinusoidal", options: JSON.parse(options) },
        },
        { words },
        ids,
        { intermediates: true },
      ),
  );
  const encode = remembered(
    /** @param {number} length @param {number} dim @param {string} options  as JSON */
    (length, dim, options) => sinusoidal.table(length, dim, JSON.parse(options)),
  );
  return (table, ids, { length, base, layout, precision }) => {
    const options = JSON.stringify({ base, layout, precision });
    const positions = encode(length, table.dim, options);
    const { words, scaled = words, sum = words } = input(table, ids, options);
    return { vectors: words, scaled, positions, sum };
  };
}
