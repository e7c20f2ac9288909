import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Tokenizer } from "@huggingface/tokenizers";
import * as r50k from "gpt-tokenizer/encoding/r50k_base";
import { tokenizers, vocabulary } from "./entry.js";

const END = "<|endoftext|>";

describe("tokenizers.gpt", () => {
  const gpt2 = tokenizers.gpt(r50k);

  test("equals the ids of gpt-tokenizer, and the text of ids", () => {
    const text = "na\u00efve caf\u00e9 \u{1f431}, two  spaces\n";
    assert.deepEqual(gpt2.encode(text), r50k.encode(text));
    assert.deepEqual(gpt2.encode(" cat"), [3797]);
    assert.equal(gpt2.decode(gpt2.encode(text)), text);
    assert.equal(gpt2.decode(/** @type {any} */ (Int32Array.of(3797, 82))), " cats");
    assert.deepEqual([gpt2.encode(""), gpt2.decode([])], [[], ""]);
  });

  test("treats the names of special tokens as text, unless they are allowed", () => {
    assert.equal(gpt2.encode(END).length, 7);
    const named = tokenizers.gpt(r50k, { special: [END] });
    assert.deepEqual(named.encode(END), [50256]);
    assert.deepEqual(named.encode(`a${END}${END} cat${END}`), [64, 50256, 50256, 3797, 50256]);
    assert.equal(named.decode([64, 50256]), `a${END}`);
    assert.equal(gpt2.decode(gpt2.encode(`a${END}`)), `a${END}`);
    for (const name of ["<|nothing|>", ""]) {
      const message = /^RangeError: \S+: special must hold names of special tokens; got "/;
      assert.throws(() => tokenizers.gpt(r50k, { special: [name] }), message);
    }
  });

  test("accepts the default export and a custom encoding", () => {
    assert.deepEqual(tokenizers.gpt(r50k.default).encode(" cat"), [3797]);
  });
});

describe("tokenizers.huggingface", () => {
  const names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"];
  const vocab = {
    ...Object.fromEntries(names.map((name, id) => [name, id])),
    the: 4,
    cat: 5,
    "##s": 6,
  };
  const special = (/** @type {string} */ id) => ({ SpecialToken: { id, type_id: 0 } });
  const json = {
    version: "1.0",
    added_tokens: names.map((content, id) => ({
      ...{ id, content, special: true, normalized: false },
      ...{ single_word: false, lstrip: false, rstrip: false },
    })),
    normalizer: { type: "BertNormalizer", lowercase: true },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: {
      ...{ type: "TemplateProcessing", pair: [] },
      single: [special("[CLS]"), { Sequence: { id: "A", type_id: 0 } }, special("[SEP]")],
      special_tokens: {
        "[CLS]": { id: "[CLS]", ids: [2], tokens: ["[CLS]"] },
        "[SEP]": { id: "[SEP]", ids: [3], tokens: ["[SEP]"] },
      },
    },
    decoder: { type: "WordPiece", prefix: "##" },
    model: {
      ...{ type: "WordPiece", unk_token: "[UNK]", continuing_subword_prefix: "##" },
      ...{ max_input_chars_per_word: 100, vocab },
    },
  };
  const tokenizer = new Tokenizer(json, {});

  test("returns the ids of the text only, and the text of ids", () => {
    const bert = tokenizers.huggingface(tokenizer);
    assert.deepEqual(bert.encode("The cats purr"), [4, 5, 6, 1]);
    assert.equal(bert.decode([2, 4, 5, 6, 3]), "the cats");
    assert.deepEqual([bert.encode(""), bert.decode([])], [[], ""]);
  });

  test("adds the model's special tokens on request", () => {
    const bert = tokenizers.huggingface(tokenizer, { special: true });
    assert.deepEqual(bert.encode("the cats"), [2, 4, 5, 6, 3]);
    assert.equal(bert.decode([2, 4, 5, 6, 3]), "[CLS] the cats [SEP]");
  });

  test("accepts a tokenizer whose encode returns the ids themselves, like that of transformers.js", () => {
    const theirs = {
      encode: (/** @type {string} */ text, /** @type {any} */ { add_special_tokens }) =>
        tokenizer.encode(text, { add_special_tokens }).ids,
      decode: tokenizer.decode.bind(tokenizer),
    };
    assert.deepEqual(tokenizers.huggingface(theirs).encode("the cat"), [4, 5]);
  });

  test("agrees with the vocabulary of the same file", async () => {
    const words = await vocabulary.tokenizerJson(new Blob([JSON.stringify(json)]));
    const ids = tokenizers.huggingface(tokenizer).encode("the cats");
    assert.deepEqual(
      ids.map((id) => words.tokens[id]),
      ["the", "cat", "##s"],
    );
    assert.deepEqual(words.special, [0, 1, 2, 3]);
  });
});

test("tokenizers name a missing argument", () => {
  const wrong = /** @type {any} */ ({ encode: () => "ids", decode: () => "" });
  for (const make of [tokenizers.gpt, tokenizers.huggingface]) {
    for (const library of /** @type {any[]} */ ([undefined, null, {}, { encode() {} }])) {
      assert.throws(() => make(library), /^TypeError: \S+: \w+ must have encode and decode; got /);
    }
    assert.throws(() => make(wrong).encode("a"), /^TypeError: \S+: ids must be a list/);
    assert.throws(
      () => make(wrong).encode(/** @type {any} */ (1)),
      /^TypeError: \S+: text must be a string/,
    );
    assert.throws(() => make(wrong).decode([0.5]), /^RangeError: \S+: ids must be a whole number/);
    assert.throws(() => make(wrong, /** @type {any} */ ({ specials: 1 })), TypeError);
  }
});
