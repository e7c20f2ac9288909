import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { caseOf, cases } from "../../truth/golden.js";
import { isNight } from "../../sample.js";
import { Tensor, gguf } from "./entry.js";
import {
  asFloats,
  flips,
  golden,
  noting,
  refusal,
  same,
  survives,
  truncations,
} from "./samples.js";

/** @type {Record<string, readonly [dtype: string, numbers: number, bytes: number]>} */
const BLOCKS = Object.freeze({
  F32: ["float32", 1, 4],
  F16: ["float16", 1, 2],
  BF16: ["bfloat16", 1, 2],
  Q8_0: ["Q8_0", 32, 34],
  Q4_K: ["Q4_K", 256, 144],
});

const encoder = new TextEncoder();

/** @param {number | bigint} number @param {4 | 8} size */
function integer(number, size) {
  const view = new DataView(new ArrayBuffer(size));
  if (size === 4) view.setUint32(0, Number(number), true);
  else view.setBigUint64(0, BigInt(number), true);
  return [...new Uint8Array(view.buffer)];
}
const u32 = (/** @type {number} */ number) => integer(number, 4);
const u64 = (/** @type {number | bigint} */ number) => integer(number, 8);
const text = (/** @type {string} */ value) => {
  const bytes = encoder.encode(value);
  return [...u64(bytes.length), ...bytes];
};
const list = (/** @type {number} */ type, /** @type {number[][]} */ ...items) => [
  ...u32(9),
  ...u32(type),
  ...u64(items.length),
  ...items.flat(),
];

/**
 * @typedef {object} Parts
 * @property {number} [version]
 * @property {[key: string, typeAndValue: number[]][]} [pairs]
 * @property {[name: string, ne: (number | bigint)[], type: number, offset: number | bigint][]} [tensors]
 * @property {number} [data]  bytes after the padded header
 * @property {number} [alignment]
 * @property {number | bigint} [pairCount] @property {number | bigint} [tensorCount]
 */

/**
 * A file of these parts.
 * @param {Parts} parts
 */
function file({ version = 3, pairs = [], tensors = [], data = 0, alignment = 32, ...counts }) {
  const { pairCount = pairs.length, tensorCount = tensors.length } = counts;
  const header = [
    ...[...encoder.encode("GGUF"), ...u32(version), ...u64(tensorCount), ...u64(pairCount)],
    ...pairs.flatMap(([key, value]) => [...text(key), ...value]),
    ...tensors.flatMap(([name, ne, type, offset]) => [
      ...[...text(name), ...u32(ne.length), ...ne.flatMap((size) => u64(size))],
      ...[...u32(type), ...u64(offset)],
    ]),
  ];
  const dataAt = data > 0 ? Math.ceil(header.length / alignment) * alignment : header.length;
  const bytes = new Uint8Array(dataAt + data);
  bytes.set(header);
  for (let i = dataAt; i < bytes.length; ++i) bytes[i] = i - dataAt;
  return bytes;
}

/** @param {any} value */
const plain = (value) =>
  ArrayBuffer.isView(value) ? Array.from(/** @type {any} */ (value)) : value;

