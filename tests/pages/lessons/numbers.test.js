// The lesson on precision: a format has the numbers of its digits, errors grow with the position in float32 and not in phasor.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "phasor";
import { visit } from "./lesson.js";

const { page, problems, set, cells, fact, answered } = await visit("numbers");
const { rope, rounding, sinusoidal } = await load();

/** The nearest number with `digits` binary digits; halfway, the even one. @param {number} x @param {number} digits */
function nearest(x, digits) {
  const gap = 2 ** (Math.floor(Math.log2(x)) + 1 - digits);
  const below = Math.floor(x / gap);
  const over = x / gap - below;
  return gap * (over > 0.5 || (over === 0.5 && below % 2 === 1) ? below + 1 : below);
}

test("the number line has the numbers of each format, and the nearest to the value", async () => {
  for (const [value, digits, numbers] of /** @type {const} */ ([
    ["257", 8, 5],
    ["0.1", 8, 5],
    ["1003", 8, 5],
  ])) {
    await set("value", value);
    const words = await page.locator("#line .words").allInnerTexts();
    for (const [i, own] of [digits, 11, 24].entries()) {
      const expected = nearest(Number(value), own);
      const gap = 2 ** (Math.floor(Math.log2(Number(value))) + 1 - own);
      const said = expected === Number(value) ? /^represents / : /^rounds to /;
      assert.match(words[i], said);
      const [shown, apart] = words[i].replaceAll(",", "").match(/\d+(\.\d+)?/g) ?? [];
      assert.ok(Math.abs(Number(shown) / expected - 1) < 1e-8, `${shown} is not ${expected}`);
      if (gap > 0.001) assert.ok(Math.abs(Number(apart) / gap - 1) < 1e-8);
    }
    const marks = page.locator("#line .line").first().locator("i:not(.nearest, .value)");
    assert.ok((await marks.count()) >= numbers);
    assert.equal(await page.locator("#line .dense").count(), 1); // of float32
  }
  await set("zoom", "float32");
  assert.equal(await page.locator("#line .dense").count(), 0);
  assert.ok((await page.locator("#line .line").last().locator("i").count()) >= 7);
  await set("zoom", "bfloat16");
  const { names, numbers } = await cells("stairs");
  for (const [i, row] of numbers.entries()) {
    const x = Number(names[i]);
    for (const [f, own] of [8, 11, 24].entries())
      assert.ok(Math.abs(row[f] - nearest(x, own)) <= 2 ** -14, `${x} in ${own} digits`);
  }
});

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

test("a float32 angle is off by up to t × 2⁻²³, which two roundings give and one does not", async () => {
  const frequencies = Array.from(
    rope.frequencies(128, { precision: "torch" }).frequencies.data,
    Number,
  );
  for (const [i, f] of frequencies.entries()) {
    const apart = Math.abs(f - 10000 ** (-i / 64)); // times t; the product's rounding is at most t f 2^-24
    assert.ok(apart + f * 2 ** -24 <= 2 ** -23, `pair ${i}`);
  }
  const positions = [
    4894,
    ...Array.from({ length: 500 }, (_, i) => 1 + ((i * 7919 * 251) % 999983)),
  ];
  const { error } = rounding.report(positions, 128, { pipelines: ["float32"] }).float32 ?? {};
  const errors = positions.map((_, t) => Math.max(...Array.from(error?.row(t).data ?? [], Number)));
  const beyond = (/** @type {number} */ share) => errors.filter((e, i) => e > positions[i] * share);
  assert.equal(beyond(2 ** -23).length, 0);
  assert.ok(errors[0] > 0.00038 && beyond(2 ** -24).length > 10, `${beyond(2 ** -24).length}`);
  assert.equal(await answered("exercise-far", "1000000"), false);
  for (const [answer, said] of /** @type {const} */ ([
    ["1000", /t × 2⁻²³, here 1\.19 × 10⁻⁴|t × 2⁻²³, here 0\.000119/],
    ["100000", /at most t × 2⁻²³, here 0\.0119; what is found is less/],
  ])) {
    await answered("exercise-far", answer);
    assert.match(await page.locator('[data-question="exercise-far"] .verdict').innerText(), said);
  }
});

test("the questions have the answers that IEEE 754 gives", async () => {
  assert.equal(await answered("which-pair", "next"), true);
  assert.equal(await answered("first-lost", "129"), false);
  assert.match(await fact("guessed"), /129: bfloat16 can represent it/);
  assert.equal(await answered("first-lost", "257"), true);
  assert.match(await fact("guessed"), /257: bfloat16 rounds it to 256/);
  assert.equal(await answered("same", "equal"), true);
  assert.equal(await answered("exercise-bfloat16", "1004"), true);
  assert.equal(await answered("exercise-bfloat16", "1003"), false);
  assert.equal(await answered("exercise-far", "100000"), true);
  assert.deepEqual(problems, []);
});
