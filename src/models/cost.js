/** Counts the parameters, stored numbers and operations of each scheme. */
import { costs } from "../positional/about.js";
import * as check from "../runtime/check.js";

/**
 * @typedef {object} Shape
 * @property {number} [vocabulary]  V
 * @property {number} [dim]  D
 * @property {number} [length]  T: the positions of a table, and the keys of a query
 * @property {number} [heads]  H
 * @property {number} [keyValueHeads]  Hk
 * @property {number} [headDim]  of a head
 * @property {number} [rotaryDim]  R <= headDim
 * @property {number} [segments]  S
 * @property {number} [buckets]  of T5
 * @property {number} [distance]  K, at which Shaw's distances are clipped
 * @property {readonly number[]} [window]  [h, w] of Swin
 */

/**
 * The cost of a scheme.
 * @typedef {object} Cost
 * @property {number} parameters  learned numbers
 * @property {number} table  other stored numbers, which can be computed again
 * @property {number} flops  additions and multiplications per token; per layer for schemes that act in attention
 */

/** parameters, table and flops of each scheme, from a shape. @type {Readonly<typeof costs>} */
const COSTS = Object.freeze({
  embedding: ({ vocabulary: V, dim: D }) => [V * D, 0, 0],
  "one-hot": ({ vocabulary: V, dim: D }) => [V * D, 0, 2 * V * D],
  tokenTypeIds: ({ segments: S, dim: D }) => [S * D, 0, D],
  ...costs,
});

const DEFAULTS = Object.freeze({
  vocabulary: 50257,
  dim: 768,
  length: 1024,
  heads: 12,
  keyValueHeads: undefined,
  headDim: undefined,
  rotaryDim: undefined,
  segments: 2,
  buckets: 32,
  distance: 16,
  window: [7, 7],
});

/** The schemes that have a cost. */
export const SCHEMES = Object.freeze(Object.keys(COSTS));

/**
 * @param {unknown} scheme @param {unknown} options
 * @returns {Cost}
 */
export function costOf(scheme, options) {
  const name = check.oneOf(scheme, "scheme", SCHEMES);
  const given = check.options(options, DEFAULTS);
  const size = (
    /** @type {Exclude<keyof typeof DEFAULTS, "window">} */ key,
    /** @type {number} */ byDefault,
  ) => check.integer(given[key] === undefined ? byDefault : given[key], key);
  const heads = size("heads", 1);
  const headDim = size("headDim", Math.max(1, Math.floor(size("dim", 1) / heads)));
  const shape = {
    vocabulary: size("vocabulary", 1),
    dim: size("dim", 1),
    length: size("length", 1),
    heads,
    keyValueHeads: size("keyValueHeads", heads),
    headDim,
    rotaryDim: size("rotaryDim", headDim),
    segments: size("segments", 1),
    buckets: size("buckets", 1),
    distance: size("distance", 1),
    window: readWindow(given.window),
  };
  const [parameters, table, flops] = COSTS[name](shape);
  return { parameters, table, flops };
}

/** @param {unknown} sides */
function readWindow(sides) {
  if (!check.isList(sides) || sides.length !== 2) {
    throw new TypeError(`window must be [height, width]; got ${check.describe(sides)}`);
  }
  return Array.from(sides, (side) => check.integer(side, "window"));
}
