// The lesson on rotary positions: dot products depend on the distance alone, lengths stay.

import assert from "node:assert/strict";
import { test } from "node:test";
import { visit } from "./lesson.js";

const { page, problems, set, isAt, cells, fact, answered } = await visit("rope");

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

test("the pairs' dot products add up to the score, which is the same wherever both tokens are", async () => {
  const at = async (/** @type {number} */ position) => {
    await set("position", position);
    const { numbers } = await cells("parts");
    return numbers.map((row) => Number(row.at(-1)));
  };
  await set("apart", 3);
  const parts = await at(5);
  const { numbers } = await cells("scores");
  const sum = parts.reduce((total, each) => total + each, 0);
  assert.ok(Math.abs(sum - numbers[8][5]) < 1e-4, `${sum} is not ${numbers[8][5]}`);
  assert.deepEqual(await at(60), parts);
  await set("pair", 1);
  const said = await page.locator("#dial p").innerText();
  const shown = Number(said.replace("\u2212", "-").split(" ").at(-1));
  assert.ok(Math.abs(shown - parts[1]) < 0.01, said);
  await set("apart", 1);
});

test("dragging the hands moves both tokens", async () => {
  await set("position", 0);
  await page.locator("[data-question='distance'] input").first().check();
  await page.locator("[data-question='distance'] .ask").click();
  await page.locator(".waits:has(#dial) .cover").waitFor({ state: "detached" });
  await page.locator("#dial").scrollIntoViewIfNeeded();
  const box = await page.locator("#dial svg").boundingBox();
  assert.ok(box);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x + 60, y);
  await page.mouse.down();
  for (const angle of [0.5, 1, 1.5, 2])
    await page.mouse.move(x + 60 * Math.cos(angle), y - 60 * Math.sin(angle));
  await page.mouse.up();
  const theta = 10000 ** (-2 / 24);
  const expected = String(Math.round(2 / theta));
  await isAt("position", expected);
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
  assert.equal(await answered("far", "swings"), true);
  assert.equal(await answered("far", "falls"), false);
  assert.match(await fact("rotate-half"), /= \[−3, −4, 1, 2\]$/);
  assert.equal(await answered("distance", "same"), true);
  assert.equal(await answered("wrong-layout", "relative"), true);
  assert.equal(await answered("exercise-angle", "0.5"), true);
  assert.equal(await answered("exercise-partial", "turned"), true);
  assert.deepEqual(problems, []);
});
