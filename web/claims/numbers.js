/** @import { Tensor } from "phasor" */

/** The largest difference of two tensors of one shape. @param {Tensor} a @param {Tensor} b */
export function largest(a, b) {
  let most = 0;
  for (let i = 0; i < a.data.length; ++i) {
    most = Math.max(most, Math.abs(Number(a.data[i]) - Number(b.data[i])));
  }
  return most;
}

/** The sum of the vectors of a sentence. @param {Tensor} rows */
export function total(rows) {
  const [T, D] = rows.shape;
  return Float32Array.from({ length: D }, (_, i) => {
    let sum = 0;
    for (let t = 0; t < T; ++t) sum += Number(rows.data[t * D + i]);
    return sum;
  });
}
