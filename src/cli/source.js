/** Opens the model or the configuration that an argument names. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { KIND_BYTES, kindOf } from "../files/kind.js";
import { describe } from "../runtime/check.js";
import { didYouMean } from "../runtime/suggest.js";
import { sentence } from "./output.js";

/**
 * @import { Option } from "./arguments.js"
 * @import { Model } from "../models/config.js"
 * @import { Explorer, OpenModel } from "../models/open/index.js"
 */

/** Where a model is. @type {Readonly<Record<string, Option>>} */
export const HUB = Object.freeze({
  revision: { type: "string", value: "REVISION", text: "a branch, a tag or a commit of the hub" },
  base: { type: "string", value: "URL", text: "the address of the hub" },
  origin: {
    type: "string",
    multiple: true,
    value: "URL",
    text: "a further origin that the hub may redirect to",
  },
});

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

/** Whether a name is that of the hub, even if there is a folder or a file of that name. @param {Record<string, any>} options */
const isOfHub = ({ revision, base }) => revision !== undefined || base !== undefined;

/** @param {Record<string, any>} options */
function network({ revision, base, origin }) {
  return {
    ...(revision !== undefined && { revision }),
    ...(base !== undefined && { base }),
    ...(origin !== undefined && { origins: origin }),
  };
}

/**
 * @param {string} name  a folder, a file, an address or a name on the hub
 * @param {Record<string, any>} options
 * @returns {Promise<OpenModel>}
 */
export async function openModel(name, options) {
  const { open } = await import("../models/open/index.js");
  const { file } = options;
  const wishes = { ...network(options), ...(file !== undefined && { file }) };
  return open(name, wishes).catch((cause) => {
    const isName = isOfHub(options) || /^https?:/i.test(name) || cause?.name !== "RemoteError";
    if (isName) throw cause;
    const rule = `${sentence(cause)}; there is no folder ${describe(name)} either`;
    throw new RangeError(rule, { cause });
  });
}

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
 * Finds the configuration that an argument names: config.json, a folder with it, a model file, a name of
 * `models.names`, or a name on the hub.
 *
 * @param {string} name @param {Record<string, any>} options
 * @returns {Promise<{text: string, warnings?: readonly string[]} | {model: Model}>} the text of config.json, or the
 *   description of a model that has none
 */
export async function findConfig(name, options) {
  const { models } = await import("../models/index.js");
  const isMeant = isOfHub(options);
  const kind = isMeant ? undefined : await kindAt(name);
  const beside = join(name, "config.json");
  if (kind === "folder" && (await kindAt(beside)) === "file") return { text: await textOf(beside) };
  if (kind === "file" && /\.json$/i.test(name)) return { text: await textOf(name) };
  if (kind === undefined && !isMeant && models.names.includes(name)) {
    return { model: models.get(name) };
  }
  if (kind === undefined && !/^https?:/i.test(name)) {
    if (/^[.~/\\]|^\w:\\|\.(json|gguf|safetensors)$/i.test(name)) {
      throw new RangeError(`CONFIG must be a file or folder, or a name; got ${name}: no such file`);
    }
    const { hub } = await import("../files/index.js");
    const repository = await hub(name, network(options)).catch((cause) => {
      const hint = didYouMean(name, models.names);
      throw hint ? new RangeError(sentence(cause) + hint, { cause }) : cause;
    });
    return { text: await repository.text("config.json"), warnings: repository.warnings };
  }
  const { config, warnings } = await openModel(name, options);
  if (config) return { model: config };
  throw new RangeError(
    `${name} must have a configuration that can be read; got ${warnings[0] ?? "none"}`,
  );
}

/**
 * Describes the model of a configuration, found by `findConfig`.
 *
 * @param {string} name @param {Record<string, any>} options
 * @returns {Promise<Model>}
 */
export async function describeModel(name, options) {
  const found = await findConfig(name, options);
  if ("model" in found) return found.model;
  const { models } = await import("../models/index.js");
  const { text, warnings = [] } = found;
  const model = models.fromConfig(
    text,
    options.tower === undefined ? {} : { tower: options.tower },
  );
  return { ...model, warnings: [...warnings, ...model.warnings] };
}

/** @param {string} path */
async function textOf(path) {
  const bytes = await readFile(path);
  const kind = kindOf(bytes.subarray(0, KIND_BYTES));
  if (kind !== undefined) throw new RangeError(`${path} must be a configuration; got ${kind}`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new RangeError(`${path} must be UTF-8; got ${describe(bytes[0])} as the first byte`);
  }
}
