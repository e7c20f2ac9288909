/** Arrays of a kit. */
import { Tensor } from "../../runtime/tensor.js";

/**
 * @import { Phasor } from "../../index.js"
 * @import { Model } from "../../models/config.js"
 */

/** @typedef {Record<string, Tensor<any>>} Arrays */

/**
 * What a kit is made of.
 * @typedef {object} Source
 * @property {Phasor} phasor
 * @property {Model} model
 * @property {Record<string, any>} config  keys of the configuration's part for text, where it is known
 * @property {number} length  T
 * @property {number} seed
 */

/** @param {readonly number[]} numbers @param {readonly number[]} [shape] */
export const ints = (numbers, shape = [numbers.length]) =>
  new Tensor(Int32Array.from(numbers), shape);

/**
 * Numbers between -1 and 1, which depend on the seed and the index alone.
 * @param {Phasor} phasor @param {readonly number[]} shape @param {number} seed
 */
export function drawn({ embedding }, shape, seed) {
  const width = shape[shape.length - 1];
  const rows = shape.slice(0, -1).reduce((product, size) => product * size, 1);
  const table = embedding.create(rows, width, { init: "uniform", low: -1, high: 1, seed });
  const { data } = table.weights();
  table.dispose();
  return new Tensor(data, shape);
}

/** The largest difference. @param {Tensor<any>} a @param {Tensor<any>} b */
export const farthest = ({ data }, b) =>
  data.reduce(
    (/** @type {number} */ most, /** @type {number} */ x, /** @type {number} */ i) =>
      Math.max(most, Math.abs(x - b.data[i])),
    0,
  );
