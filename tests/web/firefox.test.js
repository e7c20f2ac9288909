// Firefox opens every page, computes, and follows a control: what Chromium's tests say in depth holds
// in another engine.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import puppeteer from "puppeteer-core";
import { buildPage, page as built } from "../../scripts/page.js";
import { serve } from "../../scripts/serve.js";
import { setup } from "../../scripts/setup.js";
import { controls, numbers, put } from "./controls.js";
import { nameOf, pages, settled } from "./pages.js";

/** @typedef {import("puppeteer-core").Page} Page */

const tools = await setup(["packages", "firefox"]);
await buildPage(tools);
const server = await serve(built);
// Puppeteer's own profile has telemetry, captive portals and updates off.
const browser = await puppeteer.launch({
  browser: "firefox",
  executablePath: tools.firefox,
  headless: true,
});

after(async () => {
  await browser.close();
  await server.close();
});

/** @param {string} address */
async function open(address) {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  /** @type {string[]} */
  const problems = [];
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`exception: ${error}`)); // refusals by the policy too
  page.on("request", (request) => {
    const { protocol, hostname } = new URL(request.url());
    const local = protocol === "blob:" || protocol === "data:" || hostname === "127.0.0.1";
    if (!local) problems.push(`request: ${request.url()}`);
  });
  await page.goto(address);
  await settled(page);
  return { page, problems, close: () => context.close() };
}

/** All that a page has computed: its figures' numbers, the pixels of its canvases. @param {Page} page */
async function computed(page) {
  const canvases = await page.evaluate(() =>
    Array.from(document.querySelectorAll("main canvas"), (canvas) =>
      /** @type {HTMLCanvasElement} */ (canvas).toDataURL(),
    ),
  );
  return [...(await numbers(page)), ...canvases].join("\n");
}

/** Change a control, and say which; null where there is none. @param {Page} page */
async function change(page) {
  const [control] = await controls(page);
  if (control) {
    await put(page, control.name, control.others[0]);
    return `${control.name} at ${control.others[0]}`;
  }
  const text = await page.$("main textarea, main input:not([type=radio], [type=checkbox])");
  await text?.type(" and a cat");
  return text ? "a longer text" : null;
}

for (const path of pages()) {
  test(`Firefox: ${nameOf(path)} opens, computes and follows a control`, async () => {
    const { page, problems, close } = await open(`${server.url}${path}`);
    assert.match(await page.title(), /phasor/);
    const before = await computed(page);
    const changed = await change(page);
    if (changed !== null) {
      assert.ok(before !== "", "there are controls, but no figures");
      await settled(page);
      assert.ok((await computed(page)) !== before, `${changed} changes nothing`);
    }
    assert.deepEqual(problems, []);
    await close();
  });
}

test("Firefox: refusals by the policy and exceptions would be noticed", async () => {
  const { page, problems, close } = await open(server.url);
  await page.evaluate(() => {
    document.body.setAttribute("style", "color: red");
    setTimeout(() => {
      throw new Error("on purpose");
    });
  });
  await new Promise((next) => setTimeout(next, 200));
  assert.match(problems.join(), /style-src-attr/);
  assert.match(problems.join(), /on purpose/);
  await close();
});
