// The built site's pages, and when one of them has settled.

import { readdirSync } from "node:fs";
import { sep } from "node:path";
import { page as built } from "../../scripts/site/page.js";

/** @typedef {import("./controls.js").Asked} Asked */

/** Milliseconds within which a page must settle. */
const PATIENCE = 20_000;

/** Where readers' code runs: a document under a separate policy, no page of the site. */
const FRAME = "frame";

/**
 * The addresses of every page of a built site below its root, the front page ("") first. A page is
 * a folder with an index.html.
 *
 * @returns {string[]} such as "", "lessons/", "lessons/rope/"
 */
export function pages() {
  return readdirSync(built, { recursive: true })
    .map((path) => String(path).split(sep))
    .filter((parts) => parts.at(-1) === "index.html" && !parts.includes(FRAME))
    .map((parts) => parts.slice(0, -1).map((part) => `${part}/`))
    .map((parts) => parts.join(""))
    .sort();
}

/** Whether a page is a lesson. @param {string} path */
export function isLesson(path) {
  return /^lessons\/./.test(path);
}

/**
 * Whether a page is made as many others are, in one mould, of which two are tested in every way: the
 * pages of the reference.
 *
 * @param {string} path
 */
export function isAlike(path) {
  return /^reference\/(?!embedding\/|plots\/)./.test(path);
}

/** `npm run x -- test:night` does on every page what otherwise is done on those that stand for others. */
export const isSweep = process.env.PHASOR_SWEEP === "1";

/** A guide and a lesson that stand for the others, which are made of the same parts. */
const examples = ["arrays", "training"];

/** Whether a page is unique, or represents the pages of its kind. @param {string} path */
export function isExample(path) {
  const [folder, name] = path.split("/");
  if (isAlike(path)) return false;
  return !["guides", "lessons"].includes(folder) || !name || examples.includes(name);
}

/** A page's name in a list or a file name: lessons/rope/ is lessons-rope. @param {string} path */
export function nameOf(path) {
  return path === "" ? "front" : path.slice(0, -1).replaceAll("/", "-");
}

/**
 * Until everything that was asked of a page is on it. A page says so by `data-settled` on its root;
 * one without it counts as settled when nothing has arrived for half a second.
 *
 * @param {Asked} page
 */
export async function settled(page) {
  // All of it is one command: a page is asked some thousand times.
  await page.evaluate(async (/** @type {number} */ limit) => {
    const frames = () =>
      new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
    await frames();
    // Pending events of the browser, such as a changed address, come first.
    for (let i = 0; i < 3; i++) await new Promise((next) => setTimeout(next));
    const started = performance.now();
    const root = document.documentElement;
    const arrived = () => performance.getEntriesByType("resource").length;
    const speaks = () => "lesson" in document.body.dataset || "settled" in root.dataset;
    let [last, since] = [arrived(), started];
    const isQuiet = () => {
      if (arrived() !== last) [last, since] = [arrived(), performance.now()];
      return document.readyState === "complete" && performance.now() - since > 500;
    };
    while (!(speaks() ? root.dataset.settled === "true" : isQuiet())) {
      if (performance.now() - started > limit) {
        throw new Error(`The page has not settled within ${limit / 1000} seconds.`);
      }
      await new Promise((next) => setTimeout(next, 10));
    }
    await frames();
  }, PATIENCE);
}

/**
 * Opens a page of a site as a new reader, with empty storage, and waits until it settles.
 *
 * @param {import("./browser.js").Visit} visit
 * @param {string} root  the address of the site
 * @param {string} path
 */
export async function openAnew({ page, problems }, root, path) {
  await page.goto(`${root}icon.svg`); // where the storage of the site can be reached
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  problems.length = 0;
  await page.goto(`${root}${path}`);
  await settled(page);
}

/** Opens what a lesson has folded under "More", as a reader who leaves nothing out. @param {Asked} page */
export async function unfold(page) {
  await page.evaluate(() => {
    for (const fold of document.querySelectorAll("details.more")) fold.setAttribute("open", "");
  });
  await settled(page);
}

/**
 * Sets the part of the address behind #, and waits until the page has read it and has settled. The browser reports the
 * change in its own time, and until then the page counts as settled in its former state.
 *
 * @param {Asked} page
 * @param {string} hash
 */
export async function setHash(page, hash) {
  await page.evaluate(
    (/** @type {string} */ to) =>
      new Promise((/** @type {(value?: unknown) => void} */ done) => {
        addEventListener("hashchange", done, { once: true }); // after the page's own listener
        const before = location.href;
        location.hash = to;
        if (location.href === before) done(); // then nothing is reported
      }),
    hash,
  );
  await settled(page);
}

/** Two frames: what was scheduled before the next one is done. @param {Asked} page */
export async function frames(page) {
  await page.evaluate(
    () => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next))),
  );
}

/** So that what is made only when it comes into view is there. @param {Asked} page */
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
