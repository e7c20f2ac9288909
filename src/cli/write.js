/** Writes files that a command was asked for. */
import { writeFile } from "node:fs/promises";
import { sizes } from "./output.js";

/** @import { Tensor } from "../runtime/tensor.js" */

/** @param {string} path @param {string | Uint8Array} content */
export const save = (path, content) =>
  writeFile(path, content).catch((cause) => {
    throw new RangeError(`FILE must be writable; got ${path}: ${cause.message}`, { cause });
  });

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
