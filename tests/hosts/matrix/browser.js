// Programs of the matrix in real Chromium.

import { writeFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { serve } from "../../../scripts/site/serve.js";
import { setup } from "../../../scripts/setup/setup.js";
import { printed } from "../consumer.js";
import { openBrowser } from "../../pages/browser.js";

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
 * Serve a folder and visit the page of each program: under the site's strict policy, or under `policy`
 * if that is given, or if the program starts a worker, which Trusted Types leave to the page.
 *
 * @param {string} folder
 * @param {readonly Program[]} programs
 * @param {object} [options]
 * @param {string} [options.path]  of the pages in the folder
 * @param {string} [options.policy]
 * @returns {Promise<Record<string, Outcome>>}
 */
export async function inChromium(folder, programs, { path = "", policy } = {}) {
  /** @type {Record<string, Outcome>} */
  const outcomes = {};
  for (const isWorker of [false, true]) {
    const group = programs.filter(({ name }) => /worker|thread/.test(name) === isWorker);
    const header = policy ?? (isWorker ? strict() : undefined);
    const headers = header === undefined ? undefined : { "Content-Security-Policy": header };
    const server = await serve(folder, { headers });
    try {
      const address = (/** @type {string} */ name) => server.url + posix.join(path, `${name}.html`);
      Object.assign(outcomes, await visit(group, address));
    } finally {
      await server.close();
    }
  }
  return outcomes;
}

/** A policy as strict as WebAssembly and workers allow. @param {string} [scripts]  where else they are */
export const strict = (scripts = "") =>
  `default-src 'none'; script-src 'self' 'wasm-unsafe-eval' ${scripts}; connect-src 'self'; img-src data:; worker-src 'self'`;

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
  const { page, problems } = await newPage(); // one for all, since it takes longer to open than most programs run
  for (const { name } of programs) {
    problems.length = 0;
    await page.goto(address(name));
    const ran = await page
      .waitForFunction(() => "outcome" in globalThis, undefined, { timeout: 30_000 })
      .catch(() => undefined);
    const outcome = ran
      ? await page.evaluate(() => /** @type {any} */ (globalThis).outcome)
      : { error: "the page did not run" };
    if (problems.length === 0) outcomes[name] = outcome;
    else outcomes[name] = { error: [outcome.error ?? "it complained", ...problems].join("\n") };
  }
  await page.context().close();
  return outcomes;
}

/** One for the whole matrix. @type {ReturnType<typeof openBrowser> | undefined} */
let browser;

/** To be called when the last page has been visited. */
export const closeBrowser = async () => (await browser)?.close();
