// Firefox reads a model of a hub across origins: ranges, redirections, what it keeps, and how it stops. firefox.test.js
// runs these tests.

import assert from "node:assert/strict";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { serve } from "../../scripts/site/serve.js";
import { project } from "../../scripts/setup/setup.js";
import { serveHub } from "../unit/files/hub.js";
import { planted } from "../unit/files/planted.js";
import { atNight } from "../sample.js";
import { until } from "../until.js";
import { browser } from "./firefox.js";

const NAME = "openai-community/gpt2";
const gpt2 = planted();
const ids = [7575, 17_607, 13]; // GPT-2's of "Time flies."; row 13 is among the first bytes

/** @type {Awaited<ReturnType<typeof serveHub>>} */
let hub;
/** @type {Awaited<ReturnType<typeof serve>>} */
let server;
/** @type {string} */
let folder;

before(async () => {
  hub = await serveHub({
    [NAME]: {
      was: "gpt2",
      files: { "config.json": JSON.stringify(gpt2.config), "model.safetensors": gpt2 },
    },
  });
  folder = await mkdtemp(join(tmpdir(), "phasor-firefox-"));
  for (const name of ["index.js", "models.js", "open.js"]) {
    await cp(join(project, "dist", name), join(folder, name));
  }
  const icon = '<link rel="icon" href="data:,">';
  await writeFile(join(folder, "index.html"), `<!doctype html><title>hub</title>${icon}`);
  server = await serve(folder, { headers: { "Content-Security-Policy": "" } }); // none
});

beforeEach(() => {
  hub.asked.length = 0;
});

after(async () => {
  await server?.close();
  await hub?.close();
  await rm(folder, { recursive: true, force: true });
});

/** A page of a third origin. */
async function visit() {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  /** @type {string[]} */
  const problems = [];
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`exception: ${error}`));
  await page.goto(server.url);
  return { page, problems, close: () => context.close() };
}

const wish = () => ({ name: NAME, base: hub.url, origins: [hub.store], ids });

/** What was asked of the store, where each request is one of a range. */
const ranges = () => hub.asked.filter(({ of }) => of === "store").map(({ range }) => range);

/**
 * Runs in the page: the rows of a sentence.
 * @param {{name: string, base: string, origins: string[], ids: number[]}} wish
 */
async function readRows({ name, base, origins, ids }) {
  const address = new URL("open.js", location.href).href;
  const { open } = await import(address);
  const model = await open(name, { base, origins });
  const opened = { requests: model.requests };
  const rows = await model.wordEmbeddings.rows(ids);
  const x = await model.embed(ids);
  const { scheme } = model.config.positions;
  return {
    data: [...rows.data],
    x: [...x.data],
    opened,
    requests: model.requests,
    bytesRead: model.bytesRead,
    scheme,
  };
}

/** Runs in the page: how many pieces of files are kept. */
async function kept() {
  const names = await caches.keys();
  const sizes = names.map(async (name) => (await (await caches.open(name)).keys()).length);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

test("Firefox: a page opens a model of a hub and reads the rows of a sentence, by ranges across origins", async () => {
  const { page, problems, close } = await visit();
  const found = await page.evaluate(readRows, wish());
  assert.deepEqual(
    found.data,
    ids.flatMap((id) => [...gpt2.row(id)]),
  );
  assert.deepEqual(
    found.x,
    ids.flatMap((id, t) => [...gpt2.row(id).map((value, d) => value + gpt2.position(t)[d])]),
  );
  assert.equal(found.scheme, "learnedPositions");
  assert.equal(found.opened.requests, 3, "the list, config.json, the header");
  assert.equal(found.requests, 3 + 2 + 1, "two runs of words, one of positions");
  assert.ok(found.bytesRead < 100_000, `${found.bytesRead} bytes`);
  assert.ok(
    hub.asked.every(({ method }) => method === "GET"),
    "no OPTIONS",
  );
  assert.equal(ranges().length, 1 + 2 + 1);
  for (const range of ranges()) assert.match(String(range), /^bytes=\d+-\d+$/);
  assert.deepEqual(problems, []);
  await close();
});

test("Firefox: bytes that were read are cached, and used when the page is opened again", async () => {
  const { page, problems, close } = await visit();
  const first = await page.evaluate(readRows, wish());
  await until(async () => (await page.evaluate(kept)) >= 3, "three pieces are kept");
  await page.reload();
  const second = await page.evaluate(readRows, wish());
  assert.deepEqual(second.data, first.data);
  assert.equal(second.requests, 3, "none beside those that open it");
  assert.deepEqual(problems, []);
  await close();
});

/**
 * Runs in the page: load the whole table, but stop in the middle; then look how it goes on.
 * @param {{name: string, base: string, origins: string[]}} wish
 */
async function stopAndLoad({ name, base, origins }) {
  const address = new URL("open.js", location.href).href;
  const { open } = await import(address);
  const model = await open(name, { base, origins });
  const stop = new AbortController();
  let came = 0;
  const progress = (/** @type {number} */ done) => {
    came = done;
    if (done > 50e6) stop.abort(new Error("enough"));
  };
  const reason = await model.wordEmbeddings
    .load({ signal: stop.signal, progress })
    .catch((/** @type {Error} */ { message }) => message);
  const { requests } = model;
  const words = await model.explore({ dtype: "int8" });
  const near = words.nearest(1234, { k: 7 });
  return {
    ...{ reason, came, more: model.requests - requests },
    ids: near.map((/** @type {{id: number}} */ { id }) => id),
  };
}

test(
  "Firefox: an aborted table rejects with the reason, and the next read continues from the cache",
  atNight,
  async () => {
    const { page, problems, close } = await visit();
    const found = await page.evaluate(stopAndLoad, wish());
    assert.equal(found.reason, "enough");
    assert.ok(found.came < 80e6, `${found.came} bytes had come`);
    assert.deepEqual(
      found.ids,
      gpt2.neighbors(1234).map(({ id }) => id),
    );
    const header = gpt2.size - 4 * 768 * (50_257 + 1024);
    const again = ranges().filter((range) => range?.startsWith(`bytes=${header}-`));
    assert.equal(again.length, 1, "the beginning is read once");
    assert.ok(found.more <= 5, `${found.more} requests`);
    assert.deepEqual(problems, []);
    await close();
  },
);
