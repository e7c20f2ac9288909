// A blank page under the site's policy with the package's figures in it.

import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before } from "node:test";
import { build } from "esbuild";
import { serve } from "../../scripts/site/serve.js";
import { project } from "../../scripts/setup/setup.js";
import { openBrowser } from "./browser.js";

/** @typedef {import("playwright-core").Page} Page */

const html = `<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <title>Figures</title>
  <meta name="viewport" content="width=device-width, initial-scale=1" />
  <meta name="color-scheme" content="light dark" />
  <link rel="icon" href="data:," />
  <link rel="stylesheet" href="style.css" />
  <script type="module" src="main.js"></script>
  <main><h1>Figures</h1></main>
</html>
`;

const main = `
import * as Plot from "./plot.js";
import { figures } from "./plots.js";
globalThis.plots = figures({ Plot });
`;

const viewport = { width: 1000, height: 900 };

/** A page that sets no colors; axe would take its ground for white. */
const style = "html { background: Canvas; color: CanvasText }";

/**
 * Serves it until the file's tests are over.
 *
 * `open` opens it, always in one page; `blank` opens an empty page without a
 * policy.
 *
 * @param {string} name  of its folder in build/
 */
export function gallery(name) {
  /** @type {Awaited<ReturnType<typeof serve>>} */
  let server;
  /** @type {Awaited<ReturnType<typeof openBrowser>>} */
  let browser;
  /** What the tests share: a new page takes longer than most of them. @type {Awaited<ReturnType<typeof browser.newPage>>} */
  let shared;
  /** @type {Awaited<ReturnType<typeof browser.newPage>>} */
  let empty;

  before(async () => {
    const folder = join(project, "build", name);
    await mkdir(folder, { recursive: true });
    await copyFile(join(project, "dist", "plots.js"), join(folder, "plots.js"));
    await build({
      stdin: { contents: 'export * from "@observablehq/plot"', resolveDir: project },
      outfile: join(folder, "plot.js"),
      bundle: true,
      format: "esm",
    });
    await writeFile(join(folder, "index.html"), html);
    await writeFile(join(folder, "main.js"), main);
    await writeFile(join(folder, "style.css"), style);
    server = await serve(folder);
    browser = await openBrowser();
    shared = await browser.newPage({ viewport });
    empty = await browser.newPage();
  });

  after(async () => {
    await browser?.close();
    await server?.close();
  });

  return {
    async open() {
      const { page, problems } = shared;
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme: null, media: null });
      await page.mouse.move(0, 0);
      problems.length = 0;
      await page.goto(server.url);
      await page.waitForFunction(() => "plots" in globalThis);
      return shared;
    },

    blank: async () => empty,
  };
}

/**
 * Puts a figure on the page, as globalThis.figure.
 * @param {Page} page @param {string} kind @param {unknown} data @param {object} [options]
 */
export async function mount(page, kind, data, options = {}) {
  await page.evaluate(
    ([kind, data, options]) => {
      const { plots } = /** @type {any} */ (globalThis);
      const figure = plots[/** @type {string} */ (kind)](data, options);
      Object.assign(globalThis, { figure, heard: [] });
      figure.addEventListener("input", () =>
        /** @type {any} */ (globalThis).heard.push(figure.value),
      );
      document.querySelector("main")?.append(figure);
    },
    [kind, data, options],
  );
  await settled(page);
}

/** @param {Page} page @param {unknown} data @param {object} [options] */
export async function update(page, data, options) {
  await page.evaluate(
    ([data, options]) => /** @type {any} */ (globalThis).figure.update(data, options),
    [data, options],
  );
  await settled(page);
}

/** Moves the pointer, and waits until the page has heard of it. @param {Page} page @param {number} x @param {number} y */
export async function point(page, x, y) {
  await page.mouse.move(x, y);
  await settled(page);
}

/** Three frames: the layout is measured in the first and drawn for in the next. @param {Page} page */
export function settled(page) {
  return page.evaluate(
    () =>
      new Promise((next) =>
        requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(next))),
      ),
  );
}
