import { asFloat32 } from "./tensor.js";

/**
 * Queries, keys or values as [B, H, T, D]; B and H are 1 where those axes were left out.
 * `lead` has the axes before T that the argument has.
 * @typedef {{data: Float32Array, lead: number[], B: number, H: number, T: number, D: number}} Heads
 */

/**
 * Read an argument [B, H, T, D], [H, T, D] or [T, D].
 * @param {unknown} value @param {string} name
 * @returns {Heads}
 */
export function readHeads(value, name) {
  const { data, shape } = asFloat32(value, name);
  const rank = shape.length;
  if (rank < 2 || rank > 4 || shape[rank - 1] === 0) {
    throw new RangeError(
      `${name} must have shape [B, H, T, D], [H, T, D] or [T, D]; got [${shape.join(", ")}]`,
    );
  }
  const [B, H, T, D] = [...[1, 1, 1, 1].slice(rank), ...shape];
  return { data, lead: shape.slice(0, -2), B, H, T, D };
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
    const lead = ["", "heads, ", `${queries.B}, heads, `][queries.lead.length];
    const count = sizes.H === undefined ? "a number of heads that divides" : "as many heads as";
    const rule = queries.lead.length > 0 ? `, with ${count} those of q (${queries.H})` : "";
    throw new RangeError(
      `${name} must have shape [${lead}${sizes.T ?? "keys"}, ${sizes.D ?? "width"}]${rule}; got [${[...heads.lead, heads.T, heads.D].join(", ")}]`,
    );
  }
}

/**
 * The array, or a copy if it shares a buffer with a result.
 * @param {Float32Array} data @param {Float32Array[]} results
 */
export function apart(data, ...results) {
  return results.some(({ buffer }) => buffer === data.buffer) ? data.slice() : data;
}
