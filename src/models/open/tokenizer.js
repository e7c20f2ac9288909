/**
 * Creates the tokenizer of a model with a library that the caller passes.
 */
import * as check from "../../runtime/check.js";
import { parsed } from "../../runtime/json.js";
import { FileError } from "../../runtime/errors.js";
import { ofHuggingFace } from "../../files/vocabulary/tokenizers.js";

/** @import {TokenizerLike} from "../../files/index.js" */
/** @import {Beside} from "./beside.js" */

/**
 * The class `Tokenizer` of `@huggingface/tokenizers`, or one with the same constructor, which takes the contents of
 * tokenizer.json and tokenizer_config.json.
 * @typedef {new (json: any, config: any) => {encode: Function, decode: Function}} TokenizerClass
 */

/**
 * @typedef {object} TokenizerOptions
 * @property {boolean} [special]  whether to add the tokens that the model expects around a text ([CLS], [SEP]),
 *   and to keep them when decoding. Default: false
 * @property {AbortSignal} [signal]  aborts the read with its reason
 */

/** The most values of tokenizer.json, all of which the library takes: the largest have two million. */
const MOST_VALUES = 2 ** 23;

/** @type {TokenizerOptions} */
const OPTIONS = Object.freeze({ special: false, signal: undefined });

/**
 * @param {(name: string) => Beside | undefined} beside @param {TokenizerClass} Tokenizer
 * @param {TokenizerOptions} [options]
 * @returns {Promise<TokenizerLike | undefined>}
 */
export async function readTokenizer(beside, Tokenizer, options) {
  if (!isClass(Tokenizer)) {
    const rule = "a class such as that of @huggingface/tokenizers";
    throw new TypeError(`Tokenizer must be ${rule}; got ${check.describe(Tokenizer)}`);
  }
  const given = check.options(options, OPTIONS);
  const special = check.boolean(given.special, "special");
  const signal = check.abortSignal(given.signal);
  const file = beside("tokenizer.json");
  if (!file) return undefined;
  const [json, config = {}] = await Promise.all(
    [file, beside("tokenizer_config.json")].map((each) => each && contentsOf(each, signal)),
  );
  return ofHuggingFace(made(Tokenizer, json, withUnknown(json, config), file.path), special);
}

/**
 * @huggingface/tokenizers 0.2.0 takes the unknown token of a model of whole words from tokenizer_config.json, which
 * static models do not have.
 * @param {any} json @param {any} config
 */
function withUnknown(json, config) {
  const unknown = json?.model?.type === "WordLevel" ? json.model.unk_token : undefined;
  return typeof unknown === "string" ? { unk_token: unknown, ...config } : config;
}

/** @param {TokenizerClass} Tokenizer @param {unknown} json @param {unknown} config @param {string} path */
function made(Tokenizer, json, config, path) {
  try {
    return new Tokenizer(json, config);
  } catch (cause) {
    throw refused(path, "be valid for Tokenizer", cause);
  }
}

/** @param {unknown} value */
function isClass(value) {
  try {
    Reflect.construct(Object, [], /** @type {any} */ (value)); // does not run the constructor
    return true;
  } catch {
    return false;
  }
}

/** @param {Beside} file @param {AbortSignal} [signal] */
export async function contentsOf({ path, bytes }, signal) {
  const text = new TextDecoder().decode(await bytes(signal));
  try {
    return parsed(text, MOST_VALUES);
  } catch (cause) {
    throw refused(path, "be JSON", cause);
  }
}

/** @param {string} path @param {string} rule @param {unknown} cause */
function refused(path, rule, cause) {
  const got = check.describe(/** @type {any} */ (cause)?.message ?? cause);
  return new FileError("OPEN_TOKENIZER", `${path} must ${rule}; got ${got}`, { cause });
}
