import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { load } from "phasor";
import { npy, safetensors } from "phasor/files";
import { buildPage } from "../../scripts/page.js";
import { serve } from "../../scripts/serve.js";
import { project, setup } from "../../scripts/setup.js";
import { contentSecurityPolicy, policyFor } from "../../scripts/policy.js";
import { openBrowser } from "./browser.js";
import { until } from "../until.js";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("phasor").Tensor} Tensor */

const desktop = { width: 1280, height: 900 };
const phone = { width: 360, height: 740 };
const stages = ["vectors", "scaled", "positions", "sum"];

const words = (await readFile(join(project, "web/data/glove-10k-words.txt"), "utf8"))
  .trimEnd()
  .split("\n");

/** @type {Awaited<ReturnType<typeof serve>>} */
let server;
/** @type {Awaited<ReturnType<typeof openBrowser>>} */
let browser;

before(async () => {
  await buildPage(await setup(["packages"]));
  // From a folder above, since a static host may keep the page under any path.
  server = await serve(join(project, "build"));
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  await server?.close();
});

/**
 * Opens the page and waits until it has told its story.
 *
 * @param {string} [hash]
 * @param {Parameters<typeof browser.newPage>[0]} [options]
 */
async function open(hash = "", options = {}) {
  const visit = await browser.newPage({ viewport: desktop, ...options });
  await visit.page.goto(`${server.url}page/${hash}`);
  await told(visit.page);
  return visit;
}

/** Until what was asked for is on the page. @param {Page} page */
async function told(page) {
  await page.evaluate(
    () => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next))),
  );
  await page.waitForFunction(
    () =>
      document.querySelector("#code-lines")?.textContent !== "" &&
      document.querySelector("#tokenizer-busy")?.textContent === "",
  );
  await page.evaluate(() => new Promise((next) => requestAnimationFrame(next)));
}

/** @param {Page} page @param {string} text */
async function type(page, text) {
  await page.getByLabel("Your sentence").fill(text);
  await told(page);
}

/** @param {Page} page */
async function chooseGpt2(page) {
  await page.getByLabel("GPT-2's tokens").check();
  await told(page);
}

/** The tokens as shown, each as [text, what stands below]. @param {Page} page */
function tokens(page) {
  return page
    .locator("#tokens li")
    .evaluateAll((items) => items.map((item) => Array.from(item.children, (e) => e.textContent)));
}

/**
 * The file behind a figure's button, read.
 * @param {Page} page @param {string} stage
 */
async function download(page, stage) {
  const arrival = page.waitForEvent("download");
  await page.locator(`#${stage} button`).click();
  const file = await arrival;
  const tensor = await npy.read(await readFile(await file.path()));
  return { name: file.suggestedFilename(), tensor };
}

/** The marked cell's exact value. @param {Page} page @param {string} stage */
async function reading(page, stage) {
  return Number(await page.locator(`#${stage}-reading data`).getAttribute("value"));
}

/** What the package makes of the same settings. */
const phasor = await load();

/**
 * @param {import("phasor").Phasor["embedding"] extends {create(...a: any[]): infer Table} ? Table : never} table
 * @param {number[]} ids @param {number} length @param {object} [options]  of the position table
 * @returns {Record<string, Tensor>}
 */
function computed(table, ids, length, options = {}) {
  const positions = phasor.sinusoidal.table(length, table.dim, options);
  const add = positions.toArray().slice(0, ids.length);
  return {
    vectors: table.lookup(ids),
    scaled: table.lookup(ids, { scale: "sqrt" }),
    positions,
    sum: table.lookup(ids, { scale: "sqrt", add }),
  };
}

/** @param {number} dim @param {number} [seed] */
function freshTable(dim, seed = 0) {
  return phasor.embedding.create(50257, dim, { std: 0.02, seed, storage: "on-demand" });
}

async function gloveTable() {
  const bytes = await readFile(join(project, "web/data/glove-10k-100d.safetensors"));
  const file = await safetensors.read(new Blob([bytes]));
  const weights = await file.tensor("embedding.weight", { scale: "embedding.scale" });
  return phasor.embedding.from(weights);
}

