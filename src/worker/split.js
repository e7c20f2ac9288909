/** How a call is split over workers, and what they found joined. No function here calls a worker. */
import { Tensor } from "../runtime/tensor.js";

/** A range of numbers: the first, and the one after the last. @typedef {[from: number, to: number]} Range */

/** A part of a matrix. @typedef {{rows: Range, columns: Range}} Block */

/** Some heads of one batch, or all heads of some batches. @typedef {{batches: Range, heads: Range}} Heads */

/**
 * Cuts 0 .. count - 1 into ranges of about the same length, at most `n`, none of which is empty.
 * @param {number} count @param {number} n @returns {Range[]}
 */
export function ranges(count, n) {
  const at = (/** @type {number} */ i) => Math.floor((count * i) / n);
  return Array.from({ length: n }, (_, i) => /** @type {Range} */ ([at(i), at(i + 1)])).filter(
    ([from, to]) => from < to,
  );
}

/**
 * The blocks that each worker computes of a matrix [N, M]: rows, or columns where there are more of them.
 * @param {number} N @param {number} M @param {number} n @returns {Block[][]}
 */
export function blocks(N, M, n) {
  return N >= M
    ? ranges(N, n).map((rows) => [{ rows, columns: [0, M] }])
    : ranges(M, n).map((columns) => [{ rows: [0, N], columns }]);
}

/**
 * The blocks that each worker computes of a symmetric matrix [N, N]: those on the diagonal and those above it.
 *
 * The columns are cut into 2 n stripes, and stripe s has the rows up to its own: its work is that of s + 1/2
 * squares. Worker i gets the stripes i and 2 n - 1 - i, so that all workers have the same work.
 * @param {number} N @param {number} n @returns {Block[][]}
 */
export function symmetricBlocks(N, n) {
  const stripes = ranges(N, 2 * n);
  return Array.from({ length: n }, (_, i) =>
    [stripes[i], stripes[2 * n - 1 - i]]
      .filter(Boolean)
      .flatMap((columns) => [
        { rows: columns, columns },
        ...(columns[0] > 0 ? [{ rows: /** @type {Range} */ ([0, columns[0]]), columns }] : []),
      ]),
  ).filter((blocks) => blocks.length > 0);
}

/**
 * The heads that each worker computes of B batches with H heads: consecutive ones, as few boxes as possible.
 * @param {number} B @param {number} H @param {number} n @returns {Heads[][]}
 */
export function headsOf(B, H, n) {
  return ranges(B * H, n).map(([from, to]) => {
    /** @type {Heads[]} */
    const found = [];
    for (let at = from; at < to;) {
      const [b, h] = [Math.floor(at / H), at % H];
      const whole = h === 0 ? Math.floor((to - at) / H) : 0;
      const next = whole > 0 ? at + whole * H : Math.min(to, (b + 1) * H);
      found.push(
        whole > 0
          ? { batches: [b, b + whole], heads: [0, H] }
          : { batches: [b, b + 1], heads: [h, h + next - at] },
      );
      at = next;
    }
    return found;
  });
}

/**
 * Copies a block to its place in a matrix with M columns.
 * @param {Float32Array} matrix @param {number} M @param {Float32Array} block @param {Block} where
 */
export function placeBlock(matrix, M, block, { rows: [first, last], columns: [from, to] }) {
  const width = to - from;
  if (width === M) matrix.set(block, first * M);
  else {
    for (let n = first, at = 0; n < last; ++n, at += width) {
      matrix.set(block.subarray(at, at + width), n * M + from);
    }
  }
}

/** The side of the squares in which `mirror` copies: two of them fit the cache. */
const SIDE = 32;

/**
 * Copies the numbers of a block that are above the diagonal to their places below it.
 * @param {Float32Array} square  [N, N] @param {number} N @param {Block} block
 */
export function mirror(square, N, { rows: [first, last], columns: [from, to] }) {
  for (let top = from; top < to; top += SIDE) {
    for (let left = first; left < last; left += SIDE) {
      for (let n = top; n < Math.min(to, top + SIDE); ++n) {
        const end = Math.min(n, last, left + SIDE);
        for (let m = left; m < end; ++m) square[n * N + m] = square[m * N + n];
      }
    }
  }
}

/** What a search returns. @typedef {{ids: Tensor<Int32Array>, scores: Tensor, sortKeys: Tensor<Float64Array>}} Found */

/**
 * The best rows of a table, from the best of its parts.
 * @param {readonly Found[]} parts  best first; an id of -1 stands for no row
 * @param {number} k @param {boolean} [sortKeys]  whether to return them
 * @returns {{ids: Tensor<Int32Array>, scores: Tensor, sortKeys?: Tensor<Float64Array>}} as many as the query with the
 *   fewest has, k at most
 */
export function joinNeighbors(parts, k, sortKeys = false) {
  const widths = parts.map(({ ids: { shape } }) => shape[shape.length - 1]);
  const lead = parts[0].ids.shape.slice(0, -1);
  const Q = lead.reduce((product, size) => product * size, 1);
  let width = Math.min(k, sumOf(widths));
  for (let q = 0; q < Q; ++q) {
    width = Math.min(width, sumOf(parts.map(({ ids }, i) => rowsIn(ids.data, q, widths[i]))));
  }
  const shape = [...lead, width];
  const ids = new Int32Array(Q * width);
  const scores = new Float32Array(ids.length);
  const kept = new Float64Array(ids.length);
  for (let q = 0, to = 0; q < Q; ++q) {
    const next = widths.map((each) => q * each);
    for (let j = 0; j < width; ++j, ++to) {
      let best = -1;
      parts.forEach((part, i) => {
        const isOver = next[i] === (q + 1) * widths[i] || part.ids.data[next[i]] < 0;
        if (!isOver && (best < 0 || isBetter(part, next[i], parts[best], next[best]))) best = i;
      });
      const at = next[best]++;
      ids[to] = parts[best].ids.data[at];
      scores[to] = parts[best].scores.data[at];
      kept[to] = parts[best].sortKeys.data[at];
    }
  }
  const found = { ids: new Tensor(ids, shape), scores: new Tensor(scores, shape) };
  return sortKeys ? { ...found, sortKeys: new Tensor(kept, shape) } : found;
}

/** @param {readonly number[]} numbers */
const sumOf = (numbers) => numbers.reduce((sum, each) => sum + each, 0);

/** How many rows a query has found: those without come last. @param {Int32Array} ids @param {number} q @param {number} width */
function rowsIn(ids, q, width) {
  let count = width;
  while (count > 0 && ids[q * width + count - 1] < 0) --count;
  return count;
}

/**
 * Whether a row is better than another, as phasor::nearest::better: by key, then by id, NaN last.
 * @param {Found} part @param {number} at @param {Found} other @param {number} there
 */
function isBetter(part, at, other, there) {
  const [key, than] = [part.sortKeys.data[at], other.sortKeys.data[there]];
  const [isNaN, isThanNaN] = [key !== key, than !== than];
  if (isNaN !== isThanNaN) return isThanNaN;
  if (isNaN || key === than) return part.ids.data[at] < other.ids.data[there];
  return key > than;
}
