// The lesson that counts positions: each way has the fault that the page says, computed anew here.

import assert from "node:assert/strict";
import { test } from "node:test";
import { visit } from "./lesson.js";

const { page, problems, set, cells, fact, answered } = await visit("counting");

test("integer positions dominate the word vectors: the cosine rises to 1", async () => {
  const { numbers } = await cells("drowned");
  const cosines = numbers.flat();
  assert.equal(cosines.length, 41);
  assert.ok(cosines[0] < 0.5 && cosines[40] > 0.99);
  for (const [t, cosine] of cosines.entries()) assert.ok(t === 0 || cosine > cosines[t - 1]);
  assert.ok(Math.abs(Number(await fact("drowned-at")) - cosines[40]) < 1e-4);
});

test("a fraction of the length makes the step of a long text small", async () => {
  await set("length", 21);
  const { numbers } = await cells("fractions");
  assert.deepEqual(
    numbers.slice(0, 3).map(([short]) => short),
    [0, 0.5, 1],
  );
  for (const [t, [, long]] of numbers.entries()) assert.ok(Math.abs(long - t / 20) < 1e-12);
  assert.equal(await fact("step-of-long"), "1/20");
  await set("length", 51);
});

test("digits of neighbors are as far apart as the root of the digits that change", async () => {
  const { numbers } = await cells("steps");
  const wanted = Array.from({ length: 15 }, (_, t) =>
    Math.sqrt([...(t ^ (t + 1)).toString(2)].filter((digit) => digit === "1").length),
  );
  for (const [t, [distance]] of numbers.entries()) {
    assert.ok(Math.abs(distance - wanted[t]) < 1e-6, `${distance} at ${t}`);
  }
  assert.equal(await fact("longest"), "2");
});

test("at each position, a wave is low where its digit is 0 and high where it is 1", async () => {
  for (const [figure, low, high] of /** @type {const} */ ([
    ["digits", 0, 1],
    ["soft", 0.41, 0.59], // the slowest wave: 0.5 ± sin(π / 16) / 2
  ])) {
    const { names, numbers } = await cells(figure);
    for (let t = 0; t < 16; ++t) {
      const row = numbers[names.indexOf(String(t))];
      for (const [digit, x] of row.entries()) {
        const isOne = ((t >> digit) & 1) === 1;
        assert.ok(isOne ? x >= high : x <= low + 1e-9, `${figure}: digit ${digit} of ${t} is ${x}`);
      }
    }
  }
});

test("binary digits give the two pairs of positions that are compared different dot products", async () => {
  assert.equal(await answered("rotation", "first"), false);
  const words = await page.locator('[data-question="rotation"]').innerText();
  const [, a, b, c, d] =
    /positions (\d+) and (\d+), and then positions (\d+) and (\d+)/.exec(words) ?? [];
  const ones = (/** @type {string} */ x, /** @type {string} */ y) =>
    [...(Number(x) & Number(y)).toString(2)].filter((digit) => digit === "1").length;
  assert.equal(Number(b) - Number(a), Number(d) - Number(c));
  assert.notEqual(ones(a, b), ones(c, d));
  assert.ok(words.includes(`the dot products are ${ones(a, b)} and ${ones(c, d)}.`), words);
});

test("the counter shows the position in binary", async () => {
  for (const [position, digits] of /** @type {const} */ ([
    [6, "0110"],
    [11, "1011"],
  ])) {
    await set("position", position);
    const shown = page.locator('[data-fact="counter"] [data-digit]');
    assert.equal((await shown.allTextContents()).join(""), digits);
  }
});

test("dot products of hands depend on the distance alone, those of digits do not", async () => {
  for (const step of [0, 2, 5]) {
    await set("step", step);
    const { numbers } = await cells("products");
    const wanted = [2, 4, 8, 16].reduce(
      (sum, period) => sum + Math.cos((2 * Math.PI * step) / period),
      0,
    );
    for (const [t, [digits, hands]] of numbers.entries()) {
      assert.ok(Math.abs(hands - wanted) < 1e-5, `${hands} for ${wanted}`);
      const both = (t & (t + step)).toString(2);
      assert.equal(digits, [...both].filter((digit) => digit === "1").length);
    }
  }
});

test("its questions have these answers", async () => {
  assert.equal(await answered("fractions", "half"), true);
  assert.equal(await answered("bits", "jump"), true);
  assert.equal(await answered("alone", "most"), true);
  assert.equal(await answered("rotation", "equal"), true);
  assert.equal(await answered("exercise-digits", "10"), true);
  assert.equal(await answered("exercise-change", "3"), true);
  assert.equal(await answered("exercise-change", "1"), false);
  assert.deepEqual(problems, []);
});