/** @param {Tensor} actual @param {Tensor} expected */
function assertSame(actual, expected) {
  assert.deepEqual([...actual.shape], [...expected.shape]);
  assert.deepEqual(actual.data, expected.data);
}

test("page: it is sent under the strict policy, and carries it", async () => {
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

test("page: a sentence of words becomes tokens and ids, unknown words said to be", async () => {
  const { page, problems } = await open();
  await type(page, "The zyzzyva chased <b>Dogs</b>!");
  assert.deepEqual(await tokens(page), [
    ["the", "0"],
    ["zyzzyva", "not in the table"],
    ["chased", "9693"],
    ["b", "not in the table"],
    ["dogs", String(words.indexOf("dogs"))],
    ["b", "not in the table"],
  ]);
  assert.equal(await page.locator("#tokens-shape").textContent(), "[3]");
  assert.equal(await page.locator("#sum-shape").textContent(), "[3, 100] + [3, 100] → [3, 100]");
  assert.match(String(await page.locator("#tokens-note").textContent()), /^3 words have no row/);
  assert.deepEqual(problems, []);
});

test("page: no token at all is no error", async () => {
  const { page, problems } = await open();
  await type(page, " ?! ");
  assert.deepEqual(await tokens(page), []);
  assert.equal(await page.locator("#sum-shape").textContent(), "[0, 100] + [0, 100] → [0, 100]");
  const { tensor } = await download(page, "sum");
  assert.deepEqual([...tensor.shape], [0, 100]);
  await type(page, "cat");
  assert.deepEqual(await tokens(page), [["cat", String(words.indexOf("cat"))]]);
  assert.deepEqual(problems, []);
});

test("page: the downloads of every stage are what the package computes for the words", async () => {
  const { page, problems } = await open();
  await type(page, "one dog and one cat");
  const ids = ["one", "dog", "and", "one", "cat"].map((word) => words.indexOf(word));
  const expected = computed(await gloveTable(), ids, 64);
  for (const stage of stages) {
    const { name, tensor } = await download(page, stage);
    assertSame(tensor, expected[stage]);
    assert.equal(name, `phasor-${stage}-${expected[stage].shape.join("x")}.npy`);
  }
  assert.deepEqual(problems, []);
});

test("page: the number under the pointer is the package's, in every figure at once", async () => {
  const { page } = await open("#text=one+dog+and+one+cat");
  const ids = ["one", "dog", "and", "one", "cat"].map((word) => words.indexOf(word));
  const expected = computed(await gloveTable(), ids, 64);
  for (const [stage, row, column] of /** @type {const} */ ([
    ["vectors", 1, 0],
    ["sum", 4, 99],
    ["positions", 3, 41],
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
    for (const each of stages) {
      assert.equal(await reading(page, each), expected[each].at(row, column), each);
    }
  }
  assert.equal(
    await page.locator("#positions-reading .term").textContent(),
    "cos(3 / 100002·20/100)", // the power is raised by markup
  );
});

test("page: each picture's colors follow its numbers", async () => {
  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    const { page } = await open("#tokenizer=gpt2&dim=16&length=40", { colorScheme });
    const expected = computed(freshTable(16), [464, 3290, 26172, 262, 3797], 40);
    for (const stage of stages) {
      const pixels = await page.locator(`#${stage} .phasor-raster canvas`).evaluate((element) => {
        const canvas = /** @type {HTMLCanvasElement} */ (element);
        const { width, height } = canvas;
        const image = canvas.getContext("2d")?.getImageData(0, 0, width, height);
        return [width, height, ...(image?.data ?? [])];
      });
      const [width, height, ...rgba] = pixels;
      assert.deepEqual([height, width], [...expected[stage].shape]);
      const values = /** @type {Float32Array} */ (expected[stage].data);
      const pale = Math.max(...values.map(Math.abs)) / 20;
      for (const [i, x] of values.entries()) {
        const [red, , blue] = rgba.slice(i * 4, i * 4 + 3);
        if (Math.abs(x) > pale) assert.equal(Math.sign(blue - red), Math.sign(x));
      }
    }
  }
});

test("page: GPT-2's tokens come when they are chosen, with an untrained table that says so", async () => {
  const { page, problems } = await open();
  /** @type {string[]} */
  const requests = [];
  page.on("request", (request) => requests.push(request.url()));
  const scripts = () =>
    page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
  assert.equal((await scripts()).filter((name) => name.includes("r50k")).length, 0);
  await chooseGpt2(page);
  assert.notEqual(requests.filter((url) => url.includes("r50k")).length, 0);
  await type(page, "Hello world");
  assert.deepEqual(await tokens(page), [
    ["Hello", "15496"],
    ["␣world", "995"],
  ]);
  assert.ok(await page.getByText("untrained: its numbers are random").isVisible());
  await page.getByLabel("Width D").selectOption("128");
  await page.getByLabel("Random seed").fill("7");
  await told(page);
  const expected = computed(freshTable(128, 7), [15496, 995], 64);
  for (const stage of stages) assertSame((await download(page, stage)).tensor, expected[stage]);
  assert.deepEqual(problems, []);
});

test("page: tokens that are no whole characters show their bytes, hostile ones stay text", async () => {
  const { page, problems } = await open("#tokenizer=gpt2");
  await type(page, "naïve café 🐱");
  assert.deepEqual(await tokens(page), [
    ["na", "2616"],
    ["ïve", "38776"],
    ["␣café", "40304"],
    ["20 F0 9F", "12520"],
    ["90", "238"],
    ["B1", "109"],
  ]);
  await type(page, "<|endoftext|>");
  assert.deepEqual(await tokens(page), [["<|endoftext|>", "50256"]]);
  await type(page, "cat<|endoftext|><|endoftext|>");
  assert.deepEqual(await tokens(page), [
    ["cat", "9246"],
    ["<|endoftext|>", "50256"],
    ["<|endoftext|>", "50256"],
  ]);
  await type(page, '<img src=x onerror="alert(1)">\u202e\u0000');
  assert.equal(await page.locator("main img").count(), 0);
  const shown = await tokens(page);
  assert.ok(
    shown.every(([text]) => !/[\u202e\0]/u.test(String(text))),
    "marks that turn the line are written out",
  );
  await page.getByLabel("GloVe words").check();
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
  /** @param {() => Promise<unknown>} act @param {number} dim @param {number} length @param {object} options */
  async function check(act, dim, length, options) {
    await act();
    await told(page);
    const { tensor } = await download(page, "sum");
    assertSame(tensor, computed(freshTable(dim), ids, length, options).sum);
    assert.ok(
      sums.every(({ data }) => String(data) !== String(tensor.data)),
      "another sum",
    );
    sums.push(tensor);
  }
  await check(async () => {}, 64, 64, {});
  await check(() => page.getByLabel("Width D").selectOption("16"), 16, 64, {});
  await check(() => page.getByLabel("Base").fill("500000"), 16, 64, { base: 500000 });
  const halves = { base: 500000, layout: "halves" };
  await check(() => page.getByLabel("Layout").selectOption("halves"), 16, 64, halves);
  const flipped = { base: 500000, layout: "flipped" };
  await check(() => page.getByLabel("Layout").selectOption("flipped"), 16, 64, flipped);
  const torch = { ...flipped, precision: "torch" };
  await check(() => page.getByLabel("Precision").selectOption("torch"), 16, 64, torch);

  await page.getByLabel("Length L").fill("1");
  await told(page);
  assert.deepEqual((await tokens(page)).at(-1), ["␣world", "beyond L"]);
  const { tensor } = await download(page, "sum");
  assertSame(tensor, computed(freshTable(16), [15496], 1, torch).sum);
  assert.deepEqual(problems, []);
});

test("page: the copied JavaScript gives the same tensor in Node, whatever the sentence", async () => {
  for (const hash of [
    "#text=one+dog+and+one+cat&length=9&layout=halves",
    `#tokenizer=gpt2&dim=32&seed=3&base=777&precision=torch&text=${encodeURIComponent(
      'a"*/\n;throw 1//\u2028;throw 2//\u2029;throw 3//`${x}`',
    )}`,
  ]) {
    const { page, problems } = await open(hash);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy as JavaScript" }).click();
    await page.getByText("Copied.").waitFor();
    const program = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(program, await page.locator("#code-lines").textContent());
    const { tensor } = await download(page, "sum");

    const { npyBytes, stderr } = await inNode(
      `${program}\nprocess.stdout.write((await import("phasor/files")).npy.write(sum));`,
    );
    assert.equal(stderr, "");
    assertSame(await npy.read(npyBytes), tensor);
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

test("page: what is wrong is said beside the control, and the last good story stays", async () => {
  const { page, problems } = await open("#tokenizer=gpt2");
  const good = (await download(page, "sum")).tensor;
  for (const [label, text, sentence] of [
    ["Base", "0.5", "base must be a number from 1 on; got 0.5. The page still shows 10000."],
    ["Base", "ten", 'base must be a number; got "ten". The page still shows 10000.'],
    ["Base", "", 'base must be a number; got "". The page still shows 10000.'],
    [
      "Length L",
      "0",
      "length must be a whole number from 1 to 2048; got 0. The page still shows 64.",
    ],
    ["Random seed", "-1", /^seed must be .*; got -1\. The page still shows 0\.$/],
  ]) {
    const control = page.getByLabel(String(label), { exact: true });
    const was = await control.inputValue();
    await control.fill(String(text));
    await told(page);
    const id = await control.getAttribute("aria-describedby");
    const said = String(await page.locator(`#${id}`).textContent());
    if (sentence instanceof RegExp) assert.match(said, sentence);
    else assert.equal(said, sentence);
    assert.equal(await control.getAttribute("aria-invalid"), "true");
    assert.equal(await page.locator(".wrong:visible").count(), 1);
    assertSame((await download(page, "sum")).tensor, good);
    await control.fill(was);
    await told(page);
    assert.equal(await page.locator(".wrong:visible").count(), 0);
    assert.equal(await control.getAttribute("aria-invalid"), null);
  }
  assert.deepEqual(problems, []);
});

test("page: data that cannot be read is an error message, and requested again", async () => {
  const { page } = await browser.newPage({ viewport: desktop });
  await page.route("**/*.safetensors", (route) => route.fulfill({ status: 503 }));
  await page.goto(`${server.url}page/`);
  const wrong = page.locator("#tokenizer-wrong");
  await page.getByText("The word vectors could not be read: 503").waitFor();
  await page.unroute("**/*.safetensors");
  await type(page, "the cat");
  assert.equal(await wrong.textContent(), "");
  assert.equal((await tokens(page)).length, 2);
});

test("page: the keyboard reaches every control and moves through a heat map", async () => {
  const { page, problems } = await open("#tokenizer=gpt2");
  /** @type {string[]} */
  const reached = [];
  for (let i = 0; i < 60; ++i) {
    await page.keyboard.press("Tab");
    const name = await page.evaluate(() => {
      const focused = /** @type {HTMLInputElement} */ (document.activeElement);
      if (focused === document.body) return "";
      const figure = focused.closest("figure[id]")?.id;
      return figure
        ? `${figure} ${focused.tagName}`
        : focused.name || focused.id || focused.tagName;
    });
    if (name === "" || (reached.includes("text") && name === "text")) break;
    reached.push(name);
  }
  const figure = (/** @type {string} */ id) => [`${id} DIV`, `${id} SUMMARY`, `${id} BUTTON`];
  assert.deepEqual(
    reached.filter((name) => name !== "A"),
    [
      ...["text", "tokenizer", "dim", "seed", ...figure("vectors"), ...figure("scaled"), "shared"],
      ...["length", "base", "layout", "precision", ...figure("positions"), ...figure("sum")],
      ...["code", "copy"],
    ],
  );

  const { sum, positions } = computed(freshTable(64), [464, 3290, 26172, 262, 3797], 64);
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
  }
  assert.equal(await page.locator("#sum-reading").getAttribute("aria-live"), "polite");
  assert.equal(await page.locator("#scaled-reading").getAttribute("aria-live"), null);

  await page.locator("#positions .phasor-picture").focus();
  await page.keyboard.press("PageDown");
  assert.equal(await reading(page, "positions"), positions.at(13, 0));
  assert.equal(
    await page.locator("#sum-reading").textContent(),
    "Position 13 is beyond the sentence.",
  );
  assert.deepEqual(problems, []);
});

test("page: the address keeps the sentence and settings, and a wrong address does no harm", async () => {
  const { page, problems } = await open();
  await chooseGpt2(page);
  await type(page, "Hello & world #1");
  await page.getByLabel("Width D").selectOption("32");
  await page.getByLabel("Layout").selectOption("flipped");
  await page.waitForFunction(() => location.hash.includes("flipped"));
  const sum = (await download(page, "sum")).tensor;
  const again = await open(new URL(page.url()).hash);
  assert.equal(await again.page.getByLabel("Your sentence").inputValue(), "Hello & world #1");
  assertSame((await download(again.page, "sum")).tensor, sum);

  const wrong = await open("#dim=17&layout=__proto__&length=many&tokenizer=constructor&base=&x=1");
  assert.equal(await wrong.page.locator("#positions-shape").textContent(), "[64] → [64, 100]");
  assert.equal(await wrong.page.locator(".wrong:visible").count(), 0);
  assert.deepEqual([...problems, ...again.problems, ...wrong.problems], []);
});

test("page: one color range shows in every legend", async () => {
  const { page } = await open();
  const legends = () =>
    page.locator(".phasor-legend").evaluateAll((all) => all.map((e) => e.textContent));
  assert.equal(new Set(await legends()).size, 3); // scaled and sum are about alike
  await page.getByLabel("Use the same color scale").check();
  await told(page);
  const ends = (await legends()).map((text) => String(text).replaceAll(/[≤≥ ]/g, ""));
  assert.equal(new Set(ends).size, 1);
});

test("page: axe finds nothing, and nothing sticks out, in both themes, wide and narrow", async () => {
  const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  for (const viewport of [desktop, phone]) {
    for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
      for (const hash of ["", "#tokenizer=gpt2&dim=1024&length=600&base=0"]) {
        const { page, problems } = await open(hash.replace("&base=0", ""), {
          viewport,
          colorScheme,
          scripts: [axe],
        });
        if (hash.includes("base=0")) {
          await page.getByLabel("Base").fill("0"); // with a sentence about an error
          await page.locator("#sum .phasor-picture").focus();
          await page.keyboard.press("End"); // with a label at the very edge
        }
        await told(page);
        const found = await page.evaluate(async () => {
          const { violations } = await /** @type {any} */ (globalThis).axe.run();
          return violations.map((/** @type {any} */ { id, nodes }) => [
            id,
            ...nodes.map((/** @type {any} */ node) => node.html),
          ]);
        });
        assert.deepEqual(found, [], `${viewport.width} ${colorScheme} ${hash}`);
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(width <= viewport.width, `${width} px wide in ${viewport.width}`);
        assert.deepEqual(problems, []);
        await page.context().close();
      }
    }
  }
});

test("page: nothing on the first screen moves while it loads", async () => {
  for (const viewport of [desktop, phone]) {
    const watch = `
      globalThis.moved = 0;
      new PerformanceObserver((list) => {
        for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) moved += value;
      }).observe({ type: "layout-shift", buffered: true });`;
    const { page } = await open("", { viewport, scripts: [watch] });
    const moved = await page.evaluate(() => /** @type {any} */ (globalThis).moved);
    assert.ok(moved < 0.01, `a shift of ${moved}; 0.1 is called good`);
  }
});