describe("gguf against the reference files", () => {
  for (const { id, params, outputs } of cases("gguf_read", 4)) {
    test(`read equals ${id}`, async () => {
      const bytes = golden(params.path);
      for (const source of [bytes, bytes.buffer, new Blob([bytes]), noting(bytes)]) {
        const opened = await gguf.read(source);
        const kv = Object.fromEntries(
          [...opened.metadata].map(([key, value]) => [key, plain(value)]),
        );
        assert.deepEqual(kv, params.kv);
        assert.deepEqual([...opened.names].sort(), Object.keys(params.tensors).sort());
        for (const name of opened.names) {
          const { type, shape } = params.tensors[name];
          const [dtype, block, size] = BLOCKS[type];
          const elements = shape.reduce(
            (/** @type {number} */ a, /** @type {number} */ b) => a * b,
            1,
          );
          const length = (elements / block) * size;
          assert.deepEqual(opened.info(name), { name, dtype, shape, byteLength: length });
          const stored = await opened.stored(name);
          assert.deepEqual(
            [stored.dtype, stored.shape, stored.bytes.length],
            [dtype, shape, length],
          );
          const tensor = await opened.tensor(name);
          assert.ok(tensor instanceof Tensor);
          assert.deepEqual(tensor.shape, shape);
          same(asFloats(tensor.data), outputs[`expected/${name}`].data);
        }
      }
    });
  }

  test("stored returns the blocks of Q8_0 from which the expected values are computed", async () => {
    const { params, outputs } = caseOf("formats.gguf.tiny_q8_0");
    const opened = await gguf.read(golden(params.path));
    const name = "token_embd.weight";
    const { shape, bytes } = await opened.stored(name, { rows: [11, 0] });
    assert.deepEqual([...shape, bytes.length], [2, 64, 2 * 68]);
    const view = new DataView(bytes.buffer);
    const scale = new Float32Array(1); // one of float16, in bits; positive and normal here
    const word = new Uint32Array(scale.buffer);
    const expected = outputs[`expected/${name}`].data;
    for (let i = 0; i < 128; ++i) {
      const block = Math.floor(i / 32) * 34;
      word[0] = (view.getUint16(block, true) << 13) + ((127 - 15) << 23);
      const row = i < 64 ? 11 : 0;
      assert.equal(view.getInt8(block + 2 + (i % 32)) * scale[0], expected[row * 64 + (i % 64)]);
    }
  });

  for (const { params } of cases("reject", 21, ({ format }) => format === "gguf")) {
    test(`read rejects ${params.path}: ${params.reason}`, async () => {
      const bytes = golden(params.path);
      await assert.rejects(gguf.read(bytes), refusal(/^GGUF_/));
      await assert.rejects(gguf.read(new Blob([bytes])), refusal(/^GGUF_/));
    });
  }
});

