// Pages whose policy forbids WebAssembly are told what to add to it.

import assert from "node:assert/strict";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import puppeteer from "puppeteer-core";
import { serve } from "../../scripts/site/serve.js";
import { project, setup } from "../../scripts/setup/setup.js";
import { openBrowser } from "./browser.js";

/** @type {string} */
let folder;
/** @type {Awaited<ReturnType<typeof serve>>} */
let server;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "phasor-policy-"));
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
  server = await serve(folder, { headers: { "Content-Security-Policy": "script-src 'self'" } });
});

after(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

const said =
  "LoadError: phasor needs 'wasm-unsafe-eval' in the page's script-src policy; cause: CompileError";

test("policy: without 'wasm-unsafe-eval', the error of load names what to add, in Chromium", async () => {
  const browser = await openBrowser();
  try {
    const { page } = await browser.newPage();
    await page.goto(server.url);
    await page.waitForFunction(() => document.title !== "");
    assert.equal(await page.title(), said);
  } finally {
    await browser.close();
  }
});

test("policy: without 'wasm-unsafe-eval', the error of load names what to add, in Firefox", async () => {
  const { firefox } = await setup(["firefox"]);
  const browser = await puppeteer.launch({
    browser: "firefox",
    executablePath: firefox,
    headless: true,
  });
  try {
    const page = await browser.newPage();
    await page.goto(server.url);
    await page.waitForFunction(() => document.title !== "");
    assert.equal(await page.title(), said);
  } finally {
    await browser.close();
  }
});
