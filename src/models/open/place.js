/**
 * Locates the files of a model: on a hub, in a folder, at an address, or passed by the caller.
 */
import { describe } from "../../runtime/check.js";
import { FileError } from "../../runtime/errors.js";
import { bytesOf } from "../../files/bytes.js";
import { fileOf, isThere, lookAt, pathAt } from "./disk.js";

/** @import { Source } from "../../files/bytes.js" */

/**
 * @typedef {object} Place
 * @property {string} name  the display name of the model; "" for that of its weights file
 * @property {string | undefined} revision  the commit, on a hub
 * @property {readonly string[]} files  the available files
 * @property {string | undefined} only  the file that the source names
 * @property {(path: string, signal?: AbortSignal) => Promise<Source>} open  without a signal, the signal of the
 *   opening applies
 * @property {(path: string, maxBytes: number, signal?: AbortSignal) => Promise<string>} text  reads a file of
 *   at most `maxBytes` bytes; without a signal, the signal of the opening applies
 * @property {() => Traffic} traffic
 * @property {boolean} isRemote  whether reads go over the network
 * @property {boolean} [asks]  whether there may be other files, which are not known before they are asked for
 * @property {readonly string[]} [warnings]  of a hub
 *
 * @typedef {{requests: number, bytesRead: number}} Traffic  network use so far
 *
 * @typedef {object} Network  opens names on a hub and addresses
 * @property {(name: string) => Promise<Omit<Place, "only">>} hub
 * @property {(url: string) => Promise<Place>} address
 * @property {boolean} isMeant  whether a name is that of the hub, even if there is a folder or a file of that name
 */

/** `owner/name` or `name` on a hub. */
const HUB_NAME = /^[A-Za-z0-9][\w.-]*(\/[A-Za-z0-9][\w.-]*)?$/;
const FILE_NAME = /\.(safetensors|gguf|npy|npz|json)$/i;

/** Whether a place has a file, or may have it. @param {Place} place @param {string} path */
export const has = ({ files, asks = false }, path) => asks || files.includes(path);

/** The network use of files of `remote`. @param {Iterable<Traffic>} files @returns {Traffic} */
export function trafficOf(files) {
  const all = { requests: 0, bytesRead: 0 };
  for (const { requests, bytesRead } of files) {
    all.requests += requests;
    all.bytesRead += bytesRead;
  }
  return all;
}

/**
 * @param {unknown} source  a name, an address, a path, bytes, a Blob, several Files or an object of
 *   sources by name
 * @param {Network} network
 * @returns {Promise<Place>}
 * @throws {TypeError} if it is none of these
 */
export async function placeOf(source, network) {
  if (source instanceof URL || typeof source === "string") {
    const text = String(source);
    if (/^https?:/i.test(text)) return network.address(text);
    const isName = HUB_NAME.test(text) && !FILE_NAME.test(text);
    if (isName && (network.isMeant || !(await isThere(text)))) {
      return { ...(await network.hub(text)), only: undefined };
    }
    return onDisk(text);
  }
  return inHand(source);
}

/** @param {string} text  a path, or a file: address @returns {Promise<Place>} */
async function onDisk(text) {
  const path = /^file:/i.test(text) ? pathAt(text) : text;
  const { folder, files, only } = await lookAt(path);
  return { ...holding(only ?? lastOf(folder), files, (name) => fileOf(folder, name)), only };
}

/** @param {string} path */
function lastOf(path) {
  return path.split(/[/\\]/).filter(Boolean).at(-1) ?? path;
}

/** @param {unknown} source @returns {Place} */
function inHand(source) {
  /** @type {[name: unknown, source: unknown][]} */
  let named = [[/** @type {any} */ (source)?.name ?? "", source]];
  if (Array.isArray(source)) named = source.map((file) => [pathOf(file), file]);
  else if (isPlain(source)) named = Object.entries(/** @type {object} */ (source));
  /** @type {Map<string, Source>} */
  const sources = new Map();
  for (const [name, each] of named) {
    if (typeof name !== "string" || sources.has(name)) {
      const rule = "files with unique names";
      throw new TypeError(`source must be ${rule}; got ${describe(name)}`);
    }
    bytesOf(each); // or a TypeError
    sources.set(name, /** @type {Source} */ (each));
  }
  const files = [...sources.keys()];
  const only = files.length === 1 ? files[0] : undefined;
  const open = async (/** @type {string} */ name) => /** @type {Source} */ (sources.get(name));
  // Of `remote`, by its counters: each entry of the package has its own class.
  const remotes = [...new Set(/** @type {any[]} */ ([...sources.values()]))].filter((each) =>
    [each.requests, each.bytesRead].every(Number.isInteger),
  );
  const traffic = () => trafficOf(remotes);
  return { ...holding(only ?? "", files, open), only, traffic, isRemote: remotes.length > 0 };
}

/** The path of a File below the folder that was chosen, or its name. @param {any} file */
function pathOf(file) {
  const path = file?.webkitRelativePath;
  return typeof path === "string" && path.includes("/")
    ? path.slice(path.indexOf("/") + 1)
    : file?.name;
}

/** Whether it is an object of files: `{ "model.safetensors": blob }`. @param {unknown} value */
function isPlain(value) {
  return Object.prototype.toString.call(value) === "[object Object]" && !("slice" in Object(value));
}

/**
 * @param {string} name @param {readonly string[]} files
 * @param {(path: string) => Promise<Source>} open
 * @returns {Omit<Place, "only">}
 */
function holding(name, files, open) {
  return {
    name,
    revision: undefined,
    files,
    open,
    text: async (path, maxBytes, signal) => textOf(await open(path), path, maxBytes, signal),
    traffic: () => ({ requests: 0, bytesRead: 0 }),
    isRemote: false,
  };
}

/**
 * @param {Source} source @param {string} path @param {number} maxBytes @param {AbortSignal} [signal]
 * @returns {Promise<string>}
 * @throws {FileError} FILE_TOO_LARGE, FILE_UTF8, FILE_READ
 */
export async function textOf(source, path, maxBytes, signal) {
  const bytes = bytesOf(source);
  if (bytes.size > maxBytes) {
    throw new FileError(
      "FILE_TOO_LARGE",
      `${path} must have at most ${maxBytes} bytes; got ${bytes.size}`,
    );
  }
  const all = await bytes.read(0, bytes.size, { signal });
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(all);
  } catch (cause) {
    throw new FileError("FILE_UTF8", `${path} must be UTF-8; got other bytes`, { cause });
  }
}
