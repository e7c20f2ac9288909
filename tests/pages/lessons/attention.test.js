// The primer on attention: its scores, weights and outputs are those of three lines of arithmetic.

import assert from "node:assert/strict";
import { test } from "node:test";
import { visit } from "./lesson.js";

const { page, problems, set, isAt, cells, answered } = await visit("attention");

const WORDS = ["dog", "bites", "man"];

/** Attention in plain arithmetic. @param {number[]} man @param {number} root  what divides the scores */
function byHand(man, root) {
  const x = [[2, 1], [-1, 2], man];
  const q = x.map(([a, b]) => [b, 0.5 * a]);
  const v = x.map(([a, b]) => [(a + b) / 2, (b - a) / 2]);
  const scores = q.map((query) => x.map((key) => query[0] * key[0] + query[1] * key[1]));
  const weights = scores.map((row) => {
    const powers = row.map((score) => Math.exp(score / root));
    return powers.map((power) => power / powers.reduce((sum, each) => sum + each));
  });
  const outputs = weights.map((row) =>
    [0, 1].map((d) => row.reduce((sum, w, j) => sum + w * v[j][d], 0)),
  );
  return { scores, weights, outputs };
}

/** @param {number[]} found @param {number[]} wanted */
function close(found, wanted) {
  assert.equal(found.length, wanted.length);
  found.forEach((x, i) => assert.ok(Math.abs(x - wanted[i]) < 1e-5, `${found} for ${wanted}`));
}

/** The cells of a computed table. @param {string} fact */
const tableOf = (fact) =>
  page
    .locator(`[data-fact="${fact}"] tbody tr`)
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent ?? "")),
    );

test("weights and outputs of every query are those of the formula", async () => {
  for (const man of [
    [1, -1],
    [3, 0.5],
  ]) {
    await set("man1", man[0]);
    await set("man2", man[1]);
    for (const scaled of [true, false]) {
      await set("scaled", String(scaled));
      const wanted = byHand(man, scaled ? Math.SQRT2 : 1);
      for (const [who] of WORDS.entries()) {
        await set("who", who);
        const { names, numbers } = await cells("weights");
        assert.deepEqual(names, WORDS);
        close(numbers.flat(), wanted.weights[who]);
      }
      close((await cells("outputs")).numbers.flat(), wanted.outputs.flat());
    }
  }
  await set("man1", 1);
  await set("man2", -1);
  await set("who", 1);
  await set("scaled", "true");
});

test("the nine scores are dot products, and the steps lead from them to the weights", async () => {
  const { scores, weights } = byHand([1, -1], Math.SQRT2);
  const said = (/** @type {string} */ text) => Number(text.replace("\u2212", "-"));
  assert.deepEqual(
    (await tableOf("products")).map((row) => row.map(said)),
    scores,
  );
  const steps = (await tableOf("steps")).slice(0, 3);
  for (const [j, [score, , , weight]] of steps.entries()) {
    assert.equal(said(score), scores[1][j]);
    assert.ok(Math.abs(said(weight) - weights[1][j]) < 0.001);
  }
});

test("dragging the key of man sets his numbers", async () => {
  const grip = page.locator("#directions .grip");
  await grip.scrollIntoViewIfNeeded();
  const { x, y, width, height } =
    /** @type {NonNullable<Awaited<ReturnType<typeof grip.boundingBox>>>} */ (
      await grip.boundingBox()
    );
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  const { width: side } = await page
    .locator("#directions svg")
    .evaluate((drawing) => drawing.getBoundingClientRect());
  await page.mouse.move(x + width / 2 + side / 7, y + height / 2); // one of seven units
  await page.mouse.up();
  await isAt("man1", "2");
  await isAt("man2", "-1");
  await set("man1", 1);
});

test("divided by the root, wide vectors keep their weights; undivided, one key takes nearly all", async () => {
  const { numbers } = await cells("widths");
  const [plain, divided] = [0, 1].map((line) => numbers.map((row) => row[line]));
  assert.equal(plain.length, 9);
  assert.ok(Math.abs(plain[0] - divided[0]) < 1e-6);
  assert.ok((plain.at(-1) ?? 0) > 0.85);
  assert.ok(divided.every((weight) => weight > 1 / 8 && weight < 0.5));
});

test("its questions have these answers, and the guess is drawn into the table", async () => {
  assert.equal(await answered("most", "2"), false);
  assert.match((await tableOf("products"))[1][2], /your guess/);
  assert.equal(await answered("most", "0"), true);
  assert.equal(await answered("equal", "thirds"), true);
  assert.equal(await answered("inside", "never"), true);
  assert.equal(await answered("exercise-score", "3.54"), true);
  assert.equal(await answered("exercise-weight", "0.75"), true);
  assert.deepEqual(problems, []);
});
