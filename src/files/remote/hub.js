import * as check from "../../runtime/check.js";
import { describe } from "../../runtime/check.js";
import { RemoteError } from "../../runtime/errors.js";
import { addressOf, shown } from "./address.js";
import { open, whole } from "./remote.js";
import { DEFAULTS, settingsOf, signalOf } from "./settings.js";

/**
 * @import { Settings } from "./get.js"
 * @import { RemoteFile } from "./remote.js"
 * @import { RemoteOptions } from "./settings.js"
 */

/**
 * @typedef {object} HubOptions
 * @property {string} [revision]  a branch, a tag or a commit: "main" by default. It is looked up
 *   once, so that all files are of one commit
 * @property {string} [base]  address of the hub or of a mirror
 *
 * @typedef {{sha: string, id: string, files: string[]}} Listing
 */

const BASE = "https://huggingface.co";

/**
 * To where the hub sends who asks for a file: large ones to us.aws.cdn.hf.co and its like, or
 * cas-bridge.xethub.hf.co and cdn-lfs.hf.co before (https://huggingface.co/.well-known/meta.json
 * lists them; they change, but stay below these).
 */
const KNOWN = Object.freeze([BASE, "*.hf.co", "*.huggingface.co"]);

const MOST_LISTING_BYTES = 16 * 2 ** 20;
const MOST_FILES = 100_000;
const MOST_TEXT_BYTES = 64 * 2 ** 20; // the largest tokenizer.json have 33 MB

/**
 * Look up a model on a hub: which files it has, and which commit they are of. One request; no file
 * is read yet. Only what anyone may read is found; for more, give a `fetch` that adds a token.
 *
 * A page whose policy restricts `connect-src` must name there the hub and the hosts that it sends
 * readers to: `https://huggingface.co https://*.hf.co`.
 *
 * @param {string} name  "owner/name", or "name" for the hub's oldest models
 * @param {HubOptions & RemoteOptions} [options]
 * @returns {Promise<Repository>} whose `open` and `text` read the files
 * @throws {TypeError | RangeError} if the name cannot be one or an option is wrong
 * @throws {RemoteError} REMOTE_STATUS with `status` 401 or 404: there is no such model or revision
 *   to be read; REMOTE_ANSWER: the hub's answer is not of its form; and as `remote`
 * @see https://huggingface.co/docs/hub/api, models/{repo_id}/revision/{revision}
 * @example
 * const answer = { id: "o/tiny", sha: "0a".repeat(20), siblings: [{ rfilename: "config.json" }] };
 * const fetch = async () => Response.json(answer); // a hub of its own
 * const tiny = await hub("o/tiny", { fetch });
 * tiny.files // ["config.json"]
 */
