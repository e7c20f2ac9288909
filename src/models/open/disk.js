/**
 * Reads local files in Node, Deno and Bun.
 */
import { builtin } from "../../runtime/builtin.js";
import { FileError } from "../../runtime/errors.js";

/** @import { BlobLike } from "../../files/bytes.js" */

/** The most folders in a model's folder that are looked into. */
const MOST_FOLDERS = 64;

const fileSystem = () => builtin("node:fs/promises");

/**
 * The path in a file: address.
 * @param {string} address
 * @returns {string}
 * @throws {FileError} FILE_READ: it is none of this machine
 */
export function pathAt(address) {
  try {
    return builtin("node:url")?.fileURLToPath(address) ?? address; // without a file system, lookAt says so
  } catch (cause) {
    throw unreadable(address, cause);
  }
}

/**
 * Whether there is a folder or a file at a path.
 * @param {string} path
 * @returns {Promise<boolean>}
 */
export async function isThere(path) {
  const fs = fileSystem();
  if (!fs) return false;
  return fs.stat(path).then(
    (/** @type {any} */ found) => found.isDirectory() || found.isFile(),
    () => false,
  );
}

/**
 * Lists the files of a folder, or of the folder of a file. If modules.json is among them, also those of the folders in it.
 * @param {string} path
 * @returns {Promise<{folder: string, files: string[], only: string | undefined}>} `only`: the name of
 *   the file if the path is of a file
 * @throws {FileError} FILE_READ: the path does not exist, or there is no file system
 */
export async function lookAt(path) {
  const fs = fileSystem();
  if (!fs) throw unreadable(path, new Error("this platform has no file system"));
  try {
    const isFile = (await fs.stat(path)).isFile();
    const cut = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1;
    const folder = isFile ? path.slice(0, cut) || "." : path;
    const entries = await entriesOf(fs, folder);
    const files = entries.files;
    // Sentence Transformers keeps the parts of a model in separate folders.
    if (files.includes("modules.json")) {
      const inner = entries.folders.filter((name) => !name.startsWith(".")).slice(0, MOST_FOLDERS);
      for (const name of inner) {
        const { files: within } = await entriesOf(fs, `${folder.replace(/[/\\]$/, "")}/${name}`);
        files.push(...within.map((file) => `${name}/${file}`));
      }
    }
    return { folder, files, only: isFile ? path.slice(cut) : undefined };
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/**
 * The names of the files and of the folders in a folder.
 * @param {any} fs @param {string} folder
 * @returns {Promise<{files: string[], folders: string[]}>}
 */
async function entriesOf(fs, folder) {
  /** @type {any[]} */
  const entries = await fs.readdir(folder, { withFileTypes: true });
  const named = (/** @type {boolean} */ isFolder) =>
    entries
      .filter((entry) => entry.isDirectory() === isFolder)
      .map(({ name }) => name)
      .sort();
  return { files: named(false), folders: named(true) };
}

/**
 * Returns a file as an object like a Blob. The file is closed between reads.
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
        if (bytesRead === 0) break; // the file became shorter; the caller checks the length
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
