// "X-ray of a context length": names, pasted configurations, files and lengths get their picture and its words.

import assert from "node:assert/strict";
import { test } from "node:test";
import { npy } from "phasor/files";
import { xray } from "phasor/xray";
import { until } from "../until.js";
import { ggufOf } from "../unit/models/open/gguf.js";
import { isNight } from "../sample.js";
import { violations } from "./axe.js";
import { bytesOf } from "./browser.js";
import { setHash, settled } from "./pages.js";
import { visit } from "./lessons/lesson.js";

const { page, problems, choose } = await visit("xray", "xray/");

/** @param {string} id */
const text = (id) => page.innerText(`#${id}`);
const hash = () => new URL(page.url()).hash;
const isWide = () => document.documentElement.scrollWidth > innerWidth;

/** @param {string} id @param {string} value */
async function fill(id, value) {
  await page.fill(`#${id}`, value);
  await page.locator(`#${id}`).blur();
  await settled(page);
}

/** @param {string} value @param {string} [side] */
async function paste(value, side = "first") {
  await page.locator(`#${side}-paste`).evaluate((details) => details.setAttribute("open", ""));
  await page.fill(`#${side}-text`, value);
  await settled(page);
}

/** The rows of the first table of readers. */
const readers = () =>
  page
    .locator("#first-readers tbody tr")
    .evaluateAll((rows) =>
      rows.map((row) => Array.from(row.children, (cell) => cell.textContent ?? "")),
    );

/** The first picture's table of numbers. */
const csv = () =>
  page.locator("#first-picture > figure").evaluate((figure) => /** @type {any} */ (figure).csv());

/** A configuration with a scaling and a part of each head that rotates. */
const CONFIG = {
  model_type: "phi3",
  hidden_size: 3072,
  num_hidden_layers: 4,
  num_attention_heads: 32,
  num_key_value_heads: 8,
  max_position_embeddings: 16384,
  rope_theta: 250000,
  rope_scaling: { type: "linear", factor: 4 },
};
const LLAMA = { ...CONFIG, model_type: "llama" };

test("the start: Llama 3.1 8B at its own length, with readers, numbers and a command", async () => {
  const seen = await xray("llama-3.1-8b");
  assert.equal(await text("first-title"), "llama-3.1-8b");
  assert.equal(await text("first-sentence"), seen.sentence);
  assert.equal(await page.inputValue("#length"), "131072");
  assert.equal(await page.inputValue("#slider"), "17");
  assert.match(await text("length-note"), /^= 217, the model’s own length$/);
  assert.equal(await text("first-command"), "npx phasor xray llama-3.1-8b");
  assert.equal(await page.getAttribute("#first-badge", "alt"), `positions: ${seen.badge}`);
  assert.ok(await page.locator("#first-badge").evaluate((image) => /** @type {HTMLImageElement} */ (image).naturalWidth > 200)); // prettier-ignore
  const download = page.waitForEvent("download");
  await page.click("#first-save");
  assert.equal((await download).suggestedFilename(), "positions.svg");
  const [[does, trained, asked]] = await readers();
  const [of] = seen.readers[0].kinds;
  const name = `${seen.readers[0].does} 32 layers, full attention`;
  assert.deepEqual([does, trained, asked], [name, of.trained.toFixed(3), of.asked.toFixed(3)]);
  assert.equal((await readers()).length, seen.readers.flatMap(({ kinds }) => kinds).length);
  assert.match(await text("first-readers"), /Original, 8,192\s+Asked, 131,072/);
  assert.match(await text("first-numbers"), /bfloat16\s+position 257 is 256; .* 512 apart/);
  assert.match(await text("first-numbers"), /131,072 bytes a token, 17,179,869,184 in all/);
  assert.equal((await csv()).split("\n").filter(Boolean).length, 65);
  assert.equal(await page.locator("#second-answer").isVisible(), false);
  assert.equal(hash(), "");
});

