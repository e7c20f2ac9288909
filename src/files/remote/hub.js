import * as check from "../../runtime/check.js";
import { abortSignal, describe } from "../../runtime/check.js";
import { RemoteError } from "../../runtime/errors.js";
import { inFunction, nameMethods } from "../../runtime/named.js";
import { Json } from "../json.js";
import { addressOf, shown } from "./address.js";
import { open, whole } from "./remote.js";
import { DEFAULTS, settingsOf } from "./settings.js";

/**
 * @import { Settings } from "./get.js"
 * @import { RemoteFile } from "./remote.js"
 * @import { RemoteOptions } from "./settings.js"
 */

/**
 * @typedef {object} HubOptions
 * @property {string} [revision]  a branch, a tag or a commit. Default: "main". It is resolved once, so
 *   that all files are of one commit. A commit in 40 digits is refused under another model's name; without one, a renamed
 *   model is found by its old name, and `warnings` says so
 * @property {string} [base]  the address of the hub or of a mirror
 *
 * @typedef {{sha: string, id: string, files: string[]}} Listing
 */

const BASE = "https://huggingface.co";

/**
 * The origins that the hub redirects to: us.aws.cdn.hf.co and similar ones for large files, formerly
 * cas-bridge.xethub.hf.co and cdn-lfs.hf.co. https://huggingface.co/.well-known/meta.json lists them; they
 * change, but remain subdomains of these.
 */
const KNOWN = Object.freeze([BASE, "*.hf.co", "*.huggingface.co"]);

const MAX_LISTING_BYTES = 16 * 2 ** 20;
const MAX_FILES = 100_000;
const MAX_TEXT_BYTES = 64 * 2 ** 20; // the largest tokenizer.json have 33 MB

/**
 * Looks up a model on a hub: its files and their commit. This takes one request and reads no file. Only public
 * models are found; for others, pass a `fetch` that adds a token.
 *
 * A page whose Content-Security-Policy restricts `connect-src` must list the hub and the hosts that it
 * redirects to: `https://huggingface.co https://*.hf.co`.
 *
 * @param {string} name  "owner/name", or "name" for the hub's oldest models
 * @param {HubOptions & RemoteOptions} [options]
 * @returns {Promise<Repository>} with the methods `open` and `text` for its files
 * @throws {TypeError | RangeError} if the name is not valid or an option is invalid
 * @throws {RemoteError} REMOTE_STATUS with `status` 401 or 404: there is no such public model or
 *   revision; REMOTE_ANSWER: the response is invalid; and as `remote`
 * @see https://huggingface.co/docs/hub/api, models/{repo_id}/revision/{revision}
 * @example
 * const answer = { id: "o/tiny", sha: "0a".repeat(20), siblings: [{ rfilename: "config.json" }] };
 * const fetch = async () => Response.json(answer); // instead of the network
 * const tiny = await hub("o/tiny", { fetch });
 * tiny.files // ["config.json"]
 */
