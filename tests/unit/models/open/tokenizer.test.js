import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { Tokenizer } from "@huggingface/tokenizers";
import * as r50k from "gpt-tokenizer/encoding/r50k_base";
import { safetensors } from "phasor/files";
import { serveHub } from "../../files/hub.js";
import { planted } from "../../files/planted.js";
import { tokenizer as gpt2Tokenizer, tokenizerConfig } from "../../../pages/gpt2-tokenizer.js";
import { FileError, open, openModel } from "./entry.js";

const gpt2 = planted();
const json = gpt2Tokenizer();
const weights = safetensors.write({ "wte.weight": [[1], [2], [3]] });

/** BERT's way in small: what a model wants round its text. */
const bert = (() => {
  const names = ["[UNK]", "[CLS]", "[SEP]"];
  const token = { special: true, normalized: false, single_word: false };
  const special = (/** @type {string} */ id) => ({ SpecialToken: { id, type_id: 0 } });
  const ofOne = (/** @type {string} */ id) => ({ id, ids: [names.indexOf(id)], tokens: [id] });
  return JSON.stringify({
    added_tokens: names.map((content, id) => ({
      ...{ id, content, ...token, lstrip: false, rstrip: false },
    })),
    normalizer: { type: "BertNormalizer", lowercase: true },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: {
      ...{ type: "TemplateProcessing", pair: [] },
      single: [special("[CLS]"), { Sequence: { id: "A", type_id: 0 } }, special("[SEP]")],
      special_tokens: { "[CLS]": ofOne("[CLS]"), "[SEP]": ofOne("[SEP]") },
    },
    decoder: { type: "WordPiece", prefix: "##" },
    model: {
      ...{ type: "WordPiece", unk_token: "[UNK]", continuing_subword_prefix: "##" },
      ...{ max_input_chars_per_word: 100, vocab: { "[UNK]": 0, "[CLS]": 1, "[SEP]": 2, cat: 3 } },
    },
  });
})();

const hub = await serveHub({
  "openai-community/gpt2": {
    files: {
      "model.safetensors": gpt2,
      "config.json": JSON.stringify(gpt2.config),
      "tokenizer.json": json,
      "tokenizer_config.json": tokenizerConfig,
    },
  },
});
after(hub.close);

const openGpt2 = () => openModel("openai-community/gpt2", { base: hub.url, origins: [hub.store] });

/** Files as they are in a folder. @param {Record<string, string>} texts */
const files = (texts) => ({
  "model.safetensors": weights,
  ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, new Blob([text])])),
});

/** For assert.rejects. @param {RegExp} message */
const refused = (message) => (/** @type {any} */ error) => {
  assert.ok(error instanceof FileError, String(error));
  assert.equal(error.code, "OPEN_TOKENIZER");
  assert.match(error.message, message);
  assert.ok(error.cause instanceof Error);
  return true;
};

