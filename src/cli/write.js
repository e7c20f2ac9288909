/** Writes files that a command was asked for. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { sizes } from "./output.js";

/** @import { Tensor } from "../runtime/tensor.js" */

/**
 * @param {string} path @param {string | Uint8Array} content
 * @param {{isDeep?: boolean}} [options]  whether folders that are missing are made
 */
export async function save(path, content, { isDeep = false } = {}) {
  try {
    if (isDeep) await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  } catch (cause) {
    const { message } = /** @type {Error} */ (cause);
    throw new RangeError(`FILE must be writable; got ${path}: ${message}`, { cause });
  }
}

/** @param {string} path @param {Tensor} tensor @returns {Promise<string>} a line of the report */
export async function writeArray(path, tensor) {
  const { npy } = await import("../files/index.js");
  await save(path, npy.write(tensor));
  return `wrote ${path}: ${sizes(tensor.shape)}, ${tensor.dtype}`;
}

/** @param {string} path @param {Record<string, Tensor>} tensors @returns {Promise<string>} a line of the report */
export async function writeArrays(path, tensors) {
  const { npz } = await import("../files/index.js");
  await save(path, await npz.write(tensors));
  const parts = Object.entries(tensors).map(([name, { shape }]) => `${name} ${sizes(shape)}`);
  return `wrote ${path}: ${parts.join(", ")}`;
}
