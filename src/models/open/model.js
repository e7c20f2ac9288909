/**
 * An open model: what its file holds, which of it is what, and how the model uses it.
 */
import * as check from "../../runtime/check.js";
import { models } from "../index.js";
import { filesBeside } from "./beside.js";
import { embed, listsOf } from "./embed.js";
import { explore } from "./explore.js";
import { mayBeTable, tensorNamesOf } from "./naming.js";
import { once } from "./once.js";
import { ModelTable } from "./table.js";
import { readTokenizer } from "./tokenizer.js";
import { readVocabulary } from "./vocabulary.js";

/**
 * @import {Phasor} from "../../index.js"
 * @import {Tensor, TensorInput} from "../../runtime/tensor.js"
 * @import {StoredOptions, TensorInfo, TokenizerLike, Vocabulary} from "../../files/index.js"
 * @import {Model as Description} from "../config.js"
 * @import {EmbedOptions} from "./embed.js"
 * @import {Explorer} from "./explore.js"
 * @import {Roles} from "./naming.js"
 * @import {Place} from "./place.js"
 * @import {TokenizerClass, TokenizerOptions} from "./tokenizer.js"
 * @import {Weights} from "./weights.js"
 */

/**
 * @typedef {object} Parts
 * @property {Phasor} phasor
 * @property {Place} place
 * @property {string} path  of the file of weights
 * @property {Weights} weights
 * @property {unknown} config  that the caller gave
 */

const MOST_CONFIG_BYTES = 2 ** 20; // they have some thousand

/** Roles that are tables of rows, as wide as the model. */
const TABLES = /** @type {const} */ ([
  "wordEmbeddings",
  "positionEmbeddings",
  "tokenTypeEmbeddings",
  "lmHead",
]);

/**
 * @param {Parts} parts
 * @returns {Promise<OpenModel>}
 */
export async function modelOf(parts) {
  const { phasor, weights } = parts;
  const { description, warnings } = await describe(parts);
  const tensorNames = tensorNamesOf(await likely(weights));
  /** @type {Partial<Record<typeof TABLES[number], ModelTable>>} */
  const tables = {};
  for (const role of TABLES) {
    const name = tensorNames[role];
    if (name !== undefined)
      tables[role] = new ModelTable(phasor, weights, await weights.info(name));
  }
  return new OpenModel(parts, tensorNames, tables, description, warnings);
}

/**
 * The tensors that may be the model's tables, with their shapes: of a model in many files, only of
 * those whose names say so, so that no file is opened for nothing.
 * @param {Weights} weights
 */
async function likely(weights) {
  const { names, isSharded } = weights;
  const wanted = isSharded ? names.filter(mayBeTable) : names;
  return Promise.all(wanted.map((name) => weights.info(name)));
}

/**
 * What the model's configuration says; a doubtful one is no reason not to open the model.
 * @param {Parts} parts
 * @returns {Promise<{description: Description | undefined, warnings: string[]}>}
 */
async function describe({ place, path, weights, config }) {
  const beside = `${path.slice(0, path.lastIndexOf("/") + 1)}config.json`;
  if (config !== undefined) {
    const description = models.fromConfig(/** @type {any} */ (config));
    return { description, warnings: description.warnings };
  }
  try {
    const description =
      weights.format === "gguf"
        ? models.fromGguf(weights.metadata)
        : place.files.includes(beside)
          ? models.fromConfig(await place.text(beside, MOST_CONFIG_BYTES))
          : undefined;
    return { description, warnings: description?.warnings ?? [] };
  } catch (error) {
    const { name, message } = /** @type {Error} */ (error);
    if (name !== "TypeError" && name !== "RangeError") throw error;
    return { description: undefined, warnings: [message] };
  }
}

/**
 * An open model. Nothing of it is in memory but the header of its file.
 */
export class OpenModel {
  static name = "OpenModel";

  #parts;
  #beside;
  #vocabulary;

  /**
   * @param {Parts} parts @param {Roles} tensorNames
   * @param {Partial<Record<typeof TABLES[number], ModelTable>>} tables
   * @param {Description | undefined} config @param {readonly string[]} warnings
   */
  constructor(parts, tensorNames, tables, config, warnings) {
    this.#parts = parts;
    const beside = filesBeside(parts.place, parts.path);
    this.#beside = beside;
    this.#vocabulary = once((signal) => readVocabulary(parts.weights, beside, signal));
    /** "owner/name" on a hub; else that of its file or folder. @readonly */
    this.name = parts.place.name || parts.path;
    /** The commit on a hub that everything is read of. @readonly */
    this.revision = parts.place.revision;
    /** Of the file of weights. @readonly */
    this.format = parts.weights.format;
    /** The file of weights. @readonly */
    this.file = parts.path;
    /** Of all tensors. @readonly */
    this.names = parts.weights.names;
    /** Which tensor is what, by its name. @readonly */
    this.tensorNames = Object.freeze(tensorNames);
    /** What the model's configuration says, as `models.fromConfig` does. @readonly */
    this.config = config;
    /** What the configuration says doubtfully, or wrongly, in words. @readonly */
    this.warnings = Object.freeze([...warnings]);
    /**
     * The table of words. Its rows are the tokens', but where several share one (Model2Vec's `mapping`):
     * there `embed` finds them.
     * @readonly
     */
    this.wordEmbeddings = tables.wordEmbeddings;
    /** The table of learned positions. @readonly */
    this.positionEmbeddings = tables.positionEmbeddings;
    /** The table of segments. @readonly */
    this.tokenTypeEmbeddings = tables.tokenTypeEmbeddings;
    /** The output's rows; undefined where they are the table of words itself. @readonly */
    this.lmHead = tables.lmHead;
    Object.freeze(this);
  }

