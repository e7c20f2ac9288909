// Programs of the matrix in real Chromium.

import { writeFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { serve } from "../../scripts/serve.js";
import { setup } from "../../scripts/setup.js";
import { printed } from "../consumer.js";
import { openBrowser } from "../web/browser.js";

/** @import { Outcome, Program } from "./matrix.js" */

export async function chromiumVersion() {
  const { chromium } = await setup(["browser"]);
  return printed(String(chromium), ["--version"]).replace(/^\D+(\S+).*$/, "Chromium $1");
}

/**
 * Write a page for each program, which runs its main file.
 *
 * @param {string} folder @param {readonly Program[]} programs
 * @param {(name: string) => string} script  address
 * @param {string} [head]
 */
export async function writePages(folder, programs, script, head = "") {
  for (const { name } of programs) {
    const html = `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <title>phasor</title>
  <link rel="icon" href="data:,">
  ${head}
  <script type="module" src="${script(name)}"></script>
</html>
`;
    await writeFile(join(folder, `${name}.html`), html);
  }
}

/**
 * Serve a folder under the site's strict policy, and visit the page of each program.
 *
 * @param {string} folder
 * @param {readonly Program[]} programs
 * @param {object} [options]
 * @param {string} [options.path]  of the pages in the folder
 * @param {Record<string, string>} [options.headers]
 */
export async function inChromium(folder, programs, { path, headers } = {}) {
  const server = await serve(folder, { headers });
  try {
    return await visit(programs, (name) => server.url + posix.join(path ?? "", `${name}.html`));
  } finally {
    await server.close();
  }
}

/**
 * Visit the page of each program; whatever a page complains of is an error.
 *
 * @param {readonly Program[]} programs
 * @param {(name: string) => string} address
 * @returns {Promise<Record<string, Outcome>>}
 */
export async function visit(programs, address) {
  browser ??= openBrowser();
  const { newPage } = await browser;
  /** @type {Record<string, Outcome>} */
  const outcomes = {};
  for (const { name } of programs) {
    const { page, problems } = await newPage();
    await page.goto(address(name));
    const ran = await page
      .waitForFunction(() => "outcome" in globalThis, undefined, { timeout: 30_000 })
      .catch(() => undefined);
    const outcome = ran
      ? await page.evaluate(() => /** @type {any} */ (globalThis).outcome)
      : { error: "the page did not run" };
    if (problems.length === 0) outcomes[name] = outcome;
    else outcomes[name] = { error: [outcome.error ?? "it complained", ...problems].join("\n") };
    await page.context().close();
  }
  return outcomes;
}

/** One for the whole matrix. @type {ReturnType<typeof openBrowser> | undefined} */
let browser;

/** To be called when the last page has been visited. */
export const closeBrowser = async () => (await browser)?.close();
