import assert from "node:assert/strict";
import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { serve } from "../../../scripts/site/serve.js";
import { consumer } from "../../hosts/consumer.js";
import { openBrowser } from "../browser.js";
import { filesOf } from "./guide.js";

const { folder, put } = await consumer({ after });
const files = await filesOf("browser");
const text = (/** @type {string} */ name) => String(files.get(name));

// What its terminal does.
assert.match(text("terminal"), /^npm install phasor\ncp -r node_modules\/phasor\/dist phasor\n$/);
await cp(join(folder, "node_modules/phasor/dist"), join(folder, "phasor"), { recursive: true });
for (const [name, code] of files) await put(name, code);
await put("external.html", text("index.html").replace("main.js", "external.js"));

const [header, policy] = text("header").trim().replace(/\s+/g, " ").split(": ", 2);
const server = await serve(folder, { headers: { [header]: policy } });
const browser = await openBrowser();
after(async () => {
  await browser.close();
  await server.close();
});

/** What a program says that the page shows. @param {string} name */
const shown = (name) => /\/\/ (.+)\n/.exec(text(name))?.[1];

for (const [page, program] of [
  ["index.html", "main.js"],
  ["external.html", "external.js"],
]) {
  test(`guide browser: ${program} shows the output of the guide, under the guide's CSP header`, async () => {
    const { page: tab, problems } = await browser.newPage();
    await tab.goto(server.url + page);
    await tab.waitForFunction(() => document.querySelector("output")?.textContent);
    assert.equal(await tab.textContent("output"), shown(program));
    assert.deepEqual(problems, []);
  });
}

test("guide browser: the names of the import map work, under the guide's CSP header", async () => {
  const { page, problems } = await browser.newPage();
  await page.goto(`${server.url}map.html`);
  const picture = await page.waitForSelector("figure [aria-label]");
  assert.match(String(await picture.getAttribute("aria-label")), /^Heat maps: 4 heads/);
  assert.deepEqual(problems, []);
});

test("guide browser: the page with a classic script computes, opened from the disk", async () => {
  const { page, problems } = await browser.newPage();
  await page.goto(`file://${join(folder, "classic.html")}`);
  await page.waitForFunction(() => document.querySelector("output")?.textContent);
  assert.equal(await page.textContent("output"), shown("classic.html"));
  const known = [page.url(), new URL("phasor/global/phasor.global.js", page.url()).href];
  assert.deepEqual(
    problems,
    known.map((address) => `request: ${address}`),
  );
});

test("guide browser: the page without a server computes", async () => {
  const { page, problems } = await browser.newPage();
  const address = "https://cdn.jsdelivr.net/npm/phasor/+esm";
  await page.route(address, async (route) => {
    const body = await readFile(join(folder, "phasor/index.js"));
    const headers = { "Access-Control-Allow-Origin": "*" };
    await route.fulfill({ body, contentType: "text/javascript", headers });
  });
  await page.goto(`file://${join(folder, "cdn.html")}`);
  await page.waitForFunction(() => document.querySelector("output")?.textContent);
  assert.equal(await page.textContent("output"), shown("cdn.html"));
  const known = [`request: ${address}`, `request: ${page.url()}`];
  assert.deepEqual(
    problems.filter((problem) => !known.includes(problem)),
    [],
  );
});
