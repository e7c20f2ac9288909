import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import ranks from "gpt-tokenizer/bpeRanks/r50k_base";
import { spellingsOf, textOf } from "../../../src/files/vocabulary/spelling.js";
import { isNight } from "../../sample.js";
import { gguf, vocabulary } from "./entry.js";
import { flips, golden, noting, refusal, survives, truncations } from "./samples.js";

const encoder = new TextEncoder();
const utf8 = (/** @type {string} */ text) => encoder.encode(text);

/** @param {unknown} value  text, or what JSON makes of it */
const source = (value) => new Blob([typeof value === "string" ? value : JSON.stringify(value)]);

/** GPT-2's tokens as bytes, from gpt-tokenizer. */
const pieces = ranks.map((piece) =>
  typeof piece === "string" ? utf8(piece) : Uint8Array.from(piece),
);

/**
 * GPT-2's letters for bytes, as its authors made them: the visible ones of Latin-1, then U+0100 on.
 * @returns {string[]}
 */
function letters() {
  const visible = [..."!~\u00a1\u00ac\u00ae\u00ff"].map((letter) => letter.charCodeAt(0));
  const kept = [0, 2, 4].flatMap((i) =>
    Array.from({ length: visible[i + 1] - visible[i] + 1 }, (_, j) => visible[i] + j),
  );
  const rest = Array.from({ length: 256 }, (_, byte) => byte).filter(
    (byte) => !kept.includes(byte),
  );
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCharCode(kept.includes(byte) ? byte : 256 + rest.indexOf(byte)),
  );
}

const LETTERS = letters();
const spelt = (/** @type {Uint8Array} */ bytes) =>
  Array.from(bytes, (byte) => LETTERS[byte]).join("");

const END = "<|endoftext|>";
const gpt2 = {
  version: "1.0",
  added_tokens: [{ id: 50256, content: END, special: true }],
  pre_tokenizer: { type: "ByteLevel", add_prefix_space: false },
  decoder: { type: "ByteLevel" },
  model: {
    vocab: { ...Object.fromEntries(pieces.map((piece, id) => [spelt(piece), id])), [END]: 50256 },
    merges: ["\u0120 t", "\u0120 a"],
  },
};

