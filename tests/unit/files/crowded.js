// Files of 16 MB that are small values throughout, up to 95 times as large in memory. As a program, it reads one of
// them and prints what became of it:
//   node --max-old-space-size=48 tests/unit/files/crowded.js "merges of empty lists"

import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { gguf, hub, safetensors, vocabulary } from "./entry.js";

export const BYTES = 16e6;

/** @param {string} begin @param {string} item @param {string} end */
function full(begin, item, end) {
  const middle = Math.floor((BYTES - begin.length - end.length) / item.length) * item.length;
  return Buffer.concat([Buffer.from(begin), Buffer.alloc(middle, item), Buffer.from(end)]);
}

/** The same, each item with a different number. @param {string} begin @param {(i: number) => string} item @param {string} end */
function numbered(begin, item, end) {
  const file = Buffer.alloc(BYTES, " ");
  let at = file.write(begin);
  for (let i = 0; at < BYTES - 200; ++i) at += file.write((i > 0 ? "," : "") + item(i), at);
  file.write(end, at);
  return file;
}

const model = '"model":{"vocab":{"a":0}}}';
const nested = (/** @type {number} */ levels) => "[".repeat(levels) + "]".repeat(levels);

/** A safetensors file. @param {Buffer} header */
function tensors(header) {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header]);
}

/** A GGUF file with one list of metadata. @param {number} type  of the items @param {Buffer} items @param {number} count */
function metadata(type, items, count) {
  const head = Buffer.alloc(24 + 8 + 1 + 4 + 4 + 8);
  head.write("GGUF");
  head.writeUInt32LE(3, 4);
  head.writeBigUInt64LE(1n, 16);
  head.writeBigUInt64LE(1n, 24);
  head.write("a", 32);
  head.writeUInt32LE(9, 33);
  head.writeUInt32LE(type, 37);
  head.writeBigUInt64LE(BigInt(count), 41);
  return Buffer.concat([head, items, Buffer.alloc(-(head.length + items.length) & 31)]);
}

/** A safetensors file of small tensors. @param {string} end  the last one */
const small = (end) =>
  tensors(
    numbered(
      "{",
      (i) => `"${i}":{"dtype":"U8","shape":[],"data_offsets":[${i},${i + 1}]}`,
      `,${end}}`,
    ),
  );

const open = () => new Uint8Array(0);
const json = vocabulary.tokenizerJson;
const index = (/** @type {Buffer} */ file) => safetensors.sharded(file, open);

/** @param {Buffer} file */
function listing(file) {
  const headers = { "Content-Type": "application/json" };
  return hub("o/m", { fetch: async () => new Response(new Uint8Array(file), { headers }) });
}

/**
 * How each file is made and read, and the code that it is refused with; "read" if nothing in it is wrong.
 * @type {Record<string, [code: string, read: (file: any) => Promise<unknown>, make: () => Buffer]>}
 */
export const crowded = {
  "tokenizer.json with an unknown key": ["read", json, () => full('{"x":[', "{},", `{}],${model}`)],
  "tokenizer.json with deep lists": [
    "read",
    json,
    () => full('{"x":[', `${nested(50)},`, `0],${model}`),
  ],
  "tokenizer.json with many keys": [
    "VOCABULARY_JSON",
    json,
    () => numbered("{", (i) => `"${i}":0`, `,${model}`),
  ],
  "tokenizer.json with merges": [
    "read",
    json,
    () => full('{"model":{"merges":[', "[],", '[]],"vocab":{"a":0}}}'),
  ],
  "tokenizer.json with keys in what is unknown": [
    "read",
    json,
    () => numbered('{"x":{', (i) => `"${i}":0`, `},${model}`),
  ],
  "tokenizer.json with a decoder": [
    "VOCABULARY_JSON",
    json,
    () => full('{"decoder":{"decoders":[', "{},", `{}]},${model}`),
  ],
  "tokenizer.json with escapes": ["read", json, () => full('{"x":"', "\\u0041", `",${model}`)],
  "tokenizer.json with an added token": [
    "VOCABULARY_JSON",
    json,
    () => full('{"added_tokens":[{"id":1,"content":"b","x":[', "[],", `0]},{}],${model}`),
  ],
  "tokenizer.json of tokens with one id": [
    "VOCABULARY_IDS",
    json,
    () => numbered('{"model":{"vocab":{', (i) => `"${i}":0`, "}}}"),
  ],
  "an index with metadata": [
    "SAFETENSORS_INDEX",
    index,
    () => full('{"metadata":{"a":[', "{},", '{}]},"weight_map":{}}'),
  ],
  "an index with an unknown key": [
    "read",
    index,
    () => full('{"x":[', "[],", '[]],"weight_map":{}}'),
  ],
  "an index without names of files": [
    "SAFETENSORS_INDEX",
    index,
    () => numbered('{"weight_map":{', (i) => `"${i}":""`, "}}"),
  ],
  "safetensors with metadata": [
    "SAFETENSORS_HEADER",
    safetensors.read,
    () => tensors(numbered('{"__metadata__":{', (i) => `"${i}":""`, "}}")),
  ],
  "safetensors whose last tensor has an unknown dtype": [
    "SAFETENSORS_DTYPE",
    safetensors.read,
    () => small('"x":{"dtype":"U9","shape":[],"data_offsets":[0,1]}'),
  ],
  "safetensors whose last name is a repeated one": [
    "SAFETENSORS_DUPLICATE",
    safetensors.read,
    () => small('"0":{"dtype":"U8","shape":[],"data_offsets":[0,1]}'),
  ],
  "safetensors whose last tensor leaves a gap": [
    "SAFETENSORS_OFFSETS",
    safetensors.read,
    () => small('"x":{"dtype":"U8","shape":[],"data_offsets":[999999,1000000]}'),
  ],
  "safetensors without the bytes of its tensors": [
    "SAFETENSORS_LENGTH",
    safetensors.read,
    () => small('"x":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}'),
  ],
  "GGUF with lists in a list": [
    "GGUF_COUNT",
    gguf.read,
    () => metadata(9, Buffer.alloc(BYTES - 400, "\0\0\0\0\0\0\0\0\0\0\0\0"), 1.3e6),
  ],
  "GGUF with booleans": [
    "GGUF_COUNT",
    gguf.read,
    () => metadata(7, Buffer.alloc(BYTES - 400), 4e6),
  ],
  "vocab.txt of line breaks": [
    "VOCABULARY_LENGTH",
    vocabulary.wordPiece,
    () => Buffer.alloc(BYTES, "\n"),
  ],
  "words that are line breaks": [
    "VOCABULARY_LENGTH",
    vocabulary.words,
    () => Buffer.alloc(BYTES, "\n"),
  ],
  "a hub's list with an unknown key": [
    "read",
    listing,
    () => full(`{"id":"o/m","sha":"${"0a".repeat(20)}","siblings":[],"x":[`, "{},", "{}]}"),
  ],
  "a hub's list of files without names": [
    "REMOTE_ANSWER",
    listing,
    () => full(`{"id":"o/m","sha":"${"0a".repeat(20)}","siblings":[`, "{},", "{}]}"),
  ],
};

if (fileURLToPath(import.meta.url) === argv[1]) {
  const [, read, make] = crowded[argv[2]];
  const got = await read(make()).then(
    () => "read",
    (/** @type {any} */ error) => error.code ?? String(error),
  );
  console.log(got);
}
