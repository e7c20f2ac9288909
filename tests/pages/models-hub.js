// The model hub as pages of a test find it: a look-alike on this machine behind the real one's address.

import { createServer, request } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { pipeline } from "node:stream/promises";
import { buildPage, page as built } from "../../scripts/site/page.js";
import { serve } from "../../scripts/site/serve.js";
import { setup } from "../../scripts/setup/setup.js";
import { serveHub } from "../unit/files/hub.js";
import { openBrowser } from "./browser.js";
import { selfSigned } from "./certificate.js";
import { openAnew, settled } from "./pages.js";

/** @typedef {import("playwright-core").Page} Page */

/** Where the look-alike's store is to pages, which may ask it as they may ask the hub. */
const STORE = "https://store.hf.co";

/** What the pages of `openSiteWithHub` alone accept. */
const identity = selfSigned();

/**
 * The look-alike behind a proxy, through which a page reaches it at the hub's address. So its answers come as any
 * others do: Playwright would take each apart and pass it on as text, ten seconds of CPU for a table of GPT-2's size.
 * @param {Parameters<typeof serveHub>[0]} models
 */
export async function openHub(models) {
  const hub = await serveHub(models);
  /** Paths whose answers wait, and who lets them go. @type {{path: RegExp, gate: Promise<void>}[]} */
  const gates = [];

  const inside = createSecureServer(identity, async (asked, answer) => {
    const { method, url = "" } = asked;
    const { host, ...headers } = asked.headers;
    for (const { path, gate } of gates) if (path.test(url.split("?")[0])) await gate;
    const address = (STORE.endsWith(`/${host}`) ? hub.store : hub.url) + url;
    const given = request(address, { method, headers }, (found) => {
      const { location } = found.headers;
      if (location) found.headers.location = location.replace(hub.store, STORE);
      answer.writeHead(found.statusCode ?? 500, found.headers);
      pipeline(found, answer).catch(() => {}); // the page has gone
    });
    answer.once("close", () => given.destroy());
    given.on("error", () => answer.destroy()).end();
  });
  const proxy = createServer().on("connect", (_, socket) => {
    socket.on("error", () => {}); // the page has gone
    socket.write("HTTP/1.1 200 Connected\r\n\r\n");
    inside.emit("connection", socket);
  });
  await new Promise((/** @type {(nothing: void) => void} */ go) =>
    proxy.listen(0, "127.0.0.1", go),
  );
  const { port } = /** @type {import("node:net").AddressInfo} */ (proxy.address());

  return {
    /** Where it really is, and its store. */
    ...{ url: hub.url, store: hub.store, asked: hub.asked },

    /** Options of a page that finds it at the hub's address. */
    proxied: {
      proxy: { server: `http://127.0.0.1:${port}`, bypass: "127.0.0.1" },
      ignoreHTTPSErrors: true,
    },

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

    async close() {
      proxy.close();
      inside.closeAllConnections();
      await hub.close();
    },
  };
}

/** What browser.js notes of requests that leave this machine, which those of the hub only seem to. */
export const others = (/** @type {readonly string[]} */ problems) =>
  problems.filter((problem) => !/^request: https:\/\/(huggingface|store\.hf)\.co\//.test(problem));

/**
 * The built site in a browser, whose pages find the look-alike where the hub would be.
 * @param {Parameters<typeof serveHub>[0]} models
 */
export async function openSiteWithHub(models) {
  await buildPage(await setup(["packages"]));
  // At the root of a server, where the policies of pages that may ask the hub are sent as headers too.
  const [server, browser, hub] = await Promise.all([serve(built), openBrowser(), openHub(models)]);
  const viewport = { width: 1280, height: 1000 };
  const only = await browser.newPage({ viewport, ...hub.proxied }); // a new one takes longer than most visits
  const session = await only.page.context().newCDPSession(only.page);
  return {
    ...{ hub, server, browser, page: only.page },

    /**
     * The page, opened anew and settled. What was asked of the hub before is forgotten, and what was kept of its answers.
     * @param {string} path
     */
    async visit(path) {
      hub.asked.length = 0;
      await session.send("Network.clearBrowserCache");
      const { origin } = new URL(server.url);
      await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
      await only.page.setViewportSize(viewport);
      await openAnew(only, server.url, path);
      return { ...only, close: () => only.page.goto("about:blank") };
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
