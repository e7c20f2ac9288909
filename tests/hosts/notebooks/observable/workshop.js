// Observable's own tools, offline, with the packed package where they look for it.

import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { run } from "../../../../scripts/setup/run.js";
import { serve } from "../../../../scripts/site/serve.js";
import { project } from "../../../../scripts/setup/setup.js";
import { consumer } from "../../consumer.js";
import { until } from "../../../until.js";
import { openBrowser } from "../../../pages/browser.js";
import { cdn } from "../../../pages/cdn.js";

/** @typedef {import("playwright-core").Page} Page */

/** What the tools' pages do, and this project's own may not: styles and scripts in the HTML. */
const headers = {
  "Content-Security-Policy": "default-src 'self' https: data: 'unsafe-inline' 'unsafe-eval'",
};

/** The vectors that the notebooks read. */
const words = ["glove-10k-100d.safetensors", "glove-10k-words.txt"];

/** A folder in which the tools are installed, as their users have one; `close` clears it away. */
export async function workshop() {
  /** @type {(() => Promise<void>)[]} */
  const ends = [];
  const t = { after: (/** @type {() => Promise<void>} */ end) => void ends.unshift(end) };
  const packages = join(project, "build/notebooks/observable");
  const { folder: user } = await consumer(t);
  const shelves = [user, packages, project];
  const shelf = cdn(shelves);
  const folder = await mkdtemp(join(packages, "site-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  // Framework fetches what a page imports when it builds.
  const env = {
    NODE_OPTIONS: `--import ${new URL("fetch.js", import.meta.url)}`,
    OBSERVABLE_TELEMETRY_DISABLE: "1",
    PHASOR_SHELVES: JSON.stringify(shelves),
  };
  const browser = await openBrowser();
  t.after(() => browser.close());

  return {
    async close() {
      for (const end of ends) await end();
    },

    /** @param {string} path @param {string} text */
    async put(path, text) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    },

    /** Copies what lies in web/. @param {string} from @param {string} [to] */
    copy: (from, to = from) =>
      cp(join(project, "web", from), join(folder, to), { recursive: true }),

    /** Lays the files of words into a folder. @param {string} [to] */
    async lendWords(to = ".") {
      for (const name of words) await cp(join(project, "web/data", name), join(folder, to, name));
    },

    /**
     * Runs the lines of a terminal, but for those that serve without end; what they install is
     * here already.
     * @param {string} lines
     */
    async terminal(lines) {
      const list = JSON.parse(await readFile(join(packages, "package.json"), "utf8"));
      for (const line of lines.trim().split("\n")) {
        const [, wanted] = /^npm install (\S+)$/.exec(line) ?? [];
        if (wanted) assert.ok(wanted in list.dependencies, wanted);
        else if (!/ preview$/.test(line))
          await run("sh", ["-c", line], { cwd: folder, env, quiet: true });
      }
    },

    /**
     * Opens a page of a folder.
     * @param {string} built  the folder @param {string} path
     * @param {object} [options]
     * @param {boolean} [options.offline]  no other host is there, the CDN neither
     * @returns {Promise<{page: Page, problems: () => string[]}>}
     */
    async open(built, path, { offline = false } = {}) {
      const server = await serve(join(folder, built), { headers });
      t.after(() => server.close());
      const { page, problems } = await browser.newPage({ viewport: { width: 1000, height: 900 } });
      await page.route("**/favicon.ico", (route) => route.fulfill({ status: 204 }));
      if (!offline) await shelf.serve(page);
      await page.goto(server.url + path);
      const expected = offline ? "none" : "request: https://cdn.jsdelivr.net/";
      return { page, problems: () => problems.filter((line) => !line.startsWith(expected)) };
    },
  };
}

/**
 * A figure's numbers in a page, each row of its CSV without the first column; that one by itself.
 * @param {Page} page @param {string} place  a selector of what holds the figure
 */
export async function readFigure(page, place) {
  /** @type {string} */
  const csv = await page
    .locator(`${place} .phasor-figure`)
    .evaluate((figure) => /** @type {any} */ (figure).csv());
  const [, ...rows] = csv.trim().split(/\r?\n/);
  const cells = rows.map((row) => row.split(","));
  return {
    names: cells.map(([name]) => name),
    numbers: cells.map(([, ...rest]) => rest.map((text) => Math.fround(Number(text)))),
  };
}

/**
 * Waits until a place's figure shows certain numbers.
 * @param {Page} page @param {string} place @param {unknown} numbers  rows of them
 */
export async function shows(page, place, numbers) {
  await page.locator(`${place} .phasor-figure`).waitFor();
  await until(
    async () => isDeepStrictEqual((await readFigure(page, place)).numbers, numbers),
    `${place} shows ${JSON.stringify(numbers)}`,
  );
}

/**
 * A control of Observable Inputs.
 * @param {Page} page @param {string} label @param {"number" | "range" | "text"} type
 */
export const input = (page, label, type) =>
  page.locator(`form:has(> label:text-is("${label}")) input[type="${type}"]`);
