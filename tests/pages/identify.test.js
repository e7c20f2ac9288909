// "What is this table?": examples, files and pasted numbers get their sentence; what is hostile gets words.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "phasor";
import { npy, npz, safetensors } from "phasor/files";
import { atNight, sampled } from "../sample.js";
import { until } from "../until.js";
import { themes, violations } from "./axe.js";
import { bytesOf } from "./browser.js";
import { setHash, settled } from "./pages.js";
import { visit } from "./lessons/lesson.js";

const { rope } = await load();
const { page, problems, choose } = await visit("identify", "identify/");

const sentence = () => page.innerText("#sentence");
const wrong = () => page.innerText("#wrong");

/** What a property says, and how it was found out. @param {string} name */
const property = (name) =>
  page.locator(`.properties > div:has(dt:text-is("${name}")) dd`).innerText();

/** @param {string} text */
async function paste(text) {
  await page.locator("#paste").evaluate((details) => details.setAttribute("open", ""));
  await page.fill("#text", text);
  await page.click("#paste button");
  await settled(page);
}

/** The sentence of each example, and of its last words. @type {Readonly<Record<string, RegExp>>} */
const SENTENCES = {
  squared:
    /^RoPE, halves, 64 columns, base 150000, yarn .*, attention factor 1\.81326, not 1\.34657: applied twice\.$/,
  interleaved: /^RoPE, interleaved, 128 columns, base 500000, llama3 \(factor 8, .*\)\.$/,
  unscaled: /^RoPE, halves, 128 columns, base 500000, no scaling\.$/,
  offset: /^RoPE, halves, 128 columns, base 500000, llama3 .*, positions from 5\.$/,
  bfloat16: /^RoPE, .*, base 1000000, no scaling, positions rounded to bfloat16\.$/,
  mixed: /^RoPE, interleaved, 64 columns, by a table of halves, base 10000, no scaling\.$/,
  noise: /^No name fits: /,
};

test("each example gets its sentence, and its address", async () => {
  const names = await page
    .locator("[data-example]")
    .evaluateAll((all) => all.map((each) => each.getAttribute("data-example") ?? ""));
  assert.deepEqual(names, Object.keys(SENTENCES));
  assert.match(await sentence(), SENTENCES.squared);
  for (const name of [...names.slice(1), "squared"]) {
    await page.click(`[data-example="${name}"]`);
    await settled(page);
    assert.match(await sentence(), SENTENCES[name]);
    assert.match(await page.innerText("#notes"), /^(Should be: |A name for these)/);
    const pressed = page.locator('[data-example][aria-pressed="true"]');
    assert.equal(await pressed.getAttribute("data-example"), name);
    const wanted = name === "squared" ? "" : `#example=${name}`;
    await until(() => new URL(page.url()).hash === wanted, `the address is ${wanted}`);
  }
  await setHash(page, "example=offset");
  assert.match(await sentence(), SENTENCES.offset);
  await setHash(page, "example=__proto__");
  assert.match(await sentence(), SENTENCES.squared);
});

test("the properties, with what decided each; other names; models; the code", async () => {
  await setHash(page, "example=unscaled");
  assert.match(
    await property("Pairs"),
    /^halves, \(i, i \+ 64\)\s+Columns c and c \+ 64 are equal/,
  );
  assert.match(await property("Frequencies"), /^500000−2i\/128/);
  assert.match(await property("Positions"), /^0, 1, 2, …/);
  assert.match(await property("Residual"), /All 64 rows and 128 columns were computed again/);
  assert.match(await page.innerText("#code"), /rope\.table\(64, 128, \{\s+base: 500000\s+\}\)/);
  assert.match(await page.innerText("#more .models"), /olmo-3\.1-32b/);
  await setHash(page, "example=squared");
  assert.match(await property("Factor"), /^1\.81326/);
  assert.equal(await page.locator("#more .models").count(), 0); // gpt-oss has it once
  await setHash(page, "example=noise");
  assert.equal(await page.locator("#program").isVisible(), false);
  assert.equal(await page.locator("#spectrum").isVisible(), false);
  assert.equal(await page.locator(".properties").count(), 0);
});