describe("gguf.read and the metadata", () => {
  test("converts every type to a JavaScript value", async () => {
    const float = (/** @type {number} */ x) => [...new Uint8Array(Float32Array.of(x).buffer)];
    const { metadata } = await gguf.read(
      file({
        pairs: [
          ["u8", [...u32(0), 255]],
          ["i8", [...u32(1), 255]],
          ["u16", [...u32(2), 255, 255]],
          ["i16", [...u32(3), 255, 255]],
          ["u32", [...u32(4), 255, 255, 255, 255]],
          ["i32", [...u32(5), 255, 255, 255, 255]],
          ["f32", [...u32(6), ...float(0.1)]],
          ["true", [...u32(7), 1]],
          ["text", [...u32(8), ...text("\ufeffé词")]],
          ["u64", [...u32(10), ...u64(2n ** 53n - 1n)]],
          ["large u64", [...u32(10), ...u64(2n ** 64n - 1n)]],
          ["large i64", [...u32(11), ...u64(2n ** 63n)]],
          ["f64", [...u32(12), ...new Uint8Array(Float64Array.of(1e300).buffer)]],
          ["bytes", list(0, [1], [2])],
          ["floats", list(6, float(0.5), float(-0))],
          ["longs", list(11, u64(1), u64(2n ** 64n - 1n))],
          ["bools", list(7, [0], [1])],
          ["texts", list(8, text("a"), text(""), text("ï"))],
          ["nested", list(9, list(0, [1]).slice(4), list(8, text("b")).slice(4))],
          ["empty", list(6)],
        ],
      }),
    );
    assert.deepEqual(Object.fromEntries(metadata), {
      ...{ u8: 255, i8: -1, u16: 65535, i16: -1, u32: 4294967295, i32: -1 },
      ...{ f32: Math.fround(0.1), true: true, text: "\ufeffé词", u64: 2 ** 53 - 1, f64: 1e300 },
      ...{ "large u64": 2n ** 64n - 1n, "large i64": -(2n ** 63n) },
      ...{ bytes: Uint8Array.of(1, 2), floats: Float32Array.of(0.5, -0) },
      ...{ longs: BigInt64Array.of(1n, -1n), bools: [false, true], texts: ["a", "", "ï"] },
      ...{ nested: [Uint8Array.of(1), ["b"]], empty: new Float32Array(0) },
    });
  });

  test("accepts keys and names that are properties of Object.prototype", async () => {
    const opened = await gguf.read(
      file({
        pairs: [["__proto__", [...u32(0), 7]]],
        tensors: [["constructor", [1], 24, 0]],
        data: 1,
      }),
    );
    assert.equal(opened.metadata.get("__proto__"), 7);
    same((await opened.tensor("constructor")).data, [0]);
  });

  const one = /** @type {[string, number[]]} */ (["k", [...u32(0), 7]]);
  /** Empty lists, as items of a list. @param {number} count @returns {number[][]} */
  const lists = (count) => Array(count).fill(list(0).slice(4));
  /** @type {[string, Parts, string][]} */
  const refused = [
    ["a key twice", { pairs: [one, one] }, "DUPLICATE"],
    ["a key that is not UTF-8", { pairs: [["k", [...u32(8), ...u64(1), 0xff]]] }, "UTF8"],
    ["a bool of 2", { pairs: [["k", [...u32(7), 2]]] }, "METADATA"],
    ["a bool of 2 in a list", { pairs: [["k", list(7, [0], [2])]] }, "METADATA"],
    ["type 13", { pairs: [["k", [...u32(13), 0]]] }, "TYPE"],
    ["a list of type 13", { pairs: [["k", list(13, [0])]] }, "TYPE"],
    [
      "arrays of four levels",
      { pairs: [["k", list(9, list(9, list(9, list(0, [1]).slice(4)).slice(4)).slice(4))]] },
      "METADATA",
    ],
    ["65,537 lists in a list", { pairs: [["k", list(9, ...lists(65_537))]] }, "COUNT"],
    [
      "65,537 lists in several",
      { pairs: ["a", "b"].map((key) => [key, list(9, ...lists(32_769))]) },
      "COUNT",
    ],
    ["65,537 booleans", { pairs: [["k", list(7, ...Array(65_537).fill([1]))]] }, "COUNT"],
    ["65,537 pairs", { pairs: Array(65_537).fill(one) }, "COUNT"],
    ["more pairs than there are", { pairs: [one], pairCount: 2 }, "COUNT"],
    ["100,001 tensors", { tensorCount: 100_001, data: 2_500_000 }, "COUNT"],
    ["alignment 24", { pairs: [["general.alignment", [...u32(4), ...u32(24)]]] }, "METADATA"],
    ["alignment 0", { pairs: [["general.alignment", [...u32(4), ...u32(0)]]] }, "METADATA"],
    [
      "alignment 2^21",
      { pairs: [["general.alignment", [...u32(4), ...u32(2 ** 21)]]] },
      "METADATA",
    ],
    [
      "alignment in 64 bits",
      { pairs: [["general.alignment", [...u32(10), ...u64(32)]]] },
      "METADATA",
    ],
    [
      "alignment as text",
      { pairs: [["general.alignment", [...u32(8), ...text("32")]]] },
      "METADATA",
    ],
    ["version 1", { version: 1 }, "VERSION"],
    ["version 4", { version: 4 }, "VERSION"],
    ["a big-endian file", { version: 0x03000000 }, "VERSION"],
  ];
  for (const [what, parts, code] of refused) {
    test(`rejects ${what}`, async () => {
      await assert.rejects(gguf.read(file(parts)), refusal(`GGUF_${code}`));
    });
  }

  test("says in its error that a file is big-endian", async () => {
    await assert.rejects(gguf.read(file({ version: 0x03000000 })), /got a big-endian file$/);
  });

  test("accepts version 2, and a file without tensors", async () => {
    for (const version of [2, 3]) {
      const opened = await gguf.read(file({ version, pairs: [one] }));
      assert.deepEqual([opened.names, opened.metadata.get("k")], [[], 7]);
    }
  });
});

