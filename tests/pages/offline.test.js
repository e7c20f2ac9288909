// The service worker. More than 20 s of CPU: the site is kept twice, by a first visit and by an update.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { parseHTML } from "linkedom";
import { serve } from "../../scripts/site/serve.js";
import { isExample, isSweep } from "./pages.js";
import { openTrial } from "./trial.js";
import { until } from "../until.js";

/** @typedef {import("playwright-core").Page} Page */

const trial = await openTrial("offline");
after(trial.close);

const worker = () => readFile(join(trial.outDir, "service-worker.js"), "utf8");

/** All addresses that the service worker keeps. @returns {Promise<string[]>} */
async function files() {
  return Object.keys(await digests());
}

/** The digests that it knows of them. @returns {Promise<Record<string, string>>} */
async function digests() {
  return JSON.parse(/FILES = (\{.*\});/.exec(await worker())?.[1] ?? "");
}

/** A first visit to a separate server, until everything is cached. */
async function visit() {
  const server = await serve(trial.outDir);
  const { page, problems } = await trial.browser.newPage({ serviceWorkers: "allow" });
  await page.goto(`${server.url}trial/`);
  await page.waitForFunction(() => "keepOffline" in globalThis);
  await page.evaluate(async () => {
    /** @type {any} */ (globalThis).keepOffline();
    await navigator.serviceWorker.ready;
  });
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  return { server, page, problems };
}

/**
 * Not what the browser says of a closed server by itself: of a frame that no service worker was
 * asked for, of an update that it looks for after a page has loaded.
 *
 * @param {string} problem
 */
const isOurs = (problem) => !problem.includes("ERR_CONNECTION_REFUSED");

test("offline: every file of the site is cached except source maps, pages included", async () => {
  const all = await files();
  assert.deepEqual(
    all.filter((name) => name.endsWith(".map") || name.includes("index.html")),
    [],
  );
  for (const name of ["", "frame/", "trial/", "manifest.webmanifest", "icon.svg"]) {
    assert.ok(all.includes(name), `${name} is kept`);
  }
  assert.ok(all.some((name) => name.endsWith(".safetensors")));
  assert.equal(new Set(all).size, all.length);
});

test("offline: the digests are those of the files as they are served", async () => {
  for (const [name, digest] of Object.entries(await digests())) {
    const answer = await fetch(trial.server.url + name);
    assert.equal(answer.status, 200, name);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    assert.equal(`sha256-${createHash("sha256").update(bytes).digest("base64")}`, digest, name);
  }
});

/** The title that a document says. @param {string} html */
function titleIn(html) {
  const [, title] = /<title>(.*)<\/title>/.exec(html) ?? [];
  return title.replaceAll("&amp;", "&");
}

/** The one visit of all tests, in this order. @type {Awaited<ReturnType<typeof visit>>} */
let visited;