  /** The number of bytes read over the network so far. */
  get bytesRead() {
    return this.#parts.place.traffic().bytesRead;
  }

  /** The number of network requests so far. */
  get requests() {
    return this.#parts.place.traffic().requests;
  }

  /**
   * What the file says of one tensor.
   *
   * @param {string} name
   * @returns {Promise<Readonly<TensorInfo>>}
   * @throws {RangeError} if there is no tensor of this name
   */
  info(name) {
    return this.#parts.weights.info(name);
  }

  /**
   * What the file says of every tensor. Of a model in many files, each is asked for its header.
   *
   * @returns {Promise<readonly Readonly<TensorInfo>[]>}
   */
  list() {
    return Promise.all(this.names.map((name) => this.info(name)));
  }

  /**
   * Read any tensor, or some of its rows.
   *
   * Accuracy  what the file has, exactly; F64 and wide integers rounded once
   *
   * @param {string} name
   * @param {StoredOptions} [options]
   * @returns {Promise<Tensor>} float32, the caller's own
   * @throws {RangeError} if there is no tensor of this name, or no such rows
   * @throws {FileError | RemoteError} if the file does not give its bytes
   */
  async tensor(name, options) {
    const { phasor, weights } = this.#parts;
    return phasor.dtypes.decode(await weights.stored(name, options));
  }

  /**
   * Read the model's vocabulary: of tokenizer.json or vocab.txt beside the weights, or in a GGUF
   * file. It is read once.
   *
   * @param {{signal?: AbortSignal}} [options]  `signal`: ends the waiting with its reason, and the
   *   reading if nobody else waits for it
   * @returns {Promise<Vocabulary | undefined>} undefined if there is none
   * @throws {TypeError} if signal is no AbortSignal
   * @throws {FileError | RemoteError} if it cannot be read
   */
  async vocabulary(options) {
    /** @type {{signal?: AbortSignal}} */
    const defaults = { signal: undefined };
    return this.#vocabulary(check.options(options, defaults, "vocabulary").signal);
  }

  /**
   * Make a tokenizer of what came with the model, to have the ids of a text: tokenizer.json and, if it is
   * there, tokenizer_config.json beside the weights. They are read once, also for the vocabulary.
   *
   * @param {TokenizerClass} Tokenizer  of the optional peer `@huggingface/tokenizers`:
   *   `import { Tokenizer } from "@huggingface/tokenizers"`
   * @param {TokenizerOptions} [options]
   * @returns {Promise<TokenizerLike | undefined>} as `tokenizers.huggingface` gives it; undefined if there
   *   is no tokenizer.json
   * @throws {TypeError} if Tokenizer is no class, what it makes cannot encode and decode, or an option is
   *   of the wrong kind
   * @throws {FileError} OPEN_TOKENIZER: the file is no JSON, or Tokenizer does not take it; FILE_READ, ...
   * @throws {RemoteError} if the hub or the address does not give it
   * @see https://github.com/huggingface/tokenizers.js
   * @example
   * const { Tokenizer } = await import("@huggingface/tokenizers");
   * const model = { type: "WordLevel", vocab: { the: 0, cat: 1, sat: 2 }, unk_token: "the" };
   * const none = { added_tokens: [], normalizer: null, post_processor: null, decoder: null };
   * const json = JSON.stringify({ ...none, pre_tokenizer: { type: "Whitespace" }, model });
   * const weights = safetensors.write({ "wte.weight": [[1, 2], [3, 4], [5, 6]] });
   * const small = await open({ "model.safetensors": weights, "tokenizer.json": new Blob([json]) });
   * const tokenizer = await small.tokenizer(Tokenizer);
   * const ids = tokenizer.encode("the sat"); // the ids of a sentence
   * (await small.wordEmbeddings.rows(ids)).toArray() // [[1, 2], [5, 6]]
   */
  tokenizer(Tokenizer, options) {
    return readTokenizer(this.#beside, Tokenizer, options);
  }

  /**
   * Read the table of words into memory, and the vocabulary, to look for what there is to find.
   *
   * @param {Parameters<ModelTable["load"]>[0]} [options]  as `wordEmbeddings.load`: `dtype`, `signal`, `progress`
   * @returns {Promise<Explorer>} in WASM memory until `dispose()`
   * @throws {RangeError} if the model has no table of words
   * @throws {FileError | RemoteError} if the files do not give their bytes
   */
  async explore(options) {
    const { wordEmbeddings } = this;
    if (!wordEmbeddings)
      throw new RangeError("explore must be asked of a model with a table of words; got none");
    // Where several tokens share a row, no row is one token's own.
    const vocabulary = listsOf(this).mapping
      ? undefined
      : await this.vocabulary({ signal: options?.signal });
    const table = await wordEmbeddings.load(options);
    return explore(this.#parts.phasor, table, {
      vocabulary,
      rows: (ids) => wordEmbeddings.rows(ids),
    });
  }

  /**
   * What enters the model's first layer: rows of words, positions and segments as the model's own
   * code adds and normalises them. Only these rows are read. Of a static model (Model2Vec), each token's
   * row by its `mapping` times its own of `weights`.
   *
   * Shapes    ids [T] or [..., T] -> [..., T, D]
   *
   * @param {TensorInput} ids
   * @param {EmbedOptions} [options]
   * @returns {Promise<Tensor>} float32, the caller's own
   * @throws {RangeError} if the model's rule is not known: it has positions, and no configuration
   * @throws {FileError} OPEN_MAPPING: a token's row is none; or if the file does not give its bytes
   */
  embed(ids, options) {
    return embed(this, this.#parts.phasor, ids, options);
  }
}
