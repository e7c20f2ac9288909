// The built site's pages, and when one of them has come to rest.

import { readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { page as built } from "../../scripts/page.js";

/** @typedef {import("playwright-core").Page} Page */

/** Where readers' code runs: a document under a policy of its own, no page of the site. */
const FRAME = "frame";

/**
 * The addresses of every page of a built site below its root, the front page ("") first. A page is
 * a folder with an index.html.
 *
 * @param {string} [folder]
 * @returns {string[]} such as "", "lessons/", "lessons/rope/"
 */
export function pages(folder = built) {
  return readdirSync(folder, { recursive: true })
    .map((path) => relative(folder, join(folder, String(path))).split(sep))
    .filter((parts) => parts.at(-1) === "index.html" && !parts.includes(FRAME))
    .map((parts) => parts.slice(0, -1).map((part) => `${part}/`))
    .map((parts) => parts.join(""))
    .sort();
}

/** A page's name in a list or a file name: lessons/rope/ is lessons-rope. @param {string} path */
export function nameOf(path) {
  return path === "" ? "front" : path.slice(0, -1).replaceAll("/", "-");
}

/**
 * Until everything that was asked of a page is on it. A page says so by `data-settled` on its root;
 * one that never speaks of it is taken at its word when its requests have ended.
 *
 * @param {Page} page
 */
export async function settled(page) {
  await frames(page);
  const speaks = await page.evaluate(
    () => "lesson" in document.body.dataset || "settled" in document.documentElement.dataset,
  );
  if (!speaks) await page.waitForLoadState("networkidle");
  else {
    await page.waitForFunction(() => document.documentElement.dataset.settled === "true");
  }
  await frames(page);
}

/** Two frames: what was scheduled before the next one is done. @param {Pick<Page, "evaluate">} page */
export async function frames(page) {
  await page.evaluate(
    () => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next))),
  );
}

/** So that what is made only when it comes into view is there. @param {Page} page */
export async function scrollThrough(page) {
  await page.evaluate(async () => {
    for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight) {
      scrollTo({ top: y, behavior: "instant" });
      await new Promise((next) => requestAnimationFrame(next));
    }
    scrollTo({ top: 0, behavior: "instant" });
  });
  await settled(page);
}
