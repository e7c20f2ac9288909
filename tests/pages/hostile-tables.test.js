// Tables that a reader opens in the explorer and that cannot be shown in each view: nothing of GloVe stays under their name,
// and a sentence says why.

import assert from "node:assert/strict";
import { test } from "node:test";
import { npy } from "phasor/files";
import { sampled } from "../sample.js";
import { settled } from "./pages.js";
import { openSite } from "./open-site.js";
import { serveBuild } from "./site.js";

const { server, browser } = await openSite(serveBuild);
const { page, problems } = await browser.newPage({ viewport: { width: 1280, height: 900 } });

await page.goto(`${server.url}page/explorer/#show=table`);
await settled(page);

/** @param {string} name @param {string | Uint8Array} content */
async function open(name, content) {
  const buffer = Buffer.from(/** @type {string} */ (content));
  await page.setInputFiles("#files", { name, mimeType: "application/octet-stream", buffer });
  await settled(page);
}

/** @param {number} rows @param {number} columns @param {(at: number) => number} number */
const table = (rows, columns, number) =>
  npy.write({
    data: Float32Array.from({ length: rows * columns }, (_, at) => number(at)),
    shape: [rows, columns],
  });

/** @param {string} show */
async function choose(show) {
  await page.locator(`input[name="show"][value="${show}"]`).check({ force: true });
  await settled(page);
}

/** @param {string} place */
const text = async (place) => (await page.locator(place).innerText()).replace(/\s+/g, " ").trim();

/** What the page says that is no number or no sentence. */
const odd = async () =>
  (await text("main")).match(/\S+ \S* ?(?:undefined|\[object|must contain|0{12},?)\S*/g) ?? [];

test("numbers that are not finite have no views, which say why, and none shows the former words", async () => {
  const kinds = /** @type {const} */ ([
    ["nan", NaN],
    ["infinite", -Infinity],
  ]);
  for (const [name, number] of sampled(kinds, 0)) {
    // prettier-ignore
    await open(`${name}.npy`, table(40, 6, (at) => (at === 20 ? number : Math.sin(at))));
    assert.match(await text("#opened"), new RegExp(`^${name}\\.npy: 40 tokens of 6 numbers`));
    for (const show of ["table", "space", "umap", "map"]) {
      await choose(show);
      assert.match(
        await text(".map .action .note"),
        /^There is no map of these: one of their numbers is -?(NaN|Infinity)\.$/,
      );
      const place = show === "table" ? "words" : show;
      assert.equal(await text(`#${place}`), "", show);
    }
    assert.equal(await text("#variance"), "");
    assert.match(await text("#lengths-fact"), /^Mean 1\.7/, "of the other rows");
    assert.deepEqual(await odd(), []);
  }
});

test("one row, equal rows, rows of zeros and numbers near the end of float32 are shown", async () => {
  await open("one.csv", "word,x,y\na,1,2\n");
  assert.equal(await text("#map .phasor-title"), "1 word along components 1 and 2");
  assert.equal(await text("#variance"), "One word alone has no variance.");
  await page.locator("#compare-minilm").click();
  await settled(page);
  const first = page.locator("#two-lengths tbody tr").first();
  assert.deepEqual((await first.locator("td").allInnerTexts()).slice(-1), ["\u2013"]);
  await page.locator("#end-second").click();
  for (const [name, number] of /** @type {const} */ ([
    ["equal", (/** @type {number} */ at) => at % 6],
    ["zero", () => 0],
    ["huge", (/** @type {number} */ at) => 3e38 * Math.sin(at)],
  ])) {
    await open(`${name}.npy`, table(40, 6, number));
    for (const show of ["table", "space", "map"]) {
      await choose(show);
      assert.ok((await text(show === "table" ? "#words" : `#${show}`)).length > 20, name);
    }
    assert.deepEqual(await odd(), [], name);
  }
  assert.match(await text("#lengths-fact"), /^Mean [\d.]+ × 10³⁸/);
});

test("tables without a row, a column or a number are refused with a sentence", async () => {
  const before = await text("#opened");
  for (const [name, content, sentence] of /** @type {const} */ ([
    ["empty.csv", "", "The file has no vectors."],
    ["head.csv", "word,x,y\n", "The file has no vectors."],
    ["nan.csv", "word,x\na,nan\nb,1\n", "must have decimal numbers"],
    ["rows.npy", table(0, 8, () => 0), "whole number from 1"],
  ])) {
    await page.locator("#open-model").click();
    await open(name, content);
    assert.ok((await text("#opening-wrong")).includes(sentence), await text("#opening-wrong"));
    await page.locator("#drawer-close").click();
    assert.equal(await text("#opened"), before);
  }
});

test("nothing was reported on the console", () => assert.deepEqual(problems, []));