describe("gguf.read and the tensors", () => {
  test("reverses ggml's axes, and accepts no axes and four", async () => {
    const opened = await gguf.read(
      file({
        tensors: [
          ["point", [], 24, 0],
          ["cube", [2, 3, 1, 2], 24, 32],
          ["none", [4, 0], 0, 64],
        ],
        data: 64,
      }),
    );
    assert.deepEqual(opened.names, ["point", "cube", "none"]);
    assert.deepEqual((await opened.tensor("point")).shape, []);
    const cube = await opened.tensor("cube");
    assert.deepEqual([...cube.shape, cube.at(1, 0, 2, 1)], [2, 1, 3, 2, 32 + 11]);
    assert.deepEqual((await opened.tensor("none")).shape, [0, 4]);
  });

  test("reads plain numbers of every type, and rows of them", async () => {
    /** @type {[number, string, number][]} */
    const types = [
      [0, "float32", 4],
      [1, "float32", 2],
      [24, "int8", 1],
      [25, "int32", 2],
      [26, "int32", 4],
      [27, "int64", 8],
      [28, "float64", 8],
      [30, "float32", 2],
    ];
    for (const [type, dtype, size] of types) {
      const bytes = file({ tensors: [["t", [3, 4], type, 0]], data: 12 * size });
      const opened = await gguf.read(bytes);
      const all = await opened.tensor("t");
      assert.deepEqual([all.dtype, ...all.shape], [dtype, 4, 3]);
      assert.deepEqual((await opened.rows("t", [3, 1])).row(0).data, all.row(3).data);
      same((await opened.stored("t")).bytes, bytes.subarray(bytes.length - 12 * size));
    }
  });

  test("knows the size of every type of ggml", async () => {
    // rows of 256 numbers, in bytes: gguf.py's GGML_QUANT_SIZES, Q8_1 and Q2_0 from ggml-common.h
    const sizes = {
      ...{ 0: 1024, 1: 512, 2: 144, 3: 160, 6: 176, 7: 192, 8: 272, 9: 288, 10: 84, 11: 110 },
      ...{ 12: 144, 13: 176, 14: 210, 15: 292, 16: 66, 17: 74, 18: 98, 19: 50, 20: 144, 21: 110 },
      ...{ 22: 82, 23: 136, 24: 256, 25: 512, 26: 1024, 27: 2048, 28: 2048, 29: 56, 30: 512 },
      ...{ 34: 54, 35: 66, 39: 136, 40: 144, 41: 36, 42: 72 },
    };
    for (const [type, size] of Object.entries(sizes)) {
      const opened = await gguf.read(
        file({ tensors: [["t", [256, 2], Number(type), 0]], data: 2 * size }),
      );
      assert.equal(opened.info("t").byteLength, 2 * size, type);
      const { bytes, shape } = await opened.stored("t", { rows: [1] });
      assert.deepEqual([...shape, bytes.length], [1, 256, size]);
    }
    for (let type = 0; type < 64; ++type) {
      if (type in sizes) continue;
      const bytes = file({ tensors: [["t", [256], type, 0]], data: 4096 });
      await assert.rejects(gguf.read(bytes), refusal("GGUF_TYPE"));
      await assert.rejects(gguf.read(bytes), new RegExp(`got ${type}$`));
    }
  });

  /** @type {[string, Parts["tensors"], number, string][]} */
  const refused = [
    ["five axes", [["t", [1, 1, 1, 1, 1], 0, 0]], 4, "SHAPE"],
    ["a size of 2^53", [["t", [2n ** 53n], 0, 0]], 4, "SHAPE"],
    ["an overflow of 2^64", [["t", [2 ** 52, 2 ** 52], 24, 0]], 4, "LENGTH"],
    ["an overflow hidden by 0", [["t", [2 ** 52, 2 ** 52, 0], 24, 0]], 4, "LENGTH"],
    ["a row of half a block", [["t", [48], 8, 0]], 64, "SHAPE"],
    ["a name of 65 bytes", [["n".repeat(65), [1], 0, 0]], 4, "NAME"],
    [
      "a name twice",
      [
        ["t", [8], 0, 0],
        ["t", [8], 0, 32],
      ],
      64,
      "DUPLICATE",
    ],
    [
      "an overlap",
      [
        ["a", [8], 0, 0],
        ["b", [8], 0, 0],
      ],
      64,
      "OFFSETS",
    ],
    [
      "a gap",
      [
        ["a", [8], 0, 0],
        ["b", [8], 0, 64],
      ],
      96,
      "OFFSETS",
    ],
    ["a gap before the first", [["a", [8], 0, 32]], 64, "OFFSETS"],
    [
      "a place that is not aligned",
      [
        ["a", [1], 0, 0],
        ["b", [1], 0, 4],
      ],
      8,
      "OFFSETS",
    ],
    [
      "a place that wraps",
      [
        ["a", [8], 0, 0],
        ["b", [8], 0, 2n ** 64n - 32n],
      ],
      64,
      "OFFSETS",
    ],
    ["a byte too few", [["t", [8], 0, 0]], 31, "LENGTH"],
    ["bytes beyond the last padding", [["t", [1], 0, 0]], 33, "LENGTH"],
  ];
  for (const [what, tensors, data, code] of refused) {
    test(`rejects ${what}`, async () => {
      await assert.rejects(gguf.read(file({ tensors, data })), refusal(`GGUF_${code}`));
    });
  }

  test("accepts the last tensor with or without its padding", async () => {
    for (const data of [4, 5, 32]) {
      const opened = await gguf.read(file({ tensors: [["t", [1], 0, 0]], data }));
      assert.equal(opened.info("t").byteLength, 4);
    }
  });

  test("uses the file's alignment", async () => {
    const pairs = /** @type {[string, number[]][]} */ ([
      ["general.alignment", [...u32(4), ...u32(256)]],
    ]);
    const tensors = /** @type {Parts["tensors"]} */ ([
      ["a", [1], 24, 0],
      ["b", [1], 24, 256],
    ]);
    const opened = await gguf.read(file({ pairs, tensors, data: 257, alignment: 256 }));
    same((await opened.tensor("b")).data, [0]);
  });

  test("rejects rows of quantized tensors that are not whole blocks", async () => {
    const opened = await gguf.read(file({ tensors: [["t", [64], 8, 0]], data: 68 }));
    await assert.rejects(
      opened.stored("t", { rows: [0] }),
      /^RangeError: \S+: name must be .* whole bytes/,
    );
  });
});

