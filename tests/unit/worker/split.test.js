import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Tensor } from "phasor/worker";
import {
  blocks,
  headsOf,
  joinNeighbors,
  mirror,
  placeBlock,
  ranges,
  symmetricBlocks,
} from "../../../src/worker/split.js";

/** @import { Block } from "../../../src/worker/split.js" */

/** How often blocks cover each number of a matrix. @param {Block[]} blocks @param {number} N @param {number} M */
function coverage(blocks, N, M) {
  const times = new Float32Array(N * M);
  for (const { rows, columns } of blocks) {
    for (let n = rows[0]; n < rows[1]; ++n) {
      for (let m = columns[0]; m < columns[1]; ++m) ++times[n * M + m];
    }
  }
  return times;
}

test("split.ranges: they are consecutive, not empty, and their lengths differ by at most 1", () => {
  for (const [count, n] of [
    [10, 3],
    [2, 5],
    [7, 7],
    [1, 1],
    [0, 4],
    [1000, 6],
  ]) {
    const found = ranges(count, n);
    const lengths = found.map(([from, to]) => to - from);
    assert.equal(lengths.length, Math.min(count, n));
    assert.deepEqual(found.map(([from]) => from), found.map((_, i) => (i === 0 ? 0 : found[i - 1][1]))); // prettier-ignore
    assert.equal(found.at(-1)?.[1] ?? 0, count);
    assert.ok(lengths.every((length) => length > 0 && length >= Math.max(...lengths) - 1));
  }
});

test("split.blocks: they cover a matrix once, split along its longer axis", () => {
  for (const [N, M, n] of [
    [9, 4, 2],
    [4, 9, 3],
    [1, 5, 2],
    [3, 3, 5],
  ]) {
    const parts = blocks(N, M, n);
    assert.ok(coverage(parts.flat(), N, M).every((times) => times === 1));
    assert.equal(parts.length, Math.min(n, Math.max(N, M)));
  }
});

test("split.symmetricBlocks: they cover the half above the diagonal once, in parts of equal work", () => {
  for (const [N, n] of [
    [12, 2],
    [13, 2],
    [1, 2],
    [3, 3],
    [120, 3],
    [121, 4],
  ]) {
    const parts = symmetricBlocks(N, n);
    const times = coverage(parts.flat(), N, N);
    for (let i = 0; i < N * N; ++i) {
      const isAbove = i % N >= Math.floor(i / N);
      const isOnDiagonal = parts.flat().some(({ rows, columns }) => {
        const [row, column] = [Math.floor(i / N), i % N];
        return rows[0] === columns[0] && row >= rows[0] && row < rows[1] && column >= rows[0] && column < rows[1]; // prettier-ignore
      });
      assert.equal(times[i], isAbove || isOnDiagonal ? 1 : 0);
    }
  }
  // Of a block on the diagonal, one half is computed.
  const work = symmetricBlocks(1200, 3).map((part) =>
    part.reduce((sum, { rows, columns }) => {
      const size = (rows[1] - rows[0]) * (columns[1] - columns[0]);
      return sum + (rows[0] === columns[0] ? size / 2 : size);
    }, 0),
  );
  assert.deepEqual(work, [240_000, 240_000, 240_000]);
});

test("split.headsOf: the boxes are in the order of the heads, and cover all", () => {
  for (const [B, H, n] of [
    [4, 6, 2],
    [3, 4, 2],
    [3, 5, 7],
    [1, 12, 5],
    [7, 1, 3],
    [2, 3, 1],
  ]) {
    let next = 0;
    for (const { batches, heads } of headsOf(B, H, n).flat()) {
      assert.equal(batches[0] * H + heads[0], next);
      const isWhole = heads[0] === 0 && heads[1] === H;
      assert.ok(isWhole || batches[1] === batches[0] + 1);
      next += (batches[1] - batches[0]) * (heads[1] - heads[0]);
    }
    assert.equal(next, B * H);
    assert.equal(headsOf(B, H, n).length, Math.min(n, B * H));
  }
});

test("split.placeBlock and split.mirror: they assemble a symmetric matrix from its parts", () => {
  for (const N of [1, 5, 31, 32, 33, 100]) {
    const whole = new Float32Array(N * N);
    for (const block of symmetricBlocks(N, 2).flat()) {
      const { rows, columns } = block;
      const width = columns[1] - columns[0];
      const value = (/** @type {number} */ i) => {
        const [n, m] = [rows[0] + Math.floor(i / width), columns[0] + (i % width)];
        return Math.max(n, m) * N + Math.min(n, m);
      };
      const data = Float32Array.from({ length: (rows[1] - rows[0]) * width }, (_, i) => value(i));
      placeBlock(whole, N, data, block);
    }
    for (const block of symmetricBlocks(N, 2).flat()) mirror(whole, N, block);
    for (let i = 0; i < N * N; ++i) {
      const [n, m] = [Math.floor(i / N), i % N];
      assert.equal(whole[i], Math.max(n, m) * N + Math.min(n, m));
    }
  }
});

describe("split.joinNeighbors", () => {
  /** What a part found for one query. @param {[id: number, key: number][]} rows */
  const found = (rows) => {
    const shape = [rows.length];
    return {
      ids: new Tensor(Int32Array.from(rows, ([id]) => id), shape), // prettier-ignore
      scores: new Tensor(Float32Array.from(rows, ([id]) => id / 2), shape), // prettier-ignore
      sortKeys: new Tensor(Float64Array.from(rows, ([, key]) => key), shape), // prettier-ignore
    };
  };

  test("the largest keys come first, ties by the lower id, NaN last", () => {
    const parts = [
      found([[4, 2], [1, 0], [2, NaN]]), // prettier-ignore
      found([[3, 2], [8, -0], [9, -1], [6, NaN]]), // prettier-ignore
      found([]),
    ];
    const all = joinNeighbors(parts, 99, true);
    assert.deepEqual(all.ids.toArray(), [3, 4, 1, 8, 9, 2, 6]);
    assert.deepEqual(all.sortKeys?.toArray(), [2, 2, 0, -0, -1, NaN, NaN]);
    assert.deepEqual(all.scores.toArray(), [1.5, 2, 0.5, 4, 4.5, 1, 3]);
    const few = joinNeighbors(parts, 2);
    assert.deepEqual([few.ids.toArray(), few.sortKeys], [[3, 4], undefined]); // prettier-ignore
  });

  test("padding is removed: the query with the fewest results determines the count", () => {
    const part = (/** @type {number[]} */ ids) => ({
      ids: new Tensor(Int32Array.from(ids), [2, 2]),
      scores: new Tensor(Float32Array.from(ids), [2, 2]),
      sortKeys: new Tensor(
        Float64Array.from(ids, (id) => (id < 0 ? NaN : -id)),
        [2, 2],
      ),
    });
    const parts = [part([0, 1, 0, -1]), part([5, 6, -1, -1])];
    assert.deepEqual(joinNeighbors(parts, 3).ids.toArray(), [[0], [0]]); // prettier-ignore
    assert.deepEqual(joinNeighbors([parts[0], part([5, 6, 7, -1])], 3).ids.toArray(), [[0, 1], [0, 7]]); // prettier-ignore
  });
});