test("a name, a second one beside it, and the address of both", async () => {
  await fill("first", "gpt-oss-20b");
  assert.equal(await text("first-title"), "gpt-oss-20b");
  assert.match(await text("first-readers"), /scores × 0\.551/);
  await fill("second", "smollm3-3b");
  assert.equal(await text("second-title"), "smollm3-3b");
  const length = await page.inputValue("#length");
  assert.match(await text("second-command"), new RegExp(`^npx .* smollm3-3b --length ${length}$`));
  assert.match(await text("second-readers"), /rotates the layers that have no rotation/);
  await until(() => hash() === "#model=gpt-oss-20b&second=smollm3-3b", "the address has both");
  await page.click("#remove");
  await settled(page);
  assert.equal(await page.locator("#second-answer").isVisible(), false);
  await until(() => hash() === "#model=gpt-oss-20b", "the address has one");
  await fill("first", "lama-3.1-8b");
  assert.equal(
    await text("first-wrong"),
    "No model is known as “lama-3.1-8b”. Did you mean llama-3.1-8b?",
  );
  assert.equal(await page.getAttribute("#first", "aria-invalid"), "true");
  assert.equal(await page.locator("#first-answer").isVisible(), false);
  await fill("first", "");
  assert.equal(await text("first-wrong"), "Type a model’s name, or paste a config.json.");
  await fill("first", "gpt2");
  assert.equal(await text("first-wrong"), "");
  assert.match(
    await text("first-sentence"),
    /^The table has 1,024 positions, and 1,024 tokens fit/,
  );
  assert.match(await text("first-readers"), /^The known misreadings are of rotary embeddings/);
});

test("an address sets models and length; what it may not set is left out", async () => {
  await setHash(page, "model=qwen3-8b&second=gemma-3-1b&length=100000");
  assert.equal(await text("first-title"), "qwen3-8b");
  assert.equal(await text("second-title"), "gemma-3-1b");
  assert.equal(await page.inputValue("#length"), "100000");
  assert.match(await text("second-sentence"), /^At 100,000 tokens /);
  await setHash(page, "model=__proto__&second=%3Cimg%3E&length=1e99");
  assert.equal(await text("first-title"), "llama-3.1-8b");
  assert.equal(await page.locator("#second-answer").isVisible(), false);
  assert.equal(await page.inputValue("#length"), "131072");
});

test("the slider and the field: whole tokens, powers of two, and the model's own", async () => {
  await setHash(page, "");
  await page.focus("#slider");
  await page.keyboard.press("ArrowLeft");
  await settled(page);
  assert.equal(await page.inputValue("#length"), String(Math.round(2 ** 16.875)));
  assert.equal(await page.getAttribute("#slider", "aria-valuetext"), "120,194 tokens");
  for (let i = 0; i < 7; ++i) await page.keyboard.press("ArrowLeft");
  await settled(page);
  assert.equal(await page.inputValue("#length"), "65536");
  assert.equal(await text("length-note"), "= 216");
  assert.match(await text("first-sentence"), /^At 65,536 tokens /);
  await until(() => hash() === "#length=65536", "the address has the length");
  const powers = await page.locator("#powers option").evaluateAll((all) => all.length);
  assert.equal(powers, 21);
  await fill("length", "60,000");
  assert.match(await text("first-sentence"), /0\.539 of the dot product/);
  assert.equal(await text("first-command"), "npx phasor xray llama-3.1-8b --length 60000");
  assert.equal(await text("length-note"), "");
  for (const wrong of ["0", "1.5", "-3", "many", "99999999999"]) {
    await fill("length", wrong);
    assert.equal(
      await text("length-wrong"),
      "Tokens: type a whole number from 1 to 16,777,216.",
      wrong,
    );
    assert.match(await text("first-sentence"), /^At 60,000 tokens /);
  }
  await page.click("#own");
  await settled(page);
  assert.equal(await text("length-wrong"), "");
  assert.equal(await page.inputValue("#length"), "131072");
  await until(() => hash() === "", "the address has no length");
});

