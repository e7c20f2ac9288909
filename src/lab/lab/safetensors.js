/** @import { Tensor } from "../../runtime/tensor.js" */

/** The header is as long as a multiple of this, so that numbers are aligned. */
const ALIGNMENT = 8;

/** JSON, in which a bigint is a number and a typed array a list. @param {unknown} value */
export const jsonOf = (value) =>
  JSON.stringify(value, (_, of) =>
    typeof of === "bigint" ? Number(of) : ArrayBuffer.isView(of) ? Array.from(Object(of)) : of,
  );

/**
 * A safetensors file of float32 tensors: the length of a JSON header, the header, and the numbers.
 * @param {Record<string, Tensor>} tensors @param {Record<string, string>} metadata
 * @returns {Uint8Array<ArrayBuffer>}
 * @see https://github.com/huggingface/safetensors, README.md, Format
 */
export function safetensorsOf(tensors, metadata) {
  /** @type {Record<string, unknown>} */
  const header = { __metadata__: metadata };
  let end = 0;
  for (const [name, { data, shape }] of Object.entries(tensors)) {
    header[name] = { dtype: "F32", shape, data_offsets: [end, end + data.byteLength] };
    end += data.byteLength;
  }
  const json = JSON.stringify(header);
  const text = new TextEncoder().encode(json);
  const length = Math.ceil(text.length / ALIGNMENT) * ALIGNMENT;
  const file = new Uint8Array(ALIGNMENT + length + end).fill(32);
  const view = new DataView(file.buffer);
  view.setBigUint64(0, BigInt(length), true);
  file.set(text, ALIGNMENT);
  let at = ALIGNMENT + length;
  for (const { data } of Object.values(tensors)) {
    for (const number of /** @type {Float32Array} */ (data)) {
      view.setFloat32(at, number, true);
      at += 4;
    }
  }
  return file;
}
