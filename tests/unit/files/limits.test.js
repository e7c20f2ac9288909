// Every limit of a reader from both sides: a file at the limit is read, one beyond it is refused.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { zipSync } from "fflate";
import { gguf, npy, npz, safetensors, vocabulary } from "./entry.js";
import { refusal } from "./samples.js";

const encoder = new TextEncoder();

/** @param {...(Uint8Array | ArrayLike<number>)} parts */
const joined = (...parts) => Uint8Array.from(parts.flatMap((part) => Array.from(part)));
const u32 = (/** @type {number[]} */ ...numbers) =>
  new Uint8Array(Uint32Array.from(numbers).buffer);
const u64 = (/** @type {number} */ number) => u32(number, Math.floor(number / 2 ** 32));
const text = (/** @type {string} */ value) => {
  const bytes = encoder.encode(value);
  return joined(u64(bytes.length), bytes);
};

/** A GGUF file with these pairs and tensors of no bytes. @param {Uint8Array[]} pairs @param {Uint8Array[]} [tensors] */
function ggufFile(pairs, tensors = [], alignment = 32) {
  const counts = joined(u64(tensors.length), u64(pairs.length));
  const head = joined(u32(0x46554747, 3), counts, ...pairs, ...tensors);
  return joined(head, new Uint8Array((alignment - (head.length % alignment)) % alignment));
}

/** A tensor of ggml's float32. @param {string} name @param {number[]} sizes */
const tensor = (name, sizes) =>
  joined(text(name), u32(sizes.length), ...sizes.map(u64), u32(0), u64(0));

/** Nested arrays of the given depth. @param {number} levels @returns {Uint8Array} */
const nested = (levels) =>
  levels === 1 ? joined(u32(4), u64(1), u32(7)) : joined(u32(9), u64(1), nested(levels - 1));

/** A ZIP archive of `count` stored members without bytes. @param {number} count */
function archive(count) {
  /** @type {number[]} */
  const members = [];
  /** @type {number[]} */
  const directory = [];
  for (let i = 0; i < count; ++i) {
    const name = Array.from(encoder.encode(`${i}.txt`));
    const shared = [20, 0, 0, 0, 0, 0, 0, 0, 33, 0, ...Array(12).fill(0), name.length, 0, 0, 0];
    const at = [...u32(members.length)];
    members.push(...u32(0x04034b50), ...shared, ...name);
    directory.push(...u32(0x02014b50), 20, 0, ...shared, ...Array(10).fill(0), ...at, ...name);
  }
  const counts = [...u32(count * 65_537)];
  const places = [...u32(directory.length, members.length)];
  return Uint8Array.from([
    ...members,
    ...directory,
    ...u32(0x06054b50, 0),
    ...counts,
    ...places,
    0,
    0,
  ]);
}

/** A tokenizer.json. @param {Record<string, number>} vocab @param {object[]} [added] */
const tokenizer = (vocab, added = []) =>
  encoder.encode(
    JSON.stringify({ added_tokens: added, model: { type: "BPE", vocab, merges: [] } }),
  );

