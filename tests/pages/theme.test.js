import assert from "node:assert/strict";
import { test } from "node:test";
import { sampled } from "../sample.js";
import { until } from "../until.js";
import { openSite } from "./open-site.js";
import { pages, settled } from "./pages.js";

const { server, browser } = await openSite();

/** @param {import("playwright-core").Page} page */
const look = (page) =>
  page.evaluate(() => ({
    scheme: getComputedStyle(document.documentElement).colorScheme,
    paper: getComputedStyle(document.body).getPropertyValue("--paper"),
    cell: /** @type {HTMLCanvasElement} */ (
      document.querySelector('[data-figure="table"] canvas')
    ).toDataURL(),
  }));

const { page, problems } = await browser.newPage();

/** Forgets the theme that was chosen, and takes another one of the system. @param {"light" | "dark"} colorScheme */
async function begin(colorScheme) {
  await page.goto(`${server.url}icon.svg`); // where the storage of the site can be reached
  await page.evaluate(() => localStorage.clear());
  await page.emulateMedia({ media: "screen", colorScheme });
}

test("theme: the header's button switches page and figures, is kept, and gives way to the system's theme", async () => {
  await begin("light");
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
});

/** The lightness of colors on paper, 0 to 1: of what is behind a page and of its texts and figures. @param {import("playwright-core").Page} page */
const printed = (page) =>
  page.evaluate(() => {
    const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const lightness = (/** @type {string} */ color) => {
      if (!context) return NaN;
      context.fillStyle = color;
      context.fillRect(0, 0, 1, 1);
      const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
      return (0.299 * red + 0.587 * green + 0.114 * blue) / 255;
    };
    const of = (/** @type {string} */ selector, /** @type {string} */ name) =>
      Array.from(document.querySelectorAll(selector), (each) =>
        lightness(getComputedStyle(each).getPropertyValue(name)),
      );
    return {
      paper: [...of("html", "background-color"), ...of(".phasor-figure", "--phasor-paper")],
      ink: [
        ...of("html, body, h1, h2, main p, figcaption, .phasor-figure", "color"),
        ...of(".phasor-figure", "--phasor-ink"),
        ...of(".phasor-figure svg text", "fill"),
      ],
      cell: /** @type {HTMLCanvasElement | null} */ (
        document.querySelector('[data-figure="table"] canvas')
      )?.toDataURL(),
    };
  });

/** A page with figures, and one of each other folder. */
const figured = "lessons/sinusoidal/";
const others = new Map([...pages(), "none"].map((path) => [path.split("/")[0], path]));
const folders = [figured, ...[...others.values()].filter((path) => !path.startsWith("lessons/"))];

for (const how of ["the system", "the reader"]) {
  test(`theme: pages print dark ink on white where ${how} has the dark theme`, async () => {
    await begin(how === "the system" ? "dark" : "light");
    if (how === "the reader") {
      await page.evaluate(() => localStorage.setItem("phasor theme", "dark"));
    }
    for (const path of sampled(folders, 1 / 4)) {
      await page.goto(server.url + path);
      const isFigured = path === figured;
      if (isFigured) await settled(page);
      const before = await printed(page);
      assert.ok(before.ink[0] > 0.5, `${path} is dark`);
      await page.emulateMedia({ media: "print" });
      if (isFigured) {
        const isNew = async () => (await printed(page)).cell !== before.cell;
        await until(isNew, "its pictures are drawn anew");
      }
      const { paper, ink, cell } = await printed(page);
      assert.ok(Math.min(...paper) === 1, `${path}: paper ${paper}`);
      assert.ok(Math.max(...ink) < 0.5, `${path}: ink ${ink}`);
      if (isFigured) {
        await page.emulateMedia({ media: "screen", colorScheme: "light" });
        await page.evaluate(() => delete document.documentElement.dataset.theme);
        await until(async () => (await look(page)).scheme === "light dark", "the light theme");
        assert.ok((await printed(page)).cell === cell, "as in the light theme");
      }
      await page.emulateMedia({
        media: "screen",
        colorScheme: how === "the system" ? "dark" : "light",
      });
    }
  });
}