describe("vocabulary.tokenizerJson", () => {
  test("reads Python's NaN and infinities, in scores too", async () => {
    const text = '{"x":NaN,"model":{"y":[-Infinity],"vocab":[["a",-Infinity],["b",-1.5]]}}';
    const words = await vocabulary.tokenizerJson(source(text));
    assert.deepEqual([words.scores, words.find("b")], [Float32Array.of(-Infinity, -1.5), 1]);
  });

  test("reads GPT-2's 50,257 tokens as bytes, and finds each by its text", async () => {
    const words = await vocabulary.tokenizerJson(source(gpt2));
    assert.equal(words.size, 50257);
    assert.deepEqual(words.special, [50256]);
    assert.equal(words.tokens[3797], "\u0120cat");
    for (const [id, piece] of pieces.entries()) {
      if (Buffer.compare(words.bytes(id), piece) !== 0) assert.deepEqual(words.bytes(id), piece);
      const text = ranks[id];
      if (typeof text === "string") assert.equal(words.find(text), id);
    }
    assert.deepEqual(words.bytes(50256), utf8(END));
    assert.deepEqual(
      [" cat", "\u0120cat", "cat", END, "no such"].map((each) => words.find(each)),
      [...[3797, 3797, 9246, 50256, undefined]],
    );
  });

  test("shows incomplete characters as bytes, not as replacement characters", async () => {
    const words = await vocabulary.tokenizerJson(source(gpt2));
    assert.equal(words.text(12520), " <0xF0><0x9F>"); // begins the cat's face
    assert.equal(words.text(238), "<0x90>");
    const shown = words.tokens.map((_, id) => words.text(id));
    const replaced = shown.filter(
      (text, id) => text.includes("\ufffd") && !pieces[id]?.includes(0xef),
    );
    assert.deepEqual(replaced, []);
    assert.deepEqual(utf8(shown[50256]), words.bytes(50256));
  });

  test("reads SentencePiece's format: the mark for a space, and single bytes", async () => {
    for (const parts of [
      { decoder: { type: "Metaspace", replacement: "\u2581" } },
      { decoder: { type: "Sequence", decoders: [{ type: "Replace" }, { type: "ByteFallback" }] } },
      { pre_tokenizer: { type: "Sequence", pretokenizers: [{ type: "Metaspace" }] } },
      {
        normalizer: {
          type: "Sequence",
          normalizers: [{ type: "Replace", pattern: { String: " " }, content: "\u2581" }],
        },
      },
      { model: { byte_fallback: true } },
    ]) {
      const vocab = { "<unk>": 0, "<0xE2>": 1, "<0x0A>": 2, "\u2581cat": 3, s: 4, "\u2581": 5 };
      const words = await vocabulary.tokenizerJson(
        source({
          added_tokens: [{ id: 0, content: "<unk>", special: true }],
          ...parts,
          model: { type: "BPE", vocab, merges: [["\u2581", "cat"]], ...parts.model },
        }),
      );
      assert.deepEqual(words.bytes(1), Uint8Array.of(0xe2));
      assert.deepEqual(
        [0, 1, 2, 3, 4, 5].map((id) => words.text(id)),
        [...["<unk>", "<0xE2>", "\n", " cat", "s", " "]],
      );
      assert.deepEqual(
        ["<unk>", "\n", " cat", "s", " ", "cat"].map((text) => words.find(text)),
        [...[0, 2, 3, 4, 5, undefined]],
      );
    }
  });

  test("reads a Unigram model with its scores", async () => {
    const vocab = [
      ["<unk>", 0],
      ["\u2581the", -3.25],
      ["s", -1.5e1],
    ];
    const words = await vocabulary.tokenizerJson(
      source({ decoder: { type: "Metaspace" }, model: { type: "Unigram", unk_id: 0, vocab } }),
    );
    assert.deepEqual(words.scores, Float32Array.of(0, -3.25, -15));
    assert.deepEqual([words.find(" the"), words.text(2), words.special], [1, "s", []]);
  });

  test("reads WordPiece, in which a continuation begins with ## or the model's own prefix", async () => {
    const added_tokens = [{ id: 0, content: "[CLS]", special: true }];
    for (const [prefix, rest] of [
      ["##", { type: "WordPiece", continuing_subword_prefix: "##" }],
      ["##", { max_input_chars_per_word: 100 }],
      ["@@", { type: "WordPiece", continuing_subword_prefix: "@@" }],
      ["@@", { type: "BPE", continuing_subword_prefix: "@@" }],
    ]) {
      const vocab = { "[CLS]": 0, play: 1, [`${prefix}ing`]: 2, [`${prefix}`]: 3 };
      const model = { .../** @type {object} */ (rest), vocab };
      const words = await vocabulary.tokenizerJson(source({ added_tokens, model }));
      assert.deepEqual(
        [0, 1, 2, 3].map((id) => words.text(id)),
        ["[CLS]", "play", "ing", prefix],
      );
      assert.deepEqual(
        ["play", `${prefix}ing`, "ing"].map((text) => words.find(text)),
        [1, 2, undefined],
      );
    }
    const model = { type: "WordPiece", continuing_subword_prefix: "", vocab: { "##a": 0 } };
    assert.equal((await vocabulary.tokenizerJson(source({ model }))).text(0), "##a");
  });

  test("reads CLIP's format, in which a token may mark the end of a word", async () => {
    const model = {
      type: "BPE",
      end_of_word_suffix: "</w>",
      vocab: { cat: 0, "cat</w>": 1, "</w>": 2 },
    };
    const words = await vocabulary.tokenizerJson(source({ model, decoder: { type: "ByteLevel" } }));
    assert.deepEqual(
      [0, 1, 2].map((id) => words.text(id)),
      ["cat", "cat ", "</w>"],
    );
    assert.deepEqual([words.find("cat"), words.find("cat "), words.find("cat</w>")], [0, 1, 1]);
  });

  test("accepts added tokens behind the vocabulary, ids without a token, and their text as it is", async () => {
    const added_tokens = [
      { id: 4, content: "\u0120not spelt", special: false },
      { id: 3, content: "<s>", special: true },
    ];
    const words = await vocabulary.tokenizerJson(
      source({
        added_tokens,
        decoder: { type: "ByteLevel" },
        model: { vocab: { a: 0, "\u0120a": 1 } },
      }),
    );
    assert.deepEqual(words.tokens, ["a", "\u0120a", "", "<s>", "\u0120not spelt"]);
    assert.equal(words.text(4), "\u0120not spelt");
    assert.deepEqual([words.bytes(2).length, words.text(2), words.find("")], [0, "", undefined]);
    assert.deepEqual(words.special, [3]);
  });

  /** @type {[string, unknown, string][]} */
  const refused = [
    ["nothing", "", "JSON"],
    ["a list", "[]", "JSON"],
    ["no model", "{}", "MODEL"],
    ["a model without a vocab", { model: { type: "BPE" } }, "MODEL"],
    ["the vocab twice", '{"model":{"vocab":{"a":0},"vocab":{"a":0}}}', "DUPLICATE"],
    ["an id of two tokens that repeat", '{"model":{"vocab":{"a":0,"b":1,"a":2,"b":0}}}', "IDS"],
    ["a far id of a token that repeats", '{"model":{"vocab":{"a":0,"a":9}}}', "IDS"],
    ["an id twice", { model: { vocab: { a: 0, b: 0 } } }, "IDS"],
    [
      "an id twice by addition",
      { added_tokens: [{ id: 0, content: "b" }], model: { vocab: { a: 0 } } },
      "IDS",
    ],
    ["an id of an empty token", '{"added_tokens":[{"id":0,"content":"b"}],"model":{"vocab":{"":0}}}', "IDS"], // prettier-ignore
    ["an id of millions", { model: { vocab: { a: 4_000_000 } } }, "IDS"],
    ["an id of 2^50", { model: { vocab: { a: 2 ** 50 } } }, "IDS"],
    [
      "an added id of 2^50",
      { added_tokens: [{ id: 2 ** 50, content: "b" }], model: { vocab: { a: 0 } } },
      "IDS",
    ],
    ["a negative id", '{"model":{"vocab":{"a":-1}}}', "JSON"],
    ["a fractional id", '{"model":{"vocab":{"a":0.5}}}', "JSON"],
    ["added tokens that are an object", { added_tokens: {}, model: { vocab: {} } }, "JSON"],
    [
      "an added token without a content",
      { added_tokens: [{ id: 1 }], model: { vocab: {} } },
      "JSON",
    ],
    ["an added token that is null", { added_tokens: [null], model: { vocab: {} } }, "JSON"],
    [
      "an added id of 4.0",
      '{"added_tokens":[{"id":4.0,"content":"b"}],"model":{"vocab":{}}}',
      "JSON",
    ],
    [
      "an added id of 4e0",
      '{"added_tokens":[{"id":4e0,"content":"b"}],"model":{"vocab":{}}}',
      "JSON",
    ],
    [
      "an added id of 1e-400",
      '{"added_tokens":[{"id":1e-400,"content":"b"}],"model":{"vocab":{}}}',
      "JSON",
    ],
    [
      "an added token with an id twice",
      '{"added_tokens":[{"id":1,"id":1,"content":"b"}],"model":{"vocab":{}}}',
      "DUPLICATE",
    ],
    ["invalid JSON, in a part that is not used", '{"x":[1,],"model":{"vocab":{}}}', "JSON"],
    ["a score that is text", '{"model":{"vocab":[["a","0"]]}}', "JSON"],
    ["half a character", '{"model":{"vocab":{"\\ud83d":0}}}', "JSON"],
    ["a control character", '{"model":{"vocab":{"\n":0}}}', "JSON"],
    ["a comment", '{"model":{"vocab":{}}} // ', "JSON"],
    ["a byte order mark", '\ufeff{"model":{"vocab":{}}}', "JSON"],
    ["deep nesting", `{"normalizer":${'{"a":'.repeat(100_000)}`, "JSON"],
  ];
  for (const [what, given, code] of refused) {
    test(`rejects ${what}`, async () => {
      await assert.rejects(vocabulary.tokenizerJson(source(given)), refusal(`VOCABULARY_${code}`));
    });
  }

  test("answers every truncation and every changed byte with FileError or a valid vocabulary", async () => {
    const bytes = utf8(
      '{"added_tokens":[{"id":2,"content":"<s>","special":true}],"decoder":{"type":"ByteLevel"},"model":{"vocab":{"a":0,"\\u0120b":1}}}',
    );
    const read = async (/** @type {Uint8Array<ArrayBuffer>} */ changed) => {
      const words = await vocabulary.tokenizerJson(changed);
      for (let id = 0; id < words.size; ++id) words.text(id);
    };
    assert.equal((await survives(truncations(bytes), read)).accepted, 0);
    const { accepted, refused: no } = await survives(flips(bytes), read);
    assert.ok(accepted > 30 && no > (isNight ? 150 : 100));
  });
});

