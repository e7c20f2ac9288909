import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { serve } from "../../../scripts/site/serve.js";
import { project } from "../../../scripts/setup/setup.js";
import { openBrowser } from "../browser.js";
import { filesOf } from "./guide.js";

// Its cells run in JupyterLite itself: tests/hosts/notebooks/jupyterlite.test.js.

/** Where the addresses that the page asks for are on this machine. @type {[RegExp, string][]} */
const here = [
  [/^https:\/\/cdn\.jsdelivr\.net\/pyodide\/v314\.0\.7\/full\/(.+)$/, "node_modules/pyodide"],
  [/^https:\/\/cdn\.jsdelivr\.net\/npm\/phasor(?:@[^/]+)?\/dist\/(.+)$/, "dist"],
];

/** @param {string} address */
function fileAt(address) {
  for (const [pattern, folder] of here) {
    const [, name] = pattern.exec(address) ?? [];
    if (name) return join(project, folder, name);
  }
  return "";
}

test("guide jupyterlite: the page with Pyodide shows the output of the guide", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "phasor-pyodide-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const html = String((await filesOf("jupyterlite")).get("index.html"));
  await writeFile(join(folder, "index.html"), html);
  const policy = "script-src 'self' 'unsafe-inline' 'unsafe-eval' https:"; // as the guide says
  const server = await serve(folder, { headers: { "Content-Security-Policy": policy } });
  t.after(() => server.close());
  const browser = await openBrowser();
  t.after(() => browser.close());
  const { page } = await browser.newPage();
  /** @type {string[]} */
  const missed = [];
  await page.route(/^https:/, async (route) => {
    const path = fileAt(route.request().url());
    if (!existsSync(path)) missed.push(route.request().url());
    const headers = { "Access-Control-Allow-Origin": "*" };
    await (existsSync(path) ? route.fulfill({ path, headers }) : route.abort());
  });
  await page.goto(server.url);
  const result = page.locator("#result");
  await page.waitForFunction(() => document.querySelector("#result")?.textContent !== "");
  const [, said] = /^ *\/\/ (\[.*\])$/m.exec(html) ?? [];
  assert.equal(await result.textContent(), said);
  assert.deepEqual(missed, []);
});