describe("the tokenizer of an open model", () => {
  test("returns the ids of a sentence, from which embed computes the input of the first layer", async () => {
    const model = await openGpt2();
    const tokenizer = await model.tokenizer(Tokenizer);
    const ids = tokenizer?.encode("Time flies.") ?? [];
    assert.deepEqual(ids, [7575, 17_607, 13]);
    const x = await model.embed(ids);
    const expected = ids.map((id, t) =>
      gpt2.row(id).map((value, d) => value + gpt2.position(t)[d]),
    );
    assert.deepEqual(
      [...x].map(({ data }) => data),
      expected,
    );
  });

  test("splits like GPT-2's own, and restores the text", async () => {
    const tokenizer = await (await openGpt2()).tokenizer(Tokenizer);
    for (const text of [
      "na\u00efve caf\u00e9 \u{1f431}, two  spaces\n\n and 1234 more: I don't know .",
      "constructor __proto__ toString",
      "",
    ]) {
      const ids = tokenizer?.encode(text) ?? [];
      assert.deepEqual(ids, r50k.encode(text));
      assert.equal(tokenizer?.decode(ids), text);
    }
    assert.deepEqual(tokenizer?.encode("a<|endoftext|>"), [64, 50_256]);
  });

  test("needs two requests, and no more for the vocabulary or for a second tokenizer", async () => {
    const model = await openGpt2();
    const { requests } = model;
    await model.tokenizer(Tokenizer);
    assert.equal(model.requests - requests, 2, "tokenizer.json, tokenizer_config.json");
    const words = await model.vocabulary();
    assert.equal(words?.find(" cat"), 3797);
    assert.ok(await model.tokenizer(Tokenizer, { special: true }));
    assert.equal(model.requests - requests, 2);
  });

  test("shares one request with a concurrent read of the vocabulary", async () => {
    const model = await openGpt2();
    const { requests } = model;
    await Promise.all([model.vocabulary(), model.tokenizer(Tokenizer), model.vocabulary()]);
    assert.equal(model.requests - requests, 2);
  });

  test("adds the model's special tokens on request, and decodes them", async () => {
    const model = await open(files({ "tokenizer.json": bert }));
    const plain = await model.tokenizer(Tokenizer);
    assert.deepEqual(plain?.encode("Cat"), [3]);
    assert.equal(plain?.decode([1, 3, 2]), "cat");
    const special = await model.tokenizer(Tokenizer, { special: true });
    assert.deepEqual(special?.encode("Cat"), [1, 3, 2]);
    assert.equal(special?.decode([1, 3, 2]), "[CLS] cat [SEP]");
  });

  test("respects tokenizer_config.json", async () => {
    /** @param {Record<string, string>} texts */
    const decoded = async (texts) => {
      const model = await open(files({ "tokenizer.json": json, ...texts }));
      return (await model.tokenizer(Tokenizer))?.decode([314, 836, 470, 764]);
    };
    assert.equal(await decoded({ "tokenizer_config.json": tokenizerConfig }), " I don't .");
    assert.equal(await decoded({}), " I don't.", "cleaned up, as the library does by default");
  });

  test("may be at the top of a repository whose weights are in a folder", async () => {
    const model = await open(
      {
        ...files({ "tokenizer.json": bert }),
        "onnx/model.safetensors": weights,
      },
      { file: "onnx/model.safetensors" },
    );
    assert.deepEqual((await model.tokenizer(Tokenizer))?.encode("cat"), [3]);
  });

  test("is undefined for a model without tokenizer.json", async () => {
    for (const source of [
      weights,
      files({ "vocab.txt": "[PAD]\ncat\n", "tokenizer_config.json": "{}" }),
      new URL("../../../truth/golden/formats/tiny_f32.gguf", import.meta.url),
    ]) {
      assert.equal(await (await open(source)).tokenizer(Tokenizer), undefined);
    }
  });

  test("reads both files as Python's json writes them, with NaN and infinities", async () => {
    const config =
      '{"model_max_length": Infinity, "clean_up_tokenization_spaces": false, "x": NaN}';
    const texts = { "tokenizer.json": json.replace("{", '{"y": -Infinity,') };
    const model = await open(files({ ...texts, "tokenizer_config.json": config }));
    assert.equal((await model.tokenizer(Tokenizer))?.decode([314, 836, 470, 764]), " I don't .");
    assert.equal((await model.vocabulary())?.find(" cat"), 3797);
  });

  test("names an invalid file and its error", async () => {
    const cases = /** @type {const} */ ([
      [{ "tokenizer.json": "{]" }, /^tokenizer\.json must be JSON; got "/],
      [{ "tokenizer.json": "7" }, /^tokenizer\.json must be valid for Tokenizer; got "/],
      [{ "tokenizer.json": "{}" }, /^tokenizer\.json must be valid for Tokenizer; got ".+model/],
      [
        { "tokenizer.json": bert, "tokenizer_config.json": "<html>" },
        /^tokenizer_config\.json must be JSON; got "/,
      ],
    ]);
    for (const [texts, message] of cases) {
      const model = await open(files(texts));
      await assert.rejects(model.tokenizer(Tokenizer), refused(message));
    }
  });

  test("requires a class, before anything is read", async () => {
    const model = await openGpt2();
    const { requests } = model;
    const message =
      /^\S+: Tokenizer must be a class such as that of @huggingface\/tokenizers; got /;
    for (const wrong of [
      undefined,
      null,
      {},
      "Tokenizer",
      () => {},
      new Tokenizer(JSON.parse(bert), {}),
    ]) {
      const given = /** @type {any} */ (wrong);
      await assert.rejects(model.tokenizer(given), { name: "TypeError", message });
    }
    await assert.rejects(
      model.tokenizer(Tokenizer, /** @type {any} */ ({ special: 1 })),
      TypeError,
    );
    await assert.rejects(model.tokenizer(Tokenizer, /** @type {any} */ ({ signal: 1 })), TypeError);
    await assert.rejects(
      model.tokenizer(Tokenizer, /** @type {any} */ ({ specials: true })),
      TypeError,
    );
    assert.equal(model.requests, requests);
    const Other = /** @type {any} */ (class {});
    const rule = /^\S+: tokenizer must have encode and decode; got /;
    await assert.rejects(model.tokenizer(Other), { name: "TypeError", message: rule });
  });

  test("ends when its signal aborts, and is created on the next call", async () => {
    const model = await openGpt2();
    const signal = AbortSignal.abort(new Error("enough"));
    await assert.rejects(model.tokenizer(Tokenizer, { signal }), { message: "enough" });
    const stop = new AbortController();
    const stopped = model.tokenizer(Tokenizer, { signal: stop.signal });
    stop.abort(new Error("enough"));
    await assert.rejects(stopped, { message: "enough" });
    assert.deepEqual((await model.tokenizer(Tokenizer))?.encode(" cat"), [3797]);
  });
});
