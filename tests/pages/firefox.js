// One Firefox for the tests of firefox.test.js and of the modules that it imports: it takes longer to start than most tests
// take, and one program at a time may drive it. All that has to be awaited is here: tests begin when the first of them is
// known, and a file that awaits something after that may come too late.

import { after } from "node:test";
import puppeteer from "puppeteer-core";
import { setup } from "../../scripts/setup/setup.js";
import { buildPage } from "../../scripts/site/page.js";
import { serveSite } from "./site.js";

const tools = await setup(["packages", "firefox"]);
await buildPage(tools);
export const server = await serveSite();

// Puppeteer's own profile has telemetry, captive portals and updates off.
export const browser = await puppeteer.launch({
  browser: "firefox",
  executablePath: tools.firefox,
  headless: true,
});

after(async () => {
  await browser.close();
  await server.close();
});

/** A page of Firefox, and what went wrong on it so far. @param {import("puppeteer-core").BrowserContext} context */
export async function newPage(context) {
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
  return { page, problems };
}

// One page visits every address: a new one takes Firefox longer than most addresses. It has no service worker, which
// would answer from the second address on.
export const { page, problems } = await newPage(browser.defaultBrowserContext());
await page.evaluateOnNewDocument(() =>
  Reflect.deleteProperty(Navigator.prototype, "serviceWorker"),
);
