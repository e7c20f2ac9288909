// The lesson on longer contexts: which pairs each method slows, and how far they then turn.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "phasor";
import { visit } from "./lesson.js";

const { page, problems, set, cells, fact, answered } = await visit("longer-context");
const { rope } = await load();

test("linear slows every pair alike, NTK the last one only as much, YaRN and Llama 3 the slow ones", async () => {
  const { numbers } = await cells("slowed");
  const near = (/** @type {number} */ x, /** @type {number} */ y) => Math.abs(x / y - 1) < 1e-6;
  assert.ok(numbers.every(([linear]) => near(linear, 8)));
  assert.ok(near(numbers[0][1], 1) && near(numbers[63][1], 8));
  for (const method of [2, 3]) {
    assert.ok(near(numbers[0][method], 1) && near(numbers[63][method], 8));
    assert.ok(numbers.every((row, i) => i === 0 || row[method] >= numbers[i - 1][method] - 1e-6));
  }
});

test("the second line of waves is the chosen method's", async () => {
  await set("method", "linear");
  const waves = async () => (await cells("wavelengths")).numbers.flat().filter((x) => x > 6);
  const linear = await waves();
  await set("method", "llama3");
  assert.notDeepEqual(await waves(), linear);
});

test("a pair slowed by s rotates as far as in training", async () => {
  const [slowed, angles] = [await cells("slowed"), await cells("angles")];
  for (const [i, row] of angles.numbers.entries()) {
    for (const [method, multiple] of row.entries()) {
      assert.ok(Math.abs(multiple * slowed.numbers[i][method] - 8) < 1e-6);
    }
  }
});

/** The angle of a pair of base 10,000 and width 128 at a position, radians. @param {number} pair @param {number} position */
const angle = (pair, position) => position * 10000 ** (-pair / 64);

test("the hand of a pair enters the unseen arc where its angle passes that of the training", async () => {
  const lost = page.locator("#dial .lost");
  for (const [pair, at, isNew] of /** @type {const} */ ([
    [50, 0.75, false],
    [50, 1.5, true],
    [50, 2.5, false], // a whole circle later
    [63, 2.5, true],
    [10, 7, false],
  ])) {
    await set("pair", pair);
    await set("at", at);
    const turned = angle(pair, at * 4096) % (2 * Math.PI);
    const seen = angle(pair, 4096);
    assert.equal(seen < 2 * Math.PI && turned > seen, isNew);
    assert.equal(await lost.count(), isNew ? 1 : 0, `pair ${pair} at ${at} L`);
    const words = await page.locator("#dial figcaption").innerText();
    const degrees = Math.round((angle(pair, at * 4096) * 180) / Math.PI);
    assert.ok(words.replaceAll(",", "").includes(`${degrees}°`), words);
  }
});

test("four dials show what each method makes of the pair, and the bars how far it goes", async () => {
  await set("method", "yarn");
  await set("pair", 50);
  await set("at", 8);
  assert.equal(await page.locator("#dials figure").count(), 4);
  const names = await page.locator("#dials b").allInnerTexts();
  assert.deepEqual(names, ["linear:", "NTK:", "YaRN:", "Llama 3:"]);
  const { numbers } = await cells("reached");
  const [trained, linear, ntk, yarn] = numbers.map((row) => Number(row.at(-1)));
  assert.ok(Math.abs(trained - 8) < 1e-5 && Math.abs(linear - 1) < 1e-5);
  assert.ok(Math.abs(yarn - 1) < 1e-5);
  const expected = 8 / (8 ** (128 / 126)) ** (100 / 128);
  assert.ok(Math.abs(ntk - expected) < 1e-4, `${ntk} is not ${expected}`);
});

test("the reader's curves are drawn over the methods", async () => {
  for (const name of ["ntk", "yarn"]) {
    const question = page.locator(`[data-question="${name}"]`);
    await question.locator(".handle[tabindex='0']").press("End");
    await question.locator(".ask").click();
    await question.locator(".verdict[data-right]").waitFor();
  }
  await set("at", 0.75);
  const { numbers } = await cells("slowed");
  assert.ok(numbers.every((row) => row.length === 7 && row[5] === 10 && row[6] === 10));
  await set("factor", 9);
  assert.equal((await cells("slowed")).numbers[0].length, 5);
  await set("factor", 8);
});

