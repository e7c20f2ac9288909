// The lesson on lookups: what its pictures claim holds in their numbers.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { load } from "phasor";
import { models } from "phasor/models";
import { safetensors } from "phasor/files";
import { project } from "../../../scripts/setup/setup.js";
import { visit } from "./lesson.js";

const { page, problems, set, cells, fact, answered } = await visit("lookup");
const { embedding } = await load();

test("the picture's rows are those of the table at the ids that are shown", async () => {
  const bytes = await readFile(join(project, "web/data/glove-10k-100d.safetensors"));
  const file = await safetensors.read(bytes);
  const weights = await file.tensor("embedding.weight", { scale: "embedding.scale" });
  await set("tokenizer", "words");
  await set("sentence", "the cat saw another dog");
  const ids = await page.locator('[data-fact="tokens"] .id').allInnerTexts();
  const { numbers, names } = await cells("rows");
  assert.deepEqual(names, ["the", "cat", "saw", "another", "dog"]);
  for (const [t, id] of ids.entries()) {
    assert.deepEqual(numbers[t].map(Math.fround), weights.row(Number(id)).toArray());
  }
});

test("a word that the table lacks has no row, and is reported", async () => {
  await set("sentence", "the blorp saw the dog");
  const { names } = await cells("rows");
  assert.deepEqual(names, ["the", "saw", "the", "dog"]);
  assert.match(await fact("tokens"), /blorp\s+not in the table/);
  assert.match(await fact("read"), /Different rows: 3\. Words that are not in the list/);
  await set("sentence", "the cat saw another dog");
});

test("GPT-2's tokens come with GPT-2's ids and width", async () => {
  await set("tokenizer", "gpt2");
  const { numbers, names } = await cells("rows");
  assert.deepEqual(names, ["the", "␣cat", "␣saw", "␣another", "␣dog"]);
  assert.match(await fact("tokens"), /1169[^]*3797[^]*2497[^]*1194[^]*3290/);
  assert.equal(numbers[0].length, 768);
  await set("tokenizer", "minilm");
});

test("MiniLM's tokens have the vectors of the model's file", async () => {
  const bytes = await readFile(join(project, "web/data/minilm.safetensors"));
  const file = await safetensors.read(bytes);
  const known = await file.tensor("known");
  const list = await readFile(join(project, "web/data/minilm-tokens.txt"), "utf8");
  const words = await file.tensor("words.weight", { scale: "words.scale" });
  await set("sentence", "dog bites man");
  const { numbers, names } = await cells("rows");
  assert.deepEqual(names, ["dog", "bites", "man"]);
  const ids = (await page.locator('[data-fact="tokens"] .id').allInnerTexts()).map(Number);
  for (const [t, id] of ids.entries()) {
    assert.equal((Number(known.data[id >> 5]) >> (id & 31)) & 1, 1);
    const row = list.split("\n").indexOf(names[t]);
    assert.deepEqual(numbers[t].map(Math.fround), words.row(row).toArray());
  }
});

test("equal words have the distance 0, wherever they are, and others do not", async () => {
  const { numbers, names } = await cells("alike");
  for (const [i, one] of names.entries()) {
    for (const [j, other] of names.entries()) {
      assert.equal(numbers[i][j] === 0, one === other, `${one} and ${other}: ${numbers[i][j]}`);
    }
  }
  assert.equal(await answered("twice", "none"), true);
  assert.match(await fact("repeated"), /“bank” at 5 and 8 differ in 0 of 384 numbers/);
});

test("a batch is padded with [PAD] to its longest sentence", async () => {
  assert.equal(await answered("batch", "padded"), true);
  const { names, numbers } = await cells("batch-rows");
  const first = ["dog", "bites", "man", "[PAD]", "[PAD]"];
  const second = ["the", "man", "bites", "the", "dog"];
  assert.deepEqual(names, [
    ...first.map((word) => `0: ${word}`),
    ...second.map((word) => `1: ${word}`),
  ]);
  assert.deepEqual(numbers[3], numbers[4]);
  assert.deepEqual(numbers[2], numbers[6]);
  assert.equal(await fact("shapes"), "Ids [2, 5], vectors [2, 5, 384]. Padding tokens: 2.");
});

