import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { serve } from "../../scripts/serve.js";
import { isAlike } from "./pages.js";
import { openTrial } from "./trial.js";
import { until } from "../until.js";

/** @typedef {import("playwright-core").Page} Page */

/** @type {Awaited<ReturnType<typeof openTrial>>} */
let trial;
/** @type {Awaited<ReturnType<typeof serve>>} */
let server;

before(async () => {
  trial = await openTrial("offline");
});

beforeEach(async () => {
  server = await serve(trial.outDir);
});

afterEach(async () => {
  await server?.close().catch(() => {}); // the test may have done so
});

after(async () => {
  await trial?.close();
});

const worker = () => readFile(join(trial.outDir, "service-worker.js"), "utf8");

/** All addresses that the service worker keeps. @returns {Promise<string[]>} */
async function files() {
  return Object.keys(await digests());
}

/** The digests that it knows of them. @returns {Promise<Record<string, string>>} */
async function digests() {
  return JSON.parse(/FILES = (\{.*\});/.exec(await worker())?.[1] ?? "");
}

/** A first visit, until everything is kept. */
async function visit() {
  const { page, problems } = await trial.browser.newPage({ serviceWorkers: "allow" });
  await page.goto(`${server.url}trial/`);
  await page.waitForFunction(() => "keepOffline" in globalThis);
  await page.evaluate(async () => {
    /** @type {any} */ (globalThis).keepOffline();
    await navigator.serviceWorker.ready;
    while (!navigator.serviceWorker.controller) await new Promise((next) => setTimeout(next, 20));
  });
  return { page, problems };
}

/**
 * Not what the browser says of a closed server by itself: of a frame that no service worker was
 * asked for, of an update that it looks for after a page has loaded.
 *
 * @param {string} problem
 */
const isOurs = (problem) => !problem.includes("ERR_CONNECTION_REFUSED");

test("offline: every file of the site is kept but maps, and the pages among them", async () => {
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
    const answer = await fetch(server.url + name);
    assert.equal(answer.status, 200, name);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    assert.equal(`sha256-${createHash("sha256").update(bytes).digest("base64")}`, digest, name);
  }
});

test("offline: during an update no page of a portal is kept for a file", async () => {
  const { page } = await visit();
  const icon = join(trial.outDir, "icon.svg");
  const path = join(trial.outDir, "service-worker.js");
  const [drawn, text] = await Promise.all([readFile(icon), worker()]);
  const [before] = await page.evaluate(() => caches.keys());
  /** Asks for the new version; "installed" or "redundant". */
  const update = () =>
    page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      const found = new Promise((pass) => (registration.onupdatefound = pass));
      await Promise.all([found, registration.update().catch(() => {})]);
      const worker = registration.installing ?? registration.waiting;
      while (worker?.state === "installing") await new Promise((next) => setTimeout(next, 20));
      return worker?.state ?? "redundant";
    });
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
  try {
    await writeFile(path, text.replace(/VERSION = "\w+"/, 'VERSION = "next"'));
    await writeFile(icon, "<title>PORTAL</title>");
    assert.equal(await update(), "redundant");
    assert.deepEqual(new Set(await kept()), new Set([String(drawn)]));
    await page.reload();
    assert.ok((await page.evaluate(() => caches.keys())).includes(before));

    await writeFile(icon, drawn);
    assert.equal(await update(), "installed");
    assert.deepEqual(new Set(await kept()), new Set([String(drawn)]));
  } finally {
    await Promise.all([writeFile(icon, drawn), writeFile(path, text)]);
  }
});

/** The title that a document says. @param {string} html */
function titleIn(html) {
  const [, title] = /<title>(.*)<\/title>/.exec(html) ?? [];
  return title.replaceAll("&amp;", "&");
}

/** The title of a page as the server has it. @param {string} url */
const titleOf = async (url) => titleIn(await (await fetch(url)).text());

