import { zlibSync } from "fflate";

/** @see Portable Network Graphics, third edition, W3C 2025: sections 5 and 11 */
const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/**
 * A PNG of at most 256 colors.
 *
 * @param {Uint8Array} indices  [height * width] into the palette
 * @param {number} width
 * @param {number} height
 * @param {Uint8Array} palette  [n * 4] bytes R, G, B and one that is not read
 * @returns {Uint8Array}
 */
export function indexedPng(indices, width, height, palette) {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([8, 3], 8); // bits of an index; color type "indexed"; deflate, filters, no interlace: 0

  const lines = new Uint8Array(height * (width + 1)); // each begins with its filter: 0, none
  for (let row = 0; row < height; ++row) {
    lines.set(indices.subarray(row * width, (row + 1) * width), row * (width + 1) + 1);
  }
  const chunks = [
    chunk("IHDR", header),
    chunk(
      "PLTE",
      palette.filter((_, i) => i % 4 < 3),
    ),
    chunk("IDAT", zlibSync(lines, { level: 6 })),
    chunk("IEND", new Uint8Array(0)),
  ];
  return join([Uint8Array.from(SIGNATURE), ...chunks]);
}

/** Bytes as a `data:` address. @param {Uint8Array} bytes @param {string} type */
export function dataUrl(bytes, type = "image/png") {
  const parts = [];
  for (let at = 0; at < bytes.length; at += 0x8000) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
  }
  return `data:${type};base64,${btoa(parts.join(""))}`;
}

/** Length, type, data, and a checksum of the latter two. @param {string} type @param {Uint8Array} data */
function chunk(type, data) {
  const bytes = new Uint8Array(data.length + 12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  for (let i = 0; i < 4; ++i) bytes[4 + i] = type.charCodeAt(i);
  bytes.set(data, 8);
  view.setUint32(8 + data.length, crc32(bytes.subarray(4, 8 + data.length)));
  return bytes;
}

/** The CRC-32 of ISO 3309 (PNG, annex D). @param {Uint8Array} bytes */
function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; ++bit) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** @param {Uint8Array[]} parts */
function join(parts) {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
