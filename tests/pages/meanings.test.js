// The colors of figures by meaning: they are the palette's, in both themes, and legible.

import assert from "node:assert/strict";
import { test } from "node:test";
import { sampled } from "../sample.js";
import { openAnew } from "./pages.js";
import { openSite } from "./open-site.js";

const { server, browser } = await openSite();

const visit = await browser.newPage();
const MEANINGS = ["token", "position", "mix", "predict", "trained", "unseen"];

/** @param {string} path @param {"light" | "dark"} colorScheme */
async function open(path, colorScheme) {
  await visit.page.setViewportSize({ width: 1280, height: 900 });
  await visit.page.emulateMedia({ media: "screen", colorScheme });
  await openAnew(visit, server.url, path);
  return visit.page;
}

/** The colors that a figure draws series in, computed, and those of the palette. @param {string} name  or the id of its place */
function drawn(name) {
  const svg = /** @type {Element} */ (
    document.querySelector(`:is([data-figure="${name}"], #${name}) svg`)
  );
  const marks = [...svg.querySelectorAll('[aria-label="line"], [aria-label="bar"]')];
  const style = getComputedStyle(document.documentElement);
  /** @param {Element} mark */
  const colorOf = (mark) => {
    const { stroke, fill } = getComputedStyle(mark);
    return stroke === "none" ? fill : stroke;
  };
  return {
    series: marks.map(colorOf),
    dashes: marks.map((mark) => getComputedStyle(mark).strokeDasharray),
    palette: Object.fromEntries(
      ["token", "position", "mix", "predict", "trained", "unseen", "quiet", "ink", "paper"].map(
        (meaning) => [meaning, style.getPropertyValue(`--${meaning}`).trim()],
      ),
    ),
  };
}

