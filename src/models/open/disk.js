/**
 * Files of the machine, where there is a file system: Node, Deno and Bun.
 */
import { FileError } from "../../runtime/errors.js";

/** @import { BlobLike } from "../../files/bytes.js" */

/**
 * What of `node:fs/promises` is used; undefined in browsers. Asked of the process and not imported,
 * so that no bundler looks for it.
 * @returns {any}
 */
function fileSystem() {
  return /** @type {any} */ (globalThis).process?.getBuiltinModule?.("node:fs/promises");
}

/**
 * The files of a folder, or one file and those beside it.
 * @param {string} path
 * @returns {Promise<{folder: string, files: string[], only: string | undefined}>} `only`: the file
 *   that the path is of
 * @throws {FileError} FILE_READ: there is nothing there, or no file system
 */
export async function lookAt(path) {
  const fs = fileSystem();
  if (!fs) throw unreadable(path, new Error("this host has no files of its own"));
  try {
    const isFile = (await fs.stat(path)).isFile();
    const cut = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1;
    const folder = isFile ? path.slice(0, cut) || "." : path;
    const entries = await fs.readdir(folder, { withFileTypes: true });
    const files = entries
      .filter((/** @type {any} */ entry) => !entry.isDirectory())
      .map((/** @type {any} */ { name }) => name)
      .sort();
    return { folder, files, only: isFile ? path.slice(cut) : undefined };
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/**
 * A file as something to slice, like a Blob. Nothing stays open between reads.
 * @param {string} folder @param {string} name
 * @returns {Promise<BlobLike>}
 * @throws {FileError} FILE_READ
 */
export async function fileOf(folder, name) {
  const fs = fileSystem();
  const path = `${folder.replace(/[/\\]$/, "")}/${name}`;
  try {
    const { size } = await fs.stat(path);
    return { size, slice: (begin, end) => ({ arrayBuffer: () => read(path, begin, end) }) };
  } catch (cause) {
    throw unreadable(path, cause);
  }

  /** @param {string} path @param {number} begin @param {number} end */
  async function read(path, begin, end) {
    const file = await fs.open(path, "r");
    try {
      const bytes = new Uint8Array(end - begin);
      let at = 0;
      while (at < bytes.length) {
        const { bytesRead } = await file.read(bytes, at, bytes.length - at, begin + at);
        if (bytesRead === 0) break; // it became shorter: whoever asked counts
        at += bytesRead;
      }
      return at === bytes.length ? bytes.buffer : bytes.buffer.slice(0, at);
    } finally {
      await file.close();
    }
  }
}

/** @param {string} path @param {unknown} cause */
function unreadable(path, cause) {
  const why = /** @type {Error} */ (cause).message;
  return new FileError("FILE_READ", `source must be a file or folder; got ${path}: ${why}`, {
    cause,
  });
}
