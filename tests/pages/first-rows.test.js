// The word explorer begins with the first rows of GloVe's table: what it transfers until then, what it says of them, and
// that nothing of them is left once all rows are there.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { load } from "phasor";
import { safetensors } from "phasor/files";
import { project } from "../../scripts/setup/setup.js";
import { until } from "../until.js";
import { put } from "./controls.js";
import { setHash, settled } from "./pages.js";
import { openSite } from "./open-site.js";
import { serveBuild } from "./site.js";
import { transferOf } from "./transfer.js";

/** @typedef {import("playwright-core").Page} Page */

const { server, browser } = await openSite(serveBuild);
const address = `${server.url}page/explorer/`;
const TABLE = "**/glove-10k-100d*";

const { nearest } = await load();
const data = (/** @type {string} */ name) => readFile(join(project, "web/data", name));
const bytes = await data("glove-10k-100d.safetensors");
const file = await safetensors.read(bytes);
const vectors = await file.tensor("embedding.weight", { scale: "embedding.scale" });
const words = String(await data("glove-10k-words.txt"))
  .trimEnd()
  .split("\n");

/** The words nearest to one among the first rows. @param {string} word @param {number} [rows] */
function near(word, rows = words.length) {
  const id = words.indexOf(word);
  const found = nearest(vectors.slice(0, rows), vectors.row(id), { k: 10, exclude: id });
  return Array.from(found.ids.data, (id) => words[id]);
}

/** @param {Page} page @param {string} id */
const text = (page, id) => page.locator(`#${id}`).innerText();
/** @param {Page} page @param {string} id */
const listed = (page, id) => page.locator(`#${id} > li button`).allInnerTexts();
/** @param {Page} page */
const title = (page) => page.locator("#map .phasor-title").innerText();

/** Requests of the table before the other rows are asked for: the header with the scales, and the first rows. */
const BEGINNING = 2;

/**
 * The page whose requests for the other rows wait.
 * @param {string} hash @param {"abort" | "continue"} end  what becomes of them
 */
async function held(hash, end) {
  const { page } = visit;
  let release = () => {};
  const released = new Promise((go) => (release = () => go(undefined)));
  let requests = 0;
  await page.unroute(TABLE);
  await page.route(TABLE, async (route) => {
    requests += 1;
    if (requests > BEGINNING) await released;
    await (requests > BEGINNING ? route[end]() : route.continue());
  });
  await page.goto("about:blank"); // else another hash would be no new visit
  await page.goto(`${address}${hash}`);
  return { ...visit, release, hasAsked: () => requests > BEGINNING };
}

/** Marks when the nearest words are there, and adds up how far what is seen moves by itself. */
const watch = `
  new MutationObserver((_, self) => {
    if (!document.querySelector("#near > li")) return;
    performance.mark("listed");
    self.disconnect();
  }).observe(document, { subtree: true, childList: true });
  globalThis.shift = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) shift += value;
  }).observe({ type: "layout-shift", buffered: true });`;

const visit = await browser.newPage({ viewport: { width: 1280, height: 900 }, scripts: [watch] });

test("half a megabyte is transferred before the nearest words are there, and the views come after them", async () => {
  const { page, problems } = visit; // nothing of the site is in its cache yet
  const { bytes, sooner, later } = await transferOf(page, address, "listed");
  const each = sooner.map(({ url, bytes }) => `${url.split("/").at(-1)}: ${bytes}`).join(", ");
  assert.ok(bytes > 300_000 && bytes <= 500_000, `${bytes} bytes until the answer: ${each}`);
  const rows = later.filter(({ url }) => /glove-.*\.safetensors/.test(url));
  const rest = rows.reduce((sum, { bytes }) => sum + bytes, 0);
  assert.ok(rest > 830_000 && rest < 840_000, `${rest} bytes of the other rows`);
  assert.deepEqual(problems, []);
});

