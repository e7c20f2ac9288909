// The whole site as a ZIP file, for a classroom without a network: what it contains, and that it runs from any static server.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { buildPage, page as built } from "../../scripts/site/page.js";
import { setup } from "../../scripts/setup/setup.js";
import { readDirectory, unpack } from "../../src/files/npz/zip.js";
import { ARCHIVE } from "../../web/vite/archive.js";
import { openBrowser } from "./browser.js";
import { settled } from "./pages.js";

await buildPage(await setup(["packages"]));
const browser = await openBrowser();

after(() => browser.close());

/** The files of the archive, by name; a reader of the package checks their lengths and sums. */
async function unpacked() {
  const archive = readFileSync(join(built, ARCHIVE));
  const bytes = /** @type {import("../../src/files/bytes.js").Bytes} */ (
    /** @type {unknown} */ ({
      size: archive.length,
      read: async (/** @type {number} */ from, /** @type {number} */ to) =>
        Uint8Array.from(archive.subarray(from, to)),
      each: async (
        /** @type {number} */ from,
        /** @type {number} */ to,
        /** @type {(chunk: Uint8Array) => Promise<void>} */ use,
      ) => use(Uint8Array.from(archive.subarray(from, to))),
    })
  );
  /** @type {Map<string, Buffer>} */
  const files = new Map();
  for (const member of await readDirectory(bytes, {})) {
    const file = Buffer.alloc(member.size);
    await unpack(bytes, member, (chunk, at) => void file.set(chunk, at), {});
    files.set(member.name, file);
  }
  return files;
}

const files = await unpacked();

test("the archive has every published file, and says how to serve them", () => {
  const names = readdirSync(built, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(built, name)).isFile())
    .filter((name) => !name.endsWith(".map") && name !== ARCHIVE);
  assert.deepEqual([...files.keys()].sort(), [...names, "README.txt"].sort());
  for (const name of names)
    assert.ok(files.get(name)?.equals(readFileSync(join(built, name))), name);
  assert.match(String(files.get("README.txt")), /python3 -m http\.server 8000/);
});

test("the page for teachers shows the archive's size; offline use caches the page, not the archive", () => {
  const page = String(files.get("teaching/index.html"));
  const megabytes = Math.round(statSync(join(built, ARCHIVE)).size / 1e6);
  assert.match(page, new RegExp(`data-archive-size[^>]*>${megabytes} MB<`));
  const list = JSON.parse(
    /FILES = (\{.*\});/.exec(String(files.get("service-worker.js")))?.[1] ?? "",
  );
  const digest = createHash("sha256").update(page).digest("base64");
  assert.equal(list["teaching/"], `sha256-${digest}`);
  assert.equal(list[ARCHIVE], undefined);
});

test("a lesson, its programs and the playground run from a plain static file server", async () => {
  /** @type {Record<string, string>} */
  const types = {
    ...{ ".html": "text/html", ".css": "text/css", ".wasm": "application/wasm" },
    ...{ ".js": "text/javascript", ".json": "application/json", ".svg": "image/svg+xml" },
  };
  const server = createServer(({ url = "/" }, response) => {
    const path = url.split("?")[0].slice(1);
    const name = path === "" || path.endsWith("/") ? `${path}index.html` : path;
    const file = files.get(name);
    response
      .writeHead(file ? 200 : 404, { "Content-Type": types[extname(name)] ?? "text/plain" })
      .end(file);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", () => listening(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const { page, problems } = await browser.newPage();
  await page.goto(`http://127.0.0.1:${port}/lessons/sinusoidal/`);
  await settled(page);
  assert.ok((await page.locator(".phasor-figure").count()) > 3);
  const code = page.locator(".code-fold").first();
  await code.locator("summary").click();
  await code.getByRole("button", { name: "Run" }).click();
  await code.locator("iframe").contentFrame().locator(".phasor-figure").waitFor();
  await page.goto(`http://127.0.0.1:${port}/playground/`);
  await settled(page);
  assert.ok(await page.locator(".phasor-figure").first().isVisible());
  assert.deepEqual(problems, []);
  await page.context().close();
  server.close();
});

test("a page that is opened by a double click says that it needs a server", async () => {
  const { page } = await browser.newPage();
  await page.goto(pathToFileURL(join(built, "index.html")).href);
  const words = "This page needs a server: see README.txt.";
  assert.ok((await page.locator("body").innerText()).startsWith(words));
  await page.context().close();
});
