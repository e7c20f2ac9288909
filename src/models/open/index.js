/**
 * phasor/open: opens the embedding layer of a model from a hub, an address, a path or a file without loading the
 * model, and explores it.
 */
import * as check from "../../runtime/check.js";
import { copied } from "../../runtime/input.js";
import { inFunction } from "../../runtime/named.js";
import { sharing } from "../../runtime/sharing.js";
import { hub, remote } from "../../files/index.js";
import { addressOf } from "../../files/remote/address.js";
import { load } from "../../index.js";
import { modelOf } from "./model.js";
import { placeOf, textOf, trafficOf } from "./place.js";
import { openWeights } from "./weights.js";

/**
 * @import {Source} from "../../files/index.js"
 * @import {Phasor} from "../../index.js"
 * @import {Place} from "./place.js"
 */

export { FileError, RemoteError } from "../../runtime/errors.js";
export { explore } from "./explore.js";
export { fromGguf } from "./gguf.js";

/**
 * @typedef {import("../../files/index.js").RemoteOptions} RemoteOptions
 * @typedef {import("./explore.js").Explorer} Explorer
 * @typedef {import("./model.js").OpenModel} OpenModel
 * @typedef {import("./modules.js").SentenceLayers} SentenceLayers
 * @typedef {import("./table.js").ModelTable} ModelTable
 */

/**
 * Options for opening a model.
 * @typedef {object} OpenOptions
 * @property {Phasor} [phasor]  decodes and holds the tables. Default: one instance that all models share
 * @property {string} [file]  the weights file, if there are several
 * @property {string | Record<string, unknown>} [config]  the contents of config.json, if it is not beside the
 *   weights file
 * @property {string} [revision]  of a model on the hub: a branch, a tag or a commit. Default: "main". It
 *   is resolved once; all files are read from that commit
 * @property {string} [base]  the address of the hub. Default: https://huggingface.co
 * @property {number} [maxBytes]  the maximal size of what is taken as a whole: of an array of an .npz file, after
 *   decompression, as by `npz.read`, and of a file whose server does not support ranges, as by `remote`. Default: that of
 *   each
 */

const DEFAULTS = Object.freeze({
  phasor: undefined,
  file: undefined,
  config: undefined,
  revision: undefined,
  base: undefined,
  fetch: undefined,
  origins: undefined,
  timeout: undefined,
  maxBytes: undefined,
  cache: undefined,
  signal: undefined,
});

/** The shared instance, loaded on first use. */
const started = /* @__PURE__ */ sharing(load);

/**
 * Opens a model: reads the header of its weights and its configuration only.
 *
 * @param {string | URL | Source | readonly File[] | Record<string, Source>} source  a name on the hub,
 *   "openai-community/gpt2"; an address; a path of a file or folder, in Node, Deno and Bun, where a folder
 *   or file with the name is used instead of the hub, unless `revision` or `base` is given; a File, Blob or
 *   bytes; several Files, or sources by name, as `{ "model.safetensors": blob, "config.json": blob }`.
 *   Weights may be .safetensors (also in shards, with their index), .gguf (also in parts, of which the first is
 *   named), .npz or .npy
 * @param {OpenOptions & RemoteOptions} [options]  also those of `remote`: `fetch`, `signal`, `origins`,
 *   `timeout`, `cache`, `maxBytes`. `signal` aborts the opening only; each read has a separate signal
 * @returns {Promise<OpenModel>} the open model; no row has been read yet
 * @throws {TypeError | RangeError} if source is none of these, or an option is invalid
 * @throws {FileError} OPEN_NO_WEIGHTS: there are no weights in a supported format; OPEN_SEVERAL: there are
 *   several weights files, pass `file`; OPEN_PART: a part of a GGUF model is missing or another one; FILE_READ; or a
 *   code of the format, as from `safetensors.read`
 * @throws {RemoteError} if the hub or the address cannot be read
 * @see Hugging Face Hub, https://huggingface.co/docs/hub/api; safetensors; ggml, docs/gguf.md
 * @example
 * const weights = safetensors.write({ "wte.weight": [[1, 2], [3, 4], [5, 6]] });
 * const model = await open({ "model.safetensors": weights });
 * const rows = await model.wordEmbeddings?.rows([2, 0]);
 * rows?.toArray() // [[5, 6], [1, 2]]
 */
export async function open(source, options) {
  try {
    const given = check.options(options, DEFAULTS);
    const { phasor, file, revision, base, ...rest } = given;
    const { config, ...network } = copied(rest);
    if (file !== undefined && typeof file !== "string") {
      throw new TypeError(`file must be the name of a file; got ${check.describe(file)}`);
    }
    const { maxBytes } = network;
    if (maxBytes !== undefined) check.integer(maxBytes, "maxBytes", 0, Number.MAX_SAFE_INTEGER);
    return await opening(check.abortSignal(network.signal), async (signal) => {
      const reading = defined({ ...network, signal });
      const place = await placeOf(source, {
        async hub(name) {
          const found = await hub(name, { ...reading, ...defined({ revision, base }) });
          return {
            name: found.name,
            revision: found.revision,
            files: found.files,
            open: (path, own = signal) => found.open(path, { signal: own }),
            text: (path, maxBytes, own = signal) => found.text(path, { maxBytes, signal: own }),
            traffic: () => ({ requests: found.requests, bytesRead: found.bytesRead }),
            isRemote: true,
            warnings: found.warnings,
          };
        },
        address: (url) => addressed(url, reading),
        isMeant: revision !== undefined || base !== undefined,
      });
      const { path, weights } = await openWeights(place, file, { maxBytes, signal });
      const core = phasor ?? (await started());
      return modelOf({ phasor: core, place, path, weights, config }, signal);
    });
  } catch (error) {
    throw inFunction("open", error);
  }
}

/**
 * Runs work that the signal aborts until it is complete. Files that are opened later are not affected.
 * @template T
 * @param {AbortSignal | undefined} signal @param {(signal: AbortSignal) => Promise<T>} work
 */
async function opening(signal, work) {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const stop = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", stop);
  try {
    return await work(controller.signal);
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

/**
 * A file at an address. The files beside it are unknown, so its configuration comes from the option `config`.
 * @param {string} url @param {RemoteOptions} options
 * @returns {Promise<Place>}
 */
async function addressed(url, options) {
  const name = decoded(addressOf(url, "source").pathname.split("/").at(-1) ?? "");
  /** @type {Map<string, Awaited<ReturnType<typeof remote>>>} */
  const files = new Map();
  const open = async (
    /** @type {string} */ path,
    /** @type {AbortSignal | undefined} */ signal = options.signal,
  ) => {
    const at = path === name ? url : new URL(encodeURIComponent(path), url);
    const file = files.get(path) ?? (await remote(at, { ...options, signal }));
    files.set(path, file);
    return file;
  };
  await open(name);
  return {
    name,
    revision: undefined,
    files: [name],
    only: name,
    open,
    text: async (path, maxBytes, signal) =>
      textOf(await open(path, signal), path, maxBytes, signal),
    traffic: () => trafficOf(files.values()),
    isRemote: true,
    asks: true,
  };
}

/** The name of a file in an address, which may hold a lone %. @param {string} name */
function decoded(name) {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** The options that are defined; the others keep the defaults of the called function. @template {object} T @param {T} options */
function defined(options) {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return /** @type {Partial<T>} */ (Object.fromEntries(entries));
}
