// Packed tables. MLX 0.32.4 wrote mlx.safetensors: words and scales of each of its packings, and the numbers that
// mlx.core.dequantize makes of them.
import { readFile } from "node:fs/promises";
import { safetensors } from "phasor/files";

/** @typedef {[dtype: string, shape: number[], bytes: Uint8Array]} Raw */

/** A safetensors file of tensors of any dtype. @param {Record<string, Raw>} tensors */
export function fileOf(tensors) {
  let at = 0;
  const lines = Object.entries(tensors).map(([name, [dtype, shape, { length }]]) => {
    const data_offsets = [at, (at += length)];
    return [name, { dtype, shape, data_offsets }];
  });
  const header = new TextEncoder().encode(JSON.stringify(Object.fromEntries(lines)));
  const length = new Uint8Array(BigUint64Array.of(BigInt(header.length)).buffer);
  return Buffer.concat([length, header, ...Object.values(tensors).map(([, , bytes]) => bytes)]);
}

const recorded = await safetensors.read(
  await readFile(new URL("mlx.safetensors", import.meta.url)),
);

const NAMES = new Map([
  ["uint32", "U32"],
  ["uint8", "U8"],
  ["float32", "F32"],
]);

/** The tensors of a packing as those of a table. @param {string} packing @param {string} stem */
export async function tensorsOf(packing, stem) {
  const ends = ["weight", "scales", "biases"].filter((end) =>
    recorded.names.includes(`${packing}.${end}`),
  );
  const entries = ends.map(async (end) => {
    const { dtype, shape, bytes } = await recorded.stored(`${packing}.${end}`);
    return [`${stem}.${end}`, [String(NAMES.get(dtype)), [...shape], bytes]];
  });
  return /** @type {Record<string, Raw>} */ (Object.fromEntries(await Promise.all(entries)));
}

/** The numbers of a packing. @param {string} packing @returns {Promise<any>} */
export const numbersOf = async (packing) => (await recorded.tensor(`${packing}.numbers`)).toArray();
