/** Opens the model or the configuration that an argument names. */
import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { KIND_BYTES, kindOf } from "../files/kind.js";
import { describe } from "../runtime/check.js";
import { didYouMean } from "../runtime/suggest.js";
import { cached, hasWeights, HUB, isOfHub, network, snapshotOf } from "./hub.js";
import { bytesOf, formatOf, isStream } from "./input.js";
import { UsageError } from "./arguments.js";
import { sentence } from "./output.js";

export { HUB };

/**
 * @import { Option } from "./arguments.js"
 * @import { Model } from "../models/config.js"
 * @import { Explorer, OpenModel } from "../models/open/index.js"
 */

/** Which part of a model is read, and how. @type {Readonly<Record<string, Option>>} */
export const MODEL = Object.freeze({
  ...HUB,
  file: { type: "string", value: "NAME", text: "the weights file, if there are several" },
});

/** @type {Readonly<Record<string, Option>>} */
export const TABLE = Object.freeze({
  ...MODEL,
  dtype: {
    type: "string",
    value: "DTYPE",
    values: ["float32", "float16", "bfloat16", "int8"],
    text: "of the table in memory: float32, float16, bfloat16 or int8",
  },
});

/**
 * @param {string} name  a folder, a file, an address or a name on the hub
 * @param {Record<string, any>} options
 * @returns {Promise<OpenModel>}
 */
export async function openModel(name, options) {
  const { open } = await import("../models/open/index.js");
  const { file } = options;
  const wishes = file === undefined ? {} : { file };
  if (!isOfHub(options) && (await isStream(name))) {
    const bytes = await bytesOf(name, "MODEL");
    return open({ [`stdin.${formatOf(bytes)}`]: bytes });
  }
  const folder = await placeOf(name, options, hasWeights);
  if (folder !== undefined) return titled(await open(folder, wishes), name, folder);
  if (!isOfHub(options) && (await kindAt(name)) !== undefined) return open(name, wishes);
  return open(name, { ...(await network(name, options)), ...wishes }).catch((cause) => {
    const isName = isOfHub(options) || /^https?:/i.test(name) || cause?.name !== "RemoteError";
    if (isName) throw cause;
    const rule = `${sentence(cause)}; there is no folder ${describe(name)} either`;
    throw new RangeError(rule, { cause });
  });
}

/** The name and the commit of models of the hub's cache, whose folders have other names. @type {WeakMap<OpenModel, {name: string, revision: string}>} */
const titles = new WeakMap();

/** @param {OpenModel} model @param {string} name @param {string} folder */
function titled(model, name, folder) {
  titles.set(model, { name, revision: basename(folder) });
  return model;
}

/** The name that a model was asked for by, and its commit on the hub. @param {OpenModel} model */
export const titleOf = (model) => titles.get(model) ?? model;

/**
 * @param {OpenModel} model @param {import("./arguments.js").Call} call
 * @returns {Promise<Explorer>}
 */
export function exploreModel(model, { options: { dtype }, progress }) {
  return model.explore({ progress, ...(dtype !== undefined && { dtype }) });
}

/**
 * Finds a token: an id in digits, or its exact text.
 * @param {Explorer} found @param {string} word
 * @returns {number}
 * @throws {RangeError} if there is none
 */
export function tokenOf(found, word) {
  if (/^\d{1,10}$/.test(word)) return found.id(Number(word));
  try {
    return found.id(word);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const hint = spaced(word, (text) => idOf(found, text));
    throw new RangeError(error.message + hint, { cause: error });
  }
}

/** @param {Explorer} found @param {string} text */
function idOf(found, text) {
  try {
    return found.id(text);
  } catch {
    return undefined;
  }
}

/**
 * A hint where only the space before a word is wrong.
 * @param {string} word @param {(text: string) => number | undefined} find
 */
export function spaced(word, find) {
  const other = word.startsWith(" ") ? word.slice(1) : ` ${word}`;
  return other !== "" && find(other) !== undefined
    ? `; did you mean ${JSON.stringify(other)}?`
    : "";
}

/** @param {string} path */
const kindAt = (path) =>
  stat(path).then(
    (found) => (found.isDirectory() ? "folder" : "file"),
    () => undefined,
  );

/**
 * The folder of a model: a snapshot, where the name is that of a model in the hub's cache, or the path of its folder there.
 * @param {string} name @param {Record<string, any>} options @param {Parameters<typeof cached>[2]} isEnough
 * @returns {Promise<string | undefined>} undefined if it is another folder, a file, an address, or on the hub
 */
