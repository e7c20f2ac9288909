// The lesson on training: random rows have small cosines, words used alike come together, and rows
// that a text does not use keep every bit.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "phasor";
import { step } from "../../../web/lessons/training/step.js";
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
  await action.getByText("200 of 200 passes").waitFor({ timeout: 120_000 });
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

test("a step moves each vector against the slope of the loss", () => {
  const vectors = { v: [2, 1], context: [1.5, 1], negative: [1, -0.5] };
  /** The loss with one number of one vector changed. */
  const loss = (
    /** @type {keyof typeof vectors} */ name,
    /** @type {number} */ d,
    /** @type {number} */ by,
  ) => {
    const all = structuredClone(vectors);
    all[name][d] += by;
    const score = (/** @type {number[]} */ u) => u[0] * all.v[0] + u[1] * all.v[1];
    return Math.log1p(Math.exp(-score(all.context))) + Math.log1p(Math.exp(score(all.negative)));
  };
  const after = step(vectors, 0.1);
  for (const name of /** @type {const} */ (["v", "context", "negative"])) {
    for (const d of [0, 1]) {
      const slope = (loss(name, d, 1e-5) - loss(name, d, -1e-5)) / 2e-5;
      const moved = after[name][d] - vectors[name][d];
      assert.ok(Math.abs(moved + 0.1 * slope) < 1e-8, `${name} ${d}: ${moved} and ${slope}`);
    }
  }
});

test("the figure shows the probabilities of the steps, and the arrows where they lead", async () => {
  await set("steps", 3);
  await set("rate", 0.5);
  let vectors = { v: [2, 0.5], context: [1, 3], negative: [2, -1.5] };
  const { numbers } = await cells("odds");
  assert.equal(numbers.length, 4);
  for (const [context, negative] of numbers) {
    const probability = (/** @type {number[]} */ u) =>
      1 / (1 + Math.exp(-(u[0] * vectors.v[0] + u[1] * vectors.v[1])));
    assert.ok(Math.abs(context - probability(vectors.context)) < 1e-9);
    assert.ok(Math.abs(negative - probability(vectors.negative)) < 1e-9);
    vectors = step(vectors, 0.5);
  }
  assert.match(
    (await page.locator("#plane svg").getAttribute("aria-label")) ?? "",
    /dog moves from \(2, 0\.5\)/,
  );
  assert.equal(await answered("force", "negative"), true);
  assert.match(await fact("byhand"), /u · v is 3\.5 for bites and 3\.25 for piano/);
});

test("trained rows of related words have larger cosines than random rows", async () => {
  const { names, numbers } = await cells("cosines");
  assert.deepEqual(names.slice(0, 4), ["queen", "queen", "prince", "prince"]);
  const values = numbers.map((row) => row[row.length - 1]);
  const [drawn, queen] = values;
  assert.ok(Math.abs(drawn) < 0.4 && queen > 0.7, `${drawn} and ${queen}`);
});

test("a word that GloVe lacks is reported as missing, and its text stays text", async () => {
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
    assert.match(await fact("read"), new RegExp(`contain ${N} pairs`));
  }
});

test("before training the loss is that of guessing, and no row has moved", async () => {
  assert.deepEqual((await cells("after")).numbers, (await cells("before")).numbers);
  const [[loss]] = (await cells("loss")).numbers;
  assert.ok(Math.abs(loss - 6 * Math.log(2)) < 1e-9);
  const moved = (await cells("moved")).numbers.map((row) => row[row.length - 1]);
  assert.ok(moved.every((distance) => distance === 0));
});

test("training shows the package's loss and cosines; words used in similar contexts get closer", async () => {
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
  assert.equal(await answered("unused", "kept"), true);
  const { names, numbers } = await cells("moved");
  const moved = numbers.map((row) => row[row.length - 1]);
  for (const [i, word] of names.entries()) assert.equal(moved[i] === 0, word === "rain", word);
  assert.match(await fact("kept"), /change in any bit: 1 of 30\. .* in the text: 1\./);

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
  await page.locator("#cosines svg", { hasText: "your guess for random: 0.3" }).waitFor();
  assert.equal(await answered("twins", "alike"), true);
  assert.equal(await answered("unused", "kept"), true);
  assert.equal(await answered("exercise-step", "-0.8"), true);
  assert.equal(await answered("exercise-step", "-0.6"), false);
  assert.equal(await answered("exercise-loss", String(6 * Math.log(2))), true);
  assert.equal(await answered("exercise-loss", String(Math.log(2))), false);
  assert.equal(await answered("exercise-pairs", "10"), true);
  assert.deepEqual(problems, []);
});
