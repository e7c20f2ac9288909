// `npm run x -- screenshots`: a picture of every page in both themes and three widths, to be looked at by
// the author of a change. `npm run x -- screenshots WORD ...` takes the pages whose names have a word.

import { mkdirSync } from "node:fs";
import { join, relative } from "node:path";
import { openBrowser } from "../../tests/pages/browser.js";
import { nameOf, pages, scrollThrough, settled } from "../../tests/pages/pages.js";
import { buildPage, page as built } from "./page.js";
import { serve } from "./serve.js";
import { runScript } from "../setup/run.js";
import { project } from "../setup/setup.js";

const folder = join(project, "build", "screenshots");
const widths = [390, 1280, 1920];
const themes = /** @type {const} */ (["light", "dark"]);

/** @param {string[]} words */
async function shoot(words) {
  await buildPage();
  const wanted = pages().filter(
    (path) => words.length === 0 || words.some((word) => nameOf(path).includes(word)),
  );
  if (wanted.length === 0) throw new Error(`No page's name has ${words.join(" or ")} in it.`);
  mkdirSync(folder, { recursive: true });
  const server = await serve(built);
  const browser = await openBrowser();
  try {
    for (const path of wanted) {
      for (const width of widths) await shootAt(browser, `${server.url}${path}`, path, width);
    }
  } finally {
    await browser.close();
    await server.close();
  }
}

/**
 * @param {Awaited<ReturnType<typeof openBrowser>>} browser
 * @param {string} url
 * @param {string} path
 * @param {number} width
 */
async function shootAt(browser, url, path, width) {
  for (const colorScheme of themes) {
    const viewport = { width, height: width < 500 ? 740 : 900 };
    // Without motion, so that no picture is caught halfway.
    const options = { viewport, colorScheme, reducedMotion: /** @type {const} */ ("reduce") };
    const { page, problems } = await browser.newPage(options);
    const file = join(folder, `${nameOf(path)}-${width}-${colorScheme}.png`);
    try {
      await page.goto(url);
      await settled(page);
      await scrollThrough(page);
      await page.screenshot({ path: file, fullPage: true });
      console.log(relative(project, file));
    } catch (error) {
      problems.push(/** @type {Error} */ (error).message);
    }
    for (const problem of problems) console.log(`  ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
    await page.context().close();
  }
}

await runScript(() => shoot(process.argv.slice(2)));
