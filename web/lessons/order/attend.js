/** @import { Phasor } from "phasor" */
/** @import { Table } from "../../app/text/tokens.js" */

/**
 * How attention gets positions, and which tokens a token sees.
 *
 * @typedef {"none" | "sinusoidal" | "rope" | "distance"} Scheme
 * @typedef {"none" | "causal"} Mask
 */

/** The penalty of a logit for each step of distance. */
const PENALTY = 0.5;

/**
 * Self-attention of one head whose queries, keys and values are the tokens' rows themselves.
 *
 * @param {Phasor} phasor
 * @param {Table} table
 * @param {readonly number[]} ids  [T]
 * @param {Scheme} [scheme]
 * @param {Mask} [mask]
 */
export function attend(phasor, table, ids, scheme = "none", mask = "none") {
  const { alibi, attention, rope } = phasor;
  const x = inputs(phasor, table, ids, scheme);
  return attention.scaledDotProduct(
    { q: x, k: x, v: x },
    {
      accumulate: "float64", // what another order of the same words must not change
      causal: mask === "causal",
      ...(scheme === "rope" && { rope: rope.table(ids.length, table.dim) }),
      ...(scheme === "distance" && { bias: alibi.bias(1, ids.length, { slopes: [PENALTY] }) }),
    },
  );
}

/**
 * The rows that go in: [T, D].
 * @param {Phasor} phasor @param {Table} table @param {readonly number[]} ids @param {Scheme} scheme
 */
export function inputs({ sinusoidal }, table, ids, scheme) {
  const add = scheme === "sinusoidal" ? sinusoidal.table(ids.length, table.dim) : undefined;
  return table.lookup(ids, { add });
}

/**
 * Six orders of `length` things, evenly spread over all of them in lexicographic order: 0 leaves the
 * things as they are, 5 reverses them.
 *
 * @param {number} length
 * @param {number} which  0 .. 5
 * @returns {number[]} the thing at each place
 */
export function orderOf(length, which) {
  const rest = Array.from({ length }, (_, i) => i);
  let later = Math.floor((which * (factorial(length) - 1)) / 5); // orders that come before
  return Array.from({ length }, (_, place) => {
    const alike = factorial(length - 1 - place); // orders that have the same things up to here
    const next = Math.floor(later / alike);
    later -= next * alike;
    return rest.splice(next, 1)[0];
  });
}

/** @param {number} n @returns {number} */
function factorial(n) {
  return n < 2 ? 1 : n * factorial(n - 1);
}
