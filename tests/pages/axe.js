// What axe finds on a page, in the themes and widths that pages are made for.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { frames, isSweep } from "./pages.js";

/** @typedef {import("playwright-core").Page} Page */

const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** The rules that read colors. The others find the same in the other theme, which changes nothing else. */
const colorRules = ["color-contrast", "link-in-text-block"];

/** The rules that read sizes. By day a phone's width is for them and those of colors: it changes little else. */
const sizeRules = ["target-size", "scrollable-region-focusable"];

/** @param {Page} page */
const isNarrow = (page) => (page.viewportSize()?.width ?? Infinity) <= 600;

export const themes = /** @type {("light" | "dark")[]} */ (["light", "dark"]);

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Readers' code runs in a frame of another origin, which is to be looked at as well. */
const axeEverywhere = `${axe};axe.configure({ allowedOrigins: ["<unsafe_all_origins>"] });`;

/** Brings axe into a page and its frames, where it is not yet: a page that loads it each time takes longer to open. @param {Page} page */
async function bringAxe(page) {
  for (const frame of page.frames()) {
    if (!(await frame.evaluate("'axe' in globalThis"))) await frame.evaluate(axeEverywhere);
  }
}

/** The themes of a page of this size: wide it is looked at in the light, on a phone in the dark, at night in both. @param {Page} page */
const themesOf = (page) => (isSweep ? themes : [themes[isNarrow(page) ? 1 : 0]]);

/**
 * What axe finds, each rule with its elements: by all rules in the first theme, by those of colors in the other; on a
 * phone all are for the night.
 * @param {Page} page @param {typeof themes} [inThemes]
 */
export async function violations(page, inThemes = themesOf(page)) {
  /** @type {string[]} */
  const all = [];
  await bringAxe(page);
  for (const colorScheme of inThemes) {
    await page.emulateMedia({ colorScheme });
    await frames(page);
    const isFirst = colorScheme === inThemes[0];
    const some = isFirst ? [...colorRules, ...sizeRules] : colorRules;
    const isWhole = isFirst && (isSweep || !isNarrow(page));
    const runOnly = isWhole ? { type: "tag", values: rules } : { type: "rule", values: some };
    const found = await page.evaluate(async (runOnly) => {
      const { axe } = /** @type {any} */ (globalThis);
      const resultTypes = ["violations"]; // what passes is not described
      const { violations } = await axe.run({ runOnly, resultTypes });
      return violations.map(
        (/** @type {any} */ { id, nodes }) =>
          `${id}: ${nodes.map((/** @type {any} */ node) => node.html.slice(0, 200)).join(" | ")}`,
      );
    }, runOnly);
    all.push(...found.map((/** @type {string} */ violation) => `${colorScheme}: ${violation}`));
  }
  return all;
}

/** The same wide and on a phone, and whether the page is wider than that. @param {Page} page */
export async function faults(page) {
  /** @type {string[]} */
  const all = [];
  for (const [width, height] of [
    [1280, 900],
    [360, 740],
  ]) {
    await page.setViewportSize({ width, height });
    all.push(...(await violations(page)).map((violation) => `${width} px: ${violation}`));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    if (wide > width) all.push(`${width} px: the page is ${wide} px wide`);
  }
  return all;
}