describe("vocabulary.wordPiece and vocabulary.words", () => {
  test("read one token per line, with either line ending, the last with or without one", async () => {
    for (const text of [
      "[PAD]\nplay\n##ing",
      "[PAD]\nplay\n##ing\n",
      "[PAD]\r\nplay\r\n##ing\r\n",
    ]) {
      const pieces = await vocabulary.wordPiece(source(text));
      assert.deepEqual(pieces.tokens, ["[PAD]", "play", "##ing"]);
      assert.deepEqual([pieces.text(2), pieces.special], ["ing", [0]]);
      const words = await vocabulary.words(source(text));
      assert.deepEqual([words.text(2), words.special], ["##ing", []]);
    }
  });

  test("read the 10,000 words of the site, in order", async () => {
    const url = new URL("../../../web/data/glove-10k-words.txt", import.meta.url);
    const bytes = new Uint8Array(readFileSync(url));
    const words = await vocabulary.words(bytes);
    assert.equal(words.size, 10_000);
    const list = new TextDecoder().decode(bytes).split("\n").slice(0, 10_000);
    assert.deepEqual(words.tokens, list);
    assert.deepEqual(await vocabulary.words(list), words);
    assert.equal(words.find("king"), list.indexOf("king"));
  });

  test("reject bytes that are not UTF-8, and lines that are too long", async () => {
    for (const read of [vocabulary.wordPiece, vocabulary.words]) {
      await assert.rejects(read(Uint8Array.of(0x61, 0xff)), refusal("VOCABULARY_UTF8"));
      const vast = noting(Uint8Array.of(0x61), 2 ** 40);
      await assert.rejects(read(vast), refusal("VOCABULARY_LENGTH"));
      assert.deepEqual(vast.reads, []);
      await assert.rejects(read(source("\n".repeat(2 ** 22 + 1))), refusal("VOCABULARY_LENGTH"));
      await assert.rejects(read(/** @type {any} */ ("vocab.txt")), TypeError);
    }
    await assert.rejects(
      vocabulary.words(/** @type {any} */ (["a", 1])),
      /^TypeError: \S+: source must hold strings; got 1 at 1$/,
    );
  });

  test("accept an empty line as an id without a token", async () => {
    const words = await vocabulary.words(source("a\n\n\nb\n"));
    assert.deepEqual([words.size, words.find("b"), words.find("")], [4, 3, undefined]);
  });
});