export async function hub(name, options) {
  const defaults = { ...DEFAULTS, revision: "main", base: BASE };
  const { revision, base, ...wishes } = check.options(options, defaults, "hub");
  const { origin, pathname } = addressOf(base, "base");
  const settings = settingsOf(wishes, origin, KNOWN);
  settings.traffic = [{ requests: 0, bytesRead: 0 }];
  const at = origin + pathname.replace(/\/*$/, "/");
  const path = `api/models/${named(name)}/revision/${revised(revision)}`;
  const address = new URL(at + path);
  const bytes = await whole(address, settings, {
    most: MOST_LISTING_BYTES,
    signal: signalOf(wishes.signal),
  });
  return new Repository(at, listed(decoded(bytes, address), address), settings);
}

/**
 * A model on a hub, at one commit.
 */
class Repository {
  static name = "Repository";

  #at;
  #settings;

  /** @param {string} at @param {Listing} listing @param {Settings} settings */
  constructor(at, { id, sha, files }, settings) {
    this.#at = `${at}${id}/resolve/${sha}/`;
    this.#settings = settings;
    /** As the hub calls it, "owner/name". @readonly */
    this.name = id;
    /** The commit that all files are of. @readonly */
    this.revision = sha;
    /** Paths of the files, in the hub's order. @readonly @type {readonly string[]} */
    this.files = Object.freeze(files);
    Object.freeze(this);
  }

  /** How many requests were made so far, for its files too. */
  get requests() {
    return this.#settings.traffic[0].requests;
  }

  /** How many bytes came so far, of its files too; texts count as they are when unpacked. */
  get bytesRead() {
    return this.#settings.traffic[0].bytesRead;
  }

  /**
   * Open one of the files, as `remote` does.
   *
   * @param {string} path  one of `files`
   * @param {{signal?: AbortSignal}} [options]  stops the opening
   * @returns {Promise<RemoteFile>}
   * @throws {RangeError} if there is no such file
   * @throws {RemoteError} if it cannot be read
   */
  async open(path, options) {
    const { signal } = check.options(options, { signal: undefined }, "open");
    return open(this.#address(path), this.#settings, signalOf(signal));
  }

  /**
   * Read one of the files whole, as text: config.json, tokenizer.json, ...
   *
   * @param {string} path  one of `files`
   * @param {{most?: number, signal?: AbortSignal}} [options]  `most`: how many bytes it may have,
   *   64 MiB by default; `signal`: stops it
   * @returns {Promise<string>}
   * @throws {RangeError} if there is no such file
   * @throws {RemoteError} if it cannot be read: REMOTE_LONG, REMOTE_ANSWER (not UTF-8), ...
   */
  async text(path, options) {
    const defaults = { most: MOST_TEXT_BYTES, signal: undefined };
    const { most, signal } = check.options(options, defaults, "text");
    const address = this.#address(path);
    const wish = { most: check.integer(most, "most", 0, 2 ** 31), signal: signalOf(signal) };
    return decoded(await whole(address, this.#settings, wish), address);
  }

  /** @param {unknown} path */
  #address(path) {
    if (!this.files.includes(/** @type {string} */ (path))) {
      const rule = `path must be one of the ${this.files.length} files of ${this.name}`;
      throw new RangeError(`${rule}; got ${describe(path)}`);
    }
    return new URL(this.#at + String(path).split("/").map(encodeURIComponent).join("/"));
  }
}

/** What a hub's names are made of: huggingface_hub's validate_repo_id. */
const NAME = /^(?:\w(?:[\w.-]{0,94}\w)?\/)?\w(?:[\w.-]{0,94}\w)?$/;

/** @param {unknown} name */
const isName = (name) => typeof name === "string" && NAME.test(name) && !/\.\.|--/.test(name);

/** @param {unknown} name @returns {string} */
function named(name) {
  if (isName(name)) return String(name);
  throw new RangeError(`name must be a model's, as "owner/name"; got ${describe(name)}`);
}

/** A revision as one piece of a path; git's own rules forbid "..". @param {unknown} revision */
function revised(revision) {
  if (typeof revision === "string" && /^[\w.+/-]{1,255}$/.test(revision)) {
    if (!/^\.|\.\./.test(revision)) return encodeURIComponent(revision);
  }
  throw new RangeError(`revision must be a branch, a tag or a commit; got ${describe(revision)}`);
}

/**
 * Whether a path of a file can be put behind an address: it stays below it and is nothing else.
 * @param {unknown} path
 */
function isPath(path) {
  // eslint-disable-next-line no-control-regex
  if (typeof path !== "string" || path.length > 1024 || /[\\\x00-\x1f\x7f]/.test(path))
    return false;
  return path.isWellFormed() && path.split("/").every((part) => !/^\.{0,2}$/.test(part));
}

/** @param {Uint8Array<ArrayBuffer>} bytes @param {URL} address */
function decoded(bytes, address) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw wrong(address, "be UTF-8", "other bytes", cause);
  }
}

/**
 * What a hub says of a model. It says much more, of which nothing is needed.
 * @param {string} text @param {URL} address
 * @returns {Listing}
 */
function listed(text, address) {
  let said;
  try {
    said = JSON.parse(text);
  } catch (cause) {
    throw wrong(address, "be JSON", describe(text.slice(0, 24)), cause);
  }
  const { id, sha, siblings } = said ?? {};
  if (!isName(id)) throw wrong(address, "have an id, the model's name", describe(id));
  if (typeof sha !== "string" || !/^[0-9a-f]{40}$/.test(sha)) {
    throw wrong(address, "have a sha, the commit in 40 digits", describe(sha));
  }
  if (!Array.isArray(siblings) || siblings.length > MOST_FILES) {
    throw wrong(address, `have siblings, at most ${MOST_FILES} files`, describe(siblings));
  }
  const files = siblings.map((sibling) => sibling?.rfilename);
  for (const file of files) {
    if (!isPath(file)) throw wrong(address, "list plain paths of files", describe(file));
  }
  if (new Set(files).size < files.length) throw wrong(address, "list each file once", "one twice");
  return { id, sha, files };
}

/** @param {URL} address @param {string} rule @param {string} got @param {unknown} [cause] */
function wrong(address, rule, got, cause) {
  const message = `${shown(address)} must ${rule}; got ${got}`;
  return new RemoteError("REMOTE_ANSWER", message, { cause });
}
