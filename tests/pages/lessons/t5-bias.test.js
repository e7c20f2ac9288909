// The lesson on T5's buckets: near distances have one each, far ones share.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "phasor";
import { visit } from "./lesson.js";

const { page, problems, set, isAt, cells, answered } = await visit("t5-bias");
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

/** The bucket of a distance back, from the formula of the paper. @param {number} n @param {number} each @param {number} M */
function bucketOf(n, each, M) {
  const m = Math.floor(each / 2);
  const far = m + Math.floor((Math.log(n / m) / Math.log(M / m)) * (each - m) + 1e-9);
  return n < m ? n : Math.min(each - 1, far);
}

/** What the rulers say. */
const said = () => page.locator("#ruler .ruler-words").allInnerTexts();

test("the marked distance highlights the bucket of the formula, for an encoder and a decoder", async () => {
  for (const key of [-20, -3, -91, -144]) {
    await set("key", key);
    const [encoder, decoder] = [16, 32].map((each) => bucketOf(-key, each, 128));
    const lit = await page.locator("#ruler .here").count();
    assert.equal(lit, 2);
    const words = await said();
    assert.match(words[0], new RegExp(`^${-key} back: bucket ${encoder},`));
    assert.match(words[1], new RegExp(`^${-key} back: bucket ${decoder},`));
  }
  assert.match((await said())[0], /which holds all from 91 on\.$/);
  assert.match((await said())[1], /which holds all from 113 on\.$/);
  await set("max-distance", 256);
  assert.match((await said())[0], /bucket 14, which holds all from 108 to 165\.$/);
  await set("max-distance", 128);
  await set("key", 5);
  assert.match((await said())[0], /^5 ahead: bucket 21, which holds nothing else/);
  assert.match((await said())[1], /does not see it/);
});

test("dragging on a ruler sets the key", async () => {
  await answered("pairs", "near");
  await page.locator("#ruler").scrollIntoViewIfNeeded();
  await page.locator(".waits:has(#ruler) .cover").waitFor({ state: "detached" });
  const box = await page.locator("#ruler .ruler").first().boundingBox();
  assert.ok(box);
  const at = (/** @type {number} */ key) => box.x + ((key + 144.5) / 289) * box.width;
  await page.mouse.move(at(-100), box.y + 10);
  await page.mouse.down();
  for (const key of [-80, -60, -40]) await page.mouse.move(at(key), box.y + 10);
  await page.mouse.up();
  await isAt("key", "-40");
  await set("key", -20);
});

test("the widths of the buckets add up to the distances before the last", async () => {
  const widths = (await cells("shared")).numbers.map((row) => Number(row.at(-1)));
  assert.equal(
    widths.reduce((sum, width) => sum + width),
    91,
  );
  assert.equal(widths[10], 7); // 16 to 22
});

test("far distances are in the last bucket of an encoder and of a decoder", async () => {
  const { numbers } = await cells("far-buckets");
  for (const [i, [encoder, decoder]] of numbers.entries()) {
    assert.equal(encoder, bucketOf(i + 1, 16, 128));
    assert.equal(decoder, bucketOf(i + 1, 32, 128));
  }
});

test("float32 moves the distances that fall on a boundary, and no other", async () => {
  for (const [setting, moved] of /** @type {const} */ ([
    ["36 392 84", [84]],
    ["72 784 168", [168]],
    ["32 128 64", []],
  ])) {
    await set("setting", setting);
    const { names, numbers } = await cells("rounding");
    const others = names.filter((_, i) => numbers[i][0] !== numbers[i][1]).map(Number);
    assert.deepEqual(others, [...moved]);
  }
});

test("the reader's drawing is drawn over the buckets of the setting that was asked about", async () => {
  const question = page.locator("[data-question='staircase']");
  await question.locator(".handle[tabindex='0']").press("End");
  await question.locator(".ask").click();
  await page.locator("[data-question='staircase'] .verdict[data-right]").waitFor();
  await set("direction", "bidirectional");
  const at = async (/** @type {number} */ key) => (await cells("by-distance")).numbers[160 + key];
  assert.deepEqual(await at(-128), [15, 16]);
  assert.equal((await at(1)).length, 2);
  await set("max-distance", 136);
  assert.equal((await at(-128)).length, 1);
  await set("max-distance", 128);
});

test("the questions have the answers that the formula gives", async () => {
  assert.equal(await answered("pairs", "near"), true);
  assert.equal(await answered("parameters", "buckets"), true);
  assert.equal(await answered("beyond", "same"), true);
  assert.equal(await answered("halfway", "26"), true);
  assert.equal(await answered("exercise-last", "91"), true);
  assert.equal(await answered("exercise-causal", "15"), true);
  assert.deepEqual(problems, []);
});