/** @type {Record<string, [within: () => Promise<unknown>, beyond: () => Promise<unknown>, code: string]>} */
const limits = {
  "64 levels of JSON": [() => index(64), () => index(65), "SAFETENSORS_INDEX"],
  "100,000,000 bytes of an index": [
    () => assert.rejects(indexOf(100_000_000), refusal("FILE_READ")), // it asks for them
    () => indexOf(100_000_001),
    "SAFETENSORS_INDEX",
  ],
  "a header of 2 bytes": [
    () => safetensors.read(joined(u64(2), encoder.encode("{}"))),
    () => safetensors.read(joined(u64(1), encoder.encode("{"))),
    "SAFETENSORS_HEADER_LENGTH",
  ],
  "a header that fills the file": [
    () => safetensors.read(joined(u64(3), encoder.encode("{} "))),
    () => safetensors.read(joined(u64(4), encoder.encode("{} "))),
    "SAFETENSORS_HEADER_LENGTH",
  ],
  "3 levels of arrays in GGUF": [
    () => gguf.read(ggufFile([joined(text("a"), u32(9), nested(3))])),
    () => gguf.read(ggufFile([joined(text("a"), u32(9), nested(4))])),
    "GGUF_METADATA",
  ],
  "4 axes in GGUF": [
    () => gguf.read(ggufFile([], [tensor("w", [1, 1, 1, 0])])),
    () => gguf.read(ggufFile([], [tensor("w", [1, 1, 1, 1, 0])])),
    "GGUF_SHAPE",
  ],
  "sizes of 2^53 - 1 in GGUF": [
    () => gguf.read(ggufFile([], [tensor("w", [0, Number.MAX_SAFE_INTEGER])])),
    () => gguf.read(ggufFile([], [tensor("w", [0, 2 ** 53])])),
    "GGUF_SHAPE",
  ],
  "names of 64 bytes in GGUF": [
    () => gguf.read(ggufFile([], [tensor("é".repeat(32), [0])])),
    () => gguf.read(ggufFile([], [tensor(`${"é".repeat(32)}a`, [0])])),
    "GGUF_NAME",
  ],
  "an alignment of 2^20 in GGUF": [() => aligned(2 ** 20), () => aligned(2 ** 21), "GGUF_METADATA"],
  "an alignment that is a power of two in GGUF": [
    () => aligned(1),
    () => aligned(24),
    "GGUF_METADATA",
  ],
  "the last tensor type of the metadata in GGUF": [
    () => gguf.read(ggufFile([joined(text("a"), u32(12), u64(0))])),
    () => gguf.read(ggufFile([joined(text("a"), u32(13), u64(0))])),
    "GGUF_TYPE",
  ],
  "as many bytes as the shape in .npy": [
    () => npy.read(npy.write(new Float32Array(3))),
    () => npy.read(npy.write(new Float32Array(3)).subarray(0, -1)),
    "NPY_LENGTH",
  ],
  "a header of 65,536 bytes in .npy": [
    () => npy.read(longHeader(65_536)),
    () => npy.read(longHeader(65_537)),
    "NPY_HEADER_LENGTH",
  ],
  "a header of 65,536 bytes in .npz": [
    () => npz.read(zipSync({ "a.npy": longHeader(65_536) })).then((read) => read.tensor("a")),
    () => npz.read(zipSync({ "a.npy": longHeader(65_537) })).then((read) => read.tensor("a")),
    "NPY_HEADER_LENGTH",
  ],
  "4,096 members of an archive": [
    () => npz.read(archive(4096)),
    () => npz.read(archive(4097)),
    "NPZ_COUNT",
  ],
  "ids below twice the tokens": [
    () => vocabulary.tokenizerJson(tokenizer({ a: 0, b: 3 })),
    () => vocabulary.tokenizerJson(tokenizer({ a: 0, b: 4 })),
    "VOCABULARY_IDS",
  ],
  "ids of added tokens below twice the tokens": [
    () => vocabulary.tokenizerJson(tokenizer({ a: 0 }, [{ id: 3, content: "b" }])),
    () => vocabulary.tokenizerJson(tokenizer({ a: 0 }, [{ id: 4, content: "b" }])),
    "VOCABULARY_IDS",
  ],
};

/** An .npy file of version 2. @param {number} length  of its header */
function longHeader(length) {
  const dict = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  const start = Uint8Array.of(0x93, ...encoder.encode("NUMPY"), 2, 0, ...u32(length));
  return Uint8Array.from([...start, ...encoder.encode(dict.padEnd(length)), ...new Uint8Array(8)]);
}

/** An index with an unused value of `levels` nested arrays. @param {number} levels */
function index(levels) {
  const deep = "[".repeat(levels) + "]".repeat(levels);
  const json = `{"x":${deep},"weight_map":{"w":"a.safetensors"}}`;
  return safetensors.sharded(encoder.encode(json), () => new Uint8Array(0));
}

