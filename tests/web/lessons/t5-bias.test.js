// The lesson on T5's buckets: near distances have one each, far ones share.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "phasor";
import { visit } from "./lesson.js";

const { page, problems, set, cells, fact, answered } = await visit("t5-bias");
const { t5Bias } = await load();

test("the buckets are the package's, both ways and back only", async () => {
  for (const direction of /** @type {const} */ (["causal", "bidirectional"])) {
    await set("direction", direction);
    const { numbers } = await cells("matrix");
    assert.deepEqual(numbers, t5Bias.buckets(48, { direction }).toArray());
  }
});

test("the eight nearest distances have a bucket each in an encoder of 32", async () => {
  const { numbers } = await cells("by-distance");
  const back = numbers
    .slice(0, 161)
    .map(([bucket]) => bucket)
    .reverse();
  assert.deepEqual(back.slice(0, 8), [0, 1, 2, 3, 4, 5, 6, 7]);
  assert.equal(back[8], back[9]);
  assert.ok(back.every((bucket, n) => n === 0 || bucket >= back[n - 1]));
});

test("every head has one number a bucket", async () => {
  const csv = await page
    .locator("#bias figure")
    .evaluate((figure) => /** @type {any} */ (figure).csv());
  const different = new Set(
    csv
      .trim()
      .split("\n")
      .slice(1)
      .flatMap((/** @type {string} */ line) => line.split(",").slice(1)),
  );
  assert.ok(different.size > 20);
});

test("the widths of the buckets add up to the distances before the last", async () => {
  const widths = (await cells("shared")).numbers.map((row) => Number(row.at(-1)));
  assert.equal(
    widths.reduce((sum, width) => sum + width),
    91,
  );
  assert.equal(await fact("widest"), String(Math.max(...widths)));
});

test("the questions have the answers that the formula gives", async () => {
  assert.equal(await answered("pairs", "near"), true);
  assert.equal(await answered("parameters", "one"), true);
  assert.equal(await answered("exercise-last", "91"), true);
  assert.equal(await answered("exercise-causal", "15"), true);
  assert.deepEqual(problems, []);
});
