/** Reads a file that an argument names, or standard input, which is named by "-". */
import { readFile, stat } from "node:fs/promises";
import { describe } from "../runtime/check.js";

/** What streams had, as each can be read only once, and the argument that each is. @type {Map<string, {name: string, bytes: Promise<Buffer>}>} */
const taken = new Map();

/** Whether an argument names standard input. The paths of the system do not open where it is a socket. @param {string} path */
const isStandard = (path) => ["-", "/dev/stdin", "/dev/fd/0"].includes(path);

/** Whether an argument names no file on disk: standard input, or a pipe such as /dev/stdin or that of <(...). @param {string} path */
export async function isStream(path) {
  if (isStandard(path)) return true;
  return stat(path).then(
    (found) => !found.isFile() && !found.isDirectory(),
    () => false,
  );
}

/**
 * @param {string} path @param {string} name  of the argument
 * @returns {Promise<Buffer>}
 * @throws {RangeError} if it cannot be read
 */
export async function bytesOf(path, name) {
  const stream = (await isStream(path)) ? (isStandard(path) ? "-" : path) : undefined;
  const known = stream === undefined ? undefined : taken.get(stream);
  if (known && known.name !== name) {
    const got = `${describe(path)}, which ${known.name} is`;
    throw new RangeError(`${name} must be another file; got ${got}`);
  }
  const read = known?.bytes ?? (stream === "-" ? standardInput() : readFile(path));
  if (stream !== undefined) taken.set(stream, { name, bytes: read });
  return read.catch((cause) => {
    throw new RangeError(`${name} must be a file; got ${path}: ${cause.message}`, { cause });
  });
}

async function standardInput() {
  const parts = [];
  for await (const part of process.stdin) parts.push(part);
  return Buffer.concat(parts);
}

/**
 * The name that a format has, by the first bytes.
 * @param {Uint8Array} bytes @returns {"npz" | "npy" | "gguf" | "json" | "safetensors"}
 */
export function formatOf(bytes) {
  const start = String.fromCharCode(...bytes.subarray(0, 16));
  if (start.startsWith("PK")) return "npz";
  if (start.startsWith("\x93NUMPY")) return "npy";
  if (start.startsWith("GGUF")) return "gguf";
  // The length of the header of safetensors may begin as JSON does, but has zeros.
  const isText = /^(\xef\xbb\xbf)?\s*[{[]/.test(start) && !start.includes("\0");
  return isText ? "json" : "safetensors";
}

/**
 * The arrays of a file .npz or .safetensors.
 * @param {string} path @param {string} name  of the argument
 */
export async function arraysOf(path, name) {
  const { npz, safetensors } = await import("../files/index.js");
  const bytes = await bytesOf(path, name);
  const isPlain = (await isStream(path))
    ? formatOf(bytes) === "safetensors"
    : /\.safetensors$/i.test(path);
  return (isPlain ? safetensors : npz).read(bytes);
}
