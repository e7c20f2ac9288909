import assert from "node:assert/strict";
import { test } from "node:test";
import { openSite } from "./open-site.js";

const { server, browser } = await openSite();

/** The page of all tests but one: a new one takes longer than a visit. */
const shared = await browser.newPage();

async function open({ width, height } = { width: 1280, height: 900 }) {
  await shared.page.setViewportSize({ width, height });
  await shared.page.goto(server.url);
  await shared.page.locator("#hero-stage[data-ready]").waitFor();
  return shared;
}

/** @param {import("playwright-core").Page} page */
const shown = (page) =>
  page.evaluate(() => ({
    verdict: document.getElementById("hero-verdict")?.textContent,
    difference: Number(document.getElementById("hero-difference")?.textContent),
    order: [...document.querySelectorAll("#hero-words .chip")].map((chip) => chip.textContent),
    here: document.getElementById("hero-here")?.textContent,
    there: document.getElementById("hero-there")?.textContent,
    output: /** @type {HTMLCanvasElement} */ (document.getElementById("hero-output")).toDataURL(),
  }));

test("hero: without positions both orders give the same output, with positions they do not", async () => {
  const { page, problems } = await open();
  const off = await shown(page);
  assert.deepEqual([off.verdict, off.difference], ["No.", 0]);
  assert.deepEqual([off.here, off.there], ["dog bites man", "man bites dog"]);
  await page.getByRole("switch", { name: "Positions" }).check();
  const on = await shown(page);
  assert.equal(on.verdict, "Yes.");
  assert.ok(on.difference > 0.1, String(on.difference));
  assert.notEqual(on.output, off.output);
  await page.getByRole("button", { name: "Swap dog and man" }).click();
  const swapped = await shown(page);
  assert.deepEqual([swapped.here, swapped.there], ["man bites dog", "dog bites man"]);
  assert.equal(swapped.difference, on.difference, "a difference has no direction");
  assert.deepEqual(problems, []);
});

test("hero: waves run through the whole stage, and the difference has a separate row and a scale", async () => {
  const { page, problems } = await open();
  const blots = (/** @type {string} */ id) =>
    page.locator(`#${id}`).evaluate((each) => {
      const canvas = /** @type {HTMLCanvasElement} */ (each);
      const { data } = /** @type {CanvasRenderingContext2D} */ (
        canvas.getContext("2d")
      ).getImageData(0, 0, canvas.width, canvas.height);
      const isDrawn = (/** @type {number} */ x, /** @type {number} */ y) =>
        data[4 * (y * canvas.width + x) + 3] > 60;
      const lines = (/** @type {number} */ x) =>
        Array.from({ length: canvas.height }, (_, y) => y).filter(
          (y) => isDrawn(x, y) && (y === 0 || !isDrawn(x, y - 1)),
        ).length;
      const height = (/** @type {number} */ x) =>
        Array.from({ length: canvas.height }, (_, y) => isDrawn(x, y)).filter(Boolean).length;
      const columns = Array.from({ length: canvas.width }, (_, x) => x);
      return { lines: columns.map(lines), height: columns.map(height) };
    });
  const { lines, height } = await blots("hero-waves");
  assert.ok(
    lines.every((count) => count >= 1),
    "from the left edge to the right",
  );
  const place = Math.round(lines.length / 2); // of the word in the middle
  assert.equal(lines[place], 4, "four waves");
  assert.ok(height[place] > 2 * height[Math.round(place * 1.3)], "with a dot on each");

  assert.match(
    await page.locator("#hero-answer").innerText(),
    /is the same in both: difference 0.00$/,
  );
  const flat = Math.max(...(await blots("hero-apart")).height);
  await page.getByRole("switch", { name: "Positions" }).check();
  assert.match(
    await page.locator("#hero-answer").innerText(),
    /the output at bites differs by \d\.\d\d, \d+\s% of its length$/,
  );
  assert.ok(Math.max(...(await blots("hero-apart")).height) > 4 * flat);
  assert.deepEqual(problems, []);
});

test("hero: words are moved by dragging and by arrow keys, which keep the focus", async () => {
  const { page, problems } = await open();
  await page.getByRole("button", { name: "dog", exact: true }).focus();
  await page.keyboard.press("ArrowRight");
  assert.deepEqual((await shown(page)).order, ["bites", "dog", "man"]);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.deepEqual((await shown(page)).order, ["bites", "man", "dog"]);
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "dog");

  const box = /** @type {NonNullable<Awaited<ReturnType<typeof boxOf>>>} */ (
    await boxOf(page, "dog")
  );
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let step = 1; step <= 20; ++step) await page.mouse.move(x - 36 * step, y);
  await page.mouse.up();
  assert.deepEqual((await shown(page)).order, ["dog", "bites", "man"]);
  assert.equal(await page.locator(".dragged").count(), 0);
  assert.deepEqual(problems, []);
});

/** @param {import("playwright-core").Page} page @param {string} word */
const boxOf = (page, word) => page.getByRole("button", { name: word, exact: true }).boundingBox();

test("hero: it plays once until the reader interacts, and not with reduced motion", async () => {
  const { page } = await browser.newPage({ reducedMotion: "no-preference" });
  await page.clock.install({ time: 0 });
  await page.clock.pauseAt(1000);
  const start = async () => {
    await page.goto(server.url);
    await page.locator("#hero-stage[data-ready]").waitFor();
  };
  const play = () => page.clock.runFor(10_000); // the demonstration takes less
  await start();
  await play();
  assert.equal((await shown(page)).verdict, "Yes.");
  assert.deepEqual((await shown(page)).order, ["man", "bites", "dog"]);
  assert.ok(await page.getByRole("switch", { name: "Positions" }).isChecked());

  await start();
  await page.getByRole("button", { name: "Swap dog and man" }).click();
  await play();
  assert.equal((await shown(page)).verdict, "No.");
  assert.deepEqual((await shown(page)).order, ["man", "bites", "dog"]);

  await page.emulateMedia({ reducedMotion: "reduce" });
  await start();
  await play();
  assert.deepEqual((await shown(page)).order, ["dog", "bites", "man"]);
  await page.context().close();
});

test("hero: the question, the words and the answer are in the first screen", async () => {
  for (const viewport of [
    { width: 1280, height: 800 },
    { width: 390, height: 844 },
  ]) {
    const { page } = await open(viewport);
    for (const id of ["hero-title", "hero-answer", "hero-words", "hero-positions"]) {
      const box = await page.locator(`#${id}`).boundingBox();
      assert.ok(box && box.y + box.height <= viewport.height, `#${id} at ${viewport.width} px`);
    }
  }
});
