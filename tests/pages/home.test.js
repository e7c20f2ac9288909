// The front page: its tokens, figures and downloads are what the package computes.
// More than 20 s of CPU: programs that are copied run in Node, each with the vectors of a model, and axe
// looks at the page in two states.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import { load } from "phasor";
import { npy, safetensors } from "phasor/files";
import { models } from "phasor/models";
import { project } from "../../scripts/setup/setup.js";
import { contentSecurityPolicy, policyFor } from "../../scripts/site/policy.js";
import { faults } from "./axe.js";
import { bytesOf } from "./browser.js";
import { openSite } from "./open-site.js";
import { serveBuild } from "./site.js";
import { transferOf } from "./transfer.js";
import { until } from "../until.js";
import { atNight, everyNth, sampled } from "../sample.js";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("phasor").Tensor} Tensor */

const desktop = { width: 1280, height: 900 };
const phone = { width: 360, height: 740 };

/** @param {string} name */
const linesOf = async (name) =>
  (await readFile(join(project, "web/data", name), "utf8")).trimEnd().split("\n");
const gloveWords = await linesOf("glove-10k-words.txt");
const minilmTokens = await linesOf("minilm-tokens.txt");

// From a folder above, since a static host may keep the page under any path.
const { server, browser } = await openSite(serveBuild);
/** The page that most tests share: a new one takes longer than many of them. */
const shared = await browser.newPage({ viewport: desktop });

beforeEach(() => {
  shared.problems.length = 0;
});

/** Opens the page and waits until it shows everything. @param {string} [hash] */
async function open(hash = "") {
  await shared.page.goto("about:blank"); // else another hash would be no new visit
  await shared.page.goto(`${server.url}page/${hash}`);
  await settled(shared.page);
  return shared;
}

/** Until what was asked for is on the page. @param {Page} page */
async function settled(page) {
  await page.waitForFunction(
    () =>
      document.documentElement.dataset.settled === "true" &&
      document.querySelector("#code-lines")?.textContent !== "",
  );
  await page.evaluate(() => new Promise((next) => requestAnimationFrame(next)));
}

/** @param {Page} page @param {string} text */
async function type(page, text) {
  await page.getByLabel("Type a sentence").fill(text);
  await settled(page);
}

/** @param {Page} page @param {string} name */
async function choose(page, name) {
  await page.getByLabel(name).check();
  await settled(page);
}

/** The tokens as shown: text, id, position. @param {Page} page */
function tokens(page) {
  return page
    .locator("#tokens li")
    .evaluateAll((items) => items.map((item) => Array.from(item.children, (e) => e.textContent)));
}

/** @param {Page} page @param {string} id */
const textOf = async (page, id) => String(await page.locator(`#${id}`).textContent());

/**
 * The file behind a figure's button, read.
 * @param {Page} page @param {string} stage
 */
async function download(page, stage) {
  const arrival = page.waitForEvent("download");
  await page.locator(`#${stage} button`).click();
  const file = await arrival;
  const tensor = await npy.read(await bytesOf(file));
  return { name: file.suggestedFilename(), tensor };
}

/** The marked cell's exact value. @param {Page} page @param {string} stage */
async function reading(page, stage) {
  return Number(await page.locator(`#${stage}-reading data`).getAttribute("value"));
}

/** What the package makes of the same settings. */
const phasor = await load();

/** @param {readonly string[]} spelled  tokens, with [CLS] and [SEP] @returns {Promise<Record<string, Tensor>>} */
async function ofMinilm(spelled) {
  const file = await safetensors.read(
    new Blob([await readFile(join(project, "web/data/minilm.safetensors"))]),
  );
  const rows = spelled.map((token) => {
    const row = minilmTokens.indexOf(token);
    return row < 0 ? minilmTokens.indexOf("[UNK]") : row;
  });
  const at = [...rows.keys()];
  const { words, positions, segments, sum, normalized } = phasor.inputEmbeddings(
    models.get("all-minilm-l6-v2"),
    {
      words: await file.rows("words.weight", rows, { scale: "words.scale" }),
      positions: await file.tensor("positions.weight", { scale: "positions.scale" }).then(
        // The file has as many positions as the model reads of a text, of more that it was built for.
        ({ data }) => ({
          data: Float32Array.from({ length: 512 * 384 }, (_, i) => Number(data[i] ?? 0)),
          shape: [512, 384],
        }),
      ),
      segments: await file.tensor("segments"),
      norm: { weight: await file.tensor("norm.weight"), bias: await file.tensor("norm.bias") },
    },
    at,
    { intermediates: true },
  );
  return /** @type {any} */ ({
    ...{ vectors: words, positions, sum, normalized },
    segments: segments?.slice(0, 1),
  });
}

