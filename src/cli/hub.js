/** The hub as a machine of a model engineer has it: its address, a token, and what other programs have downloaded. */
import { readdir, readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { addressOf, parsed } from "../files/remote/address.js";
import { describe } from "../runtime/check.js";
import { whole } from "./arguments.js";

/** Where a model is. @type {Readonly<Record<string, import("./arguments.js").Option>>} */
export const HUB = Object.freeze({
  revision: { type: "string", value: "REVISION", text: "a branch, a tag or a commit of the hub" },
  base: { type: "string", value: "URL", text: "the address of the hub; HF_ENDPOINT by default" },
  token: {
    type: "string",
    value: "TOKEN",
    text: "of a gated or private model; HF_TOKEN, or the file of hf auth login, by default",
  },
  timeout: {
    type: "string",
    value: "SECONDS",
    text: "the longest wait for a byte of the hub; 30 by default",
  },
  origin: {
    type: "string",
    multiple: true,
    value: "URL",
    text: "a further origin that the hub may redirect to",
  },
});

const PUBLIC = "https://huggingface.co";

/** Milliseconds before a command says that it waits. */
const PATIENCE = 2000;

/** Whether a name is that of the hub, even if there is a folder or a file of that name. @param {Record<string, any>} options */
export const isOfHub = ({ revision, base }) => revision !== undefined || base !== undefined;

/** A variable that is set. @param {...string} names  the first that is */
const variable = (...names) => names.map((name) => process.env[name]).find(Boolean);

/** The folder of the hub's programs. */
const home = () =>
  variable("HF_HOME") ??
  join(variable("XDG_CACHE_HOME") ?? join(homedir(), ".cache"), "huggingface");

/** What shows that a command waits. @type {(line: string) => void} */
let say = () => {};

/** @param {typeof say} show */
export const waitBy = (show) => void (say = show);

/** The hub's address. @param {Record<string, any>} options */
function baseOf({ base }) {
  const endpoint = variable("HF_ENDPOINT");
  if (base !== undefined || endpoint === undefined) return base ?? PUBLIC;
  return addressOf(endpoint, "HF_ENDPOINT").href;
}

/**
 * The options of `hub`, `open` and `remote`. A token goes to the hub alone, or to the origin of an address that the
 * command names with `--token`; what they redirect to never gets it.
 *
 * @param {string} name  of a model, or its address @param {Record<string, any>} options
 */
export async function network(name, options) {
  const { revision, origin, timeout } = options;
  const base = baseOf(options);
  const at = /^https?:/i.test(name) ? parsed(name)?.origin : undefined;
  const isHub = at === undefined || at === parsed(base)?.origin;
  const token = options.token ?? (isHub ? await tokenOfHome() : undefined);
  const seconds = whole(timeout, "--timeout");
  return {
    ...(revision !== undefined && { revision }),
    ...(at === undefined && base !== PUBLIC && { base }),
    ...(origin !== undefined && { origins: origin }),
    ...(seconds !== undefined && { timeout: 1000 * seconds }),
    fetch: fetchWith(token === undefined ? undefined : secret(token, "--token")),
  };
}

/** A token of the environment, or of the file that the hub's programs keep. */
async function tokenOfHome() {
  if (/^(1|on|yes|true)$/i.test(variable("HF_HUB_DISABLE_IMPLICIT_TOKEN") ?? "")) return undefined;
  const named = variable("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN");
  if (named !== undefined) return secret(named, "HF_TOKEN");
  const path = variable("HF_TOKEN_PATH") ?? join(home(), "token");
  const kept = await readFile(path, "utf8").catch(() => "");
  return kept.trim() === "" ? undefined : secret(kept, path);
}

/** A token that a header can hold. No message shows it. @param {string} token @param {string} name  where it comes from */
function secret(token, name) {
  const word = token.trim();
  if (/^[\x21-\x7e]+$/.test(word)) return word;
  throw new RangeError(`${name} must be one word of ASCII letters; got ${token.length} characters`);
}

/**
 * Sends requests with a token, and says it where an answer takes long.
 * @param {string | undefined} token
 * @returns {typeof fetch}
 */
function fetchWith(token) {
  return async (address, init = {}) => {
    const headers = new Headers(init.headers);
    if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
    const { host } = new URL(String(address));
    const timer = setTimeout(() => say(`waiting for an answer of ${host}`), PATIENCE);
    try {
      return await fetch(address, { ...init, headers });
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Whether there is a file or a folder at a path. @param {string} path */
const isThere = (path) =>
  stat(path).then(
    () => true,
    () => false,
  );

/** @param {string} path @returns {Promise<string[]>} */
const filesIn = (path) => readdir(path).catch(() => []);

/**
 * The folder of a snapshot in the folder of a model in the hub's cache: `refs` has the commit of each branch, and
 * `snapshots` a folder for each commit.
 *
 * @param {string} folder @param {string} [revision]  a branch, a tag or a commit
 * @returns {Promise<string | undefined>} undefined if there is none
 */
export async function snapshotOf(folder, revision = "main") {
  const kept = await readFile(join(folder, "refs", revision), "utf8").catch(() => revision);
  const commit = kept.trim();
  if (!/^[\w.-]+$/.test(commit) || /^\.*$/.test(commit)) return undefined;
  const path = join(folder, "snapshots", commit);
  return (await isThere(path)) ? path : undefined;
}

/**
 * The folder of a model in the hub's cache.
 *
 * @param {string} name  on the hub @param {Record<string, any>} options
 * @param {(files: string[], folder: string) => boolean | Promise<boolean>} isEnough  whether its files are those that are needed
 * @returns {Promise<string | undefined>} undefined if they are to be read from the hub
 * @throws {RangeError} if they are not there and HF_HUB_OFFLINE is set
 */
export async function cached(name, options, isEnough) {
  if (options.base !== undefined || !/^[A-Za-z0-9][\w.-]*(\/[A-Za-z0-9][\w.-]*)?$/.test(name))
    return undefined;
  const cache = variable("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE") ?? join(home(), "hub");
  const folder = join(cache, `models--${name.replace("/", "--")}`);
  const found = await snapshotOf(folder, options.revision);
  if (found !== undefined && (await isEnough(await filesIn(found), found))) return found;
  if (!/^(1|on|yes|true)$/i.test(variable("HF_HUB_OFFLINE") ?? "")) return undefined;
  const got = found === undefined ? "none" : "a part of its files";
  const rule = `HF_HUB_OFFLINE is set, so the hub's cache ${cache} must have ${describe(name)}`;
  throw new RangeError(`${rule}; got ${got}`);
}

/** Whether a folder has all weights of a model. @param {string[]} files @param {string} folder */
export async function hasWeights(files, folder) {
  const index = files.find((file) => file.endsWith(".safetensors.index.json"));
  if (index === undefined) return files.some((file) => /\.(safetensors|gguf|npz)$/.test(file));
  const shards = await readFile(join(folder, index), "utf8")
    .then((text) => Object.values(JSON.parse(text).weight_map).map(String))
    .catch(() => []);
  return shards.length > 0 && shards.every((shard) => files.includes(shard));
}
