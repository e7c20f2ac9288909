// Figures that move when the reader chooses something or a slider plays: what moves, when nothing does, and that no frame between two
// states can be read.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openSite } from "./open-site.js";
import { put } from "./controls.js";
import { settled } from "./pages.js";

/** @typedef {import("playwright-core").Page} Page */

const { server, browser } = await openSite();

/** Keeps what a page animates, halfway through; `moved` counts it. */
const hold = `
  globalThis.moved = [];
  const { animate } = Element.prototype;
  Element.prototype.animate = function (frames, timing) {
    const animation = animate.call(this, frames, timing);
    animation.pause();
    animation.currentTime = timing.duration / 2;
    moved.push(animation);
    return animation;
  };`;

// Two pages make all visits: a new one takes longer than a visit.
const held = await browser.newPage({ scripts: [hold] });
const free = await browser.newPage({ reducedMotion: "no-preference" });

/** @param {"reduce" | "no-preference"} [reducedMotion] @param {string} [figure] */
async function open(reducedMotion = "no-preference", figure = "waves", visit = held) {
  await visit.page.emulateMedia({ reducedMotion });
  await visit.page.goto(`${server.url}lessons/sinusoidal/?embed=${figure}`);
  await settled(visit.page);
  return visit;
}

/** @param {Page} page @returns {Promise<number>} how many animations began since the last time */
const begun = (page) => page.evaluate("moved.splice(0).length");

/** The first point of the first line: as the document has it, and as it is drawn. @param {Page} page */
function line(page) {
  return page.locator('#waves [aria-label="line"] path').evaluateAll((paths) => {
    const [path] = paths;
    return { document: path.getAttribute("d") ?? "", drawn: getComputedStyle(path).d };
  });
}

/** @param {Page} page */
const csv = (page) =>
  page.locator("#waves > figure").evaluate((figure) => /** @type {any} */ (figure).csv());

/** @param {Page} page @param {string} control @param {string} value */
async function set(page, control, value) {
  await put(page, control, value);
  await settled(page);
}

test("a choice animates the lines; the document, the numbers and the exports change at once", async () => {
  const { page, problems } = await open();
  await set(page, "base", "1000");
  assert.ok((await begun(page)) > 0);
  const [halfway, numbers] = [await line(page), await csv(page)];
  assert.notEqual(
    halfway.drawn.replaceAll(/[^\d.]/g, ""),
    halfway.document.replaceAll(/[^\d.]/g, ""),
  );

  const reduced = await open("reduce");
  await set(reduced.page, "base", "1000");
  assert.equal(await begun(reduced.page), 0);
  assert.equal((await line(reduced.page)).document, halfway.document);
  assert.equal(await csv(reduced.page), numbers);
  assert.deepEqual(problems, []);
});

test("a slider redraws at once, also after a choice", async () => {
  const { page } = await open();
  await page.locator('[name="layout"]').dispatchEvent("input"); // a choice that this figure does not read
  await set(page, "dim", "32");
  assert.equal(await begun(page), 0);
});

test("while a slider plays, its figures move from step to step at an even pace", async () => {
  const { page, problems } = await open("no-preference", "distance");
  const controls = "details:has([name=position]) > summary"; // the embedded figure has more than a row
  await page.locator(controls).click();
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => /** @type {any} */ (globalThis).moved.length > 0);
  const timings = await page.evaluate(() =>
    /** @type {any} */ (globalThis).moved.map((/** @type {Animation} */ animation) => {
      const { duration, easing } = animation.effect?.getTiming() ?? {};
      return `${duration} ${easing}`;
    }),
  );
  assert.deepEqual([...new Set(timings)], ["90 linear"]);
  await page.getByRole("button", { name: "Pause" }).click();

  const reduced = (await open("reduce", "distance")).page;
  const value = () => reduced.locator('[name="position"]').inputValue();
  const first = await value();
  await reduced.locator(controls).click();
  await reduced.getByRole("button", { name: "Play" }).click();
  await reduced.waitForFunction(
    (from) => /** @type {any} */ (document.querySelector('[name="position"]')).value !== from,
    first,
  );
  assert.equal(await begun(reduced), 0);
  assert.deepEqual(problems, []);
});