describe("offline: while there is a network", () => {
  before(async () => {
    visited = await visit();
  });
  after(() => visited?.server.close().catch(() => {})); // a test may have closed it

  const names = () => visited.page.evaluate(() => caches.keys());

  test("a page is served in its newest version", async () => {
    const { page } = visited;
    const path = join(trial.outDir, "trial/index.html");
    const html = await readFile(path, "utf8");
    try {
      await writeFile(path, html.replace("<title>Trial</title>", "<title>Newer</title>"));
      await page.reload();
      assert.equal(await page.title(), "Newer");
    } finally {
      await writeFile(path, html);
    }
  });

  test("during an update no page of a captive portal is cached for a file", async () => {
    const { page } = visited;
    const icon = join(trial.outDir, "icon.svg");
    const path = join(trial.outDir, "service-worker.js");
    const [drawn, text] = await Promise.all([readFile(icon), worker()]);
    const [before, ...others] = await names();
    assert.deepEqual(others, []);
    await page.evaluate(() => caches.open("someone else's"));
    const kept = () =>
      page.evaluate(async () => {
        const texts = [];
        for (const name of await caches.keys()) {
          const cache = await caches.open(name);
          const answer = await cache.match(new URL("../icon.svg", location.href).href);
          if (answer) texts.push(await answer.text());
        }
        return texts;
      });
    await writeFile(path, text.replace(/VERSION = "\w+"/, 'VERSION = "next"'));
    await writeFile(icon, "<title>PORTAL</title>");
    const state = await page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      const found = new Promise((pass) => (registration.onupdatefound = pass));
      await Promise.all([found, registration.update().catch(() => {})]);
      const worker = registration.installing ?? registration.waiting;
      if (worker?.state === "installing")
        await new Promise((pass) => (worker.onstatechange = pass));
      return worker?.state ?? "redundant";
    });
    assert.equal(state, "redundant");
    assert.deepEqual(new Set(await kept()), new Set([String(drawn)]));
    await page.reload();
    assert.ok((await names()).includes(before));

    await writeFile(icon, drawn);
    // An update that the browser has begun by itself may have met the portal: ask until the new version waits.
    const waits = () =>
      page.evaluate(async () => {
        const registration = await navigator.serviceWorker.ready;
        if (!registration.installing) await registration.update().catch(() => {});
        return registration.waiting !== null;
      });
    await until(waits, "the new version waits");
    assert.deepEqual(new Set(await kept()), new Set([String(drawn)]));
  });

  test("a new version replaces the old one, whose files are removed", async () => {
    const { page, problems, server } = visited;
    const before = await names();
    assert.equal(before.length, 3); // the open page still has its own
    const watcher = await beside(page);
    await page.goto("about:blank"); // the last page of the old version goes
    const keys = () => watcher.evaluate(() => caches.keys());
    await until(async () => (await keys()).length === 2, "the files of the old version go");
    const after = await keys();
    assert.ok(after.includes("someone else's") && after.some((name) => name.endsWith(" next")));
    await page.goto(`${server.url}trial/`);
    await page.waitForFunction(() => navigator.serviceWorker.controller?.state === "activated");
    await server.close();
    await page.reload();
    assert.equal(await page.title(), "Trial");
    assert.deepEqual(problems.filter(isOurs), []);
  });
});

/** A page of the same site that no service worker answers, so that a new one need not wait for it. @param {Page} page */
async function beside(page) {
  const other = await page.context().newPage();
  const session = await page.context().newCDPSession(other);
  await session.send("Network.enable");
  await session.send("Network.setBypassServiceWorker", { bypass: true });
  await other.goto(page.url());
  assert.equal(await other.evaluate(() => navigator.serviceWorker.controller), null);
  return other;
}

