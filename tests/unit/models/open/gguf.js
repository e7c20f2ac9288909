// Writes a GGUF file of float32 tensors, or of another type of ggml by its number.

const encoder = new TextEncoder();

/** @param {number} value @param {4 | 8} size */
function integer(value, size) {
  const view = new DataView(new ArrayBuffer(size));
  if (size === 4) view.setUint32(0, value, true);
  else view.setBigUint64(0, BigInt(value), true);
  return new Uint8Array(view.buffer);
}

/** @param {string} value */
function text(value) {
  const bytes = encoder.encode(value);
  return [integer(bytes.length, 8), bytes];
}

/** A value with its type: a text, a whole number as uint32 or int32, another as float32. @param {string | number} value */
function typed(value) {
  if (typeof value === "string") return [integer(8, 4), ...text(value)];
  if (Number.isInteger(value)) return [integer(value < 0 ? 5 : 4, 4), integer(value, 4)];
  return [integer(6, 4), new Uint8Array(Float32Array.of(value).buffer)];
}

/**
 * @param {Record<string, string | number>} metadata
 * @param {Record<string, {data: Float32Array, shape: readonly number[], type?: number}>} tensors
 * @returns {Promise<Uint8Array>}
 */
export async function ggufOf(metadata, tensors) {
  let at = 0;
  const infos = Object.entries(tensors).flatMap(([name, { data, shape, type = 0 }]) => {
    const axes = [shape.length, ...shape.toReversed()].map((size, i) => integer(size, i ? 8 : 4));
    const info = [...text(name), ...axes, integer(type, 4), integer(at, 8)];
    at += Math.ceil(data.byteLength / 32) * 32;
    return info;
  });
  const header = [
    encoder.encode("GGUF"),
    integer(3, 4),
    integer(Object.keys(tensors).length, 8),
    integer(Object.keys(metadata).length, 8),
    ...Object.entries(metadata).flatMap(([key, value]) => [...text(key), ...typed(value)]),
    ...infos,
  ];
  const padded = (/** @type {Uint8Array} */ bytes) => [bytes, new Uint8Array(-bytes.length & 31)];
  const front = new Uint8Array(await new Blob(/** @type {any} */ (header)).arrayBuffer());
  const numbers = Object.values(tensors).flatMap(({ data }) =>
    padded(new Uint8Array(data.buffer, data.byteOffset, data.byteLength)),
  );
  const all = new Blob(/** @type {any} */ ([...padded(front), ...numbers]));
  return new Uint8Array(await all.arrayBuffer());
}
