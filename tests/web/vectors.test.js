// Files of word vectors that the explorer reads: text, binary, tables; and hostile ones.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { isVectors, readVectors } from "../../web/app/models/vectors.js";

/**
 * A file whose stream comes in pieces of a few bytes, and says how many were asked for.
 * @param {string} name @param {string | Uint8Array} content @param {number} [piece]
 */
function fileOf(name, content, piece = 3) {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const file = new File([/** @type {BlobPart} */ (bytes)], name);
  const asked = { bytes: 0 };
  let at = 0;
  file.stream = () =>
    new ReadableStream(
      {
        pull(controller) {
          if (at >= bytes.length) return controller.close();
          const part = bytes.slice(at, (at += piece));
          asked.bytes += part.length;
          controller.enqueue(part);
        },
      },
      { highWaterMark: 0 },
    );
  return { file, asked };
}

/** @param {string} name @param {string | Uint8Array} content @param {number} [rows] */
async function read(name, content, rows = 100) {
  const { words, data, dim, groups, isCut, format } = await readVectors(
    fileOf(name, content).file,
    { rows },
  );
  return { words, data: [...data], dim, groups, isCut, format };
}

/** word2vec's binary format. @param {Record<string, number[]>} vectors @param {string} [between] */
function word2vec(vectors, between = "\n") {
  const entries = Object.entries(vectors);
  const dim = entries[0][1].length;
  const parts = entries.map(([word, row]) =>
    Buffer.concat([
      Buffer.from(`${word} `),
      Buffer.from(Float32Array.from(row).buffer),
      Buffer.from(between),
    ]),
  );
  return Buffer.concat([Buffer.from(`${entries.length} ${dim}\n`), ...parts]);
}

test("GloVe's text, also with CRLF, empty lines, letters of several bytes and words with spaces", async () => {
  const text = "the 1 2.5\r\n\u00fcber -3e-1 4\n\n. . . 5 6\n\u732b .5 7.";
  const found = await read("glove.txt", text);
  assert.deepEqual(found.words, ["the", "\u00fcber", ". . .", "\u732b"]);
  assert.deepEqual(found.data, [1, 2.5, -0.3, 4, 5, 6, 0.5, 7].map(Math.fround));
  assert.deepEqual([found.dim, found.isCut, found.groups], [2, false, undefined]);
});

test("word2vec's and fastText's text, whose first line has the sizes", async () => {
  const found = await read("wiki.vec", "2 3\n, 1 2 3 \n4 5 6 7 \n");
  assert.deepEqual(found.words, [",", "4"]);
  assert.deepEqual(found.data, [1, 2, 3, 5, 6, 7]);
  assert.equal(found.format, "word2vec text");
  await assert.rejects(
    read("a.vec", "2 3\nword 1 2\n"),
    /line 2 must have 3 numbers after the word; got 2/,
  );
});

test("word2vec's binary format, with a line end after each word and without", async () => {
  for (const between of ["\n", ""]) {
    const vectors = { a: [1, 2.5], "b\u00e9": [-3, 1e-20] };
    const found = await read("model.bin", word2vec(vectors, between));
    assert.deepEqual(found.words, Object.keys(vectors));
    assert.deepEqual(found.data, Object.values(vectors).flat().map(Math.fround));
  }
});

test("a compressed file is read as well", async () => {
  const found = await read("glove.txt.gz", gzipSync("a 1 2\nb 3 4\n"));
  assert.deepEqual(found.words, ["a", "b"]);
  const damaged = gzipSync("a 1 2\nb 3 4\n".repeat(500)).subarray(0, 30);
  await assert.rejects(
    read("glove.txt.gz", damaged),
    /^RangeError: The compressed file is damaged/,
  );
});

test("only the first rows are read, and the file says that it has more", async () => {
  const lines = Array.from({ length: 10_000 }, (_, i) => `w${i} ${i} 1`).join("\n");
  const { file, asked } = fileOf("big.txt", lines, 100);
  const found = await readVectors(file, { rows: 50 });
  assert.deepEqual([found.words.length, found.isCut], [50, true]);
  assert.ok(asked.bytes < 2000, String(asked.bytes));
  const binary = await read("big.bin", word2vec({ a: [1], b: [2], c: [3] }), 2);
  assert.deepEqual([binary.words, binary.isCut], [["a", "b"], true]); // prettier-ignore
  const exact = await read("all.txt", "a 1\nb 2\n", 2);
  assert.equal(exact.isCut, false);
});

