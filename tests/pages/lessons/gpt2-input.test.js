// The capstone: what the page builds from its file is what a reader of the saved file finds in it, with GPT-2's own ids.

import assert from "node:assert/strict";
import { test } from "node:test";
import { encode } from "gpt-tokenizer/encoding/r50k_base";
import { planted } from "../../unit/files/planted.js";
import { bytesOf } from "../browser.js";
import { settled } from "../pages.js";
import { visit } from "./lesson.js";

const { page, problems, set, cells, fact, answered } = await visit("gpt2-input");

const D = 8;

/** The file that the page saves, read without phasor. */
async function saved() {
  const arrival = page.waitForEvent("download");
  await page.locator("#save").click();
  const download = await arrival;
  assert.equal(download.suggestedFilename(), "model.safetensors");
  const bytes = await bytesOf(download);
  const dataAt = 8 + Number(bytes.readBigUInt64LE(0));
  const header = JSON.parse(bytes.subarray(8, dataAt).toString());
  return {
    size: bytes.length,
    header,
    /** @param {string} name @param {number} row */
    row(name, row) {
      const at = dataAt + header[name].data_offsets[0] + row * D * 4;
      return Array.from({ length: D }, (_, d) => bytes.readFloatLE(at + 4 * d));
    },
  };
}

const file = await saved();

/** What GPT-2 adds. @param {string} text @param {number} past */
function inputOf(text, past) {
  return encode(text).map((id, t) => {
    const place = file.row("wpe.weight", past + t);
    return file.row("wte.weight", id).map((x, d) => Math.fround(x + place[d]));
  });
}

/** @param {string} figure */
async function rounded(figure) {
  const { numbers } = await cells(figure);
  return numbers.map((row) => row.map(Math.fround));
}

test("the file has GPT-2's tokens and positions, and the page lists its tensors", async () => {
  assert.deepEqual(file.header["wte.weight"].shape, [50257, D]);
  assert.deepEqual(file.header["wpe.weight"].shape, [1024, D]);
  assert.match(await fact("opened"), new RegExp(`has ${file.size.toLocaleString("en")} bytes`));
  const listed = await page
    .locator('[data-fact="tensors"] tbody tr')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
  const { __metadata__: _, ...tensors } = file.header;
  assert.equal(listed.length, Object.keys(tensors).length);
  for (const [name, dtype, shape, begin, end] of listed) {
    const entry = tensors[String(name)];
    const offsets = [begin, end].map((text) => Number(String(text).replaceAll(",", "")));
    assert.deepEqual([dtype, shape], [entry.dtype, `[${entry.shape.join(", ")}]`]);
    assert.deepEqual(offsets, entry.data_offsets);
  }
});

test("rows and sums are those of the file, also behind tokens that were read", async () => {
  for (const [text, past] of /** @type {const} */ ([
    ["dog bites man", 0],
    ["the dog", 3],
  ])) {
    await set("text", text);
    await set("past", past);
    const words = encode(text).map((id) => file.row("wte.weight", id));
    assert.deepEqual(await rounded("words"), words);
    assert.deepEqual(await rounded("input"), inputOf(text, past));
    assert.match(await fact("check"), /largest difference among \d × 8 numbers is 0\.$/);
    const [ids, firsts] = (await fact("printed")).split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(ids, encode(text));
    assert.deepEqual(
      firsts,
      inputOf(text, past).map(([x]) => x),
    );
  }
  await set("text", "dog bites man");
  await set("past", 0);
});

test("padding shifts the plain call and not generate(); a cache shifts both", async () => {
  for (const [padding, past] of [
    [0, 0],
    [1, 0],
    [3, 5],
  ]) {
    await set("padding", padding);
    await set("past", past);
    const from = [padding + past, past, 0];
    assert.deepEqual(
      (await cells("rows")).numbers,
      from.map((first) => [0, 1, 2].map((t) => first + t)),
    );
  }
  await set("padding", 1);
  await set("past", 0);
});

