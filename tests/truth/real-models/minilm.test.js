import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Tokenizer } from "@huggingface/tokenizers";
import { safetensors, vocabulary } from "phasor/files";
import { explore, open } from "phasor/open";
import { phasor } from "../../phasor.js";
import { apart, compared, installed, python, texts } from "./compared.js";

const [V, D, LONGEST] = [30522, 384, 512];

const written = join(installed("minilm"), "reference.safetensors");
const reference = python("minilm", "reference.py", written, texts.path);
const numbers = await safetensors.read(readFileSync(written));
const read = (/** @type {string} */ name) => readFileSync(join(reference.folder, name));

const model = await open(reference.folder, { phasor });
const words = /** @type {NonNullable<typeof model.wordEmbeddings>} */ (model.wordEmbeddings);

describe("all-MiniLM-L6-v2", () => {
  test("opens as a BERT: words, positions, segments and a LayerNorm, without warnings", () => {
    assert.deepEqual([words.shape, words.dtype], [[V, D], "float32"]);
    assert.deepEqual(model.positionEmbeddings?.shape, [LONGEST, D]);
    assert.deepEqual(model.tokenTypeEmbeddings?.shape, [2, D]);
    assert.equal(model.tensorNames.normWeight, "embeddings.LayerNorm.weight");
    assert.equal(model.tensorNames.normBias, "embeddings.LayerNorm.bias");
    assert.equal(model.tensorNames.lmHead, undefined);
    assert.equal(model.config?.tokens.norm, 1e-12);
    assert.deepEqual(model.warnings, []);
  });

  test("pools the last hidden states as its model card says", async () => {
    const layers = await model.sentences();
    assert.deepEqual(layers?.modules, ["Transformer", "Pooling", "Normalize"]);
    assert.deepEqual(layers?.pooling, { mode: ["mean"], dim: D, includePrompt: true });
    assert.deepEqual(
      [layers?.normalize, layers?.maxLength, layers?.static],
      [true, 256, undefined],
    );
    const [last, mask, theirs] = await Promise.all(
      ["last", "mask", "vectors"].map((name) => numbers.tensor(name)),
    );
    const ours = await model.pool(last, { mask });
    const worst = apart(ours.data, theirs.data);
    assert.ok(worst <= 2 ** -24, `${worst}`); // both in double, of vectors of length 1
    const about = { model: "minilm", compared: "pooled vectors", with: "its formula in double" };
    compared({ ...about, numbers: ours.data.length, apart: worst.toExponential(1) });
  });
});

