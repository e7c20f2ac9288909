// The lesson on numbers: errors grow with the position in float32 and not in phasor.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "phasor";
import { visit } from "./lesson.js";

const { problems, set, cells, fact, answered } = await visit("numbers");
const { rounding, sinusoidal } = await load();

test("the errors are those of rounding.report", async () => {
  const { names, numbers } = await cells("drift");
  const at = names.indexOf("1048576");
  const { float32, bfloat16 } = rounding.report([2 ** 20], 128);
  assert.equal(numbers[at][2], Math.fround(float32?.max ?? NaN));
  assert.equal(numbers[at][4], Math.fround(bfloat16?.max ?? NaN));
});

test("phasor's error is half a unit in the last place everywhere, float32's grows", async () => {
  const { numbers } = await cells("drift");
  for (const [exact] of numbers) assert.ok(exact <= 2 ** -25);
  assert.ok(numbers[0][2] < 1e-7);
  assert.ok(Math.max(...numbers.map((row) => row[2])) > 0.01);
});

test("the differences are torch's table less the exact one", async () => {
  await set("position", "131071");
  const { numbers } = await cells("difference");
  const options = { offset: 131071 };
  const exact = sinusoidal.table(16, 128, options);
  const torch = sinusoidal.table(16, 128, { ...options, precision: "torch" });
  for (const [t, row] of numbers.entries()) {
    for (const [d, x] of row.entries()) {
      assert.equal(Math.fround(x), Math.fround(Number(torch.at(t, d)) - Number(exact.at(t, d))));
    }
  }
});

test("bfloat16 holds every whole number up to 256, and every second from there on", async () => {
  await set("from", 200);
  for (const [x, held] of (await cells("held")).numbers) assert.equal(held, x);
  await set("from", 300);
  for (const [x, held] of (await cells("held")).numbers) {
    assert.equal(held % 2, 0);
    assert.ok(Math.abs(held - x) <= 1);
  }
  assert.equal(await fact("distinct"), "21");
  await set("format", "float16");
  for (const [x, held] of (await cells("held")).numbers) assert.equal(held, x);
});

test("the questions have the answers that IEEE 754 gives", async () => {
  assert.equal(await answered("which-pair", "next"), true);
  assert.equal(await answered("first-lost", "257"), true);
  assert.equal(await answered("exercise-bfloat16", "1004"), true);
  assert.equal(await answered("exercise-bfloat16", "1003"), false);
  assert.equal(await answered("exercise-far", "100000"), true);
  assert.deepEqual(problems, []);
});