test("YaRN is drawn with the γ of the code and with that of the paper, and the page says which is which", async () => {
  const pairs = Array.from({ length: 64 }, (_, i) => i);
  const pairOf = (/** @type {number} */ circles) =>
    (64 * Math.log(4096 / (2 * Math.PI * circles))) / Math.log(10000);
  const [low, high] = [Math.floor(pairOf(32)), Math.ceil(pairOf(1))];
  const gammas = {
    code: (/** @type {number} */ i) => (high - i) / (high - low),
    paper: (/** @type {number} */ i) => ((4096 * 10000 ** (-i / 64)) / (2 * Math.PI) - 1) / 31,
  };
  const [code, paper] = Object.values(gammas).map((gamma) =>
    pairs.map((i) => {
      const kept = Math.min(1, Math.max(0, gamma(i)));
      return 1 / (kept + (1 - kept) / 8);
    }),
  );
  for (const [i, row] of (await cells("slowed")).numbers.entries()) {
    assert.ok(Math.abs(row[2] / code[i] - 1) < 1e-6, `pair ${i}, code: ${row[2]}, ${code[i]}`);
    assert.ok(Math.abs(row[4] / paper[i] - 1) < 1e-6, `pair ${i}, paper: ${row[4]}, ${paper[i]}`);
  }
  const verdict = await page.locator('[data-question="yarn"] .verdict').innerText();
  assert.match(verdict, /frequencies are mixed: halfway, at pair 33, γ is 0\.5,/);
  assert.deepEqual([code[33].toFixed(2), paper[33].toFixed(1)], ["1.78", "3.9"]);
  assert.match(verdict, /is only 1\.78\. With the γ of the paper it would be 3\.9\.$/);
  assert.deepEqual(
    [await fact("yarn-middle"), await fact("yarn-code"), await fact("yarn-paper")],
    ["33", "1.78", "3.9"],
  );
});

test("YaRN's factor is shown", async () => {
  for (const factor of [2, 8, 32]) {
    await set("factor", factor);
    assert.equal(
      Number(await fact("sharper")),
      Number((0.1 * Math.log(factor) + 1).toPrecision(3)),
    );
  }
});

test("a key that was found up to L is lost beyond it, and found again by linear, YaRN and Llama 3", async () => {
  await set("factor", 8);
  const { numbers } = await cells("found");
  const [linear, ntk, yarn, llama3, trained] = numbers[0].map((_, line) =>
    numbers.map((row) => row[line]),
  );
  const L = 7; // eight distances are within it
  assert.ok(Math.min(...trained.slice(0, L + 1)) > 0.9);
  assert.ok(Math.max(...trained.slice(12)) < 0.01);
  for (const line of [linear, yarn]) assert.ok(Math.min(...line) > 0.9);
  assert.ok(Math.min(...llama3) > 0.7);
  assert.ok(ntk[31] > 0.9 && ntk[63] < 0.1);
  // a position of linear interpolation is that of training, divided by s
  for (let i = 0; i <= L; ++i) assert.ok(Math.abs(linear[8 * i + 7] - trained[i]) < 1e-4, `${i}`);
});

test("the head of the previous token looks s steps back under linear interpolation alone", async () => {
  for (const factor of [8, 4]) {
    await set("factor", factor);
    const { names, numbers } = await cells("previous");
    const most = Object.fromEntries(
      names.map((name, i) => [name, numbers[i].indexOf(Math.max(...numbers[i]))]),
    );
    assert.deepEqual(most, { "as trained": 1, linear: factor, NTK: 1, YaRN: 1, "Llama 3": 1 });
  }
  await set("factor", 8);
});

test("every model's factors are those of its configuration", async () => {
  const plain = rope.frequencies(128, { base: 500000 }).frequencies;
  const scaling = /** @type {const} */ ({
    type: "llama3",
    factor: 8,
    lowFreqFactor: 1,
    highFreqFactor: 4,
    originalLength: 8192,
  });
  const scaled = rope.frequencies(128, { base: 500000, scaling }).frequencies;
  for (const [i, [by]] of (await cells("model-factors")).numbers.entries()) {
    assert.equal(by, Number(plain.at(i)) / Number(scaled.at(i)));
  }
  await set("model", "phi-3.5-mini");
  const longrope = (await cells("model-factors")).numbers.flat();
  assert.equal(longrope.length, 48);
  assert.match(await fact("model-words"), /from 4,096 to 131,072/);
});

test("the wavelengths that a question is about, and how many are shorter than L", async () => {
  const wave = (/** @type {number} */ i) => 2 * Math.PI * 10000 ** (i / 64);
  assert.equal(Number(await fact("shortest")), Number(wave(0).toPrecision(3)));
  assert.equal(Number((await fact("longest")).replaceAll(",", "")), Math.round(wave(63)));
  await answered("seen", "most");
  const shorter = Array.from({ length: 64 }, (_, i) => wave(i)).filter((length) => length <= 4096);
  assert.equal(Number(await fact("whole")), shorter.length);
});

test("the factor times the trained length is shown beside the context", async () => {
  await set("model", "llama-3.1-8b");
  assert.match(await fact("model-words"), /8,192 to 131,072 tokens\. .*8 × 8,192 = 65,536/);
});

test("the questions have the answers that the papers give", async () => {
  assert.equal(await answered("directions", "near"), true);
  assert.equal(await answered("seen", "most"), true);
  assert.equal(await answered("fast", "linear"), true);
  assert.equal(await answered("known", "linear-yarn"), true);
  assert.equal(await answered("found", "none"), true);
  assert.equal(await answered("previous", "linear"), true);
  assert.equal(await answered("exercise-base", "83000"), true);
  assert.equal(await answered("exercise-llama", "29"), true);
  assert.deepEqual(problems, []);
});