/**
 * @param {Pick<import("phasor").EmbeddingTable, "lookup">} table
 * @param {number[]} ids @param {object} [options]  of the position table @param {boolean} [scaled]
 * @returns {Record<string, Tensor>}
 */
function withWaves(table, ids, options = {}, scaled = false) {
  const words = table.lookup(ids);
  const positions = phasor.sinusoidal.table(ids.length, words.shape[1], options);
  const scale = scaled ? /** @type {const} */ ("sqrt") : 1;
  return {
    vectors: table.lookup(ids, { scale }),
    positions,
    sum: table.lookup(ids, { scale, add: positions }),
  };
}

/** @param {number} dim @param {number} [seed] */
function freshTable(dim, seed = 0) {
  return phasor.embedding.create(50257, dim, { std: 0.02, seed, storage: "on-demand" });
}

/** GloVe's table, and a row of zeros as its last. */
async function gloveTable() {
  const bytes = await readFile(join(project, "web/data/glove-10k-100d.safetensors"));
  const file = await safetensors.read(new Blob([bytes]));
  const { data } = await file.tensor("embedding.weight", { scale: "embedding.scale" });
  const more = new Float32Array(data.length + 100);
  more.set(/** @type {Float32Array} */ (data));
  return phasor.embedding.from({ data: more, shape: [10_001, 100] });
}

/** @param {Tensor} actual @param {Tensor} expected @param {string} [name] */
function assertSame(actual, expected, name) {
  assert.deepEqual([...actual.shape], [...expected.shape], name);
  assert.deepEqual(actual.data, expected.data, name);
}

/** @param {Page} page @param {Record<string, Tensor>} expected */
async function assertDownloads(page, expected) {
  for (const [stage, tensor] of Object.entries(expected)) {
    const { name, tensor: found } = await download(page, stage);
    assertSame(found, tensor, stage);
    assert.equal(name, `phasor-${stage}-${tensor.shape.join("x")}.npy`);
  }
}

test("page: it is sent with the strict policy and contains it", async () => {
  const answer = await fetch(`${server.url}page/`);
  const policy = policyFor("index.html"); // that of a page that may read a hub
  const hubs = " https://huggingface.co https://*.hf.co";
  assert.equal(policy.replace(hubs, ""), contentSecurityPolicy);
  assert.equal(answer.headers.get("content-security-policy"), contentSecurityPolicy); // "page/" is no root
  const { page, problems } = await open();
  const meta = page.locator('meta[http-equiv="Content-Security-Policy"]');
  assert.equal(await meta.getAttribute("content"), policy);
  const before = await page.evaluate(() => {
    const head = Array.from(document.head.children, ({ tagName }) => tagName);
    return head.indexOf("META") < head.indexOf("SCRIPT");
  });
  assert.ok(before, "the policy comes before the scripts");
  assert.deepEqual(problems, []);
  await page.evaluate(() => document.body.setAttribute("style", "color: red"));
  await until(() => /policy: style-src-attr/.test(problems.join()), "a refusal is noticed");
});