describe("offline: without a network, after a first visit and an update", () => {
  before(async () => {
    await assert.rejects(fetch(visited.server.url));
    visited.problems.length = 0;
  });

  test("every page opens", async () => {
    const { page, problems, server } = visited;
    const pages = (await files()).filter((name) => name === "" || name.endsWith("/"));
    const titles = await Promise.all(
      pages.map(async (name) =>
        titleIn(await readFile(join(trial.outDir, name, "index.html"), "utf8")),
      ),
    );
    assert.equal(new Set(titles).size, pages.length);
    /** The titles of the documents at these addresses, which the service worker takes from what it keeps. */
    const documents = async (/** @type {string[]} */ addresses) => {
      const given = await page.evaluate(
        (urls) => Promise.all(urls.map(async (url) => (await fetch(url)).text())),
        addresses.map((address) => server.url + address),
      );
      return given.map(titleIn);
    };
    for (const suffix of ["", "index.html", "?from=link#text=cat"]) {
      assert.deepEqual(await documents(pages.map((name) => name + suffix)), titles, suffix);
    }
    // The pages that stand for others, at night all, are loaded with all that they consist of.
    for (const [i, name] of pages.entries()) {
      if (!isSweep && !isExample(name)) continue;
      await page.goto(server.url + name);
      assert.equal(await page.title(), titles[i], name);
    }
    for (const address of ["lessons/rope/index.html", "lessons/rope/?from=link#text=cat"]) {
      await page.goto(server.url + address);
      assert.equal(await page.title(), titles[pages.indexOf("lessons/rope/")], address);
    }
    await page.goto(`${server.url}trial`); // a folder without its slash
    assert.equal(page.url(), `${server.url}trial/`);
    await page.goto(server.url);
    await page.waitForFunction(() => document.querySelector("#code-lines")?.textContent !== "");
    assert.deepEqual(problems, []);
  });

  test("workers and readers' programs run", async () => {
    const { page, problems, server } = visited;
    await page.goto(`${server.url}trial/`);
    await page.waitForFunction(() => "runnable" in globalThis);
    const shape = await page.evaluate(async () => {
      const { near, work } = /** @type {any} */ (globalThis);
      const found = await near({ data: Float32Array.of(0, 1, 2, 4, 5, 3, 7, 1), shape: [4, 2] });
      return [...found.ids.shape, (await work("umap", found)).places.length];
    });
    assert.deepEqual(shape, [4, 3, 8]);

    await page.evaluate(() => {
      const code = `import { load } from "phasor";
      const { sinusoidal } = await load();
      display(sinusoidal.table(1, 2));
      const shut = (what) => { try { what(); return "open"; } catch { return "shut"; } };
      display(self.origin);
      display(shut(() => parent.document.title));
      display(shut(() => localStorage.length));`;
      const { runnable } = /** @type {any} */ (globalThis);
      runnable(document.querySelector("#place"), { code, label: "A table" }).run();
    });
    await page.waitForFunction(() =>
      /Ended|could not/.test(String(document.querySelector(".runnable")?.textContent)),
    );
    const lines = await page.frameLocator("iframe").locator("pre").allTextContents();
    assert.deepEqual(lines, ["[[0. 1.]]", "null", "shut", "shut"]);
    assert.deepEqual(problems.filter(isOurs), []);
  });

  test("a range of a file is answered with that range", async () => {
    const { page, server } = visited;
    const name = (await files()).find((file) => /minilm.*\.safetensors$/.test(file)) ?? "";
    const whole = new Uint8Array(await readFile(join(trial.outDir, name)));
    const ask = (/** @type {string} */ range) =>
      page.evaluate(
        async ([url, Range]) => {
          const answer = await fetch(url, { headers: { Range } });
          const { status, headers } = answer;
          const bytes = Array.from(new Uint8Array(await answer.arrayBuffer()));
          return { status, range: headers.get("content-range"), bytes };
        },
        [server.url + name, range],
      );
    const of = whole.length;
    assert.deepEqual(await ask("bytes=1000-1009"), {
      ...{ status: 206, range: `bytes 1000-1009/${of}` },
      bytes: [...whole.subarray(1000, 1010)],
    });
    const last = await ask(`bytes=${of - 5}-${of + 100}`);
    assert.deepEqual([last.status, last.bytes], [206, [...whole.subarray(-5)]]);
    assert.equal((await ask(`bytes=${of}-${of}`)).status, 416);
  });
});

test("offline: the manifest names an icon that is there, and every page names the manifest", async () => {
  for (const name of (await files()).filter((name) => name === "" || name === "trial/")) {
    const { document } = parseHTML(await (await fetch(trial.server.url + name)).text());
    const href = document.querySelector("link[rel=manifest]")?.getAttribute("href") ?? "";
    const manifest = new URL(href, trial.server.url + name).href;
    assert.equal(manifest, `${trial.server.url}manifest.webmanifest`);
    const { icons, start_url } = await (await fetch(manifest)).json();
    assert.equal(new URL(start_url, manifest).href, trial.server.url);
    for (const { src } of icons) assert.equal((await fetch(new URL(src, manifest))).status, 200);
  }
});
