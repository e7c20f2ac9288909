// A page whose policy forbids WebAssembly, and the error that load reports there: tested in Chromium by policy.test.js,
// in Firefox by firefox.test.js.

import assert from "node:assert/strict";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "../../scripts/site/serve.js";
import { project } from "../../scripts/setup/setup.js";

const said =
  "LoadError: phasor needs 'wasm-unsafe-eval' in the page's script-src policy; cause: CompileError";

/**
 * Opens the page and reads its title.
 * @param {import("playwright-core").Page | import("puppeteer-core").Page} opened
 */
export async function checkPolicy(opened) {
  const page = /** @type {import("playwright-core").Page} */ (opened);
  const folder = await mkdtemp(join(tmpdir(), "phasor-policy-"));
  await cp(join(project, "dist/index.js"), join(folder, "phasor.js"));
  await writeFile(
    join(folder, "main.js"),
    `import { load } from "./phasor.js";
     load().catch(({ name, message, cause }) => {
       document.title = [name + ": " + message, cause.name].join("; cause: ");
     });`,
  );
  const html = '<!doctype html><title></title><script type="module" src="main.js"></script>';
  await writeFile(join(folder, "index.html"), html);
  const server = await serve(folder, {
    headers: { "Content-Security-Policy": "script-src 'self'" },
  });
  try {
    await page.goto(server.url);
    await page.waitForFunction(() => document.title !== "");
    assert.equal(await page.title(), said);
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}