async function placeOf(name, options, isEnough) {
  const kind = options.base === undefined ? await kindAt(name) : undefined;
  if (kind === "folder") return snapshotOf(name, options.revision);
  return kind === undefined ? cached(name, options, isEnough) : undefined;
}

/**
 * Finds the configuration that an argument names: config.json, a folder with it, a model file, a name of
 * `models.names`, or a name on the hub.
 *
 * @param {string} name
 * @param {Record<string, any>} options  `reader` finds it in another way: serve reads one folder alone
 * @returns {Promise<{text: string, warnings?: readonly string[]} | {model: Model}>} the text of config.json, or the
 *   description of a model that has none
 */
export async function findConfig(name, options) {
  if (options.reader) return options.reader(name);
  const { models } = await import("../models/index.js");
  const isMeant = isOfHub(options);
  const kind = isMeant ? undefined : await kindAt(name);
  if (!isMeant && (await isStream(name))) return configIn(name);
  const isListed = kind === undefined && !isMeant && models.names.includes(name);
  const kept = isListed
    ? undefined
    : await placeOf(name, options, (files) => files.includes("config.json"));
  const beside = join(kept ?? name, "config.json");
  if (kept !== undefined) return { text: await textOf(beside) };
  if (kind === "folder" && (await kindAt(beside)) === "file") return { text: await textOf(beside) };
  if (kind === "file" && /\.json$/i.test(name)) return { text: await textOf(name) };
  if (isListed) return { model: models.get(name) };
  if (kind === undefined && !/^https?:/i.test(name)) {
    if (/^[.~/\\]|^\w:\\|\.(json|gguf|safetensors)$/i.test(name)) {
      if (isMeant)
        throw new UsageError(`--revision and --base must come with a name on the hub; got ${name}`);
      throw new RangeError(`CONFIG must be a file or folder, or a name; got ${name}: no such file`);
    }
    const { hub } = await import("../files/index.js");
    const repository = await hub(name, await network(name, options)).catch((cause) => {
      const hint = didYouMean(name, models.names);
      throw hint ? new RangeError(sentence(cause) + hint, { cause }) : cause;
    });
    return { text: await repository.text("config.json"), warnings: repository.warnings };
  }
  return describedBy(name, await openModel(name, options));
}

/** The configuration that weights have in them. @param {string} name @param {OpenModel} model */
function describedBy(name, { config, warnings }) {
  if (config) return { model: config };
  throw new RangeError(
    `${name} must have a configuration that can be read; got ${warnings[0] ?? "none"}`,
  );
}

/** A configuration, or weights with one, of standard input or a pipe. @param {string} path */
async function configIn(path) {
  const bytes = await bytesOf(path, "CONFIG");
  const format = formatOf(bytes);
  if (format === "json" || bytes.length < KIND_BYTES) return { text: textIn(bytes, path) };
  const { open } = await import("../models/open/index.js");
  return describedBy(path, await open({ [`stdin.${format}`]: bytes }));
}

/**
 * What functions of the package take of it: a text that is no object would be a name to them.
 * @param {Awaited<ReturnType<typeof findConfig>>} found
 */
export async function configOf(found) {
  if ("model" in found) return found.model;
  if (found.text.trimStart().startsWith("{")) return found.text;
  const { models } = await import("../models/index.js");
  return models.fromConfig(found.text); // which refuses it
}

/**
 * Describes the model of a configuration, found by `findConfig`.
 *
 * @param {string} name @param {Record<string, any>} options
 * @returns {Promise<Model>}
 */
export async function describeModel(name, options) {
  const found = await findConfig(name, options);
  if ("model" in found) {
    if (options.tower === undefined) return found.model;
    throw new UsageError(`--tower must come with a config.json; got it with ${name}`);
  }
  const { models } = await import("../models/index.js");
  const { text, warnings = [] } = found;
  const model = models.fromConfig(
    text,
    options.tower === undefined ? {} : { tower: options.tower },
  );
  return { ...model, warnings: [...warnings, ...model.warnings] };
}

/** @param {string} path */
export const textOf = async (path) => textIn(await bytesOf(path, "CONFIG"), path);

/** @param {Uint8Array} bytes @param {string} path */
function textIn(bytes, path) {
  const kind = kindOf(bytes.subarray(0, KIND_BYTES));
  if (kind !== undefined) throw new RangeError(`${path} must be a configuration; got ${kind}`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new RangeError(`${path} must be UTF-8; got ${describe(bytes[0])} as the first byte`);
  }
}