test("a pasted configuration is shown as it is edited, beside another", async () => {
  await paste(JSON.stringify(LLAMA, null, 2));
  const seen = await xray(LLAMA);
  assert.equal(await text("first-from"), "The pasted text: llama");
  assert.equal(await text("first-sentence"), seen.sentence);
  assert.equal(await text("first-command"), "npx phasor xray config.json");
  assert.equal(await page.inputValue("#first"), "");
  assert.equal(hash(), "");
  const without = { ...LLAMA, rope_scaling: null };
  await paste(JSON.stringify(without), "second");
  assert.match(
    await text("second-sentence"),
    /^16,384 tokens are the original length: no pair meets/,
  );
  await paste(JSON.stringify({ ...LLAMA, rope_theta: undefined, rope_scaling: undefined, rope_parameters: { rope_type: "default", rope_theta: 250000 } })); // prettier-ignore
  assert.match(await text("first-readers"), /finds no rope_theta and takes 10,000/);
  await page.click("#remove");
  await settled(page);
});

test("a bad configuration gets words, and nothing of it becomes markup", async () => {
  const evil = "<img src=x onerror=alert(1)>";
  /** @type {[string, RegExp][]} */
  const wrong = [
    ['{"model_type": ', /^The text is not JSON: Unexpected end of JSON input\.$/],
    ["gpt2", /^The text is not JSON/],
    ["[]", /^config must be an object, as in config\.json; got /],
    [JSON.stringify({ ...LLAMA, hidden_size: "wide" }), /hidden_size must be /],
    [JSON.stringify({ ...LLAMA, model_type: evil }), /positions are known; got "<img src=x/],
    [JSON.stringify({ ...LLAMA, model_type: "W".repeat(5000) }), /positions are known/],
  ];
  for (const [config, words] of wrong) {
    await paste(config);
    assert.match(await text("first-wrong"), words);
    assert.equal(await page.locator("#first-answer").isVisible(), false);
    assert.equal(await page.locator('img[src="x"]').count(), 0);
    assert.equal(await page.getAttribute("#first-text", "aria-invalid"), "true");
    assert.equal(await page.evaluate(isWide), false);
  }
  await paste("");
  assert.equal(await text("first-wrong"), "Type a model’s name, or paste a config.json.");
  await fill("first", "t5-base");
  assert.equal(await text("first-wrong"), "This configuration states no length: type one below.");
  assert.equal(await page.inputValue("#length"), "");
  await fill("length", "512");
  assert.match(
    await text("first-sentence"),
    /^Distances from 91 on share one bias, and in the decoder from 113 on/,
  );
  await page.click("#own");
  await settled(page);
  await paste(JSON.stringify(LLAMA));
  assert.equal(await text("first-wrong"), "");
});

test("files: config.json, a GGUF, both next to each other, and what is refused", async () => {
  const bytes = await ggufOf(
    {
      "general.architecture": "llama",
      "llama.embedding_length": 64,
      "llama.block_count": 2,
      "llama.attention.head_count": 4,
      "llama.context_length": 4096,
      "llama.rope.freq_base": 20000,
    },
    { "token_embd.weight": { data: new Float32Array(8 * 64), shape: [8, 64] } },
  );
  await choose(["port.gguf", bytes]);
  assert.equal(await text("first-from"), "“port.gguf”: llama");
  assert.match(
    await text("first-sentence"),
    /^4,096 tokens are the original length: no pair meets/,
  );
  assert.equal(await text("first-command"), "npx phasor xray port.gguf");
  await choose(["config.json", JSON.stringify(LLAMA)], ["a b.gguf", bytes]);
  assert.equal(await text("first-from"), "“config.json”: llama");
  assert.equal(await text("second-from"), "“a b.gguf”: llama");
  assert.match(await text("second-command"), /^npx phasor xray model\.gguf --length 16384$/);
  await choose(["a.gguf", "nothing"]);
  assert.match(await text("first-wrong"), /^“a\.gguf”: This is not a GGUF file/);
  await choose(["a.gguf", ""]);
  assert.match(await text("first-wrong"), /^“a\.gguf”: This file is empty/);
  await choose(["<img src=x>.pt", "x"]);
  assert.match(await text("first-wrong"), /^“<img src=x>\.pt”: This page reads a config\.json or/);
  assert.equal(await page.locator('img[src="x"]').count(), 0);
  await choose(["a.json", "x"], ["b.json", "x"], ["c.json", "x"]);
  assert.equal(await text("files-wrong"), "Two files at most are shown; got 3.");
  await page.evaluate((numbers) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(numbers)], "dropped.gguf"));
    for (const type of ["dragenter", "drop"])
      document.querySelector("h1")?.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true })); // prettier-ignore
  }, Array.from(bytes));
  await settled(page);
  assert.equal(await text("first-from"), "“dropped.gguf”: llama");
  assert.equal(await text("files-wrong"), "");
});