test("page: little is transferred before the first figure responds, and the list of lessons comes after it", async () => {
  const { page, problems } = await browser.newPage({ viewport: phone, reducedMotion: "reduce" });
  const { bytes, sooner, later } = await transferOf(page, `${server.url}page/`, "interactive");
  assert.ok(bytes > 100_000 && bytes <= 211_500, `${bytes} bytes until the answer`);
  const rows = later.filter(({ url }) => /minilm-.*\.safetensors/.test(url));
  assert.ok(rows.length > 0, "the sentence's rows come later");
  assert.ok(!sooner.some(({ url }) => /minilm|glove|live-/.test(url)), "and not before");
  assert.ok(
    rows.reduce((sum, { bytes }) => sum + bytes, 0) < 60_000,
    "a sentence costs some kilobytes",
  );
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("page: a sentence becomes MiniLM's tokens, with ids and positions", async () => {
  const { page, problems } = await open();
  assert.deepEqual(await tokens(page), [
    ["[CLS]", "101", "position 0"],
    ["the", "1996", "position 1"],
    ["dog", "3899", "position 2"],
    ["chased", "13303", "position 3"],
    ["the", "1996", "position 4"],
    ["cat", "4937", "position 5"],
    ["[SEP]", "102", "position 6"],
  ]);
  assert.equal(await textOf(page, "tokens-shape"), "[7]");
  assert.equal(await textOf(page, "equation"), "input = LayerNorm(words + segment + positions)");
  assert.equal(await textOf(page, "sum-shape"), "[7, 384] + [7, 384] + [7, 384] → [7, 384]");
  assert.equal(await textOf(page, "tokens-note"), "");
  await type(page, "I am a cat and you are a dog.");
  const shown = await tokens(page);
  assert.deepEqual(
    shown.map(([token]) => token),
    ["[CLS]", "i", "am", "a", "cat", "and", "you", "are", "a", "dog", ".", "[SEP]"],
  );
  assert.equal(await page.locator("#tokens .without").count(), 0);
  await type(page, "");
  assert.deepEqual(
    (await tokens(page)).map(([token]) => token),
    ["[CLS]", "[SEP]"],
  );
  assert.deepEqual(problems, []);
});

test("page: the downloads of every step are what the package computes", atNight, async () => {
  const { page, problems } = await open();
  await type(page, "Don't chase the cat");
  // A browser stops a page after ten downloads in a row.
  await assertDownloads(
    page,
    await ofMinilm(["[CLS]", "don", "'", "t", "chase", "the", "cat", "[SEP]"]),
  );
  assert.deepEqual(problems, []);

  const words = await open("#tokenizer=words&text=one+dog+and+one+cat");
  const ids = ["one", "dog", "and", "one", "cat"].map((word) => gloveWords.indexOf(word));
  const table = await gloveTable();
  await assertDownloads(words.page, withWaves(table, ids));
  assert.equal(await textOf(words.page, "equation"), "input = words + positions");
  assert.equal(await words.page.locator("#normalized-step").isVisible(), false);
  await words.page.getByLabel("Multiply by √D first").check();
  await settled(words.page);
  await assertDownloads(words.page, withWaves(table, ids, {}, true));
  assert.equal(await textOf(words.page, "equation"), "input = words × √D + positions");
  assert.deepEqual(words.problems, []);
});

test("page: sums of equal tokens differ by the difference of their positions", async () => {
  const { page } = await open();
  const { sum, normalized, positions } = await ofMinilm([
    "[CLS]",
    "the",
    "dog",
    "chased",
    "the",
    "cat",
    "[SEP]",
  ]);
  const fact = await textOf(page, "twins-fact");
  assert.equal(await textOf(page, "twins-title"), "“the” at position 1 and at position 4");
  assert.match(fact, /Word and segment are equal, so/); // BERT has segments, GloVe none
  const found = (fact.match(/\d\.\d+|\b1\b/g) ?? []).map(Number);
  const [one, sums, after] = found;
  assert.equal(one, 1);
  assert.ok(Math.abs(sums - cosine(sum.row(1), sum.row(4))) < 5e-4, fact);
  assert.ok(Math.abs(after - cosine(normalized.row(1), normalized.row(4))) < 5e-4, fact);
  assert.ok(sums < 0.97 && after < 0.9, "an eye can tell them apart");
  for (let d = 0; d < 384; ++d) {
    const [x, y] = [sum, positions].map((of) => Number(of.at(1, d)) - Number(of.at(4, d)));
    assert.ok(Math.abs(x - y) < 1e-6);
  }
  const inked = await page.locator(".twins canvas").evaluateAll((all) =>
    all.map((element) => {
      const canvas = /** @type {HTMLCanvasElement} */ (element);
      const { data = [] } =
        canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height) ?? {};
      return data.filter((x, i) => i % 4 === 3 && x > 0).length;
    }),
  );
  assert.equal(inked.length, 3);
  assert.ok(
    inked.every((pixels) => pixels > 1000),
    `${inked} pixels are drawn`,
  );
  await type(page, "one two three");
  assert.equal(await page.locator("#twins").isVisible(), false);

  // Scaling drowns the positions of GloVe's words, and without it they are seen.
  await type(page, "The dog chased the cat");
  await choose(page, "GloVe words");
  const cosines = async () =>
    Number(/two sums (\d\.\d+)/.exec(await textOf(page, "twins-fact"))?.[1]);
  const plain = await cosines();
  assert.match(await textOf(page, "twins-fact"), /\. The words are equal, so/);
  await page.getByLabel("Multiply by √D first").check();
  await settled(page);
  assert.ok(plain < 0.95 && (await cosines()) > 0.99);
});

/** @param {Tensor} a @param {Tensor} b */
function cosine(a, b) {
  const [x, y] = [a, b].map(({ data }) => Array.from(data, Number));
  const dot = (/** @type {number[]} */ p, /** @type {number[]} */ q) =>
    p.reduce((sum, value, d) => sum + value * q[d], 0);
  return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
}

test("page: a token without a vector keeps its position, and is marked as such", async () => {
  const { page, problems } = await open();
  await type(page, "the aardvark saw a 🐱");
  const shown = await tokens(page);
  assert.deepEqual(
    shown.map(([token]) => token),
    ["[CLS]", "the", "aa", "##rd", "##var", "##k", "saw", "a", "[UNK]", "[SEP]"],
  );
  assert.deepEqual(
    shown.map(([, , at]) => at),
    shown.map((_, i) => `position ${i}`),
  );
  assert.deepEqual(await page.locator("#tokens .without .token").allTextContents(), [
    "aa",
    "##var",
  ]);
  const note = await textOf(page, "tokens-note");
  assert.match(note, /“aa”, “##var”\. Each gets the vector of \[UNK\]/);
  assert.match(note, /Not in the vocabulary: “🐱”/);
  await assertDownloads(page, await ofMinilm(shown.map(([token]) => String(token))));

  await choose(page, "GloVe words");
  await type(page, "The zyzzyva chased <b>Dogs</b>!");
  assert.deepEqual(await tokens(page), [
    ["the", "0", "position 0"],
    ["zyzzyva", "no id", "position 1"],
    ["chased", "9693", "position 2"],
    ["b", "no id", "position 3"],
    ["dogs", String(gloveWords.indexOf("dogs")), "position 4"],
    ["b", "no id", "position 5"],
  ]);
  const words = await textOf(page, "tokens-note");
  assert.match(words, /Not in this table: “zyzzyva”, “b”\. Each gets a vector of zeros/);
  assert.match(words, /punctuation, signs and emoji are left out/);
  const zeros = 10_000;
  const ids = [0, zeros, 9693, zeros, gloveWords.indexOf("dogs"), zeros];
  await assertDownloads(page, withWaves(await gloveTable(), ids));

  await type(page, "\ufe0f cat \u0301"); // marks without a letter are no words
  assert.deepEqual(
    (await tokens(page)).map(([token]) => token),
    ["cat"],
  );
  await type(page, " ?! ");
  assert.deepEqual(await tokens(page), []);
  const { tensor } = await download(page, "sum");
  assert.deepEqual([...tensor.shape], [0, 100]);
  assert.deepEqual(problems, []);
});

test(
  "page: a long text is read to the 256th token, and its field and tokens stay small",
  atNight,
  async () => {
    const { page, problems } = await open();
    for (const name of ["MiniLM", "GloVe words", "GPT-2's tokens"]) {
      await choose(page, name);
      await type(page, "a cat ".repeat(333));
      const { tensor } = await download(page, "sum");
      assert.equal(tensor.shape[0], 256, name);
      assert.match(await textOf(page, "tokens-note"), /reads 256 tokens of a sentence: \d+ are/);
    }
    await choose(page, "MiniLM");
    const shown = await tokens(page);
    assert.deepEqual(shown.at(-1), ["[SEP]", "102", "position 255"]);
    assert.deepEqual(shown[255].slice(2), ["too long"]);
    for (const viewport of [phone, desktop]) {
      await page.setViewportSize(viewport);
      for (const id of ["text", "tokens"]) {
        const box = await page.locator(`#${id}`).boundingBox();
        assert.ok(box && box.height < 400, `#${id} is ${box?.height} px tall`);
      }
    }
    assert.deepEqual(problems, []);
  },
);

test("page: right-to-left text is displayed right to left", async () => {
  const { page } = await open();
  await type(page, "שלום עולם");
  const directions = await page.evaluate(() =>
    ["#text", "#tokens li:nth-child(2) .token"].map(
      (place) => getComputedStyle(/** @type {Element} */ (document.querySelector(place))).direction,
    ),
  );
  assert.deepEqual(directions, ["rtl", "rtl"]);
});

test("page: the first 48 columns are drawn, or all of them", async () => {
  const { page, problems } = await open();
  const sizes = () =>
    page
      .locator("#road .phasor-raster canvas, .step .phasor-raster canvas")
      .evaluateAll((all) =>
        all.flatMap((each) => (each.checkVisibility() ? /** @type {any} */ (each).width : [])),
      );
  const { normalized } = await ofMinilm(["[CLS]", "the", "dog", "chased", "the", "cat", "[SEP]"]);
  assert.deepEqual([...new Set(await sizes())], [48]);
  assert.match(await textOf(page, "normalized"), /\[7, 384\], .*; columns 0 to 47 are drawn/);
  await page.locator("#normalized .phasor-picture").focus();
  await page.keyboard.press("End");
  assert.equal(await reading(page, "normalized"), normalized.at(1, 47), "the last in its row");
  await page.getByLabel("Draw all columns").check();
  await settled(page);
  assert.deepEqual([...new Set(await sizes())], [384]);
  assert.doesNotMatch(await textOf(page, "normalized"), /are drawn/);
  assert.deepEqual(problems, []);
});

test("page: the number under the pointer is the package's, in every figure at once", async () => {
  const { page } = await open("#all=true");
  const expected = await ofMinilm(["[CLS]", "the", "dog", "chased", "the", "cat", "[SEP]"]);
  for (const [stage, row, column] of /** @type {const} */ ([
    ["vectors", 1, 0],
    ["sum", 4, 383],
    ["positions", 3, 41],
    ["normalized", 6, 200],
  ])) {
    const canvas = page.locator(`#${stage} .phasor-raster canvas`);
    await canvas.scrollIntoViewIfNeeded();
    const box = /** @type {{x: number, y: number, width: number, height: number}} */ (
      await canvas.boundingBox()
    );
    const [rows, columns] = expected[stage].shape;
    await page.mouse.move(
      box.x + ((column + 0.5) / columns) * box.width,
      box.y + ((row + 0.5) / rows) * box.height,
    );
    const number = Number(expected[stage].at(row, column));
    await until(async () => (await reading(page, stage)) === number, `${stage} reads ${number}`);
    for (const each of Object.keys(expected)) {
      const at = each === "segments" ? 0 : row;
      assert.equal(await reading(page, each), expected[each].at(at, column), each);
    }
  }
  await open("#tokenizer=words&text=one+dog+and+one+cat&all=true");
  await page.locator("#positions .phasor-picture").focus();
  await page.keyboard.press("End");
  assert.equal(
    await page.locator("#positions-reading .term").textContent(),
    "cos(1 / 100002·49/100)", // the power is raised by markup
  );
});

test("page: each picture's colors follow its numbers", async () => {
  for (const colorScheme of sampled(/** @type {const} */ (["light", "dark"]), 0)) {
    await shared.page.emulateMedia({ colorScheme });
    const { page } = await open("#tokenizer=gpt2&dim=16&shared=false");
    const expected = withWaves(freshTable(16), [464, 3290, 26172, 262, 3797]);
    for (const [stage, { data, shape }] of Object.entries(expected)) {
      const pixels = await page.locator(`#${stage} .phasor-raster canvas`).evaluate((element) => {
        const canvas = /** @type {HTMLCanvasElement} */ (element);
        const { width, height } = canvas;
        const image = canvas.getContext("2d")?.getImageData(0, 0, width, height);
        return [width, height, ...(image?.data ?? [])];
      });
      const [width, height, ...rgba] = pixels;
      assert.deepEqual([height, width], [...shape]);
      const values = /** @type {Float32Array} */ (data);
      const pale = Math.max(...values.map(Math.abs)) / 20;
      for (const [i, x] of values.entries()) {
        const [red, , blue] = rgba.slice(i * 4, i * 4 + 3);
        if (Math.abs(x) > pale) assert.equal(Math.sign(blue - red), Math.sign(x));
      }
    }
  }
  await shared.page.emulateMedia({ colorScheme: null });
});

test("page: GPT-2's tokens come when they are chosen, with an untrained table that says so", async () => {
  const { page, problems } = await open();
  /** @type {string[]} */
  const requests = [];
  page.on("request", (request) => requests.push(request.url()));
  const scripts = () =>
    page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
  assert.equal((await scripts()).filter((name) => name.includes("r50k")).length, 0);
  await choose(page, "GPT-2's tokens");
  assert.notEqual(requests.filter((url) => url.includes("r50k")).length, 0);
  await type(page, "Hello world");
  assert.deepEqual(await tokens(page), [
    ["Hello", "15496", "position 0"],
    ["␣world", "995", "position 1"],
  ]);
  assert.ok(await page.getByText("untrained: its numbers are random").isVisible());
  await page.getByLabel("Width D").selectOption("128");
  await page.getByLabel("Random seed").fill("7");
  await settled(page);
  await assertDownloads(page, withWaves(freshTable(128, 7), [15496, 995]));
  assert.deepEqual(problems, []);
});

test("page: tokens that are no whole characters show their bytes, hostile ones stay text", async () => {
  const { page, problems } = await open("#tokenizer=gpt2");
  await type(page, "naïve café 🐱");
  assert.deepEqual(
    (await tokens(page)).map((parts) => parts.slice(0, 2)),
    [
      ["na", "2616"],
      ["ïve", "38776"],
      ["␣café", "40304"],
      ["20 F0 9F", "12520"],
      ["90", "238"],
      ["B1", "109"],
    ],
  );
  await type(page, "\ufe0f");
  assert.deepEqual((await tokens(page))[0].slice(0, 2), ["U+FE0F", "37929"]);
  await type(page, "cat<|endoftext|><|endoftext|>");
  assert.deepEqual(
    (await tokens(page)).map((parts) => parts.slice(0, 2)),
    [
      ["cat", "9246"],
      ["<|endoftext|>", "50256"],
      ["<|endoftext|>", "50256"],
    ],
  );
  await type(page, '<img src=x onerror="alert(1)">\u202e\u0000');
  assert.equal(await page.locator("main img").count(), 0);
  const shown = await tokens(page);
  assert.ok(
    shown.every(([text]) => !/[\u202e\0]/u.test(String(text))),
    "marks that turn the line are written out",
  );
  await choose(page, "GloVe words");
  await type(page, "a".repeat(2000));
  const [[long]] = await tokens(page);
  assert.equal(Array.from(String(long)).length, 257); // 256 and an ellipsis
  assert.deepEqual(problems, []);
});

test("page: each setting changes the sum as it does in the package", async () => {
  const { page, problems } = await open("#tokenizer=gpt2&text=Hello+world");
  const ids = [15496, 995];
  /** @type {Tensor[]} */
  const sums = [];
  /** @param {() => Promise<unknown>} act @param {number} dim @param {object} options */
  async function check(act, dim, options) {
    await act();
    await settled(page);
    const { tensor } = await download(page, "sum");
    assertSame(tensor, withWaves(freshTable(dim), ids, options).sum);
    assert.ok(
      sums.every(({ data }) => String(data) !== String(tensor.data)),
      "another sum",
    );
    sums.push(tensor);
  }
  await check(async () => {}, 64, {});
  await check(() => page.getByLabel("Width D").selectOption("16"), 16, {});
  await check(() => page.getByLabel("Base").fill("500000"), 16, { base: 500000 });
  const halves = { base: 500000, layout: "halves" };
  await check(() => page.getByLabel("Layout").selectOption("halves"), 16, halves);
  const flipped = { base: 500000, layout: "flipped" };
  await check(() => page.getByLabel("Layout").selectOption("flipped"), 16, flipped);
  await type(page, "Hello world, hello"); // where rounding is seen
  ids.push(11, 23748);
  sums.length = 0;
  const torch = { ...flipped, precision: "torch" };
  await check(async () => {}, 16, flipped);
  await check(() => page.getByLabel("Precision").selectOption("torch"), 16, torch);
  assert.deepEqual(problems, []);
});

test("page: the copied JavaScript gives the same tensor in Node, whatever the sentence", async () => {
  await shared.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const hostile = encodeURIComponent('a"*/\n;throw 1//\u2028;throw 2//\u2029;throw 3//`${x}`');
  const isWanted = everyNth(5);
  for (const [hash, last] of [
    [`#text=${hostile}`, "normalized"],
    ["#text=the+aardvark+and+one+cat", "normalized"],
    ["#tokenizer=words&text=one+dog+and+one+zyzzyva&layout=halves", "sum"],
    ["#tokenizer=words&text=one+dog&scaled=true", "sum"],
    [`#tokenizer=gpt2&dim=32&seed=3&base=777&precision=torch&text=${hostile}`, "sum"],
  ]) {
    if (!isWanted()) continue;
    const { page, problems } = await open(hash);
    await page.getByRole("button", { name: "Copy as JavaScript" }).click();
    await page.getByText("Copied.").waitFor();
    const program = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(program, await textOf(page, "code-lines"));
    const { tensor } = await download(page, last);

    const { npyBytes, stderr } = await inNode(
      `${program}\nprocess.stdout.write((await import("phasor/files")).npy.write(input));`,
    );
    assert.equal(stderr, "");
    assertSame(await npy.read(npyBytes), tensor, hash);
    assert.deepEqual(problems, []);
  }
});

/**
 * Run a program that writes a .npy file after what it prints.
 * @param {string} program
 */
async function inNode(program) {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: project, // where "phasor" is the built package
  });
  /** @type {Buffer[]} */
  const parts = [];
  let stderr = "";
  child.stdout.on("data", (part) => parts.push(part));
  child.stderr.on("data", (part) => (stderr += part));
  await new Promise((ended) => child.on("close", ended));
  const output = Buffer.concat(parts);
  return {
    npyBytes: output.subarray(Math.max(0, output.indexOf("\x93NUMPY", 0, "latin1"))),
    stderr,
  };
}

