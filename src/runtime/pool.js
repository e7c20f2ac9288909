import * as arrays from "./arrays.js";
import { disposable } from "./lifetime.js";
import { readShape } from "./input.js";
import { Tensor } from "./tensor.js";

/**
 * Memory for results that is used again.
 * @typedef {object} Pool
 * @property {(shape: readonly number[]) => Tensor} tensor  a float32 tensor for `out`, which holds anything
 * @property {() => void} reset  every tensor that it gave may be given again: their numbers are then overwritten
 * @property {() => void} dispose  releases all memory, as `using` does
 */

/**
 * Keeps the arrays of results, and gives them again. A new array of 33 MB takes longer to come by than most
 * functions take to fill it, because the system clears its pages when they are first written.
 *
 * Pass a tensor of the pool as `out`, and call `reset` when the results of a step are no longer needed.
 *
 * @returns {Pool} whose tensors are float32, of any shape
 * @see Wilson, Johnstone, Neely, Boles 1995, Dynamic storage allocation: a survey and critical review
 * @example
 * const results = pool();
 * const first = rope.apply([[1, 0]], rope.table([1], 2), { out: results.tensor([1, 2]) });
 * first.toArray() // [[0.5403022766113281, 0.8414709568023682]]
 * results.reset();
 * results.tensor([2, 1]).data === first.data // true
 */
export function pool() {
  /** @type {Map<number, Float32Array[]>} by length */
  let free = new Map();
  /** @type {Float32Array[]} */
  let given = [];
  return disposable("Pool", {
    tensor(shape) {
      const sizes = readShape(shape, "shape");
      const length = arrays.count(sizes);
      const others = free.get(length);
      let data = others?.pop();
      while (data && data.length !== length) data = others?.pop(); // its memory was transferred meanwhile
      data ??= arrays.allocated(Float32Array, length, sizes);
      given.push(data);
      return new Tensor(data, sizes);
    },
    reset() {
      for (const data of given) {
        if (data.length === 0) continue; // of no numbers, or of memory that was transferred
        const others = free.get(data.length);
        if (others) others.push(data);
        else free.set(data.length, [data]);
      }
      given = [];
    },
    dispose() {
      free = new Map();
      given = [];
    },
  });
}
