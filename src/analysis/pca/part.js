/** @import { Core } from "../../runtime/wasm.js" */
/** @import { Rows, TableInput } from "../../runtime/table.js" */
/** @import { Leading } from "./lanczos.js" */
/** @import { Asked, Sums } from "./sums.js" */
import { arrayRows, readTable } from "../../runtime/table.js";
import { guard } from "../../runtime/wasm.js";
import { decompose } from "./decompose.js";
import { leading } from "./lanczos.js";
import { principal, projected } from "./principal.js";
import { rowsOf, segmentsOf } from "./sums.js";

/**
 * What all parts know of the whole.
 * @typedef {object} Whole
 * @property {number} first  the number of the part's first row among all rows: that of a segment (sums.js)
 * @property {number} N  all rows
 * @property {number} components @property {Sums} accumulate
 */

/** A part of rows, in one of several workers. @typedef {ReturnType<ReturnType<typeof partOf>>} Part */

/**
 * Principal components of rows that several workers have: each has a part, and the first runs the algorithm, too. What
 * is asked goes to all parts (src/worker/joined_pca.js). Arrays that a method returns are moved away.
 * @param {Core} core
 */
export const partOf = (core) => (/** @type {TableInput} */ x, /** @type {Whole} */ whole) => {
  const { first, N, components: k, accumulate } = whole;
  const { data, D } = /** @type {ReturnType<typeof arrayRows>} */ (readTable(core, x, "x"));
  const rowsIn = (/** @type {Float32Array} */ data) =>
    arrayRows(core, { data, shape: [data.length / D, D], N: data.length / D, D });
  let rows = rowsIn(data);
  const asking = leading(core, { N, D }, k, accumulate);

  return {
    /** Goes on with the algorithm. @param {any} answer  to what it asked last @returns what it asks, or what it found */
    next(answer) {
      const { done, value } = guard(core, () => asking.next(answer));
      return done ? { found: value } : { asked: value };
    },

    /** The sums of each segment. @param {Asked} asked */
    sums: (asked) => segmentsOf(core, rows, first, asked),

    /** Copies of rows, by their numbers in this part. @param {Int32Array} ids */
    rows: (ids) => rowsOf(core, rows, ids),

    /** Gives all rows away. */
    give() {
      const { data } = rows;
      rows = rowsIn(new Float32Array(0));
      return data;
    },

    /** Computes all eigenvalues, from these rows and those that the other parts gave. @param {Float32Array[]} others */
    decompose(others) {
      const all = new Float32Array(N * D);
      let at = 0;
      for (const part of [rows.data, ...others]) {
        all.set(part, at);
        at += part.length;
      }
      rows = rowsIn(all);
      const { eigenvalues, ...found } = decompose(core, rows, k);
      return { ...found, eigenvalues: eigenvalues.slice(0, k) };
    },

    /** Projects these rows. @param {Leading} found */
    project: ({ mean, directions }) =>
      projected(core, rows, { mean, directions, shape: [rows.N], out: undefined }),

    /** The result, with the projections of these rows alone. @param {Leading} found */
    principal: (found) => principal(core, rows, found, N),

    dispose() {
      asking.return(undefined);
      rows = rowsIn(new Float32Array(0));
    },
  };
};
