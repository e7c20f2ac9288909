// The lesson on learned positions: rows are counted by each model's rule, only rows that a sentence
// reaches learn, and behind the last row is an error in words.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "phasor";
import { guesser, read } from "../../../web/lessons/learned/guesser.js";
import { settled } from "../pages.js";
import { visit } from "./lesson.js";

const { page, problems, set, cells, fact, answered } = await visit("learned");
const phasor = await load();

const train = page.locator('[data-action="training"]');

async function trained() {
  await train.locator(".begin").click();
  await train.locator(".cancel").waitFor({ state: "hidden" });
  await settled(page);
}

/** How far each row has moved. */
const distances = async () => (await cells("moved")).numbers.map((row) => Number(row.at(-1)));

test("a model's step goes down the slope of its loss", () => {
  const reading = read("The dog chases the cat. A bird sings.");
  const loss = (/** @type {ReturnType<typeof guesser>} */ model) => {
    const { data } = model.guess(reading.positions);
    const V = reading.words.length;
    return reading.ids.reduce((sum, id, n) => sum - Math.log(Number(data[n * V + id])), 0);
  };
  const model = guesser(phasor, reading, 6, 8, 1);
  const before = loss(model);
  model.step();
  assert.ok(loss(model) < before);
  for (let step = 0; step < 300; ++step) model.step();
  // From the position alone: two words at 0, 1 and 2, one at 3 and 4; each as often as it stands there.
  assert.ok(Math.abs(Number(model.guess([0]).at(0, reading.ids[0])) - 0.5) < 0.05);
  assert.ok(Number(model.guess([4]).at(0, reading.ids[4])) > 0.9);
  model.dispose();
});

test("each model counts rows by its own rule, padding in front or behind", async () => {
  assert.deepEqual(await cells("rules"), {
    names: ["BERT", "GPT-2", "RoBERTa", "OPT"],
    numbers: [
      [0, 1, 2, 3, 4, 5, 6, 7],
      [1, 1, 1, 0, 1, 2, 3, 4],
      [1, 1, 1, 2, 3, 4, 5, 6],
      [1, 1, 1, 2, 3, 4, 5, 6],
    ],
  });
  await set("side", "right");
  await set("sentence", "two words");
  await set("padding", "1");
  const { numbers } = await cells("rules");
  assert.deepEqual(numbers, [
    [0, 1, 2],
    [0, 1, 1],
    [2, 3, 1],
    [2, 3, 1],
  ]);
});

test("before training no row has moved", async () => {
  assert.deepEqual(await distances(), Array(12).fill(0));
  assert.doesNotMatch(await fact("kept"), /bits/);
});

test("training moves the rows that sentences reach, keeps the others, and makes equal places alike", async () => {
  await trained();
  const moved = await distances();
  assert.ok(
    moved.slice(0, 5).every((distance) => distance > 1),
    String(moved),
  );
  assert.deepEqual(moved.slice(5), Array(7).fill(0));
  assert.match(await fact("kept"), /5 words, the table 12 rows. Of the rows, 7 have the same bits/);

  const { numbers } = await cells("alike");
  assert.ok(numbers[0][3] > 0.99 && numbers[1][4] > 0.99);
  assert.ok(numbers[0][1] < 0.5 && numbers[1][2] < 0.5);

  const sureness = (await cells("sureness")).numbers.map(([each]) => each);
  const best = 0.4; // (1/2 + 1/3 + 1/3 + 1/2 + 1/3) / 5
  assert.ok(sureness[0] < 0.2 && Math.abs(Number(sureness.at(-1)) - best) < 0.01);

  const guesses = await cells("guesses");
  for (const row of guesses.numbers) {
    assert.ok(Math.abs(row.reduce((sum, x) => sum + x, 0) - 1) < 1e-5);
  }
});

test("the stretched table goes through the old rows", async () => {
  for (const method of ["linear", "cubic"]) {
    await set("method", method);
    const { numbers } = await cells("stretched");
    assert.equal(numbers.length, 4 * 11 + 1);
    for (const [t, [stretched, old]] of numbers.entries()) {
      if (t % 4 === 0) assert.equal(stretched, old);
      else assert.ok(Number.isNaN(old) || old === 0, "there is an old row between two");
    }
  }
});

test("another table forgets the training; it can be stopped", async () => {
  await set("seed", "2");
  assert.deepEqual(await distances(), Array(12).fill(0));
  assert.equal(await train.locator(".note").innerText(), "");
  await train.locator(".begin").click();
  await train
    .locator(".cancel")
    .click({ timeout: 2000 })
    .catch(() => {}); // it may be done
  await train.locator(".begin:enabled").waitFor();
  await settled(page);
  assert.match(await train.locator(".note").innerText(), /Stopped\.|200 of 200/);
});

test("a sentence longer than the table is refused beside the rows", async () => {
  await set("text", "one two three four five six seven eight nine ten eleven twelve thirteen");
  const wrong = page.locator("#positions-wrong");
  assert.match(await wrong.innerText(), /must be below 12 .* the table ends at/);
  await set("positions", "13");
  assert.equal(await wrong.innerText(), "");
  assert.match(await fact("kept"), /13 words, the table 13 rows/);
});

test("a text without words is read as a sentence", async () => {
  await set("text", " ... ");
  assert.match(await fact("kept"), /The longest sentence has 5 words/);
});

test("its questions have these answers", async () => {
  assert.equal(await answered("first-row", "2"), true);
  assert.equal(await answered("twins", "same"), true);
  assert.equal(await answered("beyond", "drawn"), true);
  assert.equal(await answered("wall", "last"), false);
  assert.equal(await answered("wall", "none"), true);
  assert.match(await fact("refusal"), /the table ends at position 1024/);
  assert.equal(await answered("exercise-roberta", "512"), true);
  assert.equal(await answered("exercise-roberta", "514"), false);
  assert.equal(await answered("exercise-stretch", "5"), true);
  assert.deepEqual(problems, []);
});
