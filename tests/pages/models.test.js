// The model explorer opens models: of a look-alike of the hub, and from files.
// More than 20 s of CPU: tables of 50,257 tokens are read, and their neighbors and components computed.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { encode } from "gpt-tokenizer/encoding/r50k_base";
import { npy } from "phasor/files";
import { models } from "phasor/models";
import { page as built } from "../../scripts/site/page.js";
import { project } from "../../scripts/setup/setup.js";
import { headerFor, policyFor } from "../../scripts/site/policy.js";
import { SUGGESTED } from "../../web/app/models/suggested.js";
import { some } from "../../web/app/numbers.js";
import { planted } from "../unit/files/planted.js";
import { faults } from "./axe.js";
import { put } from "./controls.js";
import { atNight, isNight } from "../sample.js";
import { exportFaults } from "./lessons.js";
import { tokenizer } from "./gpt2-tokenizer.js";
import { openDrawer, openNamed, openSiteWithHub, others, rested } from "./models-hub.js";
import { isSweep, pages, settled } from "./pages.js";

/** @typedef {import("playwright-core").Page} Page */

const GPT2 = "openai-community/gpt2";
/** The width of GPT-2's look-alike, by day half its own. */
const DIM = isNight ? 768 : 384;
const gpt2 = planted({ dim: DIM });
const small = planted({ vocabulary: 400, positions: 32 });

const config = (/** @type {{config: object}} */ { config }) => JSON.stringify(config);
const files = { "config.json": config(gpt2), "tokenizer.json": tokenizer() };
const site = await openSiteWithHub({
  [GPT2]: { was: "gpt2", files: { ...files, "model.safetensors": gpt2 } },
  "o/small": {
    was: "small",
    files: { "config.json": config(small), "model.safetensors": small },
  },
  "o/two": { files: { "a.gguf": "GGUF", "b.gguf": "GGUF" } },
  "o/pickled": { files: { "pytorch_model.bin": "PK" } },
});

after(site.close);

const visit = (hash = "") => site.visit(`explorer/${hash}`);

/** @param {Page} page @param {string} id */
const text = (page, id) => page.locator(`#${id}`).innerText();

/** The words of a list. @param {Page} page @param {string} id */
const words = (page, id) => page.locator(`#${id} button`).allInnerTexts();

/** What GPT-2's vocabulary shows of ids. @param {Page} page @param {number[]} ids */
async function shown(page, ids) {
  const all = JSON.parse(tokenizer()).model.vocab;
  const byId = new Map(Object.entries(all).map(([token, id]) => [id, token]));
  return ids.map((id) => String(byId.get(id)).replaceAll("\u0120", "\u2423"));
}

/** Drop files on the page, as a reader does. @param {Page} page @param {{name: string, bytes: Uint8Array}[]} files */
async function drop(page, files) {
  const plain = files.map(({ name, bytes }) => [name, Buffer.from(bytes).toString("base64")]);
  await page.evaluate((plain) => {
    const dataTransfer = new DataTransfer();
    for (const [name, base64] of plain) {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      dataTransfer.items.add(new File([bytes], name));
    }
    for (const type of ["dragenter", "dragover", "drop"]) {
      const options = { dataTransfer, bubbles: true, cancelable: true };
      document.querySelector("#drop")?.dispatchEvent(new DragEvent(type, options));
    }
  }, plain);
  await settled(page);
}

const encoded = (/** @type {unknown} */ value) => new TextEncoder().encode(JSON.stringify(value));

