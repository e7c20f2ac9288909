// The lesson on order: without positions attention gives each word the same output in every order,
// with them it does not, and a sum never does.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { buildPage } from "../../../scripts/page.js";
import { serve } from "../../../scripts/serve.js";
import { project, setup } from "../../../scripts/setup.js";
import { orderOf } from "../../../web/lessons/order/attend.js";
import { openBrowser } from "../browser.js";
import { put } from "../controls.js";
import { settled } from "../pages.js";
import { answered, cells } from "./lesson.js";

await buildPage(await setup(["packages"]));
const server = await serve(join(project, "build"));
const browser = await openBrowser();
const { page, problems } = await browser.newPage();
await page.goto(`${server.url}page/lessons/order/`);
await settled(page);

after(async () => {
  await browser.close();
  await server.close();
});

/** @param {string} name @param {string} value */
async function set(name, value) {
  await put(page, name, value);
  await settled(page);
}

/** @param {string} name */
const fact = (name) => page.locator(`[data-fact="${name}"]`).innerText();

/** How far the words' two outputs are apart. */
const distances = async () => (await cells(page, "apart")).numbers.map(([distance]) => distance);

test("six orders: the first leaves everything, the last reverses it, each has all things", () => {
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
  const { numbers, names } = await cells(page, "weights");
  assert.deepEqual(names, ["dog", "bites", "man"]);
  for (const row of numbers) {
    const sum = row.reduce((all, weight) => all + weight);
    assert.ok(Math.abs(sum - 1) < 1e-6, `they sum to ${sum}`);
  }
});

test("without positions the other order has the same outputs in other rows", async () => {
  const typed = await cells(page, "typed");
  const shuffled = await cells(page, "shuffled");
  assert.deepEqual(shuffled.names, typed.names.toReversed());
  assert.deepEqual(shuffled.numbers, typed.numbers.toReversed());
});

test("a word that the table lacks takes the row of the word without its s, and the page says so", async () => {
  assert.match(await fact("missing"), /“bites” .* the row of “bite” stands for it/);
  await set("words", "dog bite man");
  const { numbers } = await cells(page, "weights");
  await set("words", "dog bites man");
  assert.deepEqual((await cells(page, "weights")).numbers, numbers);
  await set("words", "dog blorps man");
  assert.match(await fact("missing"), /“blorps” .*left out/);
  assert.equal((await cells(page, "weights")).names.length, 2);
  await set("words", "dog bites man");
});

test("sinusoids, RoPE and the causal mask tell the orders apart; no positions and bare distance do not", async () => {
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

test("a distance that is not the reverse tells longer sentences apart", async () => {
  await set("mask", "none");
  await set("scheme", "distance");
  await set("order", "2"); // bites dog man: its distances differ
  assert.ok((await distances()).some((distance) => distance > 0.01));
  await set("order", "5");
});

test("the sums of words and positions are the same in every order", async () => {
  for (const order of [1, 3, 5]) {
    await set("order", String(order));
    const { numbers } = await cells(page, "sums");
    const [typed, shuffled, difference] = numbers;
    assert.ok(typed.some((x) => Math.abs(x) > 1));
    for (const [d, x] of typed.entries()) {
      assert.ok(Math.abs(x - shuffled[d]) < 1e-5);
      assert.ok(Math.abs(difference[d]) < 1e-5);
    }
  }
});

test("readers' own sentences, short, repeated and empty ones too", async () => {
  for (const words of ["the cat saw the other cat", "dog", "dog dog", ""]) {
    await set("words", words);
    assert.equal((await cells(page, "weights")).names.join(" "), words);
    assert.equal(await page.locator("main .wrong:visible").allInnerTexts().then(String), "");
  }
  await set("words", "dog bites man");
});

test("its questions have these answers", async () => {
  assert.equal(await answered(page, "same", "equal"), true);
  assert.equal(await answered(page, "middle", "other"), true);
  assert.equal(await answered(page, "added", "equal"), true);
  assert.equal(await answered(page, "exercise-distance", "no"), true);
  assert.equal(await answered(page, "exercise-last", "3"), true);
  assert.equal(await answered(page, "exercise-last", "6"), false);
  assert.deepEqual(problems, []);
});