test("with keys alone: a name, a length, and what each dial says", async () => {
  await setHash(page, "");
  await page.focus("#first");
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("llama-2-7b");
  await settled(page);
  assert.equal(await text("first-title"), "llama-2-7b");
  await page.focus("#length");
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("8192");
  await settled(page);
  assert.match(await text("first-sentence"), /^At 8,192 tokens \d+ of 64 pairs meet angles/);
  await page.focus("#own");
  await page.keyboard.press("Enter");
  await settled(page);
  assert.equal(await page.inputValue("#length"), "4096");
  await page.locator("#first-picture [tabindex='0']").first().focus();
  await page.keyboard.press("ArrowRight");
  await settled(page);
  assert.match(
    await text("first-picture"),
    /full_attention, pair 0: .* turns in the original 4,096 tokens/,
  );
});

test("the command can be copied, and the picture saved as SVG, PNG and .npy", async () => {
  await setHash(page, "length=60000");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.click("#first-copy");
  await until(async () => (await text("first-copied")) === "Copied.", "it is copied");
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied, "npx phasor xray llama-3.1-8b --length 60000");
  await page.click("#first-picture .export summary");
  const save = async (/** @type {string} */ label) => {
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.click(`#first-picture .export button:text-is("${label}")`),
    ]);
    return { name: file.suggestedFilename(), bytes: await bytesOf(file) };
  };
  const svg = await save("SVG");
  assert.equal(svg.name, "phasor-xray-first.svg");
  const markup = new TextDecoder().decode(svg.bytes);
  assert.match(markup, /^<svg [^>]*width="1200" height="630"/);
  assert.match(markup, /60,000 tokens/);
  const png = new DataView(Uint8Array.from((await save("PNG")).bytes).buffer);
  assert.deepEqual([png.getUint32(16), png.getUint32(20)], [2400, 1260]);
  const pairs = await npy.read((await save(".npy")).bytes);
  assert.deepEqual([...pairs.shape], [64, 4]);
});

test("axe finds nothing, nothing is wider than 375 px, and the console is clean", async () => {
  const [two, one] = ["model=gemma-4-e2b&second=deepseek-v3&length=1000000", ""];
  for (const address of [two, one]) {
    await page.setViewportSize({ width: 1280, height: 900 });
    await setHash(page, address);
    const isLooked = address === two || isNight; // every-page.test.js looks at one
    if (isLooked) assert.deepEqual(await violations(page), [], address);
    await page.setViewportSize({ width: 375, height: 740 });
    assert.equal(await page.evaluate(isWide), false, address);
    if (isLooked) assert.deepEqual(await violations(page), [], `${address} at 375 px`);
  }
  await fill("first", "nothing");
  await fill("length", "nothing");
  assert.deepEqual(await violations(page), [], "with errors");
  assert.deepEqual(problems, []);
});