test("the first words say that they are not all, and later ones are not called unknown", async () => {
  const { page, problems, release } = await held("", "continue");
  await until(
    async () => (await listed(page, "near")).length === 10,
    "the nearest words are there",
  );
  assert.equal(
    await text(page, "opened"),
    "GloVe: the 2,000 most frequent words of 100 numbers; 8,000 more are loading.",
  );
  assert.equal(await text(page, "near-title"), "Nearest of 2,000 by cosine");
  assert.deepEqual(await listed(page, "near"), near("king", 2000));
  assert.match(await text(page, "word-fact"), /number 641 of 10,000 by frequency/);
  assert.deepEqual(await listed(page, "answers"), [], "an analogy waits for all words");
  await page.locator("#map > figure").waitFor();
  assert.equal(await title(page), "2,000 words along components 1 and 2");
  await page.locator("#map > figure").evaluate((figure) => figure.setAttribute("data-first", ""));

  await put(page, "own", "cat flurble");
  await until(async () => (await text(page, "own-wrong")) !== "", "a complaint");
  assert.equal(await text(page, "own-wrong"), "Not among the 10,000 words: \u201cflurble\u201d.");
  await put(page, "own", "cat");
  await page.locator("#word").fill("flurble");
  await page.keyboard.press("Enter");
  const wrong = () => text(page, "word-wrong");
  await until(async () => /not among the 10,000 words/.test(await wrong()), "an unknown word");
  await page.locator("#word").fill("Cat");
  await page.keyboard.press("Enter");
  await until(async () => (await wrong()) === "", "no complaint");
  assert.equal(
    await page.locator("#word ~ .suggestions .note").innerText(),
    "\u201cCat\u201d is among the words that are not here yet.",
  );
  assert.deepEqual(await listed(page, "near"), near("king", 2000));

  release();
  await settled(page);
  assert.match(await text(page, "opened"), /^GloVe: 10,000 words of 100 numbers; it came/);
  assert.equal(await text(page, "near-title"), "Nearest words by cosine");
  assert.match(await text(page, "word-fact"), /\u201ccat\u201d is number 5,111 of 10,000/);
  assert.deepEqual(await listed(page, "near"), near("cat"));
  assert.equal((await listed(page, "answers")).length, 10);
  assert.equal(await title(page), "10,000 words along components 1 and 2");
  assert.equal(await page.locator("#map > figure[data-first]").count(), 1, "the same figure");
  for (const id of ["lengths", "ranks", "cosines"])
    assert.equal(await page.locator(`#${id} > figure`).count(), 1, id);
  assert.ok((await text(page, "map")).includes("your own"), "the reader's group has the word");
  assert.ok(await page.locator("#word ~ .suggestions").isHidden());
  const shift = await page.evaluate(() => /** @type {any} */ (globalThis).shift);
  assert.ok(shift <= 0.02, `shift ${shift}`);
  assert.deepEqual(problems, []);
});

test("a word of the address that is among the later ones is found once they are there", async () => {
  const { page, problems, release, hasAsked } = await held("#word=cat", "continue");
  await until(hasAsked, "the other rows are asked for");
  assert.equal(await text(page, "word-wrong"), "");
  assert.deepEqual(await listed(page, "near"), []);
  release();
  await settled(page);
  assert.deepEqual(await listed(page, "near"), near("cat"));
  assert.equal(await text(page, "word-wrong"), "");
  assert.deepEqual(problems, []);
});

test("a host without ranges sends all rows at once; where the others fail, the first ones stay", async () => {
  let requests = 0;
  await visit.page.unroute(TABLE);
  await visit.page.route(TABLE, async (route) => {
    requests += 1;
    await route.fulfill({ status: 200, body: bytes });
  });
  await visit.page.goto("about:blank"); // else another hash would be no new visit
  await visit.page.goto(address);
  await settled(visit.page);
  assert.equal(requests, 1);
  assert.match(await text(visit.page, "opened"), /^GloVe: 10,000 words/);
  assert.deepEqual(await listed(visit.page, "near"), near("king"));
  assert.deepEqual(visit.problems, []);

  const { page, release } = await held("", "abort");
  release();
  await settled(page);
  assert.match(
    await text(page, "opened"),
    /^GloVe: the 2,000 most frequent words .* The other 8,000 are not there: There is no answer from the network/,
  );
  assert.match(await page.locator(".analogies").innerText(), /There is no answer from the network/);
  await setHash(page, "#word=queen");
  assert.deepEqual(await listed(page, "near"), near("queen", 2000));
  assert.equal(await text(page, "near-title"), "Nearest of 2,000 by cosine");
});