describe("vocabulary.gguf", () => {
  const tokens = ["<unk>", "<s>", "<0xE2>", "\u2581cat", "s", "\u2581\u2581"];
  const key = (/** @type {string} */ name) => `tokenizer.ggml.${name}`;
  const metadata = (/** @type {Record<string, unknown>} */ more = {}) =>
    new Map(Object.entries({ [key("model")]: "llama", [key("tokens")]: tokens, ...more }));

  test("reads the reference file's tokens and scores", async () => {
    const opened = await gguf.read(golden("formats/tiny_q8_0.gguf"));
    const words = vocabulary.gguf(opened.metadata);
    assert.equal(words.size, 12);
    assert.equal(words.text(11), "é词");
    assert.equal(words.find("tok3"), 6);
    assert.equal(words.scores?.[4], -1);
  });

  test("recognizes special tokens and tokens of plain text by their type", () => {
    const types = Int32Array.of(2, 3, 6, 1, 1, 4);
    const words = vocabulary.gguf(metadata({ [key("token_type")]: types }));
    assert.deepEqual(words.special, [0, 1]);
    assert.deepEqual(
      words.tokens.map((_, id) => words.text(id)),
      [...["<unk>", "<s>", "<0xE2>", " cat", "s", "\u2581\u2581"]],
    );
    assert.deepEqual(words.bytes(2), Uint8Array.of(0xe2));
    assert.deepEqual(vocabulary.gguf(metadata()).special, []);
  });

  test("reads types and scores of every type that a list of GGUF may have", () => {
    const types = [2, 3, 6, 1, 1, 4];
    const scores = [0, -1, -2, -3, -4, -5];
    const known = vocabulary.gguf(
      metadata({ [key("token_type")]: Int32Array.from(types), [key("scores")]: Float32Array.from(scores) }), // prettier-ignore
    );
    for (const Kind of [
      Int8Array,
      Int16Array,
      Int32Array,
      Float32Array,
      Float64Array,
      BigInt64Array,
      Uint8Array,
      Uint16Array,
      Uint32Array,
      BigUint64Array,
    ]) {
      // prettier-ignore
      const list = (/** @type {number[]} */ numbers) =>
        /** @type {any} */ (Kind).from(/Big/.test(Kind.name) ? numbers.map(BigInt) : numbers);
      const pairs = { [key("token_type")]: list(types) };
      if (!/U/.test(Kind.name)) pairs[key("scores")] = list(scores);
      const words = vocabulary.gguf(metadata(pairs));
      assert.deepEqual(words.special, known.special, Kind.name);
      assert.deepEqual(words.bytes(2), known.bytes(2));
      assert.deepEqual(words.text(5), known.text(5));
      if (words.scores) assert.deepEqual(words.scores, known.scores);
    }
  });

  test("decodes GPT-2's byte letters if the model uses them", () => {
    const words = vocabulary.gguf(
      new Map(
        Object.entries({ [key("model")]: "gpt2", [key("tokens")]: ["\u0120cat", "\u00f0\u0141"] }),
      ),
    );
    assert.deepEqual([words.find(" cat"), words.text(1)], [0, "<0xF0><0x9F>"]);
  });

  /** @type {[string, Map<string, unknown>, string][]} */
  const refused = [
    ["no tokenizer", new Map(), "MODEL"],
    ["a tokenizer that is not known", metadata({ [key("model")]: "rwkv" }), "MODEL"],
    ["no tokens", new Map([[key("model"), "llama"]]), "METADATA"],
    ["tokens that are numbers", metadata({ [key("tokens")]: Int32Array.of(1) }), "METADATA"],
    ["a token that is a number", metadata({ [key("tokens")]: ["a", 1] }), "METADATA"],
    ["scores of another length", metadata({ [key("scores")]: new Float32Array(5) }), "METADATA"],
    ["scores that are text", metadata({ [key("scores")]: tokens }), "METADATA"],
    ["a number for types", metadata({ [key("token_type")]: 6 }), "METADATA"],
    ["types without numbers", metadata({ [key("token_type")]: new DataView(new ArrayBuffer(6)) }), "METADATA"], // prettier-ignore
  ];
  for (const [what, given, code] of refused) {
    test(`rejects ${what}`, () => {
      assert.throws(() => vocabulary.gguf(given), refusal(`VOCABULARY_${code}`));
    });
  }

  test("requires a Map", () => {
    assert.throws(
      () => vocabulary.gguf(/** @type {any} */ ({})),
      /^TypeError: \S+: metadata must be a Map/,
    );
  });
});

