/** The core within this very file: deflated, so that it costs no more than a file beside it. */
import deflated from "phasor-core/deflated";
import { builtin } from "./builtin.js";
import { LoadError } from "./errors.js";

/** @returns {Promise<Uint8Array<ArrayBuffer>>} the bytes of core.wasm */
export async function binary() {
  // Node's own inflater takes a third of the time of its streams.
  const { Buffer } = /** @type {any} */ (globalThis);
  const zlib = builtin("node:zlib");
  if (zlib && Buffer) return zlib.inflateRawSync(Buffer.from(deflated, "base64"));
  const { readable, writable } = inflater();
  const packed = bytesOf(deflated);
  const writer = writable.getWriter();
  const [bytes] = await Promise.all([collect(readable), writer.write(packed), writer.close()]);
  return bytes;
}

/** The bytes of base64. A loop takes a third of the time of `Uint8Array.from`. @param {string} text @returns {any} */
function bytesOf(text) {
  const read = /** @type {any} */ (Uint8Array).fromBase64?.(text); // of engines of 2025
  if (read) return read;
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; ++i) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

/** Of the host, whose class may be missing, or refuse, as that of Next's Edge runtime. */
function inflater() {
  try {
    return new DecompressionStream("deflate-raw");
  } catch (cause) {
    const words =
      'phasor needs DecompressionStream, which this host does not have; give load({ wasm }) the file "phasor/core.wasm", on Edge the module "phasor/core.wasm?module"';
    throw new LoadError(words, { cause });
  }
}

/**
 * All bytes of a stream. `new Response(stream)` would do the same, but makes Node load its fetch.
 * @param {ReadableStream<Uint8Array>} stream
 */
async function collect(stream) {
  const reader = stream.getReader();
  const parts = [];
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
  }
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