test("page: an error is shown beside its control, and the last valid numbers stay", async () => {
  const { page, problems } = await open("#tokenizer=gpt2");
  const good = (await download(page, "sum")).tensor;
  for (const [label, text, sentence] of [
    ["Base", "0.5", "base must be a number from 1 on; got 0.5. The page still shows 10000."],
    ["Base", "ten", "“ten” is not a number. The page still shows 10000."],
    ["Base", "", "Type a number. The page still shows 10000."],
    ["Random seed", "", "Type a number. The page still shows 0."],
    ["Random seed", "-1", /^seed must be .*; got -1\. The page still shows 0\.$/],
  ]) {
    const control = page.getByLabel(String(label), { exact: true });
    const was = await control.inputValue();
    await control.fill(String(text));
    await settled(page);
    const id = await control.getAttribute("aria-describedby");
    const said = await textOf(page, String(id));
    if (sentence instanceof RegExp) assert.match(said, sentence);
    else assert.equal(said, sentence);
    assert.equal(await control.getAttribute("aria-invalid"), "true");
    assert.equal(await page.locator(".wrong:visible").count(), 1);
    assertSame((await download(page, "sum")).tensor, good);
    await control.fill(was);
    await settled(page);
    assert.equal(await page.locator(".wrong:visible").count(), 0);
    assert.equal(await control.getAttribute("aria-invalid"), null);
  }
  // A number that a choice does not use is no error there.
  await page.getByLabel("Base").fill("");
  await choose(page, "MiniLM");
  assert.equal(await page.locator(".wrong:visible").count(), 0);
  assert.deepEqual(problems, []);
});