test("the picture has the named spectrum over the measured one, hidden pairs, and words", async () => {
  await setHash(page, "example=offset");
  const lines = () =>
    page
      .locator("#spectrum > figure")
      .evaluate((figure) => /** @type {any} */ (figure).csv().split("\n"));
  const [header, first] = await lines();
  assert.match(header, /^pair,.*measured.*named/);
  const [pair, measured, , , named] = first.split(",").map(Number);
  assert.deepEqual([pair, named], [0, 1]);
  assert.ok(Math.abs(measured - 1) < 1e-6);
  assert.match(await page.innerText("#pictured"), /^64 pairs, with a turn in 6\.28 to /);
  const table = rope.toFullWidth(rope.table(16, 64, { base: 1e6 }));
  const narrow = (/** @type {Float32Array} */ data) => data.map((x) => Math.round(x * 2 ** 10) / 2 ** 10); // prettier-ignore
  const cos = { data: narrow(table.cos.data), shape: table.cos.shape };
  const sin = { data: narrow(table.sin.data), shape: table.sin.shape };
  await choose(["narrow.npz", await npz.write({ cos, sin })]);
  assert.match(await property("Not shown"), /^pairs \d+ to 31\s+Pairs \d+ to 31 turn less/);
  assert.match((await lines())[0], /not shown/);
  assert.match(await page.innerText("#pictured"), /only the name is drawn/);
});

test("files: .npz, .safetensors, two .npy, and other arrays of one file", async () => {
  const table = rope.toFullWidth(rope.table(32, 64, { base: 1e6, offset: 7 }));
  const other = rope.toFullWidth(rope.table(32, 64, { base: 10000 }));
  const found = /^RoPE, halves, 64 columns, base 1000000, no scaling, positions from 7\.$/;
  await choose(["port.npz", await npz.write({ cos: table.cos, sin: table.sin })]);
  assert.match(await sentence(), found);
  assert.equal(await page.innerText("#measured"), "“port.npz”: cos and sin, [32, 64]");
  assert.equal(await page.locator('[aria-pressed="true"]').count(), 0);
  await until(() => new URL(page.url()).hash === "", "the address names no example");
  await choose(["cos.npy", npy.write(table.cos)], ["sin.npy", npy.write(table.sin)]);
  assert.match(await sentence(), found);
  const all = { "a.cos": other.cos, "a.sin": other.sin, "b.cos": table.cos, "b.sin": table.sin };
  await choose(["kinds.safetensors", safetensors.write(all)]);
  assert.match(await sentence(), /base 10000, no scaling\.$/);
  await page.click('#notes button:has-text("b.cos and b.sin")');
  await settled(page);
  assert.match(await sentence(), found);
  const q = { data: Float32Array.from({ length: 32 * 64 }, (_, i) => Math.sin(i * i)), shape: [32, 64] }; // prettier-ignore
  const rotated = rope.apply(q, rope.table(32, 64), { layout: "interleaved" });
  await choose(["q.npz", await npz.write({ q, q_rotated: rotated })]);
  assert.match(await sentence(), /^RoPE, interleaved, 64 columns, base 10000, no scaling\.$/);
  await choose(["same.npz", await npz.write({ q, q_rotated: q })]);
  assert.match(await sentence(), /^Nothing rotates: /);
});

test("queries and keys: one answer if they rotate alike, both measurements if not", async () => {
  const q = { data: Float32Array.from({ length: 32 * 64 }, (_, i) => Math.sin(i * i)), shape: [32, 64] }; // prettier-ignore
  const k = { data: q.data.map((x) => x / 3), shape: q.shape };
  const [q_rotated, same] = [q, k].map((x) => rope.apply(x, rope.table(32, 64)));
  await choose(["alike.npz", await npz.write({ q, q_rotated, k, k_rotated: same })]);
  assert.match(await sentence(), /^RoPE, halves, 64 columns, base 10000, no scaling, q and k alike\.$/); // prettier-ignore
  assert.equal(await page.innerText("#measured"), "“alike.npz”: q, q_rotated, k and k_rotated, [32, 64]"); // prettier-ignore
  const headings = () => page.locator("#properties h3").allInnerTexts();
  assert.deepEqual(await headings(), ["Keys"]);
  const late = rope.apply(k, rope.table(32, 64, { offset: 1 }));
  await choose(["apart.npz", await npz.write({ q, q_rotated, k, k_rotated: late })]);
  assert.match(await sentence(), /^No one name fits: q and k differ in positions, which are 1 more in k: /); // prettier-ignore
  assert.deepEqual(await headings(), ["Queries", "Keys"]);
  assert.match(await page.innerText("#properties h3:text-is('Keys') + p"), /positions from 1\.$/);
  await page.click('#notes button:text-is("q and q_rotated")');
  await settled(page);
  assert.match(await sentence(), /^RoPE, halves, 64 columns, base 10000, no scaling\.$/);
});