describe("a token that repeats keeps every id and its text, and find gives one:", () => {
  /** @type {(vocab: string, added?: [id: number, content: string][]) => Promise<any>} */
  const json = (vocab, added = []) => {
    const list = added.map(([id, content]) => ({ id, content, special: true }));
    const text = `{"added_tokens":${JSON.stringify(list)},"model":{"vocab":${vocab}}}`;
    return vocabulary.tokenizerJson(source(text));
  };
  const listed = (/** @type {string[]} */ tokens) =>
    vocabulary.gguf(
      new Map(Object.entries({ "tokenizer.ggml.model": "gpt2", "tokenizer.ggml.tokens": tokens })),
    );
  /** What tokenizers 0.23.3 (run) looks up; for GGUF llama.cpp's map; for words a dict of Python. */
  /** @type {[string, () => any, tokens: string[], ids: Record<string, number>][]} */
  const known = [
    ["the last line of vocab.txt", () => vocabulary.wordPiece(source("[UNK]\na\nb\na\nc\n")), ["[UNK]", "a", "b", "a", "c"], { a: 3, b: 2, "[UNK]": 0 }], // prettier-ignore
    ["of lines with CRLF, empty ones between", () => vocabulary.wordPiece(source("c\r\n\r\nc\r\n\r\nc")), ["c", "", "c", "", "c"], { c: 4 }], // prettier-ignore
    ["the last word of a text", () => vocabulary.words(source("a\nb\na\na\n")), ["a", "b", "a", "a"], { a: 3, b: 1 }], // prettier-ignore
    ["the last word of a list", () => vocabulary.words(["a", "a", "", ""]), ["a", "a", "", ""], { a: 1 }], // prettier-ignore
    ["the last of GGUF's tokens", () => listed(["a", "b", "a", "\u0120a"]), ["a", "b", "a", "\u0120a"], { a: 2, " a": 3 }], // prettier-ignore
    ["the last of equal keys", () => json('{"a":0,"b":1,"a":2}'), ["a", "b", "a"], { a: 2, b: 1 }],
    ["the last one, not the largest id", () => json('{"a":2,"b":1,"\\u0061":0}'), ["a", "b", "a"], { a: 0, b: 1 }], // prettier-ignore
    ["of keys that also come back", () => json('{"a":0,"a":1,"a":0,"a":0}'), ["a", "a"], { a: 0 }],
    ["the last of a list with scores", () => json('[["a",-1],["b",-2],["a",-3],["a",-4]]'), ["a", "b", "a", "a"], { a: 3, b: 1 }], // prettier-ignore
    ["the model's, where an added token repeats it", () => json('{"a":0,"b":1}', [[2, "a"]]), ["a", "b", "a"], { a: 0 }], // prettier-ignore
    ["the first of added tokens", () => json('{"a":0}', [[1, "z"], [2, "z"]]), ["a", "z", "z"], { z: 1 }], // prettier-ignore
  ];
  for (const [what, read, tokens, ids] of known) {
    test(what, async () => {
      const words = await read();
      assert.deepEqual([words.size, words.tokens], [tokens.length, tokens]);
      const spelt = tokens.map((token) => token.replace("\u0120", " "));
      assert.deepEqual(
        tokens.map((_, id) => words.text(id)),
        spelt,
      );
      for (const [text, id] of Object.entries(ids)) assert.equal(words.find(text), id, text);
      assert.equal(words.find(""), undefined);
    });
  }

  test("special tokens of vocab.txt are so at every id", async () => {
    const words = await vocabulary.wordPiece(source("[UNK]\n[PAD]\na\n[PAD]\n"));
    assert.deepEqual([words.special, words.find("[PAD]")], [[0, 1, 3], 3]);
  });

  test("scores keep their places, and a million repetitions are read", async () => {
    const words = await json('[["a",-1],["b",-2],["a",-3]]');
    assert.deepEqual([...words.scores], [-1, -2, -3]);
    const many = await vocabulary.wordPiece(source("a\n".repeat(1e6)));
    assert.deepEqual([many.size, many.find("a"), many.text(5)], [1e6, 999_999, "a"]);
  });
});