test("offline: after the first visit every page opens without a server", async () => {
  const { page, problems } = await visit();
  const pages = (await files()).filter((name) => name === "" || name.endsWith("/"));
  const titles = await Promise.all(pages.map((name) => titleOf(server.url + name)));
  assert.equal(new Set(titles).size, pages.length);
  await server.close();
  await assert.rejects(fetch(server.url));
  for (const [i, name] of pages.entries()) {
    await page.goto(server.url + name);
    assert.equal(await page.title(), titles[i], name);
    const others = isAlike(name) ? [] : [`${name}index.html`, `${name}?from=link#text=cat`];
    for (const address of others) {
      // The document is that of the page, whose other files have just been loaded.
      const answer = await page.goto(server.url + address, { waitUntil: "commit" });
      assert.equal(titleIn(String(await answer?.text())), titles[i], address);
    }
  }
  await page.goto(`${server.url}trial`); // a folder without its slash
  assert.equal(page.url(), `${server.url}trial/`);
  await page.goto(server.url);
  await page.waitForFunction(() => document.querySelector("#code-lines")?.textContent !== "");
  assert.deepEqual(problems, []);
});

test("offline: a range of a file is answered with that range", async () => {
  const { page } = await visit();
  const name = (await files()).find((file) => /minilm.*\.safetensors$/.test(file)) ?? "";
  const whole = new Uint8Array(await (await fetch(server.url + name)).arrayBuffer());
  await server.close();
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

test("offline: workers and readers' programs run without a server too", async () => {
  const { page, problems } = await visit();
  await server.close();
  await page.reload();
  await page.waitForFunction(() => "runnable" in globalThis);
  const shape = await page.evaluate(async () => {
    const { work } = /** @type {any} */ (globalThis);
    const points = { data: Float32Array.of(0, 1, 2, 4), shape: [2, 2] };
    return (await work("pca", { points })).projected.shape;
  });
  assert.deepEqual(shape, [2, 2]);

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

test("offline: a new version takes the place of the old one, whose files go", async () => {
  const { page, problems } = await visit();
  const names = () => page.evaluate(() => caches.keys());
  const [before, ...others] = await names();
  assert.deepEqual(others, []);
  await page.evaluate(() => caches.open("someone else's"));

  const path = join(trial.outDir, "service-worker.js");
  const text = await worker();
  try {
    await writeFile(path, text.replace(/VERSION = "\w+"/, 'VERSION = "next"'));
    // An update that the browser has begun by itself may have read the old text: ask until it waits.
    const waits = () =>
      page.evaluate(async () => {
        const registration = await navigator.serviceWorker.ready;
        if (!registration.installing) await registration.update().catch(() => {});
        return registration.waiting !== null;
      });
    await until(waits, "the new version waits");
    assert.equal((await names()).length, 3); // the open page still has its own
    let rest = 0;
    await until(async () => {
      await page.goto("about:blank"); // the last page of the old version goes
      await pause((rest += 100)); // its worker may still have to answer it
      await page.goto(`${server.url}trial/`);
      return (await names()).length === 2;
    }, "the files of the old version go");
    const after = await names();
    assert.ok(!after.includes(before) && after.some((name) => name.endsWith(" next")));
    await until(
      () => page.evaluate(() => navigator.serviceWorker.controller?.state === "activated"),
      "the new version answers the page",
    );
    await server.close();
    await page.reload();
    assert.equal(await page.title(), "Trial");
    assert.deepEqual(problems.filter(isOurs), []);
  } finally {
    await writeFile(path, text);
  }
});

test("offline: a page is the newest there is, while there is a network", async () => {
  const { page } = await visit();
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

test("offline: the manifest names an icon that is there, and every page names the manifest", async () => {
  const { page } = await trial.browser.newPage();
  for (const name of (await files()).filter((name) => name === "" || name === "trial/")) {
    await page.goto(server.url + name);
    const manifest = await page.locator("link[rel=manifest]").evaluate((link) => {
      return /** @type {HTMLLinkElement} */ (link).href;
    });
    assert.equal(manifest, `${server.url}manifest.webmanifest`);
    const { icons, start_url } = await (await fetch(manifest)).json();
    assert.equal(new URL(start_url, manifest).href, server.url);
    for (const { src } of icons) assert.equal((await fetch(new URL(src, manifest))).status, 200);
  }
});
