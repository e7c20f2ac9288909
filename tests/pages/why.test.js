// The way in: the front page and the list of lessons lead to fifteen minutes of predictions, which end in the lab's
// first picture.

import assert from "node:assert/strict";
import { test } from "node:test";
import { lessons } from "../../web/lessons/lessons.js";
import { visit } from "./lessons/lesson.js";
import { settled } from "./pages.js";

const { page, problems, answered, fact, set, cells } = await visit("why", "why/");

test("why: five predictions, each judged by computed numbers, and nothing is shown before its answer", async () => {
  assert.equal(await page.locator("[data-question]").count(), 5);
  assert.equal(await page.locator("main .cover:visible").count(), 5);
  const title = page.locator("#mixed .phasor-title");
  assert.doesNotMatch(await title.innerText(), /\d/, "a title is legible through the cover");
  assert.ok(await answered("mean", "5"));
  assert.ok(await answered("same", "equal"));
  assert.ok(await answered("sum", "equal"));
  assert.ok(await answered("hands", "same"));
  const draw = page.locator('[data-question="count"]');
  for (const [i, key] of ["Home", ...Array(10).fill("End")].entries()) {
    await draw.locator(".handle").nth(i).focus();
    await page.keyboard.press(key);
  }
  await draw.locator(".ask").click();
  await settled(page);
  assert.match(await draw.locator(".verdict").innerText(), /^Yes: /);
  assert.equal(await page.locator("main .cover:visible").count(), 0);
  assert.deepEqual(problems, []);
});

test("why: figures show that order counts with positions alone, and where the word drowns", async () => {
  assert.ok((await cells("outputs")).numbers.flat().every((distance) => distance < 1e-4));
  await set("scheme", "rope");
  assert.ok((await cells("outputs")).numbers[1][0] > 0.1);
  await set("weight", 1);
  assert.match(await fact("mix"), /= 8\.$/);
  assert.match(await page.locator("#drowned").innerText(), /your drawing/);
});

test("why: it ends in the lab's first picture, from the record", async () => {
  const panels = page.locator("#panels .panel");
  assert.equal(await panels.count(), 4);
  for (const said of await panels.locator(".said").allInnerTexts())
    assert.match(said, /^0\.\d\d ±/);
  assert.match(await fact("best"), /^Of these four, RoPE is right most often there: \d\d %/);
  await page.getByRole("link", { name: /the lab$/ }).click();
  await page.waitForURL(/\/lab\/$/);
  await settled(page);
  assert.deepEqual(problems, []);
});

test("why: the front page and the list of lessons lead here, by the time that a reader has", async () => {
  const base = page.url().replace(/lab\/$/, "");
  await page.goto(base);
  await settled(page);
  const steps = await page.locator(".next-steps a").allInnerTexts();
  assert.deepEqual(
    steps.slice(0, 2).map((each) => each.replace(/\s+/g, " ")),
    ["Why? 15 minutes", `Start lesson 1 ${lessons[0].minutes} minutes`],
  );
  await page.goto(`${base}lessons/`);
  await settled(page);
  const paths = await page.locator(".paths > li > b").allInnerTexts();
  assert.deepEqual(paths, ["15 minutes", "90 minutes", "Everything"]);
  const short = page.locator(".paths ol li");
  assert.deepEqual(
    await short.evaluateAll((all) => all.map((each) => /** @type {HTMLLIElement} */ (each).value)),
    [5, 6, 7, 8, 10],
  );
  await page.locator(".paths a").first().click();
  await page.waitForURL(/\/why\/$/);
  assert.deepEqual(problems, []);
});
