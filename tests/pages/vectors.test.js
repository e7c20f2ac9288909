// Files of word vectors that the explorer reads: text, binary, tables; and hostile ones.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { random } from "../unit/reference/samples.js";
import { isVectors, readVectors, vectorFiles } from "../../web/app/models/vectors.js";

/**
 * A file whose stream comes in pieces of a few bytes, if it is not large, and says how many were asked for.
 * @param {string} name @param {string | Uint8Array} content @param {number} [piece]
 */
function fileOf(name, content, piece = content.length > 1e6 ? 2 ** 16 : 3) {
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
  const { words, data, dim, groups, choice, isCut, format } = await readVectors(
    fileOf(name, content).file,
    { rows },
  );
  return { words, data: [...data], dim, groups, choice, isCut, format };
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

test("a table with several columns of text has a label and a color, as the reader chooses", async () => {
  const text = 'title;kind;year;x;y\n"a; long one";red;1990;1;2\nb;blue;1991;3;4\n';
  const file = () => fileOf("own.csv", text).file;
  const found = await readVectors(file(), { rows: 9 });
  assert.deepEqual(found.choice, { names: ["title", "kind"], label: "title", color: "kind" });
  assert.deepEqual([found.words, found.groups], [["a; long one", "b"], ["red", "blue"]]); // prettier-ignore
  assert.deepEqual([...found.data], [1990, 1, 2, 1991, 3, 4]);
  const other = await readVectors(file(), { rows: 9, label: "kind", color: "" });
  assert.deepEqual([other.words, other.groups], [["red", "blue"], undefined]);
  const same = await readVectors(file(), { rows: 9, label: "title", color: "title" });
  assert.deepEqual([same.words, same.groups], [same.groups, same.words]);
  // Names that are missing or there twice are distinguished.
  const names = await read("own.tsv", "\ta\ta\tx\nk\tb\tc\t1\n");
  assert.deepEqual(names.choice?.names, ["column 1", "a", "a (2)"]);
  const long = await read("own.tsv", `label\tx\n${"long ".repeat(50)}\t1\n`);
  assert.equal(long.words[0].length, 200);
  assert.match(long.words[0], /^long long .*\u2026$/);
});

/** @param {string} vectors @param {string} metadata @param {object} [limits] */
async function pair(vectors, metadata, limits) {
  const files = [fileOf("metadata.tsv", metadata).file, fileOf("vectors.tsv", vectors).file];
  const found = vectorFiles(files);
  assert.deepEqual([found?.file, found?.metadata], [files[1], files[0]]);
  const { words, groups, choice, data, isCut } = await readVectors(
    files[1],
    { rows: 100, ...limits },
    files[0],
  );
  return { words, groups, choice, data: [...data], isCut };
}

test("vectors.tsv with metadata.tsv, as the Embedding Projector has them", async () => {
  const vectors = "1\t2\n3\t4\n5\t6\n";
  const several = await pair(
    vectors,
    "word\tcount\tkind\ncat\t7\tanimal\ndog\t8\tanimal\nred\t9\tcolor\n",
  );
  assert.deepEqual(several.words, ["cat", "dog", "red"]);
  assert.deepEqual(several.choice, {
    names: ["word", "count", "kind"],
    label: "word",
    color: "kind",
  });
  assert.deepEqual(several.data, [1, 2, 3, 4, 5, 6]);
  const byKind = await pair(vectors, "a\tkind\ncat\tx\ndog\ty\nred\tx", {
    label: "kind",
    color: "kind",
  });
  assert.deepEqual(
    [byKind.words, byKind.groups],
    [
      ["x", "y", "x"],
      ["x", "y", "x"],
    ],
  );
  // One column has no name, or a line more than there are vectors; a line may be empty.
  assert.deepEqual((await pair(vectors, "cat\n\nred\n")).words, ["cat", "", "red"]);
  assert.deepEqual((await pair(vectors, "name\ncat\ndog\nred\n")).words, ["cat", "dog", "red"]);
  // The first vectors have the first labels.
  const first = await pair(vectors, "a\tb\n1\t2\n3\t4\n5\t6\n", { rows: 2 });
  assert.deepEqual([first.words, first.isCut], [["1", "3"], true]);
  for (const [numbers, labels, message] of /** @type {[string, string, RegExp][]} */ ([
    [
      vectors,
      "cat\ndog\n",
      /^RangeError: metadata.tsv must have a line for each of 3 vectors, .+; got 2$/,
    ],
    [
      vectors,
      "a\nb\nc\nd\ne\n",
      /^RangeError: metadata.tsv must have a line for each of 3 vectors, .+; got more$/,
    ],
    [vectors, "a\tb\n1\t2\n3\n5\t6\n", /line 3 must have 2 columns, as the lines before it; got 1/],
    ["a\t1\nb\t2\n", "a\nb\n", /line 1 must have decimal numbers, with a point; got "a"/],
    ["1\t2\n3\n", "a\nb\n", /line 2 must have 2 columns, as the lines before it; got 1/],
    ["", "a\n", /has no vectors/],
    ["", "", /has no vectors/],
    ["\n\n", "\n", /has no vectors/],
    ["1\t2\n", "", /metadata.tsv must have a line for each of 1 vectors, .+; got 0/],
  ])) {
    await assert.rejects(pair(numbers, labels), message);
  }
  assert.equal(vectorFiles([{ name: "model.safetensors" }, { name: "metadata.tsv" }]), undefined);
  assert.throws(() => vectorFiles([{ name: "a.tsv" }, { name: "b.tsv" }]), /^RangeError: one of two files must have "metadata" in its name/); // prettier-ignore
});

/** Words that are white space, or have it, as gensim 4.4.0 (run) keeps them in every line. */
const WHITE = ["\u00a0", "\u3000", "\u2028", "\u2029", "\ufeff", "", "\x85", "\t", "\v", "\f", "\r", "\x1c", "\u2000"]; // prettier-ignore
const HAVE_WHITE = ["\u00a0a\u00a0", "a\tb", "a\rb", "a\u2028b", "a\t", "\ta", "\u3000\u3000", "\ufeff\u00a0"]; // prettier-ignore

test("text: words that are white space keep it, in the first line and after it", async () => {
  for (const word of [...WHITE, ...HAVE_WHITE]) {
    const first = `${word} 4 5 6\ny 7 8 9\n`;
    for (const [text, words] of /** @type {[string, string[]][]} */ ([
      [`x 1 2 3\n${word} 4 5 6\ny 7 8 9\n`, ["x", word, "y"]],
      [`x 1 2 3 \r\n${word} 4 5 6 \r\ny 7 8 9`, ["x", word, "y"]],
      [`2 3\n${first}`, [word, "y"]],
      ...(word.startsWith("\ufeff\u00a0") ? [] : [[first, [word, "y"]]]), // a byte order mark
    ])) {
      const found = await read("a.vec", text);
      const numbers = words.length === 3 ? [1, 2, 3, 4, 5, 6, 7, 8, 9] : [4, 5, 6, 7, 8, 9];
      assert.deepEqual([found.words, found.data], [words, numbers], JSON.stringify(text));
    }
  }
  assert.deepEqual((await read("a.vec", "\ufeffx 1 2\n")).words, ["x"]);
  assert.deepEqual((await read("a.vec", "\ufeff1 2\nx 1 2\n")).words, ["x"]);
});

test("binary and tables: words that are white space keep it", async () => {
  for (const word of WHITE) {
    const found = await read("a.bin", word2vec({ x: [1], [word]: [2], y: [3] }));
    assert.deepEqual(
      [found.words, found.data],
      [
        ["x", word, "y"],
        [1, 2, 3],
      ],
    );
  }
  for (const word of ["\u00a0", "\u3000", "\u2028", "\ufeff", "", "a\u00a0"]) {
    assert.deepEqual((await read("a.tsv", `word\tx\nx\t1\n ${word} \t2\n`)).words, ["x", word]);
    assert.deepEqual((await read("a.csv", `word,x,y\nx,1,2\n${word},3,4\n`)).words, ["x", word]);
    const { words } = await readVectors(
      fileOf("vectors.tsv", "1\n2\n3\n").file,
      { rows: 9 },
      fileOf("metadata.tsv", `a\n${word}\nb\n`).file,
    );
    assert.deepEqual(words, ["a", word, "b"]);
  }
});

test("text and tables: a first line whose numbers are none is refused, not a longer word", async () => {
  const decimal = (/** @type {number} */ line, /** @type {string} */ got) =>
    RegExp(`^line ${line} must have decimal numbers, with a point(, after its word)?; got ${got}`);
  const numbers = ["nan", "NaN", "-nan", "+nan", "inf", "-inf", "Infinity", "1,5", "-1,5e-3", ",5", "null", "None", "N/A", "1.5x", "0x1", "1_0", "\uff11", "1\u00a0"]; // prettier-ignore
  for (const wrong of numbers) {
    const got = JSON.stringify(wrong).replace(/[.+]/g, "\\$&");
    for (const line of [`a ${wrong} 2 3`, `a 1 ${wrong} 3`, `a 1 2 ${wrong}`, ` ${wrong} 2 3`]) {
      await assert.rejects(read("a.vec", `${line}\nb 4 5 6\n`), { message: decimal(1, got) }, line);
      await assert.rejects(read("a.vec", `1 3\n${line}\n`), { message: decimal(2, got) }, line);
    }
    await assert.rejects(read("a.vec", `a ${wrong} ${wrong}\n`), { message: decimal(1, got) });
  }
  for (const text of ["a 1 2 3\rb 4 5 6\rc 7 8 9\r", "2 3\ra 1 2 3\rb 4 5 6\r"]) {
    await assert.rejects(read("a.vec", text), { message: decimal(1, '"[123]?') });
  }
  await assert.rejects(read("a.vec", "x 1 2\n  3 4\n"), { message: /^line 2 must begin with a word and one space; got spaces$/ }); // prettier-ignore
  assert.deepEqual((await read("a.vec", "new york 1 2\r\r\nb 3 4\n")).words, ["new york", "b"]);
  for (const [name, text, line, got] of /** @type {[string, string, number, string][]} */ ([
    ["a.tsv", "a\tnan\t1\nb\t2\t3\n", 1, '"nan"'],
    ["a.tsv", "a\tnan\tnan\nb\t2\t3\n", 1, '"nan"'],
    ["a.tsv", "word\tx\ty\na\t1\t-inf\n", 2, '"-inf"'],
    ["a.csv", 'a,"1,5",2\n', 1, '"1,5"'],
    ["a.csv", "a;1,5;2,5\n", 1, '"5;2"'],
    ["a.tsv", "a\t1,5\t2\n", 1, '"1,5"'],
  ])) {
    await assert.rejects(read(name, text), { message: decimal(line, got) }, text);
  }
  const named = await read("a.tsv", "word\tgroup\tx\na\tnan\t1\nb\tnan\t2\n");
  assert.deepEqual([named.words, named.groups, named.dim], [["a", "b"], ["nan", "nan"], 1]);
});

test("an invalid file is rejected with the line that is wrong", async () => {
  /** @type {[string, string | Uint8Array, RegExp][]} */
  const cases = [
    ["a.txt", "", /has no vectors/],
    ["a.txt", "only words here", /line 1 must have/],
    ["a.txt", "a 1 2\nb 1 x\n", /line 2 must have decimal numbers, with a point; got "x"/],
    ["a.txt", "a 1 2\nb 3\n", /line 2 must have 2 numbers after the word; got 1/],
    ["a.txt", "a 1 2\nb 3 1e999\n", /line 2 must have decimal numbers, with a point; got "1e999"/],
    ["a.txt", "a 1 2\nb 3 NaN\n", /line 2 must have decimal numbers, with a point; got "NaN"/],
    ["a.txt", "x".repeat(3_000_000), /line 1 must be shorter/],
    ["a.txt", `${"x".repeat(2000)} 1 2`, /must begin with a word of at most 1000 letters/],
    ["a.csv", "a,b\nc,1\nd\n", /line 3 must have 2 columns, as the lines before it; got 1/],
    ["a.csv", "a,b\nc,1,2\n", /line 2 must have 2 columns, as the lines before it; got 3/],
    ["a.csv", "a;b\nc;1,5\n", /line 2 must have decimal numbers, with a point; got "1,5"/],
    ["a.csv", "a;b\nc;x\n", /line 2 must have columns of numbers; got columns of text alone/],
    [
      "a.csv",
      "word,x\na,1\nb,\n",
      /line 3 must have decimal numbers, with a point; got an empty cell/,
    ],
    ["a.csv", "word,x\n", /has no vectors/],
    ["a.tsv", "word x y\na 1 2\n", /line 1 must have tabs between its columns; got "word x y"/],
    ["a.tsv", "a\u0000b\t1\n", /line 1 must be text in UTF-8; got a byte that is 0/],
    ["a.csv", 'a,b\n"c,1\n', /line 2 must close each quotation mark/],
    ["a.csv", "a,b\nc,d\n", /line 2 must have columns of numbers; got columns of text alone/],
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
  const next = random(7);
  const drawn = (/** @type {number} */ below) => Math.floor((next() / 2 ** 32) * below);
  let accepted = 0;
  for (let i = 0; i < 900; ++i) {
    const [name, seed] = /** @type {[string, Buffer]} */ (seeds[i % 3]);
    const bytes = Buffer.from(seed);
    for (let n = drawn(3); n >= 0; --n) bytes[drawn(bytes.length)] = drawn(256);
    try {
      const found = await read(name, bytes.subarray(0, bytes.length - drawn(3)));
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

test("a file of vectors is recognized by its name; weights of PyTorch are not", () => {
  for (const name of ["glove.6B.50d.txt", "wiki.vec", "own.CSV", "x.tsv", "g.bin.gz"]) {
    assert.ok(isVectors({ name }), name);
  }
  for (const name of ["pytorch_model.bin", "vocab.txt", "merges.txt", "a.npy", "txt"]) {
    assert.ok(!isVectors({ name }), name);
  }
});
