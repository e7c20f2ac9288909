import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { Tokenizer } from "@huggingface/tokenizers";
import { open } from "phasor/open";
import { phasor } from "../../phasor.js";
import { apart, compared, python, texts } from "./compared.js";

/** Texts of 5 to 30 words, for the time that they take. */
const many = Array.from({ length: 4000 }, (_, n) => {
  const words = texts.list.join(" ").split(/\s+/);
  return Array.from({ length: 5 + (n % 26) }, (_, k) => words[(n * 31 + k * 7) % words.length]);
}).map((words) => words.join(" "));

const folder = mkdtempSync(join(tmpdir(), "phasor-sentences-"));
after(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "many.json"), JSON.stringify(many));
const reference = python("sentences", "reference.py", texts.path, join(folder, "many.json"));

/**
 * Compares vectors, and how many texts a second give them.
 * @param {Awaited<ReturnType<typeof open>>} model @param {{rows: number[][], rate: number}} theirs
 * @param {string} library @param {number} bound
 */
async function compare(model, theirs, library, bound) {
  const options = { tokenizer: Tokenizer };
  const got = await model.encode(texts.list, options);
  const worst = apart(got.data, theirs.rows.flat());
  assert.ok(worst <= bound, `${worst}`);
  const about = { model: "sentences", with: library, numbers: got.data.length };
  compared({ ...about, compared: "vectors of texts", apart: worst.toExponential(1) });

  let best = Infinity;
  for (let run = 0; run < 3; ++run) {
    const begin = performance.now();
    await model.encode(many, options);
    best = Math.min(best, performance.now() - begin);
  }
  const rate = (many.length / best) * 1000;
  assert.ok(rate > 1000, `${rate} texts a second`);
  const speed = `${Math.round(rate)} beside ${Math.round(theirs.rate)}`;
  const row = { ...about, compared: "texts a second", numbers: many.length };
  compared({ ...row, apart: `${speed}: ${(rate / theirs.rate).toFixed(2)}` });
}

describe("sentence vectors of static models", () => {
  test("equal those of Model2Vec, at more than a thousand per second", async () => {
    const theirs = reference.model2vec;
    const model = await open(theirs.folder, { phasor });
    assert.equal((await model.sentences())?.static, "model2vec");
    // Theirs adds up to 40 float32 products in float32, before the vector gets length 1.
    await compare(model, theirs, "Model2Vec", 1e-6);
  });

  test("equal those of WordLlama, at more than a thousand per second", async () => {
    const theirs = reference.wordllama;
    const type = "sentence_transformers.models.StaticEmbedding";
    const model = await open(
      {
        "model.safetensors": new Blob([readFileSync(theirs.weights)]),
        "tokenizer.json": new Blob([readFileSync(theirs.tokenizer)]),
        "modules.json": new Blob([JSON.stringify([{ path: "", type }])]),
      },
      { phasor },
    );
    assert.equal((await model.sentences())?.static, "sentence-transformers");
    await compare(model, theirs, "WordLlama", 1e-6);
  });
});
