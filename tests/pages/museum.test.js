// The museum of bugs: every exhibit asks first, and its switch changes its numbers, which are those of the threads.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "phasor";
import { exhibits } from "../../web/museum/exhibits/exhibits.js";
import { everyNth } from "../sample.js";
import { until } from "../until.js";
import { violations } from "./axe.js";
import { settled } from "./pages.js";
import { visit } from "./lessons/lesson.js";

/** The right guess of each exhibit. @type {Record<string, string>} */
const guesses = {
  layout: "distance",
  scaling: "near",
  squared: "twice",
  ntk: "much",
  gemma: "much",
  hidden: "few",
  rounded: "256",
  frequencies: "large",
  collapse: "one",
  root: "55.5",
  padding: "3",
  roberta: "2",
  slopes: "8",
  bucket: "ahead",
  halves: "neither",
};

const phasor = await load();
const { page, problems, set, answered, fact } = await visit("museum", "museum/");

/** What an exhibit shows. @param {string} name */
async function shown(name) {
  const strip = page.locator(`[data-fact="${name}-strip"]`);
  if (await strip.count()) return strip.innerText();
  return page.locator(`#${name} > figure`).evaluate((figure) => /** @type {any} */ (figure).csv());
}

/** @param {string} name */
const toggle = (name) => page.locator(`input[name="${name}-bug"]`);

test("the switch of a bug appears with the answer", async () => {
  assert.deepEqual(Object.keys(guesses), Object.keys(exhibits));
  for (const name of Object.keys(guesses)) {
    assert.equal(await toggle(name).isVisible(), false, name);
  }
  const cards = page.locator(".board b");
  assert.deepEqual(await cards.allInnerTexts(), Object.keys(guesses).map(() => "?")); // prettier-ignore
  for (const [name, guess] of Object.entries(guesses)) {
    assert.equal(await answered(name, guess), true, name);
    assert.ok(await toggle(name).isVisible(), name);
    assert.equal(await page.locator(`[data-card="${name}"] b`).innerText(), "seen");
  }
});

test("a wrong choice is judged as wrong", async () => {
  const isWanted = everyNth(12);
  for (const [name, guess] of Object.entries(guesses)) {
    const choices = await page
      .locator(`[data-question="${name}"] input[type="radio"]`)
      .evaluateAll((inputs) => inputs.map((input) => /** @type {any} */ (input).value));
    const others = choices.length > 0 ? choices.filter((value) => value !== guess) : ["1"];
    assert.ok(others.length > 0);
    for (const other of others.filter(isWanted))
      assert.equal(await answered(name, other), false, `${name}: ${other}`);
  }
});

test("the switch changes the number and the picture, and back", async () => {
  for (const name of Object.keys(guesses).filter(everyNth(5))) {
    const before = [await fact(`${name}-value`), await shown(name)];
    await set(`${name}-bug`, "false");
    assert.notEqual(await fact(`${name}-value`), before[0], name);
    assert.notEqual(await shown(name), before[1], name);
    await set(`${name}-bug`, "true");
    assert.deepEqual([await fact(`${name}-value`), await shown(name)], before, name);
  }
});

test("the address keeps that a bug is off", async () => {
  await set("layout-bug", "false");
  await page.waitForFunction(() => location.href.includes("layout-bug=false"));
  await set("layout-bug", "true");
});

test("after all answers the page fits a narrow phone, and axe reports nothing", async () => {
  await page.setViewportSize({ width: 320, height: 740 });
  assert.deepEqual(await violations(page), []);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
});

test("an embedded figure has the switch of its bug", async () => {
  const before = page.url();
  await page.goto(`${before.split(/[?#]/)[0]}?embed=bucket`);
  await settled(page);
  assert.ok(await toggle("bucket").isVisible());
  assert.equal(await toggle("layout").isVisible(), false);
  const on = await shown("bucket");
  await toggle("bucket").uncheck();
  await until(async () => (await shown("bucket")) !== on, "the figure has changed");
  await page.goto(before);
  await settled(page);
});

test("fifteen threads are linked, each once", async () => {
  const links = await page
    .locator(".exhibit a[href^='https://github.com/']")
    .evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
  assert.equal(links.length, 15);
  assert.equal(new Set(links).size, 15);
  for (const link of links)
    assert.match(link, /^https:\/\/github\.com\/[\w.-]+\/[\w.-]+\/(issues|pull)\/\d+$/);
  assert.deepEqual(problems, []);
});

test("numbers that a thread gives are computed again", () => {
  const { frequencies, scaling, bucket } = exhibits;
  // EleutherAI/gpt-neox, issue 1003: 0.7819
  assert.equal(frequencies.value(phasor, true), "0.782");
  // sgl-project/sglang, pull request 33558: 1.4852 becomes its square, 2.2058
  const scale = { type: /** @type {const} */ ("yarn"), factor: 128, originalLength: 4096 };
  const { attentionFactor } = phasor.rope.frequencies(64, { scaling: scale });
  assert.equal(attentionFactor.toFixed(4), "1.4852");
  assert.equal((attentionFactor ** 2).toFixed(4), "2.2058");
  // Blaizzy/mlx-vlm, pull request 1710: 0.503 at position 60,000 with vectors of uneven pairs
  assert.ok(Math.abs(Number(scaling.value(phasor, true)) - 0.503) < 0.04);
  // the bucket of 1,000 tokens behind, by the formula without its minimum
  assert.equal(
    bucket.value(phasor, true),
    String(8 + Math.floor((Math.log(125) / Math.log(16)) * 8)),
  );
});

test("the groups of positions that bfloat16 makes equal are those of its rounding", async () => {
  for (const [name, gap] of /** @type {const} */ ([
    ["rounded-pairs", 2],
    ["rounded-fours", 4],
  ])) {
    const from = 128 * gap;
    /** @type {Map<number, number>} */
    const sizes = new Map();
    for (let t = from + gap; t < 2 * from - gap; ++t) {
      const [below, over] = [Math.floor(t / gap), t % gap];
      const isUp = over > gap / 2 || (over === gap / 2 && below % 2 === 1); // to the even one
      const as = isUp ? below + 1 : below;
      sizes.set(as, (sizes.get(as) ?? 0) + 1);
    }
    const found = [...sizes.values()].slice(1, -1);
    assert.ok(
      found.every((size, i) => i < 2 || size === found[i - 2]),
      "in turn",
    );
    assert.equal(await fact(name), found.slice(0, 2).sort().join(" and "));
  }
  assert.equal(await fact("rounded-group"), "259, 260 and 261 all become 260");
});

test("without the bug a program is right", () => {
  for (const name of ["layout", "ntk", "rounded"]) {
    assert.equal(exhibits[name].value(phasor, false), "0");
  }
  for (const name of ["scaling", "halves", "hidden"]) {
    assert.equal(exhibits[name].value(phasor, false), "1");
  }
});
