// The lesson on sinusoids: its table is the package's, its rows differ, and moving on is turning.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "phasor";
import { until } from "../../until.js";
import { settled } from "../pages.js";
import { visit } from "./lesson.js";

const { page, problems, set, isAt, cells, fact, answered } = await visit("sinusoidal");
const { sinusoidal } = await load();

test("the table is the package's, in every layout", async () => {
  for (const layout of /** @type {const} */ (["halves", "flipped", "interleaved"])) {
    await set("layout", layout);
    const { numbers } = await cells("table");
    assert.deepEqual(
      numbers.map((row) => row.map(Math.fround)),
      sinusoidal.table(128, 64, { layout }).toArray(),
    );
  }
});

test("the waves are the sines of the pairs that are asked for", async () => {
  await set("pair", 9);
  const { numbers } = await cells("waves");
  const table = sinusoidal.table(128, 64);
  for (const [t, row] of numbers.entries()) {
    assert.deepEqual(
      row.map(Math.fround),
      [9, 10, 11, 12].map((pair) => table.at(t, 2 * pair)),
    );
  }
});

test("sliders end where the table does", async () => {
  await set("position", 511);
  assert.equal(await page.locator("#position").inputValue(), "127");
  await set("length", 256);
  await set("position", 200);
  await set("length", 128);
  await isAt("position", "127");
  await until(() => /position=127/.test(page.url()), "the address has it, too");
  await set("position", 40);
});

test("the distance from a row is zero at that row and nowhere else", async () => {
  for (const position of [0, 40, 127]) {
    await set("position", position);
    const { numbers } = await cells("distance");
    const zeros = numbers.flatMap(([distance], t) => (distance === 0 ? [t] : []));
    assert.deepEqual(zeros, [position]);
  }
});

test("a point in the table chooses the row whose distances are shown", async () => {
  await answered("first", "alternate"); // for which the figure waits
  await page.locator("#table .phasor-picture").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await settled(page);
  const row = Number(await page.locator("#position").inputValue());
  await page.keyboard.press("ArrowDown");
  await isAt("position", String(row + 1));
});

test("M is a block rotation: its square blocks turn, the rest is zero", async () => {
  await set("shift", 7);
  const { numbers } = await cells("matrix");
  const exact = sinusoidal.shift(7, 64).toArray();
  for (const [r, row] of numbers.entries()) {
    for (const [c, x] of row.entries()) {
      assert.equal(Math.fround(x), exact[r][c]);
      if (r >> 1 !== c >> 1) assert.equal(x, 0);
    }
  }
});

test("the slowest pair and the pairs that run through a period are counted", async () => {
  await set("dim", 64);
  assert.equal(await fact("slowest"), "0.000133");
  await set("length", 512);
  const periods = Array.from({ length: 32 }, (_, i) => 2 * Math.PI * 10000 ** ((2 * i) / 64));
  assert.equal(await fact("whole"), String(periods.filter((period) => period <= 511).length));
});

test("the questions have the answers that the mathematics gives", async () => {
  assert.equal(await answered("first", "zeros"), false);
  assert.equal(await answered("first", "alternate"), true);
  assert.ok((await cells("table")).numbers[0].every((x, d) => x === d % 2));
  assert.equal(await answered("unique", "neighbors"), true);
  assert.equal(await answered("shift", "rounding"), true);
  assert.equal(await answered("beyond", "fast"), false);
  assert.equal(await answered("beyond", "slow"), true);
  assert.equal(await answered("exercise-period", "63"), true); // 2 pi 10
  assert.equal(await answered("exercise-period", "64"), false);
  assert.equal(await answered("exercise-norm", "8"), true);
  assert.deepEqual(problems, []);
});