test("weights need their number of heads, and a change of it asks again", async () => {
  const data = Float32Array.from({ length: 256 }, (_, i) => Math.sin(i * i));
  const reference = { data, shape: [16, 16] };
  const weights = rope.convert(reference, { from: "interleaved", to: "halves", axis: 0, heads: 2 });
  await page.fill("#heads", "");
  await choose(["weights.npz", await npz.write({ weights, reference })]);
  assert.equal(await wrong(), "“weights.npz”: These are weights: enter their number of heads.");
  await page.fill("#heads", "2");
  await page.press("#heads", "Tab");
  await settled(page);
  assert.match(await sentence(), /^Rows of the reference, converted from interleaved to halves, 8 rows a head, 2 heads/); // prettier-ignore
  await page.fill("#heads", "3");
  await page.press("#heads", "Tab");
  await settled(page);
  assert.match(await wrong(), /heads must divide the 16 rows of weights; got 3/i);
  await page.fill("#heads", "");
});

test("other names of the same numbers are listed", async () => {
  const { cos, sin } = rope.table(48, 64, { scaling: { type: "ntk", alpha: 4 } });
  await choose(["ntk.npz", await npz.write({ cos: cos.as("float16"), sin: sin.as("float16") })]);
  assert.match(await sentence(), /base 10000, ntk \(alpha 4\)/);
  assert.match(await page.innerText("#more"), /base 41829\.5, no scaling/);
});

test("a file that is dropped anywhere is read", async () => {
  const { cos, sin } = rope.toFullWidth(rope.table(16, 32, { offset: 9 }));
  const bytes = Array.from(await npz.write({ cos, sin }));
  await page.evaluate((numbers) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(numbers)], "dropped.npz"));
    for (const type of ["dragenter", "drop"])
      document.querySelector("h1")?.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true })); // prettier-ignore
  }, bytes);
  await settled(page);
  assert.match(await sentence(), /^RoPE, halves, 32 columns, base 10000, .*positions from 9\.$/);
});

test("a pasted print, and what is refused", async () => {
  const { cos, sin } = rope.toFullWidth(rope.table(6, 16, { offset: 2 }));
  await paste(`cos = tensor(${JSON.stringify(cos.toArray())})\nsin = tensor(${JSON.stringify(sin.toArray())}, device='cuda:0')`); // prettier-ignore
  assert.match(await sentence(), /^RoPE, halves, 16 columns, base 10000, .*positions from 2\.$/);
  await paste("[[0.1, 0.2], [0.3 ...");
  assert.match(await wrong(), /^The pasted text: This print leaves numbers out/);
  await paste("<img src=x onerror=alert(1)>");
  assert.match(await wrong(), /The text must hold numbers, brackets and names/);
  const note = await page.locator("#wrong").innerHTML();
  assert.ok(!note.includes("<img"));
  await page.click('[data-example="squared"]');
  await settled(page);
  assert.equal(await wrong(), "");
});

test("hostile files are refused with their reason, and names stay text", async () => {
  const strange = "<img src=x onerror=alert(1)>\u202e";
  const long = "W".repeat(5000);
  const numbers = { data: new Float32Array(8), shape: [4, 2] };
  /** @type {[string, Uint8Array | string, RegExp][]} */
  const files = [
    ["a.npz", "PK\u0003\u0004 nothing", /does not end as one does/],
    ["a.npz", "", /This file is empty/],
    ["a.safetensors", "\u00ff".repeat(64), /This is not a safetensors file/],
    ["a.npy", "NUMPY", /This is not a \.npy file/],
    ["a.pt", "PK", /This page reads \.npz, \.safetensors and \.npy files; got “a\.pt”/],
    [`${strange}.npz`, await npz.write({ cos: numbers, sin: numbers }), /^“<img src=x onerror/],
    ["b.npz", await npz.write({ [strange.slice(1)]: numbers }), /arrays named cos and sin/],
    ["c.npz", await npz.write({ [long]: numbers }), /got “W+…”\.$/],
    ["d.npz", await npz.write({ cos: numbers, sin: { data: new Float32Array(4), shape: [2, 2] } }), /cos and sin must have one shape/],
    ["e.npz", await npz.write({ cos: { data: new Float32Array(8).fill(NaN), shape: [4, 2] }, sin: numbers }), /cos must be finite/],
  ]; // prettier-ignore
  for (const [name, bytes, message] of files) {
    await choose([name, bytes]);
    const said = `${await wrong()} ${await page.innerText("#measured")}`;
    assert.match(
      said,
      new RegExp(message.source.replace("^", "(^| )").replace("$", "( |$)")),
      name,
    );
    assert.ok(said.length < 600);
    assert.equal(await page.locator('img[src="x"]').count(), 0);
    assert.equal(
      await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
      false,
    );
  }
  await choose(["a.npz", "x"], ["b.npz", "x"]);
  assert.match(await wrong(), /Choose one \.npz or \.safetensors file/);
});

