// The lesson on order: without positions attention gives each word the same output in every order,
// with them it does not, and a sum never does.

import assert from "node:assert/strict";
import { test } from "node:test";
import { orderOf, placesIn } from "../../../web/lessons/order/attend.js";
import { visit } from "./lesson.js";

const { page, problems, set, cells, fact, answered } = await visit("order");

/** How far the words' two outputs are apart. */
const distances = async () => (await cells("apart")).numbers.map(([distance]) => distance);

test("six orders: the first changes nothing, the last reverses the sentence, each has all words", () => {
  for (const length of [1, 2, 3, 4, 8]) {
    const all = Array.from({ length }, (_, i) => i);
    assert.deepEqual(orderOf(length, 0), all);
    assert.deepEqual(orderOf(length, 5), all.toReversed());
    const orders = [0, 1, 2, 3, 4, 5].map((which) => orderOf(length, which));
    for (const order of orders) assert.deepEqual(order.toSorted(), all);
    if (length > 2) assert.equal(new Set(orders.map(String)).size, 6);
  }
});

test("the weights of each query sum to 1", async () => {
  const { numbers, names } = await cells("weights");
  assert.deepEqual(names, ["dog", "bites", "man"]);
  for (const row of numbers) {
    const sum = row.reduce((all, weight) => all + weight);
    assert.ok(Math.abs(sum - 1) < 1e-6, `they sum to ${sum}`);
  }
});

test("without positions the other order has the same outputs in other rows", async () => {
  const typed = await cells("typed");
  const shuffled = await cells("shuffled");
  assert.deepEqual(shuffled.names, typed.names.toReversed());
  assert.deepEqual(shuffled.numbers, typed.numbers.toReversed());
});

test("a word that is not a token is split, and the page shows it", async () => {
  assert.equal(await page.locator('[data-fact="cut"]').innerText(), "");
  await set("words", "dog blorps man");
  assert.match(await fact("cut"), /cuts “blorps” into pieces/);
  assert.ok((await cells("weights")).names.length > 3);
  await set("words", "dog bites man");
});

test("other matrices give other weights, but no information about order", async () => {
  const { numbers } = await cells("weights");
  await set("seed", 2);
  assert.notDeepEqual((await cells("weights")).numbers, numbers);
  assert.ok(Number((await fact("spread")).replace(/^(.*)\u00a0×.*⁻.*$/, "0")) < 1e-5);
  await set("seed", 1);
});

test("sinusoids, RoPE and the causal mask distinguish the orders; no positions and the distance alone do not", async () => {
  for (const [scheme, mask, tells] of /** @type {const} */ ([
    ["none", "none", false],
    ["sinusoidal", "none", true],
    ["rope", "none", true],
    ["distance", "none", false],
    ["none", "causal", true],
    ["sinusoidal", "causal", true],
    ["rope", "causal", true],
    ["distance", "causal", true],
  ])) {
    await set("scheme", scheme);
    await set("mask", mask);
    const apart = await distances();
    const what = `${scheme}, ${mask}: ${apart}`;
    assert.ok(
      apart.every((distance) => (tells ? distance > 0.01 : distance < 1e-5)),
      what,
    );
    assert.match(await fact("verdict"), tells ? /^3 .*can tell/ : /^0 .*cannot tell/);
  }
});

test("the distance distinguishes orders of longer sentences other than the reverse", async () => {
  await set("mask", "none");
  await set("scheme", "distance");
  await set("order", "2"); // bites dog man: its distances differ
  assert.ok((await distances()).some((distance) => distance > 0.01));
  await set("order", "5");
});

test("the sums of words and positions are the same in every order", async () => {
  for (const order of [1, 3, 5]) {
    await set("order", String(order));
    const { numbers } = await cells("sums");
    const [typed, shuffled, difference] = numbers;
    assert.ok(typed.some((x) => Math.abs(x) > 1));
    for (const [d, x] of typed.entries()) {
      assert.ok(Math.abs(x - shuffled[d]) < 1e-5);
      assert.ok(Math.abs(difference[d]) < 1e-5);
    }
  }
});

test("a sentence that equals its reverse has no orders to distinguish", async () => {
  await set("mask", "none");
  await set("order", "5");
  for (const scheme of ["none", "sinusoidal", "rope"]) {
    await set("scheme", scheme);
    for (const words of ["dog sees dog", "the the the"]) {
      await set("words", words);
      assert.deepEqual(await distances(), [0, 0, 0]);
      assert.match(await fact("verdict"), /the same sentence/);
    }
  }
  await set("scheme", "sinusoidal");
});

test("equal words keep their order", () => {
  assert.deepEqual(placesIn(["a", "b", "a"], ["a", "b", "a"]), [0, 1, 2]);
  assert.deepEqual(placesIn(["a", "a", "b"], ["b", "a", "a"]), [1, 2, 0]);
});

test("readers' own sentences work, also short, repeated and empty ones", async () => {
  for (const words of ["the cat saw the other cat", "dog", "dog dog", ""]) {
    await set("words", words);
    assert.equal((await cells("weights")).names.join(" "), words);
    assert.equal(await page.locator("main .wrong:visible").allInnerTexts().then(String), "");
  }
  assert.match(await fact("verdict"), /no words/);
  await set("words", "dog bites man");
});

test("its questions have these answers", async () => {
  assert.equal(await answered("same", "equal"), true);
  assert.equal(await answered("middle", "other"), true);
  assert.equal(await answered("added", "equal"), true);
  await page.locator("#sums", { hasText: "your guess for the difference: 0" }).waitFor();
  assert.equal(await answered("exercise-distance", "no"), true);
  assert.equal(await answered("exercise-reverse", "dog bites man"), false);
  assert.equal(await answered("exercise-reverse", "dog sees dog"), true);
  assert.equal(await answered("exercise-last", "3"), true);
  assert.equal(await answered("exercise-last", "6"), false);
  assert.deepEqual(problems, []);
});