test("text escapes the bytes that a strict decoder rejects, and no others", () => {
  /** By the definition: a character is what a strict decoder takes. @param {Uint8Array} bytes */
  const defined = (bytes) => {
    const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    let text = "";
    for (let at = 0; at < bytes.length;) {
      const found = [1, 2, 3, 4].find((length) => {
        try {
          return [...strict.decode(bytes.subarray(at, at + length))].length === 1;
        } catch {
          return false;
        }
      });
      const hex = bytes[at].toString(16).toUpperCase();
      text += found ? strict.decode(bytes.subarray(at, at + found)) : `<0x${hex}>`;
      at += found ?? 1;
    }
    return text;
  };
  const edges = [
    0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0,
  ];
  edges.push(0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff);
  const ends = [0x41, 0x80, 0xbf, 0xc2].flatMap((a, _, all) => all.map((b) => [a, b]));
  for (const a of edges) {
    for (const b of edges) {
      for (const end of ends) {
        const bytes = Uint8Array.of(a, b, ...end);
        assert.equal(textOf(bytes), defined(bytes), String(bytes));
      }
    }
  }
  assert.equal(textOf(Uint8Array.of(0xef, 0xbb, 0xbf, 0xff)), "\ufeff<0xFF>");
});

test("a token of 1 MB of invalid bytes takes at most 15 times as long as one of valid characters", async () => {
  const broken = "\u0100\u0142".repeat(5e5); // the bytes 0x00 and 0xa0
  const json = { model: { vocab: { [broken]: 0, ["ab".repeat(5e5)]: 1 } } };
  const words = await vocabulary.tokenizerJson(source({ ...json, decoder: { type: "ByteLevel" } }));
  const timed = (/** @type {number} */ id) => {
    const begin = performance.now();
    words.text(id);
    return performance.now() - begin;
  };
  const least = (/** @type {number} */ id) =>
    Math.min(...Array.from({ length: 3 }, () => timed(id)));
  assert.ok(least(0) < 15 * least(1), `${least(0)} ms and ${least(1)} ms`); // by exceptions: 200 times
  assert.equal(words.text(0).slice(0, 14), "\0<0xA0>\0<0xA0>");
  assert.equal(words.text(0).length, 5e5 * 7);
});

