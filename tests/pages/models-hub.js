// The model hub as pages of a test find it: a look-alike on this machine behind the real one's address.

import { buildPage, page as built } from "../../scripts/site/page.js";
import { serve } from "../../scripts/site/serve.js";
import { setup } from "../../scripts/setup/setup.js";
import { serveHub } from "../unit/files/hub.js";
import { openBrowser } from "./browser.js";
import { settled } from "./pages.js";

/** @typedef {import("playwright-core").Page} Page */

/** Where pages ask, and where they are sent for large files. */
const ADDRESSES = /^https:\/\/(huggingface\.co|([\w-]+\.)*hf\.co)\//;

/**
 * @param {Parameters<typeof serveHub>[0]} models
 */
export async function openHub(models) {
  const hub = await serveHub(models);
  /** Paths whose answers wait, and who lets them go. @type {{path: RegExp, gate: Promise<void>}[]} */
  const gates = [];
  return {
    /** Where it really is, and its store. */
    url: hub.url,
    store: hub.store,
    asked: hub.asked,
    close: hub.close,

    /** Let answers to a path wait. @param {RegExp} path @returns {() => void} lets them go */
    hold(path) {
      let go = () => {};
      const gate = new Promise(
        (/** @type {(nothing: void) => void} */ open) => (go = () => open()),
      );
      gates.push({ path, gate });
      return () => {
        gates.splice(0);
        go();
      };
    },

    /**
     * A page's requests of the hub, and of its workers, are answered by the look-alike. Redirections
     * are followed here: what a test fulfils is not asked for again.
     * @param {import("playwright-core").Page} page
     */
    async serve(page) {
      await page.context().route(ADDRESSES, async (route) => {
        const request = route.request();
        const { pathname, search } = new URL(request.url());
        for (const { path, gate } of gates) if (path.test(pathname)) await gate;
        const { range, origin } = request.headers();
        const headers = { ...(range && { range }), origin: origin ?? "null" };
        const method = request.method();
        const answer = await fetch(`${hub.url}${pathname}${search}`, { method, headers });
        const body = Buffer.from(await answer.arrayBuffer());
        const given = Object.fromEntries(answer.headers);
        for (const name of ["content-encoding", "content-length"]) delete given[name];
        await route.fulfill({ status: answer.status, headers: given, body }).catch(() => {}); // gone
      });
    },
  };
}

/** What browser.js notes of requests that leave this machine, which those of the hub only seem to. */
export const others = (/** @type {readonly string[]} */ problems) =>
  problems.filter((problem) => !problem.startsWith("request: https://huggingface.co/"));

/**
 * The built site in a browser, whose pages find the look-alike where the hub would be.
 * @param {Parameters<typeof serveHub>[0]} models
 */
export async function openSite(models) {
  await buildPage(await setup(["packages"]));
  // At the root of a server, where the policies of pages that may ask the hub are sent as headers too.
  const [server, browser, hub] = await Promise.all([serve(built), openBrowser(), openHub(models)]);
  return {
    ...{ hub, server, browser },

    /**
     * A page that has settled. What was asked of the hub before is forgotten.
     * @param {string} path @param {Parameters<typeof browser.newPage>[0]} [options]
     */
    async visit(path, options) {
      hub.asked.length = 0;
      const { page, problems } = await browser.newPage({
        viewport: { width: 1280, height: 1000 },
        ...options,
      });
      await hub.serve(page);
      await page.goto(`${server.url}${path}`);
      await settled(page);
      return { page, problems, close: () => page.context().close() };
    },

    async close() {
      await Promise.all([browser.close(), server.close(), hub.close()]);
    },
  };
}

/** Until a page rests that has a large table to read, which takes its time. @param {Page} page */
export async function rested(page) {
  const isSettled = () => document.documentElement.dataset.settled === "true";
  await page.waitForFunction(isSettled, null, { timeout: 180_000 });
  await settled(page);
}

/** Opens the drawer of the explorer; other pages have none. @param {Page} page */
export async function openDrawer(page) {
  const button = page.locator("#open-model");
  if ((await button.count()) > 0 && !(await page.locator("#drawer").isVisible())) {
    await button.click();
  }
}

/** Open a model by its name, as a reader does. @param {Page} page @param {string} name */
export async function openNamed(page, name) {
  await openDrawer(page);
  await page.locator("#model").fill(name);
  await page.locator("#open").click();
  await rested(page);
}
