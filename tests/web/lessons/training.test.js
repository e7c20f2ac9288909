// The lesson on training: random rows have small cosines, words used alike come together, and rows
// that a text does not use keep every bit.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "phasor";
import { read } from "../../../web/lessons/training/text.js";
import { settled } from "../pages.js";
import { visit } from "./lesson.js";

const { page, problems, set, cells, fact, answered } = await visit("training");
const { skipgram, similarity } = await load();

const action = page.locator('[data-action="training"]');
const note = () => action.locator(".note").innerText();
const text = await page.locator("#text").inputValue();
const compared = await page.locator("#compared").inputValue();

/** Train to the end. */
async function train() {
  await action.locator(".begin").click();
  await action.getByText("200 of 200 passes").waitFor({ timeout: 60_000 });
  await settled(page);
}

/** The package's rows before and after the training that the page does. @param {string} text */
function trained(text) {
  const { words, sentences } = read(text, compared);
  const model = skipgram.create(words.length, 16, { window: 1, negatives: 5, seed: 1 });
  const before = model.vectors();
  model.train(sentences, { epochs: 200, learningRate: 0.1 });
  return { words, before, after: model.vectors(), loss: model.loss(sentences) };
}

test("a text is read by sentences, and words compared that it lacks come last", () => {
  const { words, used, sentences, compared } = read("A dog. The DOG sat!\nWhy? ", "dog rain dog");
  assert.deepEqual(words, ["a", "dog", "the", "sat", "why", "rain"]);
  assert.equal(used, 5);
  assert.deepEqual(sentences, [[0, 1], [2, 1, 3], [4]]);
  assert.deepEqual(compared, [1, 5]);
  assert.deepEqual(read("", "").sentences, []);
  assert.equal(read("", "").words.length, 2);
});

test("trained rows of related words have larger cosines than random rows", async () => {
  const { names, numbers } = await cells("cosines");
  assert.deepEqual(names.slice(0, 4), ["queen", "queen", "prince", "prince"]);
  const values = numbers.map((row) => row[row.length - 1]);
  const [drawn, queen] = values;
  assert.ok(Math.abs(drawn) < 0.4 && queen > 0.7, `${drawn} and ${queen}`);
});

test("a word that GloVe lacks is said to be missing, and no markup comes of it", async () => {
  await set("word", "<b>blorp</b> dog");
  assert.match(await fact("missing"), /“blorp”/);
  assert.equal(await page.locator("#cosines figcaption b").count(), 0);
  await set("word", "king");
  assert.equal(await fact("missing"), "");
});

test("the pairs are those of the package, window by window", async () => {
  for (const window of [2, 1]) {
    await set("window", window);
    const { words, sentences } = read(text, compared);
    const [N] = skipgram.create(words.length, 4, { window }).pairs(sentences).shape;
    const { numbers } = await cells("pairs");
    assert.equal(
      numbers.flat().reduce((sum, count) => sum + count, 0),
      N,
    );
    assert.match(await fact("read"), new RegExp(`make ${N} pairs`));
  }
});

test("before training the loss is that of guessing, and no row has moved", async () => {
  assert.deepEqual((await cells("after")).numbers, (await cells("before")).numbers);
  const [[loss]] = (await cells("loss")).numbers;
  assert.ok(Math.abs(loss - 6 * Math.log(2)) < 1e-9);
  const moved = (await cells("moved")).numbers.map((row) => row[row.length - 1]);
  assert.ok(moved.every((distance) => distance === 0));
});

test("training shows the package's loss and cosines; words used alike come together", async () => {
  await train();
  const expected = trained(text);
  const losses = (await cells("loss")).numbers.map(([loss]) => loss);
  assert.equal(losses.length, 51);
  assert.ok(Math.abs(losses[50] - expected.loss) < 1e-9);
  assert.ok(losses[50] < losses[0] / 4);

  const { names, numbers } = await cells("after");
  const at = (/** @type {string} */ a, /** @type {string} */ b) =>
    numbers[names.indexOf(a)][names.indexOf(b)];
  const row = (/** @type {string} */ word) => expected.after.row(expected.words.indexOf(word));
  assert.ok(Math.abs(at("dogs", "kings") - similarity.pair(row("dogs"), row("kings"))) < 1e-6);
  for (const [a, b] of [
    ["dogs", "wolves"],
    ["kings", "queens"],
    ["princes", "knights"],
  ]) {
    assert.ok(at(a, b) > 0.9 && at(a, b) > at(a, "cats") + 0.2, `${a} and ${b}: ${at(a, b)}`);
  }
});

test("only the words of the text have moved; the others kept every bit", async () => {
  const { names, numbers } = await cells("moved");
  const moved = numbers.map((row) => row[row.length - 1]);
  for (const [i, word] of names.entries()) assert.equal(moved[i] === 0, word === "rain", word);
  assert.match(await fact("kept"), /every bit: 1 of 30\. .* lacks: 1\./);

  await set("text", "Dogs chase cats. Foxes chase cats.");
  assert.equal(await note(), "", "the training of another text is forgotten");
  await train();
  const few = await cells("moved");
  const kept = few.names.filter((_, i) => few.numbers[i].at(-1) === 0);
  assert.deepEqual(kept, ["wolves", "kings", "queens", "princes", "knights", "rain"]);
});

test("a text without pairs is an error message, and nothing breaks", async () => {
  await set("text", "One. Two.");
  await action.locator(".begin").click();
  await action.getByText("must have a sentence of two words").waitFor();
  await set("text", text);
  assert.deepEqual(problems, []);
});

test("training can be stopped, and keeps what it has", async () => {
  // In the page: the training may be over before a second command of the test arrives.
  await action.evaluate(async (element) => {
    const button = (/** @type {string} */ name) =>
      /** @type {HTMLElement} */ (element.querySelector(name));
    button(".begin").click();
    while (button(".cancel").offsetParent === null) await new Promise(requestAnimationFrame);
    button(".cancel").click();
  });
  await action.getByText("Stopped.").waitFor();
  await settled(page);
  assert.ok((await cells("loss")).numbers.length < 51);
});

test("the questions have the answers that the mathematics gives", async () => {
  assert.equal(await answered("drawn-cosine", "small"), true);
  assert.equal(await answered("twins", "alike"), true);
  assert.equal(await answered("unused", "kept"), true);
  assert.equal(await answered("exercise-loss", String(6 * Math.log(2))), true);
  assert.equal(await answered("exercise-loss", String(Math.log(2))), false);
  assert.equal(await answered("exercise-pairs", "10"), true);
  assert.deepEqual(problems, []);
});