test("only the plain sum is GPT-2's input", async () => {
  const [plain, words, scaled, normalized] = (await cells("left-out")).numbers.flat();
  assert.equal(plain, 0);
  const rows = encode("dog bites man").map((id, t) => ({
    word: file.row("wte.weight", id),
    place: file.row("wpe.weight", t),
  }));
  const most = (/** @type {number[]} */ all) => Math.max(...all.map(Math.abs));
  assert.ok(Math.abs(words - most(rows.flatMap(({ place }) => place))) < 1e-7);
  const more = rows.flatMap(({ word }) => word.map((x) => (Math.sqrt(D) - 1) * x));
  assert.ok(Math.abs(scaled - most(more)) < 1e-7);
  assert.ok(normalized > 1);
});

test("another seed gives another file", async () => {
  const before = await rounded("words");
  await set("seed", 2);
  assert.notDeepEqual(await rounded("words"), before);
  await set("seed", 1);
  assert.deepEqual(await rounded("words"), before);
});

test("its questions have these answers", async () => {
  const [id] = encode("dog");
  const [begin] = file.header["wte.weight"].data_offsets;
  assert.equal(await answered("which", "words"), false);
  assert.match(await fact("tensors"), /wte\.weight your guess/);
  assert.equal(await answered("which", "positions"), true);
  assert.equal(await answered("space", "different"), true);
  assert.equal(await answered("exercise-offset", String(id * D * 4)), false);
  assert.match(
    await page.locator('[data-question="exercise-offset"] .verdict').innerText(),
    /counted from the start of the tensor/,
  );
  assert.equal(await answered("exercise-offset", String(begin + id * D * 4)), true);
  assert.equal(await answered("past", "3"), true);
  assert.equal(await answered("padding", "1 0"), true);
  assert.equal(await answered("exercise-sum", inputOf("dog bites man", 0)[1][0].toFixed(4)), true);
  const verdict = await page.locator('[data-question="exercise-sum"] .verdict').innerText();
  const [a, b, sum] =
    verdict
      .replaceAll("−", "-")
      .match(/-?\d\.\d+/g)
      ?.map(Number) ?? [];
  assert.equal((a + b).toFixed(4), sum.toFixed(4), verdict); // a reader who adds the two finds the third
  assert.ok(
    Math.abs(a + b - sum) <= 5.2e-5,
    `${verdict}: half a unit of four decimals, and two of six`,
  );
  assert.equal(await answered("left-out", "scale"), false);
  assert.ok((await cells("left-out")).names.includes("words × √D (your guess)"));
  assert.equal(await answered("left-out", "nothing"), true);
  assert.equal(await answered("segments", "none"), true);
  assert.equal(await answered("exercise-bytes", "3,145,728"), true);
  assert.equal(await answered("exercise-batch", "30720"), true);
});

test("a reader's own file is read, and another model's is refused", async () => {
  const own = planted({ dim: 16 });
  const upload = async (/** @type {ReturnType<typeof planted>} */ model) => {
    const buffer = Buffer.from(model.bytes(0, model.size));
    const mimeType = "application/octet-stream";
    await page.locator("#own").setInputFiles({ name: "gpt2.safetensors", mimeType, buffer });
    await settled(page);
  };
  await upload(own);
  await page.getByText("Your file gpt2.safetensors has").waitFor();
  await settled(page);
  const ids = encode("dog bites man");
  assert.deepEqual(
    await rounded("words"),
    ids.map((id) => Array.from(own.row(id).slice(0, 8))),
  );
  assert.match(await fact("check"), /difference among 3 × 16 numbers is 0\.$/);
  await upload(planted({ vocabulary: 400, dim: 16, positions: 32 }));
  await page.locator("#own-wrong", { hasText: "GPT-2's, with 50,257 tokens" }).waitFor();
  assert.match(await fact("opened"), /^Your file/);
  await page.locator("#own").setInputFiles([]);
  await page.getByText("The file of this page has").waitFor();
  assert.deepEqual(problems, []);
});