test("page: data that cannot be read give an error message and are requested again", async () => {
  const { page } = shared;
  await page.goto("about:blank");
  await page.route("**/*.safetensors", (route) => route.fulfill({ status: 503 }));
  await page.goto(`${server.url}page/`);
  const wrong = page.locator("#tokenizer-wrong");
  await page.getByText("The word vectors could not be read: 503").waitFor();
  await page.unroute("**/*.safetensors");
  await type(page, "the cat");
  assert.equal(await wrong.textContent(), "");
  assert.equal((await tokens(page)).length, 4);
});

test("page: the keyboard reaches every control and moves through a heat map", async () => {
  const { page, problems } = await open("#tokenizer=gpt2&all=true");
  /** @type {string[]} */
  const reached = [];
  await page.getByLabel("Type a sentence").focus();
  for (let i = 0; i < 60; ++i) {
    const name = await page.evaluate(() => {
      const focused = /** @type {HTMLInputElement} */ (document.activeElement);
      const figure = focused.closest("figure[id]")?.id;
      return figure
        ? `${figure} ${focused.tagName}`
        : focused.name || focused.id || focused.tagName;
    });
    reached.push(name);
    if (name === "copy") break;
    await page.keyboard.press("Tab");
  }
  const figure = (/** @type {string} */ id) => [`${id} DIV`, `${id} SUMMARY`, `${id} BUTTON`];
  assert.deepEqual(reached, [
    ...["text", "tokenizer", "shared", "all", "tokens", "scaled", "dim", "seed"],
    ...[
      ...figure("vectors"),
      "base",
      "layout",
      "precision",
      ...figure("positions"),
      ...figure("sum"),
      "code",
      "copy",
    ],
  ]);

  const { sum, vectors } = withWaves(freshTable(64), [464, 3290, 26172, 262, 3797]);
  await page.locator("#sum .phasor-picture").focus();
  for (const [key, row, column] of /** @type {const} */ ([
    ["ArrowDown", 2, 6],
    ["ArrowRight", 2, 7],
    ["End", 2, 63],
    ["Shift+ArrowLeft", 2, 53],
    ["PageDown", 4, 53],
    ["ArrowDown", 4, 53],
    ["ArrowUp", 3, 53],
    ["Home", 3, 0],
  ])) {
    await page.keyboard.press(key);
    assert.equal(await reading(page, "sum"), sum.at(row, column), key);
    assert.equal(await reading(page, "vectors"), vectors.at(row, column), key);
  }
  assert.equal(await page.locator("#sum-reading").getAttribute("aria-live"), "polite");
  assert.equal(await page.locator("#vectors-reading").getAttribute("aria-live"), null);
  assert.deepEqual(problems, []);
});

