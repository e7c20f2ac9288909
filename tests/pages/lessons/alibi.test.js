// The lesson on ALiBi: penalties are slopes times distances, and weights fall by them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "phasor";
import { visit } from "./lesson.js";

const { page, problems, set, cells, fact, answered } = await visit("alibi");
const { alibi } = await load();

test("the penalties are the package's, causal and symmetric", async () => {
  for (const form of /** @type {const} */ (["symmetric", "causal"])) {
    await set("form", form);
    const csv = await page
      .locator("#penalties figure")
      .evaluate((figure) => /** @type {any} */ (figure).csv());
    const expected = alibi.bias(8, 24, { form });
    assert.ok(csv.includes(String(expected.at(0, 23, 0))));
    assert.equal(csv.includes("Infinity") || csv.includes("∞"), form === "causal");
  }
});

test("the slopes are powers of two for a power of two heads", async () => {
  assert.deepEqual(
    (await cells("slopes")).numbers.map(([slope]) => slope),
    [1, 2, 3, 4, 5, 6, 7, 8].map((h) => 2 ** -h),
  );
  await set("heads", 12);
  const slopes = (await cells("slopes")).numbers.map(([slope]) => Math.fround(slope));
  assert.deepEqual(slopes, alibi.slopes(12).toArray());
  await set("heads", 8);
});

test("with equal scores the weight falls by the same factor at each step", async () => {
  const { numbers } = await cells("weights");
  for (let n = 1; n < 20; ++n) {
    assert.ok(Math.abs(numbers[n][0] / numbers[n - 1][0] - Math.exp(-0.5)) < 1e-5);
  }
});

test("the nearest tokens hold the asked share of the weight, and one token fewer does not", async () => {
  const { numbers } = await cells("reach");
  for (const [h, row] of numbers.entries()) {
    const slope = 2 ** -(h + 1);
    const held = (/** @type {number} */ n) =>
      (1 - Math.exp(-slope * n)) / (1 - Math.exp(-slope * 1024));
    assert.ok(held(row[0]) > 0.99 - 1e-5 && held(row[0] - 1) < 0.99 + 1e-5, `head ${h + 1}`);
  }
});

test("a sentence's words have the weights of their distances, in each head", async () => {
  await set("heads", 8);
  await set("sentence", "dog bites man");
  const lines = await page
    .locator("#sentence-heads p")
    .evaluateAll((all) => all.map((line) => line.getAttribute("aria-label")));
  assert.equal(lines.length, 8);
  const raw = [2, 1, 0].map((n) => Math.exp(-n / 2));
  const sum = raw.reduce((total, each) => total + each, 0);
  const shares = [...(lines[0] ?? "").matchAll(/ ([\d.]+) %/g)].map(([, share]) => Number(share));
  assert.equal(shares.length, 3);
  shares.forEach((share, i) => assert.ok(Math.abs(share - (100 * raw[i]) / sum) < 0.06));
});

test("equal words get equal weights without positions, and less with ALiBi if they are far", async () => {
  await set("sentence", "dog bites man and man bites dog");
  for (const seed of [1, 8]) {
    await set("seed", seed);
    const { names, numbers } = await cells("schemes");
    assert.deepEqual(names, ["no positions", "ALiBi", "RoPE"]);
    for (const weights of numbers) {
      assert.ok(Math.abs(weights.reduce((total, each) => total + each, 0) - 1) < 1e-5);
    }
    const [none, alibi] = numbers;
    assert.ok(Math.abs(none[1] - none[5]) < 1e-6);
    assert.ok(Math.abs(alibi[5] / alibi[1] - Math.exp(4 / 2)) < 1e-3); // four steps of 1/2
  }
});

test("the reader's drawing is a line of the weights, and the guess a rule of the reach", async () => {
  const question = page.locator("[data-question='weight']");
  await question.locator(".handle[tabindex='0']").press("End");
  await question.locator(".ask").click();
  await question.locator(".verdict[data-right]").waitFor();
  await answered("reach", "hundred");
  await set("seed", 2);
  const { numbers } = await cells("weights");
  assert.equal(numbers[12][3], 0.5);
  assert.ok(Number.isNaN(numbers[13][3]), "beyond what was drawn");
  assert.match(await page.locator("#reach svg").innerHTML(), /your guess for head 1: 100/);
});

test("the questions have the answers that the paper gives", async () => {
  assert.equal(await answered("next", "twice"), true);
  assert.equal(await answered("longer", "flat"), true);
  const said = page.locator("[data-question='longer'] .verdict");
  assert.match(await said.innerText(), /86\.5 % .* 86\.5 % .* 18\.6 % .* 11\.8 %/);
  assert.equal(await answered("schemes", "depends"), true);
  assert.equal(await fact("ninth"), "0.707"); // the first slope of 16 heads, 2^-0.5
  assert.equal(await answered("reach", "ten"), true);
  assert.equal(await answered("bloom", "same"), true);
  assert.equal(await answered("exercise-penalty", "-1.25"), true);
  assert.equal(await answered("exercise-half", "7"), true);
  assert.deepEqual(problems, []);
});