test("CSV and TSV: a column of labels, one of groups, the others are numbers", async () => {
  const csv = 'word,x,kind,y\n"a, ""b""",1,animal,2\ndog,3,,4\n';
  const found = await read("own.csv", csv);
  assert.deepEqual(found.words, ['a, "b"', "dog"]);
  assert.deepEqual(found.data, [1, 2, 3, 4]);
  assert.deepEqual(found.groups, ["animal", ""]);
  const tsv = await read("own.tsv", "1\t2\n3\t4\n");
  assert.deepEqual([tsv.words, tsv.data, tsv.groups], [["0", "1"], [1, 2, 3, 4], undefined]); // prettier-ignore
  const ids = await read("own.tsv", "id\tcolor\tx\n7\tred\t0.5\n8\tblue\t1\n");
  assert.deepEqual([ids.words, ids.groups, ids.data], [["7", "8"], ["red", "blue"], [0.5, 1]]); // prettier-ignore
});

test("what is no such file is refused with the line that is wrong", async () => {
  /** @type {[string, string | Uint8Array, RegExp][]} */
  const cases = [
    ["a.txt", "", /has no vectors/],
    ["a.txt", "only words here", /line 1 must have/],
    ["a.txt", "a 1 2\nb 1 x\n", /line 2 must have decimal numbers; got "x"/],
    ["a.txt", "a 1 2\nb 3\n", /line 2 must have 2 numbers after the word; got 1/],
    ["a.txt", "a 1 2\nb 3 1e999\n", /line 2 must have decimal numbers; got "1e999"/],
    ["a.txt", "a 1 2\nb 3 NaN\n", /line 2 must have decimal numbers; got "NaN"/],
    ["a.txt", "x".repeat(3_000_000), /line 1 must be shorter/],
    ["a.txt", `${"x".repeat(2000)} 1 2`, /must begin with a word of at most 1000 letters/],
    ["a.csv", "a,b\nc,1\nd\n", /line 3 must have 2 columns; got 1/],
    ["a.csv", 'a,b\n"c,1\n', /line 2 must close each quotation mark/],
    ["a.csv", "a,b\nc,d\n", /line 2 must have 1 to 16384 numbers/],
    ["a.bin", "PK\u0003\u0004 no", /ends within a word|must begin with its numbers/],
    ["a.bin", "5 99999999\n", /must begin with its numbers of rows and columns/],
    ["a.bin", "2 2\na ", /ends within a vector/],
    ["a.bin", "x".repeat(5000), /not in word2vec's binary format/],
    ["a.bin", word2vec({ a: [NaN] }), /must have finite numbers/],
  ];
  for (const [name, content, message] of cases) {
    await assert.rejects(read(name, content), (/** @type {Error} */ error) => {
      assert.ok(error instanceof RangeError && message.test(error.message), `${name}: ${error}`);
      return true;
    });
  }
});

test("changed files are read or refused, and what is read is finite and whole", async () => {
  const seeds = [
    ["a.txt", Buffer.from("the 1 2.5\nof -3e-1 4\nand 5 6\n")],
    ["a.csv", Buffer.from('word,x,kind,y\n"a, b",1,animal,2\ndog,3,,4\n')],
    ["a.bin", word2vec({ one: [1, 2], two: [3, 4] })],
  ];
  let state = 7;
  const random = (/** @type {number} */ below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  let accepted = 0;
  for (let i = 0; i < 900; ++i) {
    const [name, seed] = /** @type {[string, Buffer]} */ (seeds[i % 3]);
    const bytes = Buffer.from(seed);
    for (let n = random(3); n >= 0; --n) bytes[random(bytes.length)] = random(256);
    try {
      const found = await read(name, bytes.subarray(0, bytes.length - random(3)));
      assert.equal(found.data.length, found.words.length * found.dim);
      assert.ok(found.data.every(Number.isFinite) && found.words.length > 0);
      assert.ok(!found.groups || found.groups.length === found.words.length);
      ++accepted;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  assert.ok(accepted > 100 && accepted < 900, String(accepted));
});

test("the name says which files these are; weights of PyTorch are not", () => {
  for (const name of ["glove.6B.50d.txt", "wiki.vec", "own.CSV", "x.tsv", "g.bin.gz"]) {
    assert.ok(isVectors({ name }), name);
  }
  for (const name of ["pytorch_model.bin", "vocab.txt", "merges.txt", "a.npy", "txt"]) {
    assert.ok(!isVectors({ name }), name);
  }
});
