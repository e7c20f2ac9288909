// phasor/files reads a model hub across origins, in Chromium, under a strict policy.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { serve } from "../../scripts/site/serve.js";
import { project } from "../../scripts/setup/setup.js";
import { serveHub } from "../unit/files/hub.js";
import { planted } from "../unit/files/planted.js";
import { until } from "../until.js";
import { openBrowser } from "./browser.js";

const NAME = "openai-community/gpt2";
const gpt2 = planted();
const SMALL = "o/small";
const small = planted({ vocabulary: 9000, positions: 0 }); // 26.4 MiB: three pieces of 8 and one of 2.4

const browser = await openBrowser();
const hub = await serveHub({
  [SMALL]: { files: { "model.safetensors": small } },
  [NAME]: { files: { "config.json": JSON.stringify(gpt2.config), "model.safetensors": gpt2 } },
});
const folder = await mkdtemp(join(tmpdir(), "phasor-hub-"));
await cp(join(project, "dist/files.js"), join(folder, "files.js"));
const icon = '<link rel="icon" href="data:,">';
await writeFile(join(folder, "index.html"), `<!doctype html><title>hub</title>${icon}`);

beforeEach(() => {
  hub.asked.length = 0;
});

after(async () => {
  await browser.close();
  await hub.close();
  await rm(folder, { recursive: true, force: true });
});

/** A page of a third origin that may connect to these. @param {string[]} connect */
async function visit(...connect) {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "img-src data:",
    `connect-src ${connect.join(" ")}`,
    "require-trusted-types-for 'script'",
  ].join("; ");
  const server = await serve(folder, { headers: { "Content-Security-Policy": policy } });
  const { page, problems } = await browser.newPage();
  await page.goto(server.url);
  return { page, problems, close: server.close };
}

/**
 * Runs in the page: look the model up, and read these rows of its words.
 * @param {{name: string, base: string, origins: string[], ids: number[]}} wish
 */
async function readRows({ name, base, origins, ids }) {
  const address = new URL("files.js", location.href).href;
  const { hub, safetensors } = await import(address);
  const model = await hub(name, { base, origins });
  const config = JSON.parse(await model.text("config.json"));
  const source = await model.open("model.safetensors");
  const opened = source.requests;
  const file = await safetensors.read(source);
  const rows = await file.rows("wte.weight", ids);
  const { size, etag, requests, bytesRead: bytes } = source;
  return { config, data: [...rows.data], size, etag, opened, requests, bytes };
}

/** How many pieces of files are kept, by the name of their cache. */
async function kept() {
  const names = await caches.keys();
  const sizes = await Promise.all(
    names.map(async (name) => (await (await caches.open(name)).keys()).length),
  );
  return Object.fromEntries(names.map((name, i) => [name, sizes[i]]));
}

const ids = [7575, 17_607, 13]; // GPT-2's of "Time flies."; row 13 is among the first bytes
const wish = () => ({ name: NAME, base: hub.url, origins: [hub.store], ids });
const expected = (/** @type {ReturnType<typeof planted>} */ model) =>
  ids.flatMap((id) => [...model.row(id)]);

test("hub: a page reads rows across two origins, without an OPTIONS", async () => {
  const { page, problems, close } = await visit(hub.url, hub.store);
  try {
    const found = await page.evaluate(readRows, wish());
    assert.deepEqual(found.data, expected(gpt2));
    assert.deepEqual(found.config, gpt2.config);
    assert.deepEqual([found.size, found.etag], [gpt2.size, gpt2.etag]);
    assert.ok(found.requests <= 4, `${found.requests} requests`);
    assert.ok(found.bytes < 100_000, `${found.bytes} bytes`);
    assert.deepEqual(
      hub.asked.filter(({ method }) => method !== "GET"),
      [],
    );
    const ranges = hub.asked.filter(({ of }) => of === "store").map(({ range }) => range);
    assert.equal(ranges.length, found.requests);
    for (const range of ranges) assert.match(String(range), /^bytes=\d+-\d+$/);
    assert.deepEqual(problems, []);
  } finally {
    await close();
  }
});

