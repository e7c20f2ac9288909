// The lesson on learned positions: tokens light the rows that they look up, rows are counted by each model's rule, only
// rows that a sentence reaches learn, a trained table is what its file holds, and past the last row is an error in words.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { load } from "phasor";
import { safetensors } from "phasor/files";
import { models } from "phasor/models";
import { guesser, read } from "../../../web/lessons/learned/guesser.js";
import { settled } from "../pages.js";
import { visit } from "./lesson.js";

const { page, problems, set, cells, fact, answered } = await visit("learned");
const phasor = await load();

/** MiniLM's table of positions, from its file. */
const file = await safetensors.read(
  readFileSync(new URL("../../../web/data/minilm.safetensors", import.meta.url)),
);
const table = await file.rows(
  "positions.weight",
  Int32Array.from({ length: 256 }, (_, t) => t),
  { scale: "positions.scale" },
);
const rowOf = (/** @type {number} */ t) => Array.from(table.row(t).data, Number);

/** @param {number[]} a @param {number[]} b */
const dot = (a, b) => a.reduce((sum, x, d) => sum + x * b[d], 0);
const norm = (/** @type {number[]} */ a) => Math.sqrt(dot(a, a));

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
  // From the position alone: two words at 0, 1 and 2, one at 3 and 4; each as often as it occurs there.
  assert.ok(Math.abs(Number(model.guess([0]).at(0, reading.ids[0])) - 0.5) < 0.05);
  assert.ok(Number(model.guess([4]).at(0, reading.ids[4])) > 0.9);
  model.dispose();
});

test("the rows of P that the sentence looks up are highlighted, and the selected token's sum is shown", async () => {
  const used = page.locator("#lit .used button");
  assert.deepEqual(await used.allInnerTexts(), ["[CLS]", "dog", "bites", "man", "[SEP]"]);
  assert.equal(await page.locator("#lit li:not(.used)").count(), 3);
  await page.getByRole("button", { name: "man", exact: true }).click();
  await page.locator("#lit .lit-sum", { hasText: "W[man]" }).waitFor();
  assert.deepEqual(await page.locator("#lit .lit-sum .lit-name").allInnerTexts(), [
    "W[man]",
    "P[3]",
    "sum",
  ]);
  await set("sentence", "one dog");
  assert.deepEqual(await used.allInnerTexts(), ["[CLS]", "one", "dog", "[SEP]"]);
  await set("sentence", "dog bites man");
});

test("reversed, two words move by the distance of their rows of P, and the middle one stays", async () => {
  const { names, numbers } = await cells("swap");
  const wanted = norm(rowOf(1).map((x, d) => x - rowOf(3)[d]));
  const moved = numbers.map((row) => Number(row.at(-1)));
  assert.deepEqual(names, ["[CLS] at 0", "dog at 1", "bites at 2", "man at 3", "[SEP] at 4"]);
  assert.deepEqual([moved[0], moved[2], moved[4]], [0, 0, 0]);
  for (const t of [1, 3]) assert.ok(Math.abs(moved[t] - wanted) < 1e-5);
});

test("each model counts rows by its own rule, padding in front or behind", async () => {
  await set("sentence", "the dog bites the man");
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

test("training moves the rows that sentences reach, keeps the others, and makes equal positions similar", async () => {
  await trained();
  const moved = await distances();
  assert.ok(
    moved.slice(0, 5).every((distance) => distance > 1),
    String(moved),
  );
  assert.deepEqual(moved.slice(5), Array(7).fill(0));
  assert.match(
    await fact("kept"),
    /5 words, the table 12 rows. 7 rows still have their initial bits/,
  );

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

test("a row of the trained table is compared with all, and the reader's drawing is drawn", async () => {
  const cosines = await cells("trained");
  for (const [t, [cosine]] of cosines.numbers.entries()) {
    const wanted = dot(rowOf(40), rowOf(t)) / norm(rowOf(40)) / norm(rowOf(t));
    assert.ok(Math.abs(cosine - wanted) < 1e-5, `row ${t}: ${cosine} is not ${wanted}`);
  }
  await page.locator("[data-question='trained'] .handle[tabindex='0']").press("End");
  await page.locator("[data-question='trained'] .ask").click();
  await page.locator("[data-question='trained'] .verdict[data-right]").waitFor();
  await settled(page);
  const { numbers } = await cells("trained");
  assert.deepEqual(numbers[40], [1, 1]);
  assert.ok(Number.isNaN(numbers[39][1]) || numbers[39][1] === 0);
  const lengths = (await cells("lengths")).numbers.map(([length]) => length);
  assert.ok(lengths.every((length, t) => Math.abs(length - norm(rowOf(t))) < 1e-5));
  assert.equal(Number(await fact("cls")), Number((lengths[0] / lengths[1]).toPrecision(3)));
  assert.equal(lengths.indexOf(Math.max(...lengths.slice(1))), 127);
});

test("a text fits the tables that have a row for each of its tokens", async () => {
  for (const tokens of [448, 512, 576, 2048, 2112]) {
    await set("tokens", tokens);
    const csv = await page
      .locator("#fits figure")
      .evaluate((figure) => /** @type {any} */ (figure).csv());
    for (const line of csv.trim().split("\n").slice(1)) {
      const [model, group] = line.split(",");
      const fits = Number(models.get(model).positions.length) >= tokens;
      assert.equal(group, fits ? "long enough" : "too short", `${model} at ${tokens}`);
    }
  }
});

test("a table costs a vector for each position", async () => {
  for (const [context, numbers] of [
    ["1024", 786432],
    ["131072", 100663296],
  ]) {
    await set("context", context);
    const { numbers: bars } = await cells("cost");
    assert.deepEqual(
      bars.map((row) => row.at(-1)),
      [38597376, numbers, 0],
    );
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

test("another table discards the training; training can be stopped", async () => {
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
  assert.equal(await answered("swap", "two"), true);
  assert.equal(await answered("padded", "none"), true);
  assert.equal(await answered("twins", "same"), true);
  assert.equal(await answered("beyond", "drawn"), true);
  assert.equal(await answered("wall", "last"), false);
  assert.equal(await answered("wall", "none"), true);
  assert.match(await fact("gpt2-refusal"), /the table ends at position 1024/);
  assert.match(await fact("bert-refusal"), /the table ends at position 512/);
  assert.equal(await answered("cost", "fiftieth"), true);
  assert.equal(await answered("exercise-roberta", "512"), true);
  assert.equal(await answered("exercise-roberta", "514"), false);
  assert.equal(await answered("exercise-stretch", "3"), true);
  assert.deepEqual(problems, []);
});