test("page: the address keeps the sentence and the settings, and an invalid address is ignored", async () => {
  const { page, problems } = await open();
  await choose(page, "GPT-2's tokens");
  await type(page, "Hello & world #1");
  await page.getByLabel("Width D").selectOption("32");
  await page.getByLabel("Layout").selectOption("flipped");
  await page.waitForFunction(() => location.hash.includes("flipped"));
  await settled(page);
  const sum = (await download(page, "sum")).tensor;
  const written = await nextAddress(page, async () => {
    await page.getByLabel("Random seed").fill("abc"); // no number is no part of the address
  });
  assert.doesNotMatch(written, /NaN|abc/);
  await open(new URL(page.url()).hash);
  assert.equal(await page.getByLabel("Type a sentence").inputValue(), "Hello & world #1");
  assertSame((await download(page, "sum")).tensor, sum);

  await open("#dim=17&layout=__proto__&scaled=many&tokenizer=constructor&base=&x=1");
  assert.equal(await textOf(page, "positions-shape"), "[7] → [7, 384]");
  assert.equal(await page.locator(".wrong:visible").count(), 0);
  assert.deepEqual(problems, []);
});

/**
 * The address that the page writes after a change: it does so a while later, also one that is as before.
 * @param {Page} page @param {() => Promise<unknown>} change
 */
