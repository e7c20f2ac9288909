/** Principal components of rows that are in several workers. */
import { Tensor } from "../runtime/tensor.js";
import { transfer } from "./arguments.js";
import { ending } from "./connect.js";

/** @import { Range } from "./split.js" */

/**
 * The first part runs the algorithm. All parts give what it asks for, until it has what it looks for.
 * @param {readonly any[]} parts  one of each worker (src/analysis/pca/part.js)
 * @param {readonly Range[]} ranges  the rows of each
 * @param {AbortSignal} [signal]  heard between the steps
 * @returns {Promise<any>} as `connect` returns what pca returns
 */
export async function joinedPca(parts, ranges, signal) {
  const [first, ...others] = parts;
  try {
    const found =
      (await lead(parts, ranges, signal)) ?? (await first.decompose(await given(others)));
    const projecting = others.map((part) => part.project(found));
    const [result, ...rest] = await Promise.all([first.principal(found), ...projecting]);
    const projected = below([result.projected, ...rest]);
    return ending({ ...result, projected }, result.dispose);
  } finally {
    await Promise.all(parts.map((part) => part.dispose()));
  }
}

/**
 * Answers what the algorithm asks.
 * @param {readonly any[]} parts @param {readonly Range[]} ranges @param {AbortSignal} [signal]
 * @returns {Promise<any>} undefined if all eigenvalues are needed, or numbers are not finite
 */
async function lead(parts, ranges, signal) {
  const [first] = parts;
  let { asked, found } = await first.next();
  while (asked) {
    signal?.throwIfAborted();
    const { sums, ids } = asked;
    const answer = sums ? await sumsOf(parts, sums) : await rowsOf(parts, ranges, ids);
    ({ asked, found } = await first.next(transfer(answer)));
  }
  return found;
}

/** The sums of all rows: segments are added up in their order. @param {readonly any[]} parts @param {any} asked */
async function sumsOf(parts, asked) {
  const size = asked.vectors.length + asked.center.length + 1;
  const sums = new Float64Array(size);
  for (const segments of await Promise.all(parts.map((part) => part.sums(asked)))) {
    for (let at = 0; at < segments.length; at += size) {
      for (let i = 0; i < size; ++i) sums[i] += segments[at + i];
    }
  }
  return sums;
}

/**
 * Copies of some rows.
 * @param {readonly any[]} parts @param {readonly Range[]} ranges @param {Int32Array} ids  ascending
 */
async function rowsOf(parts, ranges, ids) {
  const found = parts.map((part, i) => {
    const [from, to] = ranges[i];
    return part.rows(ids.filter((id) => id >= from && id < to).map((id) => id - from));
  });
  return joined(await Promise.all(found));
}

/** The rows of parts, which then have none. @param {readonly any[]} parts @returns {Promise<Float32Array[]>} */
async function given(parts) {
  const all = await Promise.all(parts.map((part) => part.give()));
  return all.map((rows) => transfer(rows));
}

/** Tensors one below the other. @param {readonly Tensor[]} tensors */
function below(tensors) {
  const N = tensors.reduce((sum, { shape }) => sum + shape[0], 0);
  return new Tensor(joined(tensors.map(({ data }) => data)), [N, tensors[0].shape[1]]);
}

/** @param {readonly Float32Array[]} arrays */
function joined(arrays) {
  const all = new Float32Array(arrays.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const array of arrays) {
    all.set(array, at);
    at += array.length;
  }
  return all;
}