test("models: GPT-2 opens at a click, with its own tokens, neighbors, lists and figures", async (t) => {
  const { page, problems, close } = await visit();
  await openDrawer(page);
  assert.deepEqual(site.hub.asked, [], "nothing is asked before");
  await page.getByRole("button", { name: GPT2 }).click();
  // By day the table is there too soon for this.
  await t.test("stopping its map in the middle changes nothing else", atNight, async () => {
    await page.locator("#opening progress[value]").waitFor();
    await page.waitForFunction(() =>
      /\d+ requests?, [\d.]+ MB so far/.test(
        document.querySelector("#opening .note")?.textContent ?? "",
      ),
    );
    await page.waitForFunction(() => {
      if (!document.querySelector(".map .action .note")?.textContent?.includes("50,257 tokens"))
        return false;
      /** @type {HTMLElement} */ (document.querySelector(".map .cancel")).click();
      return true; // a click from here might come when the map is whole
    });
    await page
      .locator(".map .action .note")
      .getByText(/^Stopped/)
      .waitFor();
    await rested(page);
    assert.equal(await page.locator("#word").inputValue(), "\u2423king");
    await put(page, "word", "#3797");
    await rested(page);
    const near = gpt2.neighbors(3797).map(({ id }) => id);
    assert.deepEqual((await words(page, "near")).slice(0, 7), await shown(page, near));
    await put(page, "points", "near");
    await rested(page);
    assert.match(await text(page, "variance"), /these 200 tokens/);
    await put(page, "points", "all");
    await put(page, "word", "\u2423king");
    await rested(page);
  });
  await rested(page);
  const opened = await text(page, "opened");
  assert.match(
    opened,
    RegExp(`^openai-community/gpt2: 50,257 tokens of ${DIM} numbers, commit [0-9a-f]{7};`),
  );
  const cost = /(\d+) MiB of memory as float32; (\d+) requests, (\d+) MB read/.exec(opened);
  const [, memory, requests, read] = (cost ?? []).map(Number);
  assert.ok(Math.abs(memory - (50_257 * DIM * 4) / 2 ** 20) <= 2 && requests <= 30, opened);
  assert.ok(Math.abs(read - gpt2.size / 1e6) <= 2, opened);
  assert.equal(await page.locator("#opening progress").isVisible(), false);

  const id = 5822; // " king"
  assert.equal(await page.locator("#word").inputValue(), "\u2423king");
  assert.match(await text(page, "word-fact"), /\u201c\u2423king\u201d is token 5,822 of 50,257/);
  const near = gpt2.neighbors(id).map((each) => each.id);
  assert.deepEqual((await words(page, "near")).slice(0, 7), await shown(page, near));

  const [a, b, c] = [8 * 100 + 3, 8 * 100 + 5, 8 * 200 + 5];
  for (const [name, value] of Object.entries({ a, b, c })) await put(page, name, `#${value}`);
  await rested(page);
  assert.deepEqual((await words(page, "answers")).slice(0, 1), await shown(page, [8 * 200 + 3]));

  const rows = await page.locator("#tensors tbody tr").allInnerTexts();
  const sized = (/** @type {number} */ rows) =>
    [`[${rows}, ${DIM}]`, "float32", (4 * DIM * rows).toLocaleString("en")]; // prettier-ignore
  assert.deepEqual(
    rows.map((row) => row.split("\t")),
    [
      ["words", "wte.weight", ...sized(50_257)],
      ["positions", "wpe.weight", ...sized(1024)],
    ],
  );
  assert.match(await text(page, "layer-facts"), /a learned table, for 1,024 of them/);
  assert.deepEqual(await words(page, "outliers"), await shown(page, [...gpt2.untrained]));
  const { of, id: same } = gpt2.duplicate;
  assert.deepEqual(await words(page, "repeated"), await shown(page, [of, same]));
  assert.match(await text(page, "positions-fact"), /1,024 rows/);
  assert.match(await text(page, "variance"), /these 50,257 tokens/);
  const points = await page
    .locator("#map > figure")
    .evaluate((figure) => /** @type {any} */ (figure).table.rows);
  assert.equal(points, 50_257);

  await page.waitForURL(/#model=openai-community%2Fgpt2/);
  if (isNight) {
    const reader = await site.browser.newPage(); // by day explorer.test.js does so for GloVe
    assert.deepEqual(await exportFaults(page, reader.page), []);
    await reader.page.context().close();
  }

  await put(page, "word", "king");
  await rested(page);
  assert.match(await text(page, "word-fact"), /\u201cking\u201d is token/);
  const offered = page.locator("#word ~ .suggestions button");
  assert.deepEqual(await offered.allInnerTexts(), ["\u2423king", "\u2423King", "King"]);
  await page.locator("#word").fill("flurbling");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() =>
    document.querySelector("#word-wrong")?.textContent?.includes(" | "),
  );
  const said = await text(page, "word-wrong");
  assert.match(said, /\u201cflurbling\u201d is not one of the 50,257 tokens/);
  const pieces = await shown(page, encode("flurbling")); // by another library
  assert.ok(pieces.length > 1 && said.endsWith(`splits it into ${pieces.join(" | ")}.`), said);
  assert.deepEqual(others(problems), []);
  await close();
});

