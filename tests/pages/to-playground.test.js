// "Open this in the playground": what the links below the figures of lessons lead to.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { project } from "../../scripts/setup/setup.js";
import { fromHash } from "../../web/playground/address.js";
import { modelPresets } from "../../web/playground/presets.js";
import { schemes } from "../../web/playground/schemes/index.js";
import { format } from "../../web/playground/settings.js";
import { sampled } from "../sample.js";
import { openSite } from "./open-site.js";
import { serveBuild } from "./site.js";
import { settled } from "./pages.js";

/** @typedef {import("playwright-core").Page} Page */

const { server, browser } = await openSite(serveBuild);
const root = `${server.url}page/`;
const { page, problems } = await browser.newPage();

const presets = modelPresets();
const lessons = readdirSync(join(project, "web/lessons"))
  .filter((name) => !name.includes("."))
  .filter((name) =>
    readFileSync(join(project, "web/lessons", name, "lesson.js"), "utf8").includes(
      "  playground: {",
    ),
  );

/** Where the links of a page lead, by the figures' names. @param {Page} page @returns {Promise<Record<string, string>>} */
const links = (page) =>
  page.evaluate(() =>
    Object.fromEntries(
      Array.from(document.querySelectorAll("[data-figure]"), (place) => [
        /** @type {HTMLElement} */ (place).dataset.figure,
        (place.closest(".waits") ?? place).parentElement
          ?.querySelector(`:is(#${place.id}, .waits:has(#${place.id})) + .to-playground a`)
          ?.getAttribute("href"),
      ]).filter(([, href]) => href),
    ),
  );

/** The settings in a link that the playground does not accept. @param {string} link */
function refused(link) {
  const { hash } = new URL(link);
  const { one, view } = fromHash(hash, presets);
  const settings = schemes[one.scheme].settings;
  return [...new URLSearchParams(hash.slice(1))].filter(([name, text]) => {
    if (name === "view") return view !== text;
    if (name === "scheme") return one.scheme !== text;
    if (name === "preset") return one.preset !== text;
    const setting = settings.find((each) => each.name === name);
    return !setting || format(setting, one.settings[name]) !== text;
  });
}

/** The numbers that a figure holds. @param {Page} page @param {string} place  its id */
async function numbers(page, place) {
  const csv = await page.evaluate(
    (id) => /** @type {any} */ (document.querySelector(`#${id} .phasor-figure`)).csv(),
    place,
  );
  return csv
    .split(/[,\r\n]+/)
    .map(Number)
    .filter(Number.isFinite);
}

test("to the playground: several lessons have links", () => {
  assert.ok(lessons.length >= 5, lessons.join());
});

for (const lesson of sampled(lessons, 1 / 4)) {
  test(`to the playground: every link of ${lesson} is accepted, and follows the controls`, async () => {
    problems.length = 0;
    await page.goto(`${root}lessons/${lesson}/`);
    await settled(page);
    const before = await links(page);
    assert.ok(Object.keys(before).length > 0);
    for (const link of Object.values(before)) {
      assert.ok(link.startsWith(`${root}playground/#`), link);
      assert.deepEqual(refused(link), [], link);
    }
    await page.evaluate(() => {
      for (const slider of document.querySelectorAll("form[data-controls] input[type='range']")) {
        const range = /** @type {HTMLInputElement} */ (slider);
        range.value = range.max;
        range.dispatchEvent(new Event("input", { bubbles: true }));
      }
    });
    await settled(page);
    const now = await links(page);
    assert.notDeepEqual(now, before);
    for (const link of Object.values(now)) assert.deepEqual(refused(link), [], link);
    assert.deepEqual(problems, []);
  });
}

test("to the playground: it shows the numbers of the lesson's figure", async () => {
  const figures = [
    ["alibi", "penalties"],
    ["sinusoidal", "table"],
    ["t5-bias", "matrix"],
  ];
  for (const [lesson, figure] of sampled(figures, 0)) {
    problems.length = 0;
    await page.goto(`${root}lessons/${lesson}/`);
    await settled(page);
    const shown = await numbers(page, figure);
    await page.goto((await links(page))[figure]);
    await settled(page);
    const there = new Set(await numbers(page, "picture")); // of all heads, where a lesson shows some
    assert.deepEqual(
      shown.filter((/** @type {number} */ x) => !there.has(x)),
      [],
      lesson,
    );
    assert.deepEqual(problems, []);
  }
});
