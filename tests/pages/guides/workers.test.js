import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { serve } from "../../../scripts/site/serve.js";
import { project } from "../../../scripts/setup/setup.js";
import { consumer } from "../../hosts/consumer.js";
import { openBrowser } from "../browser.js";
import { filesOf, promised } from "./guide.js";
import { until } from "../../until.js";

const files = await filesOf("workers");
const strict = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; img-src data:",
};

const browser = await openBrowser();
after(() => browser.close());
const shared = await browser.newPage();

/** A page with one script. @param {string} script */
const html = (script) =>
  `<!doctype html><html lang="en"><title>t</title><link rel="icon" href="data:,"><script type="module" src="${script}"></script></html>`;

/**
 * What a page prints, as many lines as its program promises.
 * @param {string} root @param {string} path @param {number} count
 */
async function printed(root, path, count) {
  const server = await serve(root, { headers: strict });
  const { page, problems } = shared;
  /** @type {string[]} */
  const lines = [];
  const hear = (/** @type {{ text(): string }} */ message) => void lines.push(message.text());
  page.on("console", hear);
  await page.goto(server.url + path);
  await until(() => lines.length >= count || problems.length > 0, "what it prints");
  page.off("console", hear);
  await server.close();
  assert.deepEqual(problems, []);
  return lines;
}

test("guide workers: its programs, built by Vite, print the output that it shows, under a strict policy", async (t) => {
  const { folder, put } = await consumer(t);
  const { build } = await import("vite");
  for (const [name, code] of files) if (/\.js$/.test(name)) await put(name, code);
  const programs = ["main.js", "moving.js", "several.js", "own.js"];
  for (const name of programs) await put(name.replace("js", "html"), html(`/${name}`));
  const input = programs.map((name) => join(folder, name.replace("js", "html")));
  await build({
    root: folder,
    base: "./",
    logLevel: "error",
    build: { rollupOptions: { input }, modulePreload: { polyfill: false } },
  });
  for (const name of programs) {
    const expected = promised(/** @type {string} */ (files.get(name)));
    assert.ok(expected.length > 0);
    const lines = await printed(join(folder, "dist"), name.replace("js", "html"), expected.length);
    assert.deepEqual(lines, expected, name);
  }
});

test("guide workers: esbuild builds the worker as shown", async (t) => {
  const { folder, put } = await consumer(t);
  const main = /** @type {string} */ (files.get("main.js"));
  await put("main.js", main);
  const [npx, name, ...args] = String(files.get("esbuild")).trim().split(" ");
  assert.deepEqual([npx, name], ["npx", "esbuild"]);
  const esbuild = join(project, "node_modules/.bin/esbuild");
  const { status, stderr } = spawnSync(esbuild, args, { cwd: folder, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  await put("out/index.html", html("main.js"));
  const expected = promised(main);
  assert.deepEqual(await printed(join(folder, "out"), "", expected.length), expected);
});

test("guide workers: from a CDN it works without a bundler", async () => {
  const cdn = await serve(join(project, "dist"), {
    headers: { "Access-Control-Allow-Origin": "*" },
  });
  const { page, problems } = shared;
  const shown = String(files.get("index.html"));
  const address = "https://cdn.jsdelivr.net/npm/phasor/dist/";
  assert.ok(shown.includes(address));
  // Served in the CDN's stead, from another port: that is another origin.
  const folder = await mkdtemp(join(tmpdir(), "phasor-cdn-"));
  await writeFile(join(folder, "index.html"), shown.replaceAll(address, cdn.url));
  const server = await serve(folder, { headers: { "Content-Security-Policy": "" } });
  await page.goto(server.url);
  await page.waitForFunction(() => document.body.textContent?.startsWith("[["));
  assert.match(String(await page.textContent("body")), /^\[\[ ?1\. +1\. +\]\n/);
  assert.deepEqual(problems, []);
  await server.close();
  await cdn.close();
  await rm(folder, { recursive: true });
});

test("guide workers: in Node, two threads compute, and memory is shared", async (t) => {
  const { folder, put } = await consumer(t);
  for (const name of ["thread.mjs", "shared.mjs", "cancel.mjs", "cancel-read.mjs"]) {
    const code = /** @type {string} */ (files.get(name));
    await put(name, code);
    const { status, stdout, stderr } = spawnSync(process.execPath, [name], {
      cwd: folder,
      encoding: "utf8",
    });
    assert.equal(status, 0, stderr);
    assert.deepEqual(stdout.trim().split("\n"), promised(code), name);
  }
});
