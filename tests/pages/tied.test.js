// On a phone a figure stays in sight while its controls scroll.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openSite } from "./open-site.js";
import { frames, settled } from "./pages.js";

const { server, browser } = await openSite();

const PHONE = { width: 390, height: 844 };

/** @param {string} lesson @param {{ width: number, height: number }} [viewport] */
async function open(lesson, viewport = PHONE) {
  const { page } = await browser.newPage({ viewport });
  await page.goto(`${server.url}lessons/${lesson}/`);
  await settled(page);
  return page;
}

/** @param {import("playwright-core").Page} page @param {string} selector */
async function box(page, selector) {
  const found = await page.locator(selector).boundingBox();
  assert.ok(found, selector);
  return { ...found, bottom: found.y + found.height };
}

test("a figure stays at the top, in less than half the window, while its controls scroll", async () => {
  const page = await open("sinusoidal");
  const figure = ".tied:has(#waves) > .sticks";
  await page.locator('[name="pair"]').evaluate((control) => {
    scrollBy({ top: control.getBoundingClientRect().top - 500, behavior: "instant" });
  });
  await frames(page);
  const [top, control] = [await box(page, figure), await box(page, '[name="pair"]')];
  assert.equal(top.y, 0);
  assert.ok(top.height <= 0.45 * PHONE.height);
  assert.ok(control.y >= top.bottom && control.bottom <= PHONE.height);

  await page.locator('[name="length"]').focus(); // scrolled away, under the figure
  await frames(page);
  const focused = await box(page, '[name="length"]');
  assert.ok(focused.y >= (await box(page, figure)).bottom, "it covers no focused control");
  await page.context().close();
});

test("a covered or too tall figure scrolls with the page; in a wide window all figures do", async () => {
  const page = await open("alibi");
  const reach = page.locator(".tied > :has(#reach)");
  assert.doesNotMatch((await reach.getAttribute("class")) ?? "", /sticks/);
  await reach.getByRole("button", { name: "Show me" }).click();
  await page.waitForFunction(() => document.querySelector(".sticks #reach") !== null);
  await page.setViewportSize({ width: 390, height: 400 });
  await page.waitForFunction(() => document.querySelector(".sticks") === null);
  await page.context().close();

  const wide = await open("sinusoidal", { width: 1280, height: 900 });
  const positions = await wide
    .locator(".tied > *")
    .evaluateAll((all) => all.map((each) => getComputedStyle(each).position));
  assert.ok(!positions.includes("sticky"));
  await wide.context().close();
});