describe("gguf.read and a long header", () => {
  const words = Array.from({ length: 60_000 }, (_, i) => text(`token ${i}`));
  const bytes = file({
    pairs: [
      ["tokens", list(8, ...words)],
      ["text", [...u32(8), ...text("x".repeat(300_000))]],
      ["last", [...u32(0), 1]],
    ],
    tensors: [["t", [8], 0, 0]],
    data: 32,
  });

  test("it is read in few pieces, each once, that double from 64 KiB on", async () => {
    const source = noting(bytes);
    const opened = await gguf.read(source);
    const tokens = /** @type {string[]} */ (opened.metadata.get("tokens"));
    assert.deepEqual([tokens.length, tokens[59_999]], [60_000, "token 59999"]);
    assert.equal(opened.metadata.get("last"), 1);
    let at = 0;
    for (const [begin, end] of source.reads) {
      assert.equal(begin, at);
      at = end;
    }
    assert.equal(source.reads[0][1], 65_536);
    assert.equal(at, bytes.length, "1.4 MB, of which the data are the last 32 bytes");
    assert.ok(source.reads.length <= 5, `${source.reads.length} reads`);
  });

  test("a large file with a short header is read no further than the first piece", async () => {
    const start = file({ tensors: [["t", [2 ** 20], 0, 0]], data: 32 });
    const source = noting(start, start.length - 32 + 2 ** 22);
    source.slice = (begin, end) => {
      source.reads.push([begin, end]);
      const piece = new Uint8Array(end - begin);
      piece.set(start.subarray(begin, end));
      return new Blob([piece]);
    };
    await gguf.read(source);
    assert.deepEqual(source.reads, [[0, 65_536]]);
  });

  test("an excessive count is rejected before its bytes are requested", async () => {
    for (const claim of [2n ** 64n - 1n, 2n ** 63n, 2n ** 40n, 2n ** 24n + 1n]) {
      const value = [...u32(8), ...u64(claim)];
      const start = file({ pairs: [["k", value]] });
      const source = noting(start, 2 ** 41);
      source.slice = (begin, end) => {
        source.reads.push([begin, end]);
        const piece = new Uint8Array(end - begin);
        piece.set(start.subarray(begin, end));
        return new Blob([piece]);
      };
      await assert.rejects(gguf.read(source), refusal("GGUF_COUNT"));
      assert.deepEqual(source.reads, [[0, 65_536]]);
    }
  });
});

