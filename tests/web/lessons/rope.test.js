// The lesson on rotary positions: products know the distance alone, lengths stay.

import assert from "node:assert/strict";
import { test } from "node:test";
import { visit } from "./lesson.js";

const { problems, set, cells, fact, answered } = await visit("rope");

test("along each diagonal the product is the same, across them it is not", async () => {
  const { numbers } = await cells("scores");
  const size = numbers.length;
  const across = new Set();
  for (let apart = 1 - size; apart < size; ++apart) {
    const line = numbers.flatMap((row, m) =>
      row[m - apart] === undefined ? [] : [row[m - apart]],
    );
    assert.ok(Math.max(...line) - Math.min(...line) < 1e-5, `distance ${apart}`);
    across.add(line[0].toFixed(3));
  }
  assert.ok(across.size > size);
  assert.ok(Number((await fact("along")).replace(/\u00a0×.*/, "")) < 10);
});

test("pair i turns by the position times its frequency", async () => {
  const angle = (/** @type {number[]} */ [cos, sin]) => Math.atan2(sin, cos);
  await set("position", 0);
  const before = (await cells("hands")).numbers.map((hand) => angle(hand));
  await set("position", 2);
  const after = (await cells("hands")).numbers.map((hand) => angle(hand));
  for (const [i, from] of before.entries()) {
    const turned = after[i] - from - 2 * 10000 ** ((-2 * i) / 24);
    assert.ok(Math.abs(Math.sin(turned)) < 1e-5, `pair ${i}`);
  }
});

test("a query's product with itself is largest at distance 0", async () => {
  for (const seed of [0, 5, 11]) {
    await set("seed", seed);
    const products = (await cells("by-distance")).numbers.map(([product]) => product);
    assert.equal(products.indexOf(Math.max(...products)), 0);
  }
});

test("each layout pairs every number with one other", async () => {
  const { names, numbers } = await cells("layouts");
  assert.deepEqual(names, ["interleaved", "halves"]);
  assert.deepEqual(numbers[0].slice(0, 4), [0, 0, 1, 1]);
  assert.deepEqual(numbers[1], [...numbers[1].slice(0, 12), ...numbers[1].slice(0, 12)]);
});

test("the questions have the answers that the paper gives", async () => {
  assert.equal(await answered("norm", "same"), true);
  assert.equal(await answered("distance", "same"), true);
  assert.equal(await answered("wrong-layout", "relative"), true);
  assert.equal(await answered("exercise-angle", "0.5"), true);
  assert.equal(await answered("exercise-partial", "turned"), true);
  assert.deepEqual(problems, []);
});