test("a rule moves together with its label", async () => {
  const { page } = await open("no-preference", "waves");
  await page.locator('[name="layout"]').dispatchEvent("input");
  const [rule, label, end] = await page.locator("#waves > figure").evaluate((element) => {
    const figure = /** @type {any} */ (element);
    const show = (/** @type {number} */ x) =>
      figure.update([[0], [1], [2], [3]], { rules: [{ x, label: "here" }] });
    show(1);
    const { now } = performance;
    performance.now = () => now.call(performance) + 1000; // no burst
    show(2);
    performance.now = now;
    const svg = figure.querySelector(".phasor-picture svg");
    const [line] = svg.querySelectorAll(":scope > line");
    const text = [...svg.querySelectorAll(":scope > text")].find(
      ({ textContent }) => textContent === "here",
    );
    const shift = (/** @type {Element} */ each) =>
      new DOMMatrix(getComputedStyle(each).transform).e;
    return [shift(line), shift(text), line.getAnimations().length];
  });
  assert.ok(rule < 0, "it is still on its way, from the left");
  assert.ok(Math.abs(rule - label) < 1);
  assert.equal(end, 1);
});

test("the second of two quick changes ends the first and moves nothing", async () => {
  const { page } = await open();
  await page.locator('[name="layout"]').dispatchEvent("input");
  const [first, second, running] = await page.locator("#waves > figure").evaluate((element) => {
    const figure = /** @type {any} */ (element);
    const { moved } = /** @type {any} */ (globalThis);
    figure.update([[0], [1]], {});
    const first = moved.length;
    figure.update([[1], [0]], {});
    return [first, moved.length - first, document.getAnimations().length];
  });
  assert.ok(first > 0);
  assert.equal(second, 0);
  assert.equal(running, 0);
});

test("cells fade from their previous values, on a copy that is removed", async () => {
  const { page, problems } = await open("no-preference", "matrix", free);
  await page.locator('[name="base"]').dispatchEvent("input");
  const canvases = await page.locator("#matrix > figure").evaluate((element) => {
    const figure = /** @type {any} */ (element);
    figure.update([
      [0, 1],
      [1, 0],
    ]);
    const both = figure.querySelectorAll(".phasor-raster canvas").length;
    return Promise.all(document.getAnimations().map(({ finished }) => finished)).then(() => [
      both,
      figure.querySelectorAll(".phasor-raster canvas").length,
    ]);
  });
  assert.deepEqual(canvases, [2, 1]);
  assert.deepEqual(problems, []);
});

test("a hand rotates along its circle, the shorter way", async () => {
  const { page } = await open("no-preference", "hands");
  const [hand, radius] = await page.locator("#hands > figure").evaluate((element) => {
    const figure = /** @type {any} */ (element);
    const show = (/** @type {number} */ degrees) => {
      const angle = (degrees * Math.PI) / 180;
      figure.update([[Math.cos(angle), Math.sin(angle)]], {});
    };
    show(100);
    document.querySelector('[name="base"]')?.dispatchEvent(new Event("input", { bubbles: true }));
    const [, dial] = figure.querySelectorAll(".phasor-pair :is(rect, circle)");
    const { now } = performance;
    performance.now = () => now.call(performance) + 1000; // no burst
    show(-100);
    performance.now = now;
    const path = [...figure.querySelectorAll(".phasor-pair path")].at(-1);
    const [x, y, endX, endY] =
      getComputedStyle(path)
        .d.match(/[\d.]+/g)
        ?.map(Number) ?? [];
    return [{ x: endX - x, y: endY - y }, Number(dial.getAttribute("r"))];
  });
  assert.ok(hand.x < 0, "it goes by the left");
  assert.ok(Math.abs(Math.hypot(hand.x, hand.y) - radius) < 0.1 * radius, "it stays on its circle");
});
