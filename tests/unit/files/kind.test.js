import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { gguf, npy, npz, safetensors, vocabulary } from "./entry.js";

const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 548105171\n";

/** Readers and the codes of their refusals: of a file of another format, and of an empty one. */
const readers = /** @type {const} */ ([
  ["safetensors", safetensors.read, "SAFETENSORS_HEADER_LENGTH", "SAFETENSORS_HEADER_LENGTH"],
  ["gguf", gguf.read, "GGUF_MAGIC", "GGUF_LENGTH"],
  ["npy", npy.read, "NPY_MAGIC", "NPY_MAGIC"],
  ["npz", npz.read, "NPZ_END", "NPZ_END"],
]);

const files = /** @type {const} */ ([
  ["a Git LFS pointer", Buffer.from(pointer), /got a Git LFS pointer, .* \(run: git lfs pull\)$/],
  ["an HTML page", Buffer.from("<!DOCTYPE html>\n<html lang=en>"), /got an HTML page \(/],
  ["an HTML page without a doctype", Buffer.from("\ufeff\n<html><body>"), /got an HTML page \(/],
  ["a gzip file", gzipSync(Buffer.alloc(4096, 7)), /got a gzip file \(run: gunzip\)$/],
]);

for (const [format, read, code, codeOfEmpty] of readers) {
  test(`${format}.read names the format of a file that is not ${format}`, async () => {
    for (const [what, bytes, message] of files) {
      await assert.rejects(read(bytes), { name: "FileError", code, message }, what);
    }
    const message = /got an empty file$/;
    await assert.rejects(read(new Blob([])), { name: "FileError", code: codeOfEmpty, message });
  });

  test(`${format}.read names no format for unknown bytes`, async () => {
    await assert.rejects(read(Buffer.from("version 1 of something else")), (error) => {
      assert.doesNotMatch(String(error), /pointer|page|gzip|empty/);
      return true;
    });
  });
}

test("safetensors.read recognizes a gzip file whose first bytes are a valid length", async () => {
  // 1f 8b 08, no flags, no time: 559,903 as a little-endian number.
  const bytes = new Uint8Array(600_000);
  bytes.set([0x1f, 0x8b, 8]);
  const message = /must begin with '\{'; got a gzip file/;
  await assert.rejects(safetensors.read(bytes), { code: "SAFETENSORS_HEADER", message });
});

test("vocabulary readers name the format of a file that is not a vocabulary", async () => {
  for (const [what, bytes, message] of files) {
    for (const read of [vocabulary.tokenizerJson, vocabulary.wordPiece, vocabulary.words]) {
      await assert.rejects(read(bytes), { code: "VOCABULARY_KIND", message }, what);
    }
  }
  const words = await vocabulary.words(Buffer.from("version\nhttps\n"));
  assert.equal(words.size, 2);
});