test(
  "models: the dtype in memory is the reader's choice, and Back returns to GloVe",
  atNight,
  async () => {
    const { page, problems, close } = await visit();
    await put(page, "keep", "int8");
    await openNamed(page, "small"); // its old name
    assert.match(
      await text(page, "opened"),
      /^o\/small: 400 tokens of 768 numbers.*0\.3 MiB of memory as int8/,
    );
    await put(page, "word", "100");
    await settled(page);
    const near = small.neighbors(100).map(({ id }) => `#${id}`);
    assert.deepEqual((await words(page, "near")).slice(0, 7), near);
    assert.equal(await page.locator("#drawer").isVisible(), false, "it closes with the model open");
    await page.getByRole("button", { name: "Back to GloVe" }).click();
    await settled(page);
    assert.ok(
      await page.locator("#open-model").evaluate((button) => button === document.activeElement),
    );
    assert.match(await text(page, "opened"), /^GloVe: 10,000 words/);
    await put(page, "word", "king");
    await settled(page);
    assert.equal((await words(page, "near"))[0], "prince");
    assert.ok(await page.locator("#code").getByRole("button", { name: "Run" }).isVisible());
    await page.waitForURL((url) => !url.hash.includes("model="));
    assert.deepEqual(others(problems), []);
    await close();
  },
);

