// Real headless Chromium for tests, and what a page there complains about.

import { createRequire } from "node:module";
import { buffer } from "node:stream/consumers";
import { setup } from "../../scripts/setup/setup.js";
import { until } from "../until.js";

/** Not imported: Node would look through its 7 MB for the names that it exports, in each file of tests. */
const { chromium } = /** @type {typeof import("playwright-core")} */ (
  createRequire(import.meta.url)("playwright-core")
);

/**
 * Features of Chromium that tests do without. The last two fill a separate hidden window for each page's
 * window, which takes longer than most pages take to open. The others are Playwright's list, which this one replaces.
 */
const disabledFeatures = [
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
];

const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--site-per-process", // as every desktop has it; the headless shell alone does not
  `--disable-features=${disabledFeatures.join(",")}`,
];

/**
 * A page, with everything that went wrong in it so far: errors on the console, exceptions, refusals
 * by its Content-Security-Policy, and requests that leave this machine. An empty list is a good one.
 *
 * @typedef {object} Visit
 * @property {import("playwright-core").Page} page
 * @property {string[]} problems
 */

/**
 * Starts a browser that tests of several files share: those with its address in PHASOR_BROWSER.
 * @returns {Promise<{ address: string, close(): Promise<void> }>}
 */
export async function serveBrowser() {
  const { chromium: executablePath } = await setup(["browser"]);
  const server = await chromium.launchServer({ executablePath, args: flags, host: "127.0.0.1" });
  return { address: server.wsEndpoint(), close: () => server.close() };
}

/** The shared browser where there is one, else a separate browser. */
async function connect() {
  const { PHASOR_BROWSER: shared } = process.env;
  if (shared) return chromium.connect(shared);
  const { chromium: executablePath } = await setup(["browser"]);
  return chromium.launch({ executablePath, args: flags });
}

/**
 * Makes a page slower by the factor in PHASOR_SLOW: a test that reads before what it waits for has come fails then.
 * @param {import("playwright-core").Page} page
 */
async function slowDown(page) {
  const rate = Number(process.env.PHASOR_SLOW ?? 1);
  if (rate === 1) return;
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate });
}

/**
 * Three frames in a row in which nothing in the document changes: the first lays it out, and observers of sizes are
 * called; what they draw comes in the second, or in later ones if figures before it need the time. What moves without end
 * is left after 600 frames.
 */
async function stillness() {
  let still = 0;
  const watcher = new MutationObserver(() => (still = 0));
  watcher.observe(document, { subtree: true, childList: true, attributes: true });
  for (let all = 0; still++ < 3 && all < 600; ++all) await new Promise(requestAnimationFrame);
  watcher.disconnect();
}

/**
 * Lets `setViewportSize` wait until the page has its new size and has drawn what follows it: the browser reports a size
 * to a page at a time of its choice, so that the next read may find the former one.
 * @param {import("playwright-core").Page} page
 */
function waitForSizes(page) {
  const setViewportSize = page.setViewportSize.bind(page);
  page.setViewportSize = async (size) => {
    await setViewportSize(size);
    /** @param {import("playwright-core").ViewportSize} size */
    const has = ({ width, height }) => innerWidth === width && innerHeight === height;
    await until(() => page.evaluate(has, size), `the page is ${size.width} px wide`);
    await page.evaluate(stillness);
  };
}

/**
 * Opens a browser; each page gets a fresh profile, and no motion unless it asks for it.
 *
 * @returns {Promise<{newPage(options?: import("playwright-core").BrowserContextOptions & {scripts?: string[]}): Promise<Visit>, close(): Promise<void>}>}
 *   `scripts`: source text that runs first in each document, whatever its policy; service workers
 *   are blocked unless allowed, since each page would fetch the whole site
 */
export async function openBrowser() {
  const browser = await connect();
  return {
    async newPage({ scripts = [], serviceWorkers = "block", ...options } = {}) {
      const context = await browser.newContext({
        serviceWorkers,
        reducedMotion: "reduce",
        ...options,
      });
      context.setDefaultTimeout(120_000); // a loaded machine is no fault
      /** @type {string[]} */
      const problems = [];
      await context.exposeBinding("reportViolation", (_, text) => problems.push(text));
      await context.addInitScript(() => {
        addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => {
          const report = /** @type {any} */ (globalThis).reportViolation;
          report(`policy: ${effectiveDirective} refused ${blockedURI}`);
        });
      });
      for (const content of scripts) await context.addInitScript({ content });
      context.on("console", (message) => {
        const { url } = message.location();
        // For a file Chromium asks for an icon by itself, whenever it has time. That pages name one, smoke.test.js says.
        if (message.type() !== "error" || url.endsWith("/favicon.ico")) return;
        problems.push(`console: ${message.text()}`);
      });
      context.on("weberror", (error) => problems.push(`exception: ${error.error().stack}`));
      context.on("request", (request) => {
        const { protocol, hostname } = new URL(request.url());
        const local = protocol === "blob:" || protocol === "data:" || hostname === "127.0.0.1";
        if (!local) problems.push(`request: ${request.url()}`);
      });
      const page = await context.newPage();
      await slowDown(page);
      if (!options.isMobile) waitForSizes(page); // the width of a phone's page is that of its content
      return { page, problems };
    },
    close: () => browser.close(),
  };
}

/** The bytes of a download. A shared browser tells no path. @param {import("playwright-core").Download} download */
export const bytesOf = async (download) => buffer(await download.createReadStream());