/** @param {string} color  rgb(r, g, b) */
function luminance(color) {
  const [r, g, b] = (color.match(/[\d.]+/g) ?? []).map((part) => {
    const x = Number(part) / 255;
    return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

for (const scheme of /** @type {const} */ (["light", "dark"])) {
  test(`series have the colors of what they mean, with dashes, on a ${scheme} page`, async () => {
    const page = await open("lessons/learned/", scheme);
    const { series, dashes, palette } = await page.evaluate(drawn, "cost");
    assert.deepEqual(series, [palette.token, palette.position]);
    assert.equal(new Set(dashes).size, 2, "color is not the only sign");
    const lengths = await page.evaluate(drawn, "lengths");
    assert.deepEqual(lengths.series, [palette.position]);
    const fits = await page.evaluate(drawn, "fits");
    assert.deepEqual(new Set(fits.series), new Set([palette.trained, palette.unseen]));
    for (const meaning of MEANINGS) {
      const [a, b] = [palette[meaning], palette.paper].map(luminance).sort((x, y) => y - x);
      const contrast = (a + 0.05) / (b + 0.05);
      assert.ok(contrast >= 4.5, `${meaning} has a contrast of ${contrast.toFixed(2)}`);
    }
    assert.equal(new Set(MEANINGS.map((meaning) => palette[meaning])).size, MEANINGS.length);
  });
}

test("a word lights up its part of the figure, by pointer, by keyboard and until it is pressed again", async () => {
  const page = await open("lessons/learned/", "light");
  await page.emulateMedia({ reducedMotion: "reduce" });
  const word = page.locator('.hue[data-means="position"]').first();
  const opacities = () =>
    page
      .locator('[data-figure="cost"] svg [aria-label="bar"]')
      .evaluateAll((all) => all.map((each) => getComputedStyle(each).opacity));
  assert.deepEqual(await opacities(), ["1", "1"]);
  await word.hover();
  assert.deepEqual(await opacities(), ["0.2", "1"]);
  await page.mouse.move(0, 0);
  assert.deepEqual(await opacities(), ["1", "1"]);
  await word.focus();
  await page.keyboard.press("Enter");
  assert.equal(await word.getAttribute("aria-pressed"), "true");
  await page.locator('.hue[data-means="token"]').first().focus();
  await word.focus();
  assert.deepEqual(await opacities(), ["0.2", "1"]);
  await page.keyboard.press("Enter");
  assert.equal(await word.getAttribute("aria-pressed"), "false");
});

test("the playground's series are about positions, and what is unscaled is quiet", async () => {
  const page = await open("playground/#scheme=rope&view=spectrum&scaling=linear", "light");
  const spectrum = await page.evaluate(drawn, "picture");
  const { position, quiet, ink } = spectrum.palette;
  assert.deepEqual(spectrum.series, [quiet, position]);
  await openAnew(visit, server.url, "playground/#scheme=sinusoidal&view=waves&count=3");
  const waves = await page.evaluate(drawn, "picture");
  assert.deepEqual(waves.series, [position, ink, quiet]);
  assert.equal(new Set(waves.dashes).size, 3, "color is not the only sign");
});

test("in the lab what is trained is green, what is beyond the trained length red, and a bet amber", async () => {
  const page = await open("lab/", "dark");
  const found = await page.evaluate(() => {
    const style = getComputedStyle(document.documentElement);
    const of = (/** @type {string} */ meaning) => style.getPropertyValue(`--${meaning}`).trim();
    const panel = /** @type {Element} */ (document.querySelector(".panel svg"));
    const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
    line.classList.add("here");
    panel.append(line);
    document.querySelector("#bet")?.setAttribute("open", "");
    const colorOf = (/** @type {Element | null} */ each, /** @type {"color" | "stroke"} */ what) =>
      each && getComputedStyle(each)[what];
    const words = [...document.querySelectorAll("#legend .hued")];
    return {
      words: words.map((each) => [each.textContent, colorOf(each, "color")]),
      wanted: [
        ["Green", of("trained")],
        ["Red", of("unseen")],
      ],
      lines: [colorOf(line, "stroke"), colorOf(panel.querySelector(".wall"), "stroke")],
      bet: colorOf(document.querySelector("#bet > summary"), "color"),
      amber: of("predict"),
    };
  });
  assert.deepEqual(found.words, found.wanted);
  assert.deepEqual(
    found.lines,
    found.wanted.map(([, color]) => color),
  );
  assert.equal(found.bet, found.amber);
});

test("a saved figure has the colors themselves", async () => {
  const page = await open("lessons/learned/", "light");
  const svg = await page
    .locator('[data-figure="cost"] > figure')
    .evaluate((figure) => /** @type {any} */ (figure).svg());
  const { palette } = await page.evaluate(drawn, "cost");
  assert.doesNotMatch(svg, /var\(/);
  assert.ok(svg.includes(palette.token) && svg.includes(palette.position), svg.slice(0, 900));
});

test("matrices of a few tokens are squares with their numbers, from a phone to a wide screen", async () => {
  const page = await open("lessons/order/", "light");
  for (const width of sampled([390, 1920, 1024, 1280], 1 / 2)) {
    await page.setViewportSize({ width, height: 900 });
    const raster = page.locator('[data-figure="weights"] .phasor-raster');
    await page.waitForFunction(() => {
      const cell = document.querySelector('[data-figure="weights"] .phasor-number');
      const { width, height } = cell?.getBoundingClientRect() ?? { width: 0, height: 1 };
      return Math.abs(width - height) < 0.5 && width >= 36;
    });
    const texts = await raster.locator(".phasor-number").allInnerTexts();
    assert.equal(texts.length, 9);
    for (const text of texts) assert.match(text, /^[01]\.\d\d$/);
    const names = await page
      .locator('[data-figure="weights"] .phasor-column-axis span:visible')
      .allInnerTexts();
    assert.deepEqual(names, ["dog", "bites", "man"], `at ${width}`);
  }
});

test("numbers wait for the prediction, as the cells do", async () => {
  const page = await open("lessons/attention/", "light");
  const covered = page.locator(".covered [data-figure=outputs] .phasor-number");
  assert.ok((await covered.count()) > 0);
  assert.equal(await covered.first().isVisible(), false);
});

test("a figure beside its text uses a wide screen", async () => {
  const page = await open("lessons/sinusoidal/", "light");
  const width = async () =>
    (await page.locator('[data-figure="table"] .phasor-picture').boundingBox())?.width ?? 0;
  const narrow = await width();
  await page.setViewportSize({ width: 1920, height: 1080 });
  const wide = await width();
  assert.ok(narrow < 650 && wide >= 900, `${narrow} px, then ${wide} px`);
});