test("gguf.read answers every truncation and every changed byte with FileError or a valid file", async () => {
  const read = async (/** @type {Uint8Array<ArrayBuffer>} */ bytes) => {
    const opened = await gguf.read(bytes);
    for (const name of opened.names) {
      const { byteLength: size, shape } = opened.info(name);
      assert.equal((await opened.stored(name)).bytes.length, size);
      assert.ok(shape.every((axis) => Number.isSafeInteger(axis)));
    }
  };
  for (const path of ["formats/tiny_f16.gguf", "formats/tiny_f32.gguf", "formats/tiny_q8_0.gguf"]) {
    const bytes = golden(path);
    const cut = await survives(truncations(bytes), read);
    assert.ok(cut.accepted <= 31, "without some of the padding at the end");
    const changed = await survives(flips(bytes, 1000), read);
    const least = isNight ? 700 : 300; // of all changes, or of a seventh
    assert.ok(changed.refused > least && changed.accepted > least, "other texts are fine");
  }
});

test("gguf.read names an unknown option", async () => {
  const bytes = file({});
  await assert.rejects(gguf.read(bytes, /** @type {any} */ ({ mmap: true })), TypeError);
  await assert.rejects(gguf.read(bytes, /** @type {any} */ ({ signal: 1 })), TypeError);
  await assert.rejects(gguf.read(/** @type {any} */ ("a.gguf")), TypeError);
  const reason = new Error("enough");
  await assert.rejects(gguf.read(bytes, { signal: AbortSignal.abort(reason) }), reason);
});

test("gguf shows the bytes in place of its magic number", async () => {
  const message = "file must begin with the letters GGUF; got 0x64636261";
  const bytes = encoder.encode("abcd".padEnd(64));
  await assert.rejects(gguf.read(bytes), { code: "GGUF_MAGIC", message });
});

test("gguf accepts a pair of 13 bytes, the minimum", async () => {
  const { metadata } = await gguf.read(file({ pairs: [["", [...u32(0), 7]]] }));
  assert.deepEqual([...metadata], [["", 7]]);
});

test("gguf accepts at most 4,194,304 items in a list", async () => {
  const items = new Uint8Array(4_194_305);
  /** @param {number} count */
  const listed = (count) => {
    const start = file({ pairs: [["a", [...u32(9), ...u32(0), ...u64(count)]]] });
    return new Blob([start, items.subarray(0, count)]);
  };
  const { metadata } = await gguf.read(listed(4_194_304));
  assert.equal(/** @type {any} */ (metadata.get("a")).length, 4_194_304);
  await assert.rejects(gguf.read(listed(4_194_305)), { code: "GGUF_COUNT" });
});
