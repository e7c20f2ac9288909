import assert from "node:assert/strict";
import { after, test } from "node:test";
import { until } from "../until.js";
import { openBrowser } from "./browser.js";
import { serveSite } from "./site.js";
import { settled } from "./pages.js";

const server = await serveSite();
const browser = await openBrowser();

after(async () => {
  await browser.close();
  await server.close();
});

/** @param {import("playwright-core").Page} page */
const look = (page) =>
  page.evaluate(() => ({
    scheme: getComputedStyle(document.documentElement).colorScheme,
    paper: getComputedStyle(document.body).getPropertyValue("--paper"),
    cell: /** @type {HTMLCanvasElement} */ (
      document.querySelector('[data-figure="table"] canvas')
    ).toDataURL(),
  }));

test("theme: the header's button switches page and figures, is kept, and gives way to the system's theme", async () => {
  const { page, problems } = await browser.newPage({ colorScheme: "light" });
  await page.goto(`${server.url}lessons/sinusoidal/`);
  await settled(page);
  const light = await look(page);
  const button = page.locator("button.theme");
  assert.equal(await button.getAttribute("aria-label"), "Use the dark theme");
  await button.click();
  await until(async () => (await look(page)).cell !== light.cell, "the figure is drawn anew");
  const dark = await look(page);
  assert.equal(dark.scheme, "dark");
  assert.notEqual(dark.paper, light.paper);
  assert.equal(await button.getAttribute("aria-label"), "Use the light theme");
  const bar = page.locator('meta[name="theme-color"][media="all"]');
  assert.equal(await bar.getAttribute("content"), "#12161a", "the browser's bars have its color");
  assert.equal(dark.paper, "rgb(18, 22, 26)");

  await page.reload();
  await settled(page);
  assert.deepEqual(await look(page), dark, "kept after a reload");
  await page.locator("button.theme").click();
  await until(async () => (await look(page)).cell === light.cell, "the figure is as before");
  assert.deepEqual(await look(page), light);
  await page.emulateMedia({ colorScheme: "dark" });
  const isDark = async () => (await look(page)).paper === dark.paper;
  await until(isDark, "the system's theme is followed again");
  assert.deepEqual(problems, []);
  await page.context().close();
});