test("a token that ends a word may have any length", async () => {
  const word = "a".repeat(1_000_000);
  const model = { type: "BPE", end_of_word_suffix: "</w>", vocab: { [`${word}</w>`]: 0 } };
  const words = await vocabulary.tokenizerJson(source({ model, decoder: { type: "ByteLevel" } }));
  assert.equal(words.text(0), `${word} `);
});

test("a vocabulary is frozen, and knows its ids", async () => {
  const words = await vocabulary.words(["the", "of"]);
  assert.ok(
    Object.isFrozen(words) && Object.isFrozen(words.tokens) && Object.isFrozen(words.special),
  );
  for (const id of [2, -1, 0.5, NaN]) assert.throws(() => words.text(id), RangeError);
  for (const id of /** @type {any[]} */ (["0", null]))
    assert.throws(() => words.bytes(id), TypeError);
  assert.throws(() => words.find(/** @type {any} */ (1)), TypeError);
  words.bytes(0).fill(0);
  assert.equal(words.text(0), "the");
});

test("reading a vocabulary can be aborted", async () => {
  const signal = AbortSignal.abort(new Error("enough"));
  for (const read of [vocabulary.tokenizerJson, vocabulary.wordPiece, vocabulary.words]) {
    await assert.rejects(read(source("{}"), { signal }), /^Error: enough$/);
    await assert.rejects(read(source("{}"), /** @type {any} */ ({ stop: 1 })), TypeError);
  }
});

test("a text has its spellings as a token, the most likely first", () => {
  /** @type {[string, string, string, string[]][]} */
  const known = [
    ["\x7f", "sentencepiece", "", ["\x7f", "<0x7F>", "\x7f"]],
    ["\n", "sentencepiece", "", ["\n", "<0x0A>", "\n"]],
    ["é", "sentencepiece", "", ["é", "é"]],
    ["a b ", "sentencepiece", "", ["a\u2581b\u2581", "a b "]],
    ["cat ", "words", "</w>", ["cat</w>", "cat "]],
    ["cat", "words", "</w>", ["cat", "cat"]],
    [" ", "words", "</w>", [" ", " "]],
    ["cat ", "words", "", ["cat ", "cat "]],
    [" é", "bytes", "", ["ĠÃ©", " é"]],
  ];
  for (const [text, style, suffix, expected] of known) {
    const spelling = /** @type {any} */ ({ style, suffix });
    assert.deepEqual(spellingsOf(text, spelling), expected);
  }
});

test("a tokenizer.json says what is wrong of its added tokens and of its ids", async () => {
  const model = { type: "BPE", vocab: { a: 0 }, merges: [] };
  for (const [added, message] of /** @type {[unknown, string][]} */ ([
    [7, "a list of added_tokens"],
    ["none", "a list of added_tokens"],
    [[{ id: 4, content: "b" }], "ids must be below 4 for 2 tokens; got 4"],
  ])) {
    const bytes = utf8(JSON.stringify({ added_tokens: added, model }));
    await assert.rejects(vocabulary.tokenizerJson(bytes), new RegExp(message));
  }
  const none = utf8(JSON.stringify({ added_tokens: null, model }));
  assert.equal((await vocabulary.tokenizerJson(none)).size, 1);
});