test("hub: bytes that were read are in Cache Storage when the page is opened again, unless the file changed", async () => {
  const { page, problems, close } = await visit(hub.url, hub.store);
  try {
    const first = await page.evaluate(readRows, wish());
    assert.equal(first.requests, 1 + 2);
    const stored = async (/** @type {string} */ etag) => {
      let stored = "";
      await until(async () => {
        const [[name, count] = ["", 0], ...others] = Object.entries(await page.evaluate(kept));
        stored = name;
        return name.endsWith(etag) && count === 2 && others.length === 0;
      }, `two pieces of ${etag} are kept, and nothing else`);
      return stored;
    };
    assert.match(await stored(gpt2.etag), /^phasor http:\S+\/model\.safetensors "[0-9a-f]+"$/);

    await page.reload();
    const second = await page.evaluate(readRows, wish());
    assert.deepEqual(second.data, expected(gpt2));
    assert.deepEqual([second.opened, second.requests], [1, 1]);

    const other = planted({ positions: 512 });
    hub.put(NAME, "model.safetensors", other);
    await page.reload();
    const third = await page.evaluate(readRows, wish());
    assert.deepEqual(third.data, expected(other));
    assert.equal(third.requests, 1 + 2);
    await stored(other.etag);
    assert.deepEqual(problems, []);
  } finally {
    hub.put(NAME, "model.safetensors", gpt2);
    await close();
  }
});

/**
 * Runs in the page: take a whole file as it comes, or up to some bytes of it.
 * @param {{name: string, base: string, origins: string[], upTo: number}} wish
 */
async function takeAll({ name, base, origins, upTo }) {
  const address = new URL("files.js", location.href).href;
  const { hub } = await import(address);
  const source = await (await hub(name, { base, origins })).open("model.safetensors");
  const all = new Uint8Array(source.size);
  const stop = new AbortController();
  const use = (/** @type {Uint8Array} */ chunk, /** @type {number} */ at) => all.set(chunk, at);
  const progress = (/** @type {number} */ done) => {
    if (done > upTo) stop.abort(new Error("enough"));
  };
  const end = await source
    .slice()
    .each(use, { progress, signal: stop.signal })
    .then(
      () => "all",
      (/** @type {Error} */ { message }) => message,
    );
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", all));
  return { end, digest: [...digest], requests: source.requests };
}

/** Runs in the page: forget one kept piece. @param {string} end  of its address */
async function forget(end) {
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const { url } of await cache.keys()) if (url.endsWith(end)) await cache.delete(url);
  }
}

test("hub: a stream is cached piece by piece, and only missing pieces are read again", async () => {
  const { page, problems, close } = await visit(hub.url, hub.store);
  const MIB = 2 ** 20;
  const expected = [...createHash("sha256").update(small.bytes(0, small.size)).digest()];
  const take = async (upTo = Infinity) => {
    hub.asked.length = 0;
    const wish = { name: SMALL, base: hub.url, origins: [hub.store], upTo };
    const found = await page.evaluate(takeAll, wish);
    const ranges = hub.asked.filter(({ of }) => of === "store").map(({ range }) => range);
    return { ...found, later: ranges.slice(1) }; // the first opens the file
  };
  try {
    const stopped = await take(20 * MIB);
    assert.equal(stopped.end, "enough");
    const stored = Object.values(await page.evaluate(kept));
    assert.deepEqual(stored, [2], "two whole pieces had come");

    await page.reload();
    const second = await take();
    assert.deepEqual(second.digest, expected);
    assert.deepEqual(second.later, [`bytes=${16 * MIB}-${small.size - 1}`]);

    await page.reload();
    const third = await take();
    assert.deepEqual(third.digest, expected);
    assert.deepEqual([third.requests, third.later], [1, []]);

    await page.evaluate(forget, `${8 * MIB}-${16 * MIB}`);
    await page.reload();
    const fourth = await take();
    assert.deepEqual(fourth.digest, expected);
    assert.deepEqual(fourth.later, [`bytes=${8 * MIB}-${16 * MIB - 1}`]);
    assert.deepEqual(problems, []);
  } finally {
    await close();
  }
});

test("hub: a policy without the hub's storage host blocks the read, with a typed error", async () => {
  const { page, problems, close } = await visit(hub.url);
  try {
    const failure = await page.evaluate(
      `(${readRows})(${JSON.stringify(wish())}).catch(({ name, code }) => [name, code])`,
    );
    assert.deepEqual(failure, ["RemoteError", "REMOTE_NETWORK"]);
    assert.match(problems.join("\n"), /violates .* "connect-src /);
  } finally {
    await close();
  }
});