async function nextAddress(page, change) {
  await page.evaluate(() => {
    const replaceState = history.replaceState.bind(history);
    history.replaceState = (...state) => {
      replaceState(...state);
      document.documentElement.dataset.written = location.href;
    };
  });
  await change();
  await page.locator("html[data-written]").waitFor({ state: "attached" });
  return String(await page.locator("html").getAttribute("data-written"));
}

test("page: a sentence typed while the page loads is kept", async () => {
  const { page } = shared;
  await page.goto("about:blank");
  /** @type {(nothing?: unknown) => void} */
  let go = () => {};
  const gate = new Promise((done) => (go = done));
  await page.route("**/live-*.js", async (route) => {
    await gate;
    await route.continue();
  });
  await page.goto(`${server.url}page/`);
  await page.locator("#hero-stage[data-ready]").waitFor();
  await page.getByLabel("Type a sentence").fill("two dogs");
  go();
  await settled(page);
  assert.deepEqual(
    (await tokens(page)).map(([token]) => token),
    ["[CLS]", "two", "dogs", "[SEP]"],
  );
  await page.unroute("**/live-*.js");
});

test("page: one color scale shows in every legend before the LayerNorm, or each has its own", async () => {
  const { page } = await open();
  const legends = async () => {
    const texts = await page
      .locator(".phasor-legend")
      .evaluateAll((all) => all.flatMap((e) => (e.checkVisibility() ? [e.textContent] : [])));
    return new Set(texts.map((text) => String(text).replaceAll(/[≤≥ ]/g, "")));
  };
  assert.equal((await legends()).size, 2);
  await page.getByLabel("Use the same color scale").uncheck();
  await settled(page);
  assert.ok((await legends()).size >= 4);
});

test(
  "page: axe finds nothing, and nothing overflows, in both themes, wide and narrow",
  atNight,
  async () => {
    // every-page.test.js looks at the page as it opens.
    const { page, problems } = await open("");
    for (const hash of ["#tokenizer=gpt2&dim=1024", "#text=the+aardvark", ""]) {
      await page.setViewportSize(desktop);
      await page.goto("about:blank");
      await page.goto(`${server.url}page/${hash}`);
      await settled(page);
      if (hash.includes("gpt2")) {
        await page.getByLabel("Base").fill("0"); // with a sentence about an error
        await page.locator("#sum .phasor-picture").focus();
        await page.keyboard.press("End"); // with a label at the very edge
      }
      await settled(page);
      assert.deepEqual(await faults(page), [], hash);
      assert.deepEqual(problems, []);
    }
    await page.context().close();
  },
);
