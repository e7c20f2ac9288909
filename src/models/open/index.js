/**
 * phasor/open: the embedding layer of a model, of a hub, an address, a path or a file, without loading
 * the model; and what there is to find in it.
 */
import * as check from "../../runtime/check.js";
import { hub, remote } from "../../files/index.js";
import { signalOf } from "../../files/remote/settings.js";
import { load } from "../../index.js";
import { modelOf } from "./model.js";
import { placeOf, textOf } from "./place.js";
import { openWeights } from "./weights.js";

/**
 * @import {Source} from "../../files/index.js"
 * @import {Phasor} from "../../index.js"
 * @import {Place} from "./place.js"
 */

export { FileError, RemoteError } from "../../runtime/errors.js";
export { explore } from "./explore.js";

/**
 * @typedef {import("../../files/index.js").RemoteOptions} RemoteOptions
 * @typedef {import("./explore.js").Explorer} Explorer
 * @typedef {import("./model.js").OpenModel} OpenModel
 * @typedef {import("./table.js").ModelTable} ModelTable
 */

/**
 * How a model is opened.
 * @typedef {object} OpenOptions
 * @property {Phasor} [phasor]  that decodes and keeps tables; by default one of its own for all models
 * @property {string} [file]  which file of weights, where there are several
 * @property {string | Record<string, unknown>} [config]  config.json, where it is not beside the file
 * @property {string} [revision]  of a model on the hub: a branch, a tag or a commit; default "main". It
 *   is looked up once, and everything read of that commit
 * @property {string} [base]  the hub's address; default https://huggingface.co
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
  most: undefined,
  cache: undefined,
  signal: undefined,
});

/** Started when the first model needs it. @type {Promise<Phasor> | undefined} */
let own;

/**
 * Open a model: read the headers of its file and its configuration, and nothing else.
 *
 * @param {string | URL | Source | readonly File[] | Record<string, Source>} source  a name on the hub,
 *   "openai-community/gpt2"; an address; a path of a file or folder, in Node, Deno and Bun; a File, Blob
 *   or bytes; several Files, or sources by name, as `{ "model.safetensors": blob, "config.json": blob }`.
 *   Weights may be .safetensors (also in shards), .gguf, .npz or .npy
 * @param {OpenOptions & RemoteOptions} [options]  and those of `remote`: `fetch`, `signal`, `origins`,
 *   `timeout`, `cache`; `signal` ends the opening alone, each reading has one of its own
 * @returns {Promise<OpenModel>} what its files say; no row is read yet
 * @throws {TypeError | RangeError} if source is none of these, or an option is wrong
 * @throws {FileError} OPEN_NO_WEIGHTS: there are no weights in a format that is read here; OPEN_SEVERAL:
 *   `file` must say which; FILE_READ; or of the format, as `safetensors.read` has them
 * @throws {RemoteError} if the hub or the address does not give it
 * @see Hugging Face Hub, https://huggingface.co/docs/hub/api; safetensors; ggml, docs/gguf.md
 * @example
 * const weights = safetensors.write({ "wte.weight": [[1, 2], [3, 4], [5, 6]] });
 * const model = await open({ "model.safetensors": weights });
 * (await model.wordEmbeddings.rows([2, 0])).toArray() // [[5, 6], [1, 2]]
 */
export async function open(source, options) {
  const given = check.options(options, DEFAULTS, "open");
  const { phasor, file, config, revision, base, ...network } = given;
  if (file !== undefined && typeof file !== "string") {
    throw new TypeError(`file must be the name of a file; got ${check.describe(file)}`);
  }
  return opening(signalOf(network.signal), async (signal) => {
    const reading = defined({ ...network, signal });
    const place = await placeOf(source, {
      async hub(name) {
        const found = await hub(name, { ...reading, ...defined({ revision, base }) });
        return {
          name: found.name,
          revision: found.revision,
          files: found.files,
          open: (path) => found.open(path, { signal }),
          text: (path, most, own = signal) => found.text(path, { most, signal: own }),
          traffic: () => ({ requests: found.requests, bytesRead: found.bytesRead }),
        };
      },
      address: (url) => addressed(url, reading),
    });
    const { path, weights } = await openWeights(place, file, signal);
    const core = phasor ?? (await started());
    return modelOf({ phasor: core, place, path, weights, config });
  });
}

/**
 * Do what may be stopped until it is done: files that are opened later, when they are needed, are not.
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

/** For all who bring none; one that could not be started is asked for again. */
function started() {
  own ??= load();
  own.catch(() => (own = undefined));
  return own;
}

/**
 * A file at an address. What lies beside it is not known; `config` says what its config.json would.
 * @param {string} url @param {RemoteOptions} options
 * @returns {Promise<Place>}
 */
async function addressed(url, options) {
  const name = decodeURIComponent(new URL(url).pathname.split("/").at(-1) ?? "");
  /** @type {Map<string, Awaited<ReturnType<typeof remote>>>} */
  const files = new Map();
  const open = async (/** @type {string} */ path) => {
    const file =
      files.get(path) ?? (await remote(path === name ? url : new URL(path, url), options));
    files.set(path, file);
    return file;
  };
  await open(name);
  const sum = (/** @type {"requests" | "bytesRead"} */ what) =>
    [...files.values()].reduce((all, file) => all + file[what], 0);
  return {
    name,
    revision: undefined,
    files: [name],
    only: name,
    open,
    text: async (path, most, signal) => textOf(await open(path), path, most, signal),
    traffic: () => ({ requests: sum("requests"), bytesRead: sum("bytesRead") }),
  };
}

/** Options that are given: others have defaults of their own. @template {object} T @param {T} options */
function defined(options) {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return /** @type {Partial<T>} */ (Object.fromEntries(entries));
}