test("the sum is zero until the token's own product, and its row from then on", async () => {
  const table = embedding.create(12, 8, { seed: 1 });
  for (const [done, isThere] of /** @type {const} */ ([
    [0, false],
    [4, false],
    [5, true],
    [12, true],
  ])) {
    await set("done", String(done));
    const [sum, row] = (await cells("sum")).numbers;
    const wanted = table.lookup([4]).row(0).toArray(); // dog
    assert.deepEqual(row.map(Math.fround), wanted);
    assert.deepEqual(sum.map(Math.fround), isThere ? wanted : wanted.map(() => 0));
    const { numbers } = await cells("products");
    const finite = numbers.filter((each) => each.every(Number.isFinite)).length;
    assert.equal(finite, done);
  }
});

test("a lookup of three tokens has a gradient in three rows", async () => {
  assert.deepEqual([await fact("reached"), await fact("all")], ["3", "12"]);
});

test("Play runs the sum to its end", async () => {
  await set("done", "0");
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(
    () => /** @type {HTMLInputElement} */ (document.getElementById("done")).value === "12",
  );
});

test("sizes are V times D times the bytes of a number", async () => {
  await set("vocabulary", "50257");
  await set("dim", "768");
  await set("dtype", "float32");
  const { numbers, names } = await cells("sizes");
  const sizes = Object.fromEntries(names.map((name, i) => [name, numbers[i].at(-1)]));
  assert.equal(sizes.yours, (50257 * 768 * 4) / 1e6);
  assert.equal(sizes.gpt2, sizes.yours);
  const { vocabulary = 0, dim = 0 } = models.get("deepseek-v3");
  assert.equal(sizes["deepseek-v3"], (vocabulary * dim * 4) / 1e6);
  assert.equal(await fact("gpt2-all"), "124,439,808"); // as transformers counts GPT-2's
});

test("an invalid width or vocabulary is rejected beside its control", async () => {
  await set("vocabulary", "1e9");
  const said = page.locator("#vocabulary-wrong");
  assert.match(
    await said.innerText(),
    /^Vocabulary V must be at most 1,000,000; got 1,000,000,000/,
  );
  await set("vocabulary", "1e6");
  assert.equal(await said.innerText(), "");
  await set("dim", "7.5");
  assert.match(await page.locator("#dim-wrong").innerText(), /^Width D must be/);
  await set("dim", "100");
  assert.equal(await page.locator("#dim-wrong").innerText(), "");
});

test("the reader's guess is drawn: the mean of all rows, and the two vectors of a word", async () => {
  await answered("product", "mean");
  await set("done", "12");
  const { names, numbers } = await cells("sum");
  const rows = embedding.create(12, 8, { seed: 1 }).weights().toArray();
  assert.equal(names[2], "your guess");
  for (const [d, x] of numbers[2].entries()) {
    const mean =
      rows.reduce((/** @type {number} */ sum, /** @type {number[]} */ row) => sum + row[d], 0) / 12;
    assert.ok(Math.abs(x - mean) < 1e-6);
  }
  assert.match(await page.locator("#alike").innerText(), /outlined: your guess, 0/);
});

test("its questions have these answers", async () => {
  assert.equal(await answered("product", "row"), true);
  assert.equal(await answered("exercise-rows", "4"), true);
  assert.equal(await answered("exercise-rows", "6"), false);
  assert.equal(await answered("exercise-bytes", "1051"), true);
  assert.equal(await answered("exercise-bytes", "2101"), false);
  assert.equal(await answered("exercise-segments", "1,048,592,384"), true);
  assert.deepEqual(problems, []);
});