/** An index that claims a size. @param {number} size */
const indexOf = (size) =>
  safetensors.sharded({ size, slice: () => new Blob([]) }, () => new Uint8Array(0));

/** @param {number} alignment */
function aligned(alignment) {
  const pair = joined(text("general.alignment"), u32(4, alignment));
  return gguf.read(ggufFile([pair], [], alignment));
}

describe("limits of readers", () => {
  for (const [name, [within, beyond, code]] of Object.entries(limits)) {
    test(name, async () => {
      await within();
      await assert.rejects(beyond, refusal(code));
    });
  }
});

describe("what a GGUF file claims is refused by the bytes that are left, with what it has", () => {
  const head = (/** @type {number} */ version, /** @type {Uint8Array[]} */ ...rest) =>
    joined(u32(0x46554747, version), ...rest);
  const rest = (/** @type {number} */ bytes) => new Uint8Array(bytes);
  /** A file whose only pair is an array. @param {number} type @param {number} count @param {number} bytes */
  const array = (type, count, bytes) =>
    head(3, u64(0), u64(1), text("a"), u32(9, type), u64(count), rest(bytes));
  /** The message of an error. @param {Uint8Array<ArrayBuffer>} file */
  const said = async (file) => {
    const error = await gguf.read(file).catch((error) => error);
    assert.match(error.code, /^GGUF_/);
    return error.message;
  };

  test("a version of a big-endian file", async () => {
    for (const [version, got] of /** @type {const} */ ([
      [0x03000000, "a big-endian file"],
      [0x10000, "a big-endian file"],
      [0, "0"],
      [0x10001, "65537"],
      [0x18000, "98304"],
      [0xffff, "65535"],
    ])) {
      assert.match(await said(head(version, rest(16))), new RegExp(`little-endian; got ${got}$`));
    }
    const magic = "file must begin with the letters GGUF; got 0x1";
    assert.equal(await said(joined(u32(1), rest(20))), magic);
  });

  test("counts of tensors, of pairs and of items", async () => {
    /** Each by the least bytes that two take, after the count. @type {[string, number, (bytes: number) => Uint8Array<ArrayBuffer>][]} */
    const counts = [
      ["tensors", 2 * 24, (bytes) => head(3, u64(2), rest(bytes))],
      ["pairs", 2 * 13, (bytes) => head(3, u64(0), u64(2), rest(bytes))],
      ["items", 2 * 8, (bytes) => array(8, 2, bytes)],
      ["items", 2 * 12, (bytes) => array(9, 2, bytes)],
      ["items", 2 * 1, (bytes) => array(7, 2, bytes)],
      ["items", 2 * 4, (bytes) => array(4, 2, bytes)],
      ["length of", 2, (bytes) => head(3, u64(0), u64(1), text("a"), u32(8), u64(2), rest(bytes))],
    ];
    for (const [what, least, file] of counts) {
      const most = new RegExp(`${what}.* must be at most 1 in this file; got 2$`);
      assert.match(await said(file(least - 1)), most);
      const error = await gguf.read(file(least)).catch((error) => error);
      assert.doesNotMatch(String(error.message), most);
    }
  });

  test("an alignment of another type, and rows that are no whole blocks", async () => {
    const pair = joined(text("general.alignment"), u32(10), u64(32));
    assert.match(await said(ggufFile([pair])), /up to 1048576; got type 10$/);
    const even = joined(text("general.alignment"), u32(4, 24));
    assert.match(await said(ggufFile([even])), /up to 1048576; got 24$/);
    const scalar = joined(text("w"), u32(0, 8), u64(0));
    assert.match(
      await said(ggufFile([], [scalar])),
      /must be whole blocks of 32 for Q8_0; got \[\]$/,
    );
  });
});
