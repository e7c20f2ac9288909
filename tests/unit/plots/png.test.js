import assert from "node:assert/strict";
import { test } from "node:test";
import zlib from "node:zlib";
import { dataUrl, indexedPng } from "../../../src/plots/png.js";

/**
 * Reads a PNG strictly: signature, each checksum by zlib, order of the chunks.
 * @param {Uint8Array} bytes
 */
function read(bytes) {
  const png = Buffer.from(bytes);
  assert.deepEqual([...png.subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]);
  /** @type {Record<string, Buffer>} */
  const chunks = {};
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    const body = png.subarray(at + 4, at + 8 + length);
    const checksum = png.readUInt32BE(at + 8 + length);
    if ("crc32" in zlib) {
      const { crc32 } = /** @type {{crc32(data: Uint8Array): number}} */ (
        /** @type {any} */ (zlib)
      );
      assert.equal(checksum, crc32(body));
    }
    chunks[body.toString("latin1", 0, 4)] = body.subarray(4);
    at += 12 + length;
  }
  assert.deepEqual(Object.keys(chunks), ["IHDR", "PLTE", "IDAT", "IEND"]);
  return {
    width: chunks.IHDR.readUInt32BE(0),
    height: chunks.IHDR.readUInt32BE(4),
    kind: [...chunks.IHDR.subarray(8)],
    palette: [...chunks.PLTE],
    lines: zlib.inflateSync(chunks.IDAT),
    end: chunks.IEND.length,
  };
}

test("indexedPng: a decoder restores the pixels", () => {
  const palette = Uint8Array.of(1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255);
  const png = read(indexedPng(Uint8Array.of(0, 1, 2, 2, 1, 0), 3, 2, palette));
  assert.deepEqual([png.width, png.height, png.end], [3, 2, 0]);
  assert.deepEqual(png.kind, [8, 3, 0, 0, 0]);
  assert.deepEqual(png.palette, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.deepEqual([...png.lines], [0, 0, 1, 2, 0, 2, 1, 0]);
});

test("indexedPng: its checksum is that of the standard", () => {
  const bytes = Buffer.from(indexedPng(Uint8Array.of(0), 1, 1, Uint8Array.of(0, 0, 0, 0)));
  assert.equal(bytes.readUInt32BE(bytes.length - 4), 0xae426082); // of an empty IEND, as in every PNG
});

test("indexedPng: a decoder restores a large picture", () => {
  const [width, height] = [700, 300];
  const indices = Uint8Array.from({ length: width * height }, (_, i) => (i * 31) % 256);
  const { lines } = read(indexedPng(indices, width, height, new Uint8Array(1024)));
  for (let row = 0; row < height; ++row) {
    const line = lines.subarray(row * (width + 1), (row + 1) * (width + 1));
    assert.equal(line[0], 0);
    assert.ok(line.subarray(1).equals(indices.subarray(row * width, (row + 1) * width)));
  }
});

test("dataUrl: base64 of any length", () => {
  const bytes = Uint8Array.from({ length: 100_001 }, (_, i) => (i * 7) % 256);
  const url = dataUrl(bytes);
  assert.equal(url.slice(0, 22), "data:image/png;base64,");
  assert.ok(Buffer.from(url.slice(22), "base64").equals(bytes));
  assert.equal(dataUrl(new Uint8Array(0)), "data:image/png;base64,");
});