export async function hub(name, options) {
  try {
    const defaults = { ...DEFAULTS, revision: "main", base: BASE };
    const { revision, base, ...wishes } = check.options(options, defaults);
    const { origin, pathname } = addressOf(base, "base");
    const settings = settingsOf(wishes, origin, KNOWN);
    settings.traffic = [{ requests: 0, bytesRead: 0 }];
    const at = origin + pathname.replace(/(?<!\/)\/*$/, "/");
    const path = `api/models/${named(name)}/revision/${revised(revision)}`;
    const address = new URL(at + path);
    const bytes = await whole(address, settings, {
      maxBytes: MAX_LISTING_BYTES,
      signal: abortSignal(wishes.signal),
    });
    const listing = listed(decoded(bytes, address), address);
    if (COMMIT.test(String(revision)))
      refuseOther(listing, String(name), String(revision), address);
    return new Repository(at, listing, settings, String(name));
  } catch (error) {
    throw inFunction("hub", error);
  }
}

/**
 * Whether the hub answers with the model that was asked for. Only its oldest models have got an owner since.
 * @param {string} name @param {string} id
 */
function isSame(name, id) {
  const [given, own] = [name, id].map((each) => each.toLowerCase());
  return given === own || (!given.includes("/") && own.endsWith(`/${given}`));
}

/**
 * A commit by its digits is that commit of that model.
 * @param {Listing} listing @param {string} name @param {string} revision @param {URL} address
 */
function refuseOther({ id, sha }, name, revision, address) {
  if (sha !== revision) throw wrong(address, `answer with commit ${revision}`, sha);
  if (isSame(name, id)) return;
  throw wrong(address, `answer with ${name}, since a commit of it is asked for`, describe(id));
}

/**
 * A model on a hub at one commit.
 */
class Repository {
  static name = "Repository";

  #at;
  #settings;

  /** @param {string} at @param {Listing} listing @param {Settings} settings @param {string} asked */
  constructor(at, { id, sha, files }, settings, asked) {
    nameMethods(Repository);
    this.#at = `${at}${id}/resolve/${sha}/`;
    this.#settings = { ...settings, commit: sha };
    /** The name on the hub, "owner/name". @readonly */
    this.name = id;
    /** The commit. @readonly */
    this.revision = sha;
    /** Paths of the files, in the hub's order. @readonly @type {readonly string[]} */
    this.files = Object.freeze(files);
    /**
     * That the hub has the model under another name than the one asked for; empty otherwise.
     * @readonly @type {readonly string[]}
     */
    this.warnings = Object.freeze(isSame(asked, id) ? [] : [renamed(asked, id)]);
    Object.freeze(this);
  }

  /** The number of requests so far, including those for its files. */
  get requests() {
    return this.#settings.traffic[0].requests;
  }

  /** The number of bytes read so far, including those of its files; compressed responses count uncompressed. */
  get bytesRead() {
    return this.#settings.traffic[0].bytesRead;
  }

  /**
   * Opens one of the files, as `remote` does.
   *
   * @param {string} path  one of `files`
   * @param {{signal?: AbortSignal}} [options]  `signal`: aborts the opening
   * @returns {Promise<RemoteFile>}
   * @throws {RangeError} if there is no such file
   * @throws {RemoteError} if it cannot be read
   */
  async open(path, options) {
    const { signal } = check.options(options, { signal: undefined });
    return open(this.#address(path), this.#settings, abortSignal(signal));
  }

  /**
   * Reads one of the files as text: config.json, tokenizer.json, ...
   *
   * @param {string} path  one of `files`
   * @param {{maxBytes?: number, signal?: AbortSignal}} [options]  `maxBytes`: the maximal size in
   *   bytes, by default 64 MiB; `signal`: aborts the read
   * @returns {Promise<string>} the contents of the file
   * @throws {RangeError} if there is no such file
   * @throws {RemoteError} if it cannot be read: REMOTE_LONG, REMOTE_ANSWER (not UTF-8), ...
   */
  async text(path, options) {
    const defaults = { maxBytes: MAX_TEXT_BYTES, signal: undefined };
    const { maxBytes, signal } = check.options(options, defaults);
    const address = this.#address(path);
    const wish = {
      maxBytes: check.integer(maxBytes, "maxBytes", 0, 2 ** 31),
      signal: abortSignal(signal),
    };
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

/** The owner of the new name decides what is read. @param {string} asked @param {string} id */
const renamed = (asked, id) =>
  `the hub must answer with the model ${asked}; got ${id}, its new name or owner: ` +
  "if that is the one you mean, pass this name, and a commit as revision";

/** A commit in full. */
const COMMIT = /^[0-9a-f]{40}$/;

/** What a hub's names are made of: huggingface_hub's validate_repo_id. */
const NAME = /^(?:\w(?:[\w.-]{0,94}\w)?\/)?\w(?:[\w.-]{0,94}\w)?$/;

/** @param {unknown} name */
const isName = (name) => typeof name === "string" && NAME.test(name) && !/\.\.|--/.test(name);

/** @param {unknown} name @returns {string} */
function named(name) {
  if (isName(name)) return String(name);
  throw new RangeError(`name must be a model name such as "owner/name"; got ${describe(name)}`);
}

/** A revision as one path segment; git forbids "..". @param {unknown} revision */
function revised(revision) {
  if (typeof revision === "string" && /^[\w.+/-]{1,255}$/.test(revision)) {
    if (!/^\.|\.\./.test(revision)) return encodeURIComponent(revision);
  }
  throw new RangeError(`revision must be a branch, a tag or a commit; got ${describe(revision)}`);
}

/**
 * Whether a file path can be appended to an address without leaving its folder.
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
 * Parses the hub's description of a model. Other keys are checked, and nothing of them is kept.
 * @param {string} text @param {URL} address
 * @returns {Listing}
 */
function listed(text, address) {
  const { id, sha, siblings } = described(text, address);
  if (!isName(id)) throw wrong(address, "have an id, the name of the model", describe(id));
  if (typeof sha !== "string" || !COMMIT.test(sha)) {
    throw wrong(address, "have a sha, the commit in 40 digits", describe(sha));
  }
  if (siblings === undefined) throw wrong(address, "have siblings, its files", "none");
  for (const file of siblings) {
    if (!isPath(file)) throw wrong(address, "list relative file paths", describe(file));
  }
  if (new Set(siblings).size < siblings.length)
    throw wrong(address, "list each file once", "a repeated file");
  return { id: String(id), sha, files: /** @type {string[]} */ (siblings) };
}

/** @param {string} text @param {URL} address */
function described(text, address) {
  /** @type {{id?: unknown, sha?: unknown, siblings?: unknown[]}} */
  const said = {};
  const json = new Json(text, "REMOTE", "ANSWER");
  try {
    json.object((key) => {
      if (key === "id" || key === "sha") said[key] = json.value();
      else if (key !== "siblings") json.ignore();
      else {
        said.siblings = json.array(() => {
          /** @type {unknown} */
          let name;
          json.object((key) => {
            if (key === "rfilename") name = json.value();
            else json.ignore();
          });
          if (name === undefined) json.refuse("an rfilename of each of siblings");
          return name;
        }, MAX_FILES);
      }
    });
    json.skip();
    json.end();
  } catch (cause) {
    throw wrong(
      address,
      "be JSON with id, sha and siblings",
      describe(/** @type {Error} */ (cause).message),
      cause,
    );
  }
  return said;
}

/** @param {URL} address @param {string} rule @param {string} got @param {unknown} [cause] */
function wrong(address, rule, got, cause) {
  const message = `${shown(address)} must ${rule}; got ${got}`;
  return new RemoteError("REMOTE_ANSWER", message, { cause });
}
