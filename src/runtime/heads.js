import { haveOneBuffer } from "./arrays.js";
import { wrongShape } from "./errors.js";
import { asFloat32 } from "./input.js";

/**
 * Queries, keys or values as [B, H, T, D]; B and H are 1 where those axes were left out.
 * `lead` has the axes of batches and heads that the argument has. With `axis` -3 the rows of heads are side
 * by side in the data, [B, T, H, D].
 * @typedef {{data: Float32Array, lead: number[], B: number, H: number, T: number, D: number, axis?: number}} Heads
 */

/**
 * Read an argument [B, H, T, D], [H, T, D] or [T, D]; with `axis` -3, [B, T, H, D] or [T, H, D].
 * @param {unknown} value @param {string} name @param {number} [axis]  the axis of T
 * @returns {Heads}
 */
export function readHeads(value, name, axis = -2) {
  const { data, shape } = asFloat32(value, name);
  const rank = shape.length;
  if (rank < -axis || rank > 4 || shape[rank - 1] === 0) {
    const rule = axis === -2 ? "[B, H, T, D], [H, T, D] or [T, D]" : "[B, T, H, D] or [T, H, D]";
    throw wrongShape(name, rule, shape);
  }
  const lead = shape.slice(0, -1);
  const [T] = lead.splice(axis + 1, 1);
  const [B, H] = [...[1, 1].slice(lead.length), ...lead];
  return { data, lead, B, H, T, D: shape[rank - 1], axis };
}

/**
 * The shape of an array of rows, one for each that heads have, in the order of their axes.
 * @template {number | string} Size
 * @param {{lead: readonly Size[], T: Size, axis?: number}} heads @param {Size} width
 * @returns {Size[]}
 */
export function shapeOf({ lead, T, axis = -2 }, width) {
  const shape = [...lead, width];
  shape.splice(axis + 1, 0, T);
  return shape;
}

/**
 * Throw if the axes of heads do not agree with those of the queries.
 * @param {Heads} heads @param {string} name @param {Heads} queries
 * @param {{T?: number, D?: number, H?: number}} [sizes]  further sizes that must agree
 */
export function mustAgree(heads, name, queries, sizes = {}) {
  const grouped = heads.H === queries.H || (heads.H > 0 && queries.H % heads.H === 0);
  const { T = heads.T, D = heads.D, H = heads.H } = sizes;
  const same = heads.T === T && heads.D === D && heads.H === H;
  if (heads.lead.length !== queries.lead.length || heads.B !== queries.B || !grouped || !same) {
    const lead = [[], ["heads"], [queries.B, "heads"]][queries.lead.length];
    const wanted = shapeOf({ ...queries, lead, T: sizes.T ?? "keys" }, sizes.D ?? "width");
    const { H: most, axis = -2 } = queries;
    const isGrouped = sizes.H === undefined || most % sizes.H !== 0;
    const divides = `a number of heads that divides the ${most} of q: its axis ${axis === -2 ? -3 : -2} has them`;
    const rule = queries.lead.length > 0 ? `, with ${isGrouped ? divides : `${H} heads`}` : "";
    throw wrongShape(name, `[${wanted.join(", ")}]${rule}`, shapeOf(heads, heads.D));
  }
}

/**
 * The array, or a copy if it shares a buffer with a result.
 * @param {Float32Array} data @param {(Float32Array | undefined)[]} results
 */
export function apart(data, ...results) {
  return results.some((result) => result && haveOneBuffer(result, data)) ? data.slice() : data;
}
