// What the worker of the lab does to a trained decoder without a step.

/** @import { Weights } from "./lab-pairs.js" */
import { projections } from "./lab-pairs.js";

/** @typedef {"linear" | "ntk" | "yarn" | "base" | "layout" | "bfloat16" | "one" | "five"} Operation */

/** By how much a base is multiplied: RoPE's 10,000 becomes 500,000. */
export const TIMES = 50;

/** A whole number as bfloat16 has it: 8 binary digits, halves to even. @param {number} n */
export function bfloat16(n) {
  const bits = new Int32Array(Float32Array.of(n).buffer);
  bits[0] = (bits[0] + 0x7fff + ((bits[0] >> 16) & 1)) & ~0xffff;
  return new Float32Array(bits.buffer)[0];
}

/** @param {(t: number) => number} of */
const standing = (of) => ({
  positions: (/** @type {Int32Array} */ ids) => ids.map((_, t) => of(t)),
});

/**
 * What `evaluate` is given; "layout" has other weights instead.
 * @param {Operation} name @param {any} position  that the decoder was trained with
 */
export function operated(name, position) {
  switch (name) {
    case "base":
      return { position: { ...position, base: TIMES * (position.base ?? 10000) } };
    case "bfloat16":
      return standing(bfloat16);
    case "one":
      return standing((t) => t + 1);
    case "five":
      return standing((t) => t + 5);
    case "layout":
      return {};
  }
  return { scaling: name };
}

/**
 * Weights that the decoder's pairs (i, i + D/2) read as a program with the pairs (2i, 2i + 1) reads the given ones: in
 * each head, the rows of queries and keys of a pair change their places.
 * @param {Weights} weights @param {number} heads @returns {Weights}
 */
export function otherLayout(weights, heads) {
  const others = projections(weights).map((name) => {
    const { data, shape } = weights[name];
    const E = shape[1];
    const D = E / heads;
    const moved = data.slice();
    for (let row = 0; row < 2 * E; ++row) {
      const at = row % D;
      const from = row - at + (at < D / 2 ? 2 * at : 2 * at - D + 1);
      moved.set(data.subarray(from * E, (from + 1) * E), row * E);
    }
    return [name, { data: moved, shape }];
  });
  return { ...weights, ...Object.fromEntries(others) };
}