test("a table of 131,072 x 128 does not block the page", atNight, async () => {
  await page.evaluate(() => {
    const longest = { ms: 0 };
    /** @type {any} */ (globalThis).longest = longest;
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longest.ms = Math.max(longest.ms, duration);
    });
    observer.observe({ type: "longtask" });
  });
  // A file of these numbers would travel through the test's connection: the browser makes it.
  await page.evaluate(async () => {
    const [T, C] = [131072, 128];
    const header = (/** @type {string} */ text) => new TextEncoder().encode(text);
    const json = JSON.stringify({
      cos: { dtype: "F32", shape: [T, C], data_offsets: [0, T * C * 4] },
      sin: { dtype: "F32", shape: [T, C], data_offsets: [T * C * 4, T * C * 8] },
    });
    const size = new Uint8Array(new BigUint64Array([BigInt(json.length)]).buffer);
    const parts = [new Float32Array(T * C), new Float32Array(T * C)];
    const theta = Float64Array.from({ length: 64 }, (_, i) => 10000 ** (-i / 64));
    for (let at = 0; at < T * C; ++at) {
      const angle = Math.floor(at / C) * theta[at % 64];
      parts[0][at] = Math.cos(angle);
      parts[1][at] = Math.sin(angle);
      if (at % 2 ** 21 === 0) await new Promise((next) => setTimeout(next));
    }
    const transfer = new DataTransfer();
    transfer.items.add(new File([size, header(json), ...parts], "large.safetensors"));
    await new Promise((next) => setTimeout(next, 100));
    /** @type {any} */ (globalThis).longest.ms = 0;
    const input = /** @type {HTMLInputElement} */ (document.getElementById("files"));
    input.files = transfer.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await settled(page);
  assert.match(await sentence(), /^RoPE, halves, 128 columns, base 10000, no scaling\.$/);
  assert.equal(
    await page.innerText("#measured"),
    "“large.safetensors”: cos and sin, [131072, 128]",
  );
  const longest = await page.evaluate(() => /** @type {any} */ (globalThis).longest.ms);
  // A machine that also does other things is slower.
  assert.ok(longest < 200, `${longest} ms`);
});

test("with keys alone: an example, and pasted numbers", async () => {
  await page.focus('[data-example="offset"]');
  await page.keyboard.press("Enter");
  await settled(page);
  assert.match(await sentence(), SENTENCES.offset);
  await page.focus("#paste summary");
  const isOpen = () => page.locator("#paste").evaluate((each) => each.hasAttribute("open"));
  if (!(await isOpen())) await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.insertText("nothing");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await settled(page);
  assert.match(await wrong(), /^The pasted text: There must be arrays named cos and sin/);
});

test("the code can be copied, and the picture saved", async () => {
  await setHash(page, "");
  await page.click('[data-example="squared"]');
  await settled(page);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.click("#copy");
  await until(async () => (await page.innerText("#copied")) === "Copied.", "it is copied");
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /^import \{ load \} from "phasor";\n[^]*rope\.toFullWidth\(table/);
  await page.click("#spectrum .export summary");
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.click('#spectrum .export button:has-text(".npy")'),
  ]);
  const saved = await npy.read(await bytesOf(file));
  assert.deepEqual([...saved.shape], [32]);
});

test("axe finds nothing in either theme, and the console is clean", async () => {
  for (const name of sampled(["noise", "squared"], 0)) {
    await setHash(page, `example=${name}`);
    assert.deepEqual(await violations(page, themes), [], name);
  }
  await paste("nothing");
  assert.deepEqual(await violations(page, themes), [], "with an error");
  assert.deepEqual(problems, []);
});