describe("the embedding layer of all-MiniLM-L6-v2", () => {
  /**
   * The same, written out: the sums in float32 and in BERT's order, the norm in double.
   * @param {any} ids @param {any} segments
   */
  async function plainly(ids, segments) {
    const {
      positionEmbeddings,
      tokenTypeEmbeddings: kinds,
      normWeight,
      normBias,
    } = model.tensorNames;
    const [place, kind, weight, bias] = await Promise.all(
      [positionEmbeddings, kinds, normWeight, normBias].map((name) => model.tensor(String(name))),
    );
    const x = Float64Array.from((await words.rows(ids)).data);
    const T = ids.shape.at(-1);
    for (let token = 0; token < ids.data.length; ++token) {
      const row = x.subarray(token * D, (token + 1) * D);
      for (let i = 0; i < D; ++i) {
        row[i] = Math.fround(row[i] + kind.data[segments.data[token] * D + i]);
        row[i] = Math.fround(row[i] + place.data[(token % T) * D + i]);
      }
      const mean = row.reduce((sum, value) => sum + value, 0) / D;
      const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / D;
      const factor = 1 / Math.sqrt(variance + 1e-12);
      for (let i = 0; i < D; ++i) row[i] = (row[i] - mean) * factor * weight.data[i] + bias.data[i];
    }
    return x;
  }

  for (const [what, name] of [
    ["texts in pairs", "pair"],
    ["every word, position and segment", "word"],
  ]) {
    test(`equals Hugging Face's: ${what}`, async () => {
      const ids = await numbers.tensor(`${name}_ids`);
      const segments = await numbers.tensor(`${name}_segments`);
      const theirs = await numbers.tensor(`${name}s`);
      const ours = await model.embed(ids, { segments });
      assert.deepEqual(ours.shape, theirs.shape);
      const distinct = new Set(/** @type {Int32Array} */ (ids.data)).size;
      assert.ok(name === "word" ? distinct === V : distinct > 100);
      assert.equal(new Set(/** @type {Int32Array} */ (segments.data)).size, 2);

      const exact = await plainly(ids, segments);
      const largest = exact.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
      assert.ok(largest > 4 && largest < 8);
      const ulp = 2 ** -21; // of float32 from 4 to 8
      const unrounded = apart(ours.data, exact);
      assert.ok(unrounded <= 0.501 * ulp, `${unrounded / ulp} ULP`); // the norm, rounded once
      // Theirs takes the variance as E[x^2] - E[x]^2, in float32: a few roundings of the largest.
      const worst = apart(ours.data, theirs.data);
      assert.ok(worst <= 4 * ulp, `${worst / ulp} ULP`);
      const about = { model: "minilm", numbers: ours.data.length };
      const layer = { ...about, compared: `embedding layer, ${what}` };
      compared({ ...layer, with: "transformers' BERT", apart: worst.toExponential(1) });
      compared({ ...layer, with: "the formula in double", apart: unrounded.toExponential(1) });
    });
  }
});

describe("the words of all-MiniLM-L6-v2", () => {
  test("have the tokens of Hugging Face's, read from tokenizer.json and from vocab.txt", async () => {
    const found = await model.vocabulary();
    assert.deepEqual(found?.tokens, reference.tokens);
    assert.deepEqual(found?.special, reference.special);
    assert.equal(found?.find("##ing"), 2075);
    assert.equal(found?.text(2075), "ing");
    const list = await vocabulary.wordPiece(read("vocab.txt"));
    assert.deepEqual(list.tokens, reference.tokens);
    assert.deepEqual(list.special, reference.special);
    const about = { model: "minilm", compared: "tokens", with: "transformers' tokenizers" };
    compared({ ...about, numbers: V, apart: "0" });
  });

  test("are tokenized by the model's tokenizer as by Hugging Face's", async () => {
    const tokenizer = await model.tokenizer(Tokenizer, { special: true });
    const ids = texts.list.map((text) => tokenizer?.encode(text) ?? []);
    assert.deepEqual(ids, reference.fast);
    assert.deepEqual(ids, reference.slow);
    assert.equal(ids.length, 11);
    const about = { model: "minilm", compared: "ids of texts", with: "transformers' tokenizers" };
    compared({ ...about, numbers: ids.flat().length, apart: "0" });
  });

  test("are close to words of similar meaning", async () => {
    const list = await model.vocabulary();
    const all = await model.tensor(words.name);
    const table = phasor.embedding.from(all);
    const explorer = explore(phasor, table, { vocabulary: list });
    const near = {
      king: "kings queen monarch prince monarchy royal queens kingdom",
      monday: "tuesday sunday wednesday thursday saturday friday mondays week",
      dog: "dogs canine puppy pets pup animal animals pet",
      france: "french frenchman paris italy spain",
      red: "blue yellow reddish green reds purple pink orange",
    };
    for (const [word, expected] of Object.entries(near)) {
      const found = explorer.nearest(word, { k: expected.split(" ").length });
      assert.equal(found.map(({ text }) => text).join(" "), expected, word);
    }
    const { mean, std, meanCosine } = explorer.norms();
    assert.deepEqual(
      [mean, std, meanCosine].map((x) => x.toFixed(3)),
      ["1.066", "0.229", "0.018"],
    );
    assert.deepEqual(explorer.duplicates(), []);
  });
});