test("models: a link with a model reads nothing before a click, and an invalid name is ignored", async () => {
  const { page, problems, close } = await visit("#model=o%2Fsmall&word=%237");
  assert.equal(await page.locator("#model").inputValue(), "o/small");
  assert.match(
    await page.locator("#opening .note").innerText(),
    /This link names o\/small\. Press Open/,
  );
  assert.deepEqual(site.hub.asked, []);
  await page.locator("#open").click();
  await settled(page);
  assert.match(await text(page, "word-fact"), /\u201c#7\u201d is token 7 of 400/);
  assert.deepEqual(others(problems), []);
  await close();

  await visit("#model=https%3A%2F%2Fevil.example%2F&keep=quarter");
  assert.equal(await page.locator("#model").inputValue(), "");
  assert.equal(await page.locator("#keep").inputValue(), "");
  await openDrawer(page);
  await page.locator("#model").fill("../../etc");
  await page.keyboard.press("Enter");
  await settled(page);
  assert.match(await text(page, "model-wrong"), /name must have the form owner\/name/);
  assert.deepEqual(site.hub.asked, []);
  assert.deepEqual(problems, []);
  await close();
});

test("models: reading can be stopped in the middle; the previous model stays, and another try works", async () => {
  const { page, problems, close } = await visit();
  const go = site.hub.hold(/\/resolve\/.*model\.safetensors$/);
  await openDrawer(page);
  await page.locator("#model").fill("o/small");
  await page.locator("#open").click();
  const stop = page.locator("#opening").getByRole("button", { name: "Stop" });
  await page.waitForFunction(() =>
    document.querySelector("#opening .note")?.textContent?.includes("its header"),
  );
  await stop.click();
  await settled(page);
  assert.match(await page.locator("#opening .note").innerText(), /^Stopped/);
  assert.match(await text(page, "opened"), /^GloVe/);
  go();
  await put(page, "word", "queen");
  await settled(page);
  assert.equal((await words(page, "near")).length, 10);
  await page.locator("#open").click();
  await settled(page);
  assert.match(await text(page, "opened"), /^o\/small/);
  assert.deepEqual(others(problems), []);
  await close();
});

test("models: a model that cannot be opened gives an error message, and the page keeps working", async () => {
  const { page, problems, close } = await visit();
  const wrong = () => text(page, "opening-wrong");
  await openNamed(page, "nobody/nothing");
  assert.match(await wrong(), /^nobody\/nothing: .*401.*\.$/);
  await openNamed(page, "o/pickled");
  assert.match(await wrong(), /reads \.safetensors.*"pytorch_model\.bin" may hold a program/);
  await openNamed(page, "o/two");
  assert.match(
    await wrong(),
    /several; got "a\.gguf", "b\.gguf"\. Name one of them: o\/two\/FILE\.$/,
  );
  await openNamed(page, "o/two/b.gguf");
  assert.match(await wrong(), /^o\/two: .*\.$/);
  await drop(page, [{ name: "broken.safetensors", bytes: new Uint8Array(40).fill(255) }]);
  assert.match(await wrong(), /^broken\.safetensors: This is not a safetensors file: .*\.$/);
  await drop(page, [
    {
      name: "bias.safetensors",
      bytes: planted({ vocabulary: 1, dim: 16, positions: 3 }).bytes(0, 100),
    },
  ]);
  assert.match(await wrong(), /^bias\.safetensors: /);
  assert.match(await text(page, "opened"), /^GloVe/);
  assert.equal((await words(page, "near"))[0], "prince");
  const unexpected = others(problems).filter((problem) => !/status of 401/.test(problem)); // the browser's own line
  assert.deepEqual(unexpected, []);
  await close();
});

test("models: dropped files open without the network, and hostile tokens stay text", async () => {
  const { page, problems, close } = await visit();
  const tokens = [
    '<img src=x onerror="alert(1)">',
    "\u202eevil",
    "\u0120cat",
    "cat",
    "\u00e2",
    "\u0120\u0120",
  ];
  const vocab = Object.fromEntries(
    Array.from({ length: 400 }, (_, id) => [tokens[id] ?? `t${id}`, id]),
  );
  const json = { decoder: { type: "ByteLevel" }, model: { type: "BPE", vocab, merges: [] } };
  await drop(page, [
    { name: "config.json", bytes: encoded(small.config) },
    { name: "model.safetensors", bytes: small.bytes(0, small.size) },
    { name: "tokenizer.json", bytes: encoded(json) },
  ]);
  assert.match(
    await text(page, "opened"),
    /400 tokens of 768 numbers; [\d.]+ MiB of memory as float32\.$/,
  );
  assert.deepEqual(site.hub.asked, []);
  await put(page, "word", "t6");
  await settled(page);
  const near = await words(page, "near");
  const members = small.neighbors(6).map(({ id }) => id);
  const labels = [
    '<img src=x onerror="alert(1)">',
    "<U+202E>evil",
    "\u2423cat",
    "cat",
    "<0xE2>",
    "\u2423\u2423",
  ];
  assert.deepEqual(
    near.slice(0, 7),
    members.map((id) => labels[id] ?? `t${id}`),
  );
  assert.equal(await page.locator("img[src=x]").count(), 0);
  await page.locator("#near button", { hasText: "<0xE2>" }).click();
  await settled(page);
  assert.match(await text(page, "word-fact"), /is token 4 of 400/);

  const [rows, columns] = [50, 8];
  const data = Float32Array.from({ length: rows * columns }, (_, i) => Math.sin(i));
  const array = npy.write({ data, shape: [rows, columns] });
  await page.locator("#files").setInputFiles({
    name: "vectors.npy",
    mimeType: "application/octet-stream",
    buffer: Buffer.from(array),
  });
  await settled(page);
  assert.match(await text(page, "opened"), /^vectors\.npy: 50 tokens of 8 numbers/);
  assert.equal((await words(page, "near")).length, 10);
  assert.deepEqual(problems, []);
  await close();
});

test("models: suggested models are cards with the size of their tables, as phasor/models knows it", async () => {
  const { page, close } = await visit();
  await openDrawer(page);
  const cards = await page.locator("#suggested button").allInnerTexts();
  assert.equal(cards.length, SUGGESTED.length);
  for (const [i, { name, vocabulary, dim, bytes }] of SUGGESTED.entries()) {
    const megabytes = ((vocabulary * dim * bytes) / 1e6).toFixed(0);
    assert.ok(cards[i].startsWith(name) && cards[i].endsWith(`${megabytes} MB`), cards[i]);
  }
  for (const known of ["gpt2", "bert-base-uncased", "all-minilm-l6-v2"]) {
    const { source, vocabulary, dim } = models.get(known);
    const one = SUGGESTED.find(({ name }) => source.includes(`/${name}/`));
    assert.deepEqual([one?.vocabulary, one?.dim], [vocabulary, dim], source);
  }
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#drawer").isVisible(), false);
  await close();
});

test("models: the reader's own table has its labels, and its groups have colors", async () => {
  const { page, problems, close } = await visit();
  const kinds = ["fruit", "tool", ""];
  const rows = Array.from({ length: 60 }, (_, i) =>
    [`thing ${i}`, kinds[i % 3], Math.cos(i), Math.sin(2 * i), i / 60].join("\t"),
  );
  const bytes = new TextEncoder().encode(["label\tkind\tx\ty\tz", ...rows].join("\n"));
  await drop(page, [{ name: "own.tsv", bytes }]);
  assert.match(await text(page, "opened"), /^own\.tsv: 60 words of 3 numbers; 0\.0 MiB/);
  await put(page, "word", "thing 7");
  await settled(page);
  assert.match(await text(page, "word-fact"), /\u201cthing 7\u201d is word 7 of 60/);
  const seen = await page.locator("#map > figure").evaluate((figure) => {
    const { rows, cell } = /** @type {any} */ (figure).table;
    return Array.from({ length: rows }, (_, row) => `${cell(row, 1)}: ${cell(row, 4)}`);
  });
  for (const [i, kind] of kinds.entries()) assert.ok(seen.includes(`thing ${i}: ${kind}`));
  assert.match(await text(page, "layer-facts"), /File: TSV/);

  const many = Array.from({ length: 5100 }, (_, i) => `w${i} ${Math.sin(i)} ${Math.cos(i)}`);
  await page.locator("#open-model").click();
  await put(page, "rows", "5000");
  await drop(page, [{ name: "many.txt", bytes: new TextEncoder().encode(many.join("\n")) }]);
  assert.match(await text(page, "opened"), /^many\.txt: 5,000 words of 2 numbers/);
  assert.match(await text(page, "layer-facts"), /the first 5,000 rows; the file has more/);
  await drop(page, [{ name: "bad.vec", bytes: new TextEncoder().encode("a 1 2\nb 3\n") }]);
  assert.match(await text(page, "opening-wrong"), /^bad\.vec: line 2 must have 2 numbers after/);
  assert.match(await text(page, "opened"), /^many\.txt/);
  assert.deepEqual(problems, []);
  await close();
});

test(
  "models: tables of one column, of one row and of equal rows have their lists, views and a map that is right",
  atNight,
  async () => {
    const { page, problems, close } = await visit();
    const line = /^The map shows (100|0) % .+ They have one component: the map is a line\. /;
    const point = /^The map shows 0 % of the variance/;
    const alone = /^One word alone has no variance\.$/;
    for (const [name, body, near, places, variance] of /** @type {const} */ ([
      ["column", "a 1\nb 2\nc 3\nd 4", "bcd", ["-1.5,0", "-0.5,0", "0.5,0", "1.5,0"], line],
      ["two", "a 1\nb 1", "b", ["0,0", "0,0"], line],
      ["row", "a 1 2 3", "", ["0,0"], alone],
      ["number", "a 1", "", ["0,0"], alone],
      ["equal", "a 1 2\nb 1 2\nc 1 2", "bc", ["0,0", "0,0", "0,0"], point],
      ["zeros", "a 0 0 0\nb 0 0 0", "b", ["0,0", "0,0"], point],
    ])) {
      await drop(page, [{ name: `${name}.txt`, bytes: new TextEncoder().encode(body) }]);
      await rested(page);
      const size = `${some(places.length, "word")} of ${some(body.split("\n")[0].split(" ").length - 1, "number")}`;
      assert.match(await text(page, "opened"), new RegExp(`^${name}\\.txt: ${size};`));
      assert.equal((await words(page, "near")).join(""), near, name);
      assert.equal(await text(page, "analogy-fact"), "Type two words of this table.", name);
      assert.deepEqual(await words(page, "answers"), [], name);
      const seen = await page.locator("#map > figure").evaluate((figure) => {
        const { rows, cell } = /** @type {any} */ (figure).table;
        return Array.from({ length: rows }, (_, row) => `${+cell(row, 2)},${+cell(row, 3)}`);
      });
      assert.deepEqual(new Set(seen), new Set(places), name);
      assert.match(await text(page, "variance"), variance, name);
      for (const [show, said] of /** @type {const} */ ([
        ["space", /hold (100|0) % of the variance/],
        ["umap", /UMAP needs at least 10 words/],
        ["table", new RegExp(`^${places.length} of ${places.length} words`)],
        ["map", /component 1/],
      ])) {
        await put(page, "show", show);
        await rested(page);
        assert.match(await text(page, show === "table" ? "words" : show), said, name);
      }
      assert.match(await text(page, "lengths-fact"), /^Mean [\d.]+, .+\.$/, name);
      assert.deepEqual(problems, [], name);
    }
    await close();
  },
);

test(
  "models: vectors.tsv and metadata.tsv open as one table, whose label and color are chosen",
  atNight,
  async () => {
    const { page, problems, close } = await visit();
    const kinds = ["fruit", "tool", "sport"];
    const lines = (/** @type {(i: number) => (string | number)[]} */ of) =>
      Array.from({ length: 60 }, (_, i) => of(i).join("\t")).join("\n");
    const vectors = lines((i) => [Math.cos(i), Math.sin(2 * i), i / 60]);
    const metadata = `word\tkind\tseen\n${lines((i) => [`a long label of the thing with the number ${i} that does not end soon`, kinds[i % 3], i % 5])}`;
    const pair = [
      { name: "vectors.tsv", bytes: new TextEncoder().encode(vectors) },
      { name: "metadata.tsv", bytes: new TextEncoder().encode(metadata) },
    ];
    assert.equal(await page.locator("#columns").isVisible(), false);
    await drop(page, pair);
    assert.match(await text(page, "opened"), /^vectors\.tsv: 60 words of 3 numbers/);
    assert.match(await text(page, "layer-facts"), /File: Embedding Projector/);
    const shown = () =>
      page.locator("#map > figure").evaluate((figure) => {
        const { rows, cell } = /** @type {any} */ (figure).table;
        return Array.from({ length: rows }, (_, row) => `${cell(row, 1)}: ${cell(row, 4)}`);
      });
    assert.ok(
      (await shown()).some((row) =>
        /^a long label of the thing with the number 57 that does not end soon: fruit$/.test(row),
      ),
    );
    assert.deepEqual(
      [await page.inputValue("#label-column"), await page.inputValue("#color-column")],
      ["word", "kind"],
    );
    await page.selectOption("#color-column", "seen");
    await settled(page);
    assert.ok((await shown()).some((row) => /: 4$/.test(row)));
    await page.selectOption("#color-column", "");
    await settled(page);
    assert.equal(await page.inputValue("#color-column"), "");
    await page.selectOption("#label-column", "kind");
    await settled(page);
    await put(page, "word", "sport");
    await settled(page);
    assert.match(await text(page, "word-fact"), /\u201csport\u201d is word 2 of 60/);
    await put(page, "word", "sport #5");
    await settled(page);
    assert.match(await text(page, "word-fact"), /\u201csport #5\u201d is word 5 of 60/);
    if (isSweep) assert.deepEqual(await faults(page), []);
    await drop(page, [pair[0], { ...pair[1], name: "other.tsv" }]);
    assert.match(
      await text(page, "opening-wrong"),
      /one of two files must have "metadata" in its name/,
    );
    await drop(page, [
      pair[0],
      { name: "metadata.tsv", bytes: new TextEncoder().encode("a\nb\n") },
    ]);
    assert.match(
      await text(page, "opening-wrong"),
      /metadata\.tsv must have a line for each of 60 vectors, .+; got 2/,
    );
    assert.deepEqual(problems, []);
    await close();
  },
);

test(
  "models: MiniLM is compared with GloVe by one click, without a request to another host",
  atNight,
  async () => {
    const { page, problems, close } = await visit();
    /** @type {string[]} */
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.getByRole("button", { name: "Compare with MiniLM" }).click();
    await rested(page);
    assert.match(await text(page, "second"), /^MiniLM: 10,345 tokens of 384 numbers\.$/);
    const own = new URL(page.url()).origin;
    assert.ok(
      asked.every((url) => url.startsWith(own) || url.startsWith("blob:")),
      asked.join(),
    );
    assert.match(await text(page, "aligned-fact"), /share 8,\d{3} words\. The first 2,000/);
    assert.match(
      await text(page, "two-near-fact"),
      /^\d+ of 10 nearest words of \u201cking\u201d are the same/,
    );
    assert.equal(await page.locator("#two-near-2 li").count(), 10);
    assert.equal(
      await page.getByRole("button", { name: "Compare with MiniLM" }).isVisible(),
      false,
    );
    assert.deepEqual(await faults(page), []);
    await page.getByRole("button", { name: "Close the second model" }).click();
    await settled(page);
    assert.equal(await page.getByRole("button", { name: "Compare with MiniLM" }).isVisible(), true);
    assert.deepEqual(problems, []);
    await close();
  },
);

test(
  "models: a second model beside GloVe has its lengths, neighbors and a rotated map",
  atNight,
  async () => {
    const { page, problems, close } = await visit();
    const list = await readFile(join(project, "web/data/glove-10k-words.txt"), "utf8");
    const names = list.split("\n").slice(0, 400);
    const vocab = Object.fromEntries(names.map((word, id) => [`\u0120${word}`, id]));
    const json = { decoder: { type: "ByteLevel" }, model: { type: "BPE", vocab, merges: [] } };
    assert.equal(await page.locator("#two").isVisible(), false);
    await page.getByRole("button", { name: "Open a second model" }).click();
    assert.equal(await text(page, "drawer-title"), "Open a second model");
    await drop(page, [
      { name: "config.json", bytes: encoded(small.config) },
      { name: "model.safetensors", bytes: small.bytes(0, small.size) },
      { name: "tokenizer.json", bytes: encoded(json) },
    ]);
    await rested(page);
    assert.match(await text(page, "opened"), /^GloVe: 10,000 words/, "the first stays");
    assert.match(await text(page, "second"), /: 400 tokens of 768 numbers\.$/);
    assert.equal(await page.locator("#back").isVisible(), false);
    assert.equal(await page.locator("#two-lengths tbody tr").count(), 2);
    assert.match(await text(page, "two-near-fact"), /has no \u201cking\u201d/);

    await put(page, "word", names[6]);
    await rested(page);
    const near = small.neighbors(6).map(({ id }) => `\u2423${names[id]}`);
    assert.deepEqual((await words(page, "two-near-2")).slice(0, 7), near);
    assert.deepEqual(await words(page, "two-near-1"), await words(page, "near"));
    const second = (await page.locator("#two-near-2 li").allInnerTexts()).map((item) =>
      item.replace("\u2423", "").split("\n")[0].trim(),
    );
    const mine = (await words(page, "near")).filter((word) => second.includes(word));
    assert.match(await text(page, "two-near-fact"), new RegExp(`^${mine.length} of 10 nearest`));

    const fact = await text(page, "aligned-fact");
    assert.match(fact, /share 400 words\. The first 400 .* 64 principal components/s);
    const figure = page.locator("#aligned > figure");
    const groups = await figure.evaluate((figure) => {
      const { rows, cell } = /** @type {any} */ (figure).table;
      return Array.from({ length: rows }, (_, row) => [cell(row, 1), cell(row, 4)]);
    });
    assert.equal(groups.length, 300);
    assert.deepEqual(groups[0], [names[6], "GloVe"]);
    assert.equal(groups[150][0], names[6]);
    assert.equal(await page.locator("#agree li").count(), 8);
    assert.deepEqual(await faults(page), []);

    await page.getByRole("button", { name: "Close the second model" }).click();
    await settled(page);
    assert.equal(await page.locator("#two").isVisible(), false);
    assert.deepEqual(problems, []);
    await close();
  },
);

test(
  "models: with an opened model axe finds nothing, wide and on a phone, in both themes",
  atNight,
  async () => {
    const { page, problems, close } = await visit();
    await openDrawer(page);
    assert.deepEqual(await faults(page), [], "the drawer");
    await openNamed(page, "o/small");
    assert.deepEqual(await faults(page), []);
    assert.deepEqual(others(problems), []);
    await close();
  },
);

test("models: only the pages that open models and their worker may read the hub", async () => {
  const hubs = "connect-src 'self' https://huggingface.co https://*.hf.co";
  const opening = ["", "lessons/trained-table/", "explorer/"];
  for (const path of pages()) {
    const html = await readFile(join(built, path, "index.html"), "utf8");
    assert.equal(
      /huggingface\.co https|hf\.co/.test(html.split("</head>")[0]),
      opening.includes(path),
      path,
    );
    assert.equal(policyFor(`${path}index.html`).includes(hubs), opening.includes(path), path);
    const answer = await fetch(`${site.server.url}${path}`);
    assert.equal(
      answer.headers.get("content-security-policy")?.includes(hubs),
      opening.includes(path),
      path,
    );
  }
  const scripts = (await readdir(join(built, "assets"))).filter((name) => name.endsWith(".js"));
  const models = scripts.filter((name) => headerFor(`assets/${name}`).includes(hubs));
  assert.equal(models.length, 1);
  assert.match(models[0], /^models-worker-/);
});
