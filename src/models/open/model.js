/**
 * An open model: the tensors of its file, their roles, and its configuration.
 */
import { wrongShape } from "../../runtime/errors.js";
import { copied } from "../../runtime/input.js";
import { nameMethods } from "../../runtime/named.js";
import { parsed } from "../../runtime/json.js";
import { describe as describeConfig } from "../config.js";
import { filesBeside } from "./beside.js";
import { embed, listsOf } from "./embed.js";
import { explore } from "./explore.js";
import { FACTORS, fromGguf } from "./gguf.js";
import { isBesideWords, isOutput, mayBeTable, tensorNamesOf } from "./naming.js";
import { once } from "../../files/once.js";
import { readSafetensors } from "../../files/safetensors/safetensors.js";
import { readSignal } from "../../files/reading.js";
import { withMeaning } from "./packed.js";
import { inPart } from "./parts.js";
import { perLayer } from "./per_layer.js";
import { ModelTable } from "./table.js";
import { readTokenizer } from "./tokenizer.js";
import { readVocabulary } from "./vocabulary.js";

/**
 * @import {Phasor} from "../../index.js"
 * @import {Tensor, TensorInput} from "../../runtime/tensor.js"
 * @import {StoredOptions, TensorInfo, TokenizerLike, Vocabulary} from "../../files/index.js"
 * @import {Model as Description} from "../config.js"
 * @import {EmbedOptions} from "./embed.js"
 * @import {Stages} from "../input_embeddings/input_embeddings.js"
 * @import {Explorer} from "./explore.js"
 * @import {SentenceLayers} from "./modules.js"
 * @import {Roles} from "./naming.js"
 * @import {Place} from "./place.js"
 * @import {EncodeOptions, Ids, PoolOptions} from "./sentences.js"
 * @import {TokenizerClass, TokenizerOptions} from "./tokenizer.js"
 * @import {Weights} from "./weights.js"
 */

/**
 * @typedef {object} Parts
 * @property {Phasor} phasor
 * @property {Place} place
 * @property {string} path  of the weights file
 * @property {Weights} weights
 * @property {unknown} config  as passed by the caller
 */

const MOST_CONFIG_BYTES = 2 ** 20; // typically a few thousand

/** The roles of tables whose rows are as wide as the model. */
const TABLES = /** @type {const} */ ([
  "wordEmbeddings",
  "positionEmbeddings",
  "tokenTypeEmbeddings",
  "lmHead",
]);

/**
 * @param {Parts} parts @param {AbortSignal} signal  of the opening
 * @returns {Promise<OpenModel>}
 */
export async function modelOf(parts, signal) {
  const { phasor } = parts;
  const config = await configOf(parts, signal);
  const { description, warnings } = await describe(parts, config, signal);
  const facts = factsOf(config);
  const width = description?.tokens.width ?? description?.dim;
  /** @type {Set<string | undefined>} */
  const named = new Set();
  const { weights, problemOf } = withMeaning(parts.weights, {
    quantization: facts.quantization ?? facts.quantization_config,
    width: (name) => (mayBeTable(name) ? width : undefined),
    isTable: (name) => named.has(name),
  });
  const { part, shared } = weights;
  const isTied = facts.tie_word_embeddings ?? facts.text_config?.tie_word_embeddings;
  const tensors = await likely(weights, signal);
  const tensorNames = tensorNamesOf(tensors, { isPart: part !== undefined, isTied, shared });
  const all = [...(parts.place.warnings ?? []), ...warnings];
  if (part) {
    const got = `got part ${part.number} of ${part.count}, ${parts.path}`;
    all.push(`all files of the model must be open to know its tables (pass their folder); ${got}`);
  }
  if (isOutput(tensorNames.wordEmbeddings) && isTied !== true) {
    const rule = "the table of words must be in the file, or tie_word_embeddings be true";
    all.push(`${rule}; got ${tensorNames.wordEmbeddings} alone, taken for both`);
  }
  /** @type {Partial<Record<typeof TABLES[number], ModelTable>>} */
  const tables = {};
  for (const role of TABLES) {
    const name = tensorNames[role];
    if (name === undefined) continue;
    named.add(name);
    const table = new ModelTable(phasor, weights, await weights.info(name, { signal }));
    tables[role] = table;
    const problem = await problemOf(name, signal);
    const isWords = role === "wordEmbeddings" && description !== undefined;
    const strange = problem ?? (isWords ? misfit(description, table, weights.names) : undefined);
    if (strange !== undefined) all.push(strange);
  }
  const lost = part || tables.wordEmbeddings ? undefined : weights.names.find(isBesideWords);
  if (lost) all.push(`"${lost}" must have the numbers that it scales beside it; got none`);
  const { scheme, length } = description?.positions ?? {};
  if (
    scheme === "learnedPositions" &&
    !part &&
    tables.wordEmbeddings &&
    !tables.positionEmbeddings
  ) {
    const rows = length === undefined ? "" : ` of ${length} rows`;
    const rule = `the file must have a table${rows} of learned positions as the configuration says`;
    all.push(`${rule}; got none of a known name: is it the configuration of another model?`);
  }
  return new OpenModel({ ...parts, weights }, tensorNames, tables, description, all);
}

/** The most values of a config.json whose quantization is read. */
const MOST_VALUES = 2 ** 16;

/**
 * What a configuration says that no description has.
 * @param {unknown} config
 * @returns {Record<string, any>}
 */
function factsOf(config) {
  try {
    return Object(typeof config === "string" ? parsed(config, MOST_VALUES) : config);
  } catch {
    return {}; // the description has a warning
  }
}

/**
 * A warning where the configuration describes another table of words than that of the file.
 * @param {Description} description @param {ModelTable} table @param {readonly string[]} names
 * @returns {string | undefined}
 */
function misfit({ vocabulary, dim, tokens, positions }, table, names) {
  if (positions.reasons) return undefined; // of unknown families the sizes may mean something else
  const width = tokens.width ?? dim;
  // With a mapping, tokens share rows.
  const isFewer = names.includes("mapping") || vocabulary === undefined;
  const [V, D] = table.shape;
  if ((isFewer || vocabulary === V) && (width === undefined || width === D)) return undefined;
  const expected = `${isFewer ? V : vocabulary} x ${width ?? D}`;
  const rule = `${table.name} must be ${expected} as the configuration says`;
  return `${rule}; got ${V} x ${D}: is it the configuration of another model?`;
}

/**
 * Describes the tensors that may be tables of the model. In a model of several files these are only tensors with known
 * names, so that no unneeded file is opened.
 * @param {Weights} weights @param {AbortSignal} signal
 */
async function likely(weights, signal) {
  const { names, isSharded } = weights;
  const wanted = isSharded ? names.filter(mayBeTable) : names;
  return Promise.all(wanted.map((name) => weights.info(name, { signal })));
}

/** The most numbers of a tensor of rotary factors: half the width of a head. */
const MOST_FACTORS = 65536;

/**
 * The factors of rotary frequencies that a GGUF file holds as tensors.
 * @param {Phasor} phasor @param {Weights} weights @param {AbortSignal} signal
 * @returns {Promise<Record<string, Float32Array>>}
 */
async function rotaryFactors(phasor, weights, signal) {
  const names = Object.values(FACTORS).filter((name) => weights.names.includes(name));
  const entries = names.map(async (name) => {
    const { shape } = await weights.info(name, { signal });
    if (shape.length !== 1 || shape[0] > MOST_FACTORS) {
      throw wrongShape(name, `[R / 2] with at most ${MOST_FACTORS} numbers`, shape);
    }
    const { data } = phasor.dtypes.decode(await weights.stored(name, { signal }));
    return [name, data];
  });
  return Object.fromEntries(await Promise.all(entries));
}

/**
 * The configuration that the caller passed, or the text of config.json beside the weights.
 * @param {Parts} parts @param {AbortSignal} signal
 * @returns {Promise<unknown>}
 */
async function configOf({ place, path, weights, config }, signal) {
  const beside = `${path.slice(0, path.lastIndexOf("/") + 1)}config.json`;
  if (config !== undefined || weights.format === "gguf" || !place.files.includes(beside)) {
    return config;
  }
  return place.text(beside, MOST_CONFIG_BYTES, signal);
}

/**
 * Describes the model. An invalid configuration that the caller did not pass becomes a warning; the model still opens.
 * @param {Parts} parts @param {unknown} config @param {AbortSignal} signal
 * @returns {Promise<{description: Description | undefined, warnings: string[]}>}
 */
async function describe({ phasor, weights, config: passed }, config, signal) {
  const described = async () =>
    weights.format === "gguf" && config === undefined
      ? fromGguf(weights.metadata, { tensors: await rotaryFactors(phasor, weights, signal) })
      : config === undefined
        ? undefined
        : describeConfig(config, { apart: ["quantization", "quantization_config"] });
  try {
    const description = await described();
    return { description, warnings: description?.warnings ?? [] };
  } catch (error) {
    const { name, message } = /** @type {Error} */ (error);
    if (passed !== undefined || (name !== "TypeError" && name !== "RangeError")) throw error;
    return { description: undefined, warnings: [message] };
  }
}

/**
 * An open model. Only the header of its file is in memory.
 */
export class OpenModel {
  static name = "OpenModel";

  #parts;
  #beside;
  #vocabulary;
  #sentences;

  /**
   * @param {Parts} parts @param {Roles} tensorNames
   * @param {Partial<Record<typeof TABLES[number], ModelTable>>} tables
   * @param {Description | undefined} config @param {readonly string[]} warnings
   */
  constructor(parts, tensorNames, tables, config, warnings) {
    nameMethods(OpenModel);
    this.#parts = parts;
    const beside = filesBeside(parts.place, parts.path);
    this.#beside = beside;
    this.#vocabulary = once((signal) => readVocabulary(parts.weights, beside, signal));
    /** Few models are opened for sentences: what makes their vectors is loaded on first use. */
    this.#sentences = once(async () => {
      const { sentencesOf } = await import("./sentences.js");
      return sentencesOf({ ...parts, readSafetensors }, beside, this);
    });
    /** "owner/name" on a hub, otherwise the name of the file or folder. @readonly */
    this.name = parts.place.name || parts.path;
    /** The commit on a hub. @readonly */
    this.revision = parts.place.revision;
    /** The format of the weights file. @readonly */
    this.format = parts.weights.format;
    /** The path of the weights file. @readonly */
    this.file = parts.path;
    /**
     * Which part of a model the file is, counted from 1, if the others are not open: what is undefined here may be in
     * them. Undefined for a whole model.
     * @readonly
     */
    this.part = parts.weights.part;
    /** The names of all tensors. @readonly */
    this.names = parts.weights.names;
    /** The tensor name of each role. @readonly */
    this.tensorNames = Object.freeze(tensorNames);
    /** The model's configuration, as `models.fromConfig` returns it. @readonly */
    this.config = config;
    /** Non-fatal problems found in the configuration, and that a hub has the model under another name. @readonly */
    this.warnings = Object.freeze([...warnings]);
    /**
     * The word embeddings. Row i belongs to token i, except where tokens share rows (Model2Vec's `mapping`): use
     * `embed` there.
     * @readonly
     */
    this.wordEmbeddings = tables.wordEmbeddings;
    /** The learned position embeddings. @readonly */
    this.positionEmbeddings = tables.positionEmbeddings;
    /** The token type (segment) embeddings. @readonly */
    this.tokenTypeEmbeddings = tables.tokenTypeEmbeddings;
    /**
     * The output projection; undefined where it shares the word embeddings, where there is none, and where it may be in
     * another `part`.
     * @readonly
     */
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
   * Returns the description of one tensor in the file.
   *
   * @param {string} name
   * @param {{signal?: AbortSignal}} [options]  `signal`: aborts the read
   * @returns {Promise<Readonly<TensorInfo>>}
   * @throws {RangeError} if there is no tensor of this name
   * @throws {TypeError} if signal is not an AbortSignal
   */
  async info(name, options) {
    const { signal } = readSignal(options);
    return this.#parts.weights.info(name, { signal });
  }

  /**
   * Returns the description of every tensor. In a model of several files this reads the header of each.
   *
   * @param {{signal?: AbortSignal}} [options]  `signal`: aborts the read
   * @returns {Promise<readonly Readonly<TensorInfo>[]>}
   * @throws {TypeError} if signal is not an AbortSignal
   */
  async list(options) {
    const given = readSignal(options);
    return Promise.all(this.names.map((name) => this.info(name, given)));
  }

  /**
   * Reads any tensor, or some of its rows. Quantized tensors are computed from the scales beside them.
   *
   * Accuracy  exact; float64, wide integers and products with scales are rounded once
   *
   * @param {string} name
   * @param {StoredOptions} [options]
   * @returns {Promise<Tensor>} float32
   * @throws {RangeError} if there is no tensor of this name, or no such rows
   * @throws {FileError | RemoteError} if the file cannot be read; OPEN_QUANTIZED: its numbers mean nothing without
   *   another tensor, by a rule that is not known here. `safetensors.read` reads them as they are stored
   */
  async tensor(name, options) {
    const { phasor, weights } = this.#parts;
    return phasor.dtypes.decode(await weights.stored(name, copied(options)));
  }

  /**
   * Reads the model's vocabulary from tokenizer.json or vocab.txt beside the weights, or from a GGUF file. It is
   * read once.
   *
   * @param {{signal?: AbortSignal}} [options]  `signal`: stops waiting with its reason, and
   *   aborts the read if no other caller waits for it
   * @returns {Promise<Vocabulary | undefined>} undefined if there is none
   * @throws {TypeError} if signal is not an AbortSignal
   * @throws {FileError | RemoteError} if it cannot be read
   */
  async vocabulary(options) {
    return this.#vocabulary(readSignal(options).signal);
  }

  /**
   * Creates a tokenizer from tokenizer.json and, if present, tokenizer_config.json beside the weights. They are read
   * once, also for the vocabulary.
   *
   * @param {TokenizerClass} Tokenizer  of the optional peer `@huggingface/tokenizers`:
   *   `import { Tokenizer } from "@huggingface/tokenizers"`
   * @param {TokenizerOptions} [options]
   * @returns {Promise<TokenizerLike | undefined>} as `tokenizers.huggingface` returns it; undefined if
   *   there is no tokenizer.json
   * @throws {TypeError} if Tokenizer is not a class, its instances cannot encode and decode, or an option has
   *   the wrong type
   * @throws {FileError} OPEN_TOKENIZER: the file is not JSON, or Tokenizer rejects it; FILE_READ, ...
   * @throws {RemoteError} if the hub or the address cannot be read
   * @see https://github.com/huggingface/tokenizers.js
   * @example
   * const { Tokenizer } = await import("@huggingface/tokenizers");
   * const model = { type: "WordLevel", vocab: { the: 0, cat: 1, sat: 2 }, unk_token: "the" };
   * const none = { added_tokens: [], normalizer: null, post_processor: null, decoder: null };
   * const json = JSON.stringify({ ...none, pre_tokenizer: { type: "Whitespace" }, model });
   * const weights = safetensors.write({ "wte.weight": [[1, 2], [3, 4], [5, 6]] });
   * const small = await open({ "model.safetensors": weights, "tokenizer.json": new Blob([json]) });
   * const tokenizer = await small.tokenizer(Tokenizer);
   * const ids = tokenizer?.encode("the sat") ?? []; // the ids of a sentence
   * const rows = await small.wordEmbeddings?.rows(ids);
   * rows?.toArray() // [[1, 2], [5, 6]]
   */
  tokenizer(Tokenizer, options) {
    return readTokenizer(this.#beside, Tokenizer, options);
  }

  /**
   * Loads the table of words and the vocabulary, for searches, analogies and maps.
   *
   * @param {Parameters<ModelTable["load"]>[0]} [options]  as `wordEmbeddings.load`: `dtype`, `signal`, `progress`
   * @returns {Promise<Explorer>} in WASM memory until `dispose()`
   * @throws {RangeError} if the model has no table of words
   * @throws {FileError | RemoteError} if the files cannot be read
   */
  async explore(options) {
    const { wordEmbeddings } = this;
    if (!wordEmbeddings) {
      throw new RangeError(`cannot explore: the model has no table of words${inPart(this.part)}`);
    }
    const own = copied(options);
    // Where tokens share rows, a row has no single text.
    const vocabulary = listsOf(this).mapping
      ? undefined
      : await this.vocabulary({ signal: own?.signal });
    const table = await wordEmbeddings.load(own);
    return explore(this.#parts.phasor, table, {
      vocabulary,
      rows: (ids) => wordEmbeddings.rows(ids),
    });
  }

  /**
   * Computes the input of the model's first layer, as `inputEmbeddings` does by the model's configuration. Only
   * the rows that the tokens need are read. In a static model (Model2Vec), `mapping` names the row of each
   * token, and `weights` has a factor for each.
   *
   * Shapes    ids [T] or [..., T] -> [..., T, D]
   *
   * @template {boolean} [Shown=false]
   * @param {TensorInput} ids
   * @param {EmbedOptions & {intermediates?: Shown}} [options]
   * @returns {Promise<Shown extends true ? Stages : Tensor>} float32, or all steps
   * @throws {RangeError} if the model's rule is not known: its scheme, or tables without a configuration, or
   *   tables of which the configuration says nothing
   * @throws {FileError} OPEN_MAPPING: `mapping` names a row that does not exist; or if the file cannot be read
   */
  embed(ids, options) {
    return /** @type {Promise<any>} */ (embed(this, this.#parts.phasor, ids, options));
  }

  /**
   * Computes the rows that every layer gets besides its input, in Gemma 3n and 4, from the rows alone that the tokens
   * need.
   *
   *     rows[..., l, :] = (n[..., l, :] + p[id, l, :] sqrt(E)) / sqrt(2)
   *     n = RMSNorm over E of (words sqrt(D)) projection^T / sqrt(D),   p the further table
   *
   * Shapes    ids [..., T] -> [..., T, L, E] for L layers
   * Accuracy  each step rounded once to float32
   *
   * @param {TensorInput} ids  tokens; those beyond the further table have its row 0
   * @param {{signal?: AbortSignal}} [options]  `signal` aborts the read
   * @returns {Promise<Tensor>} float32
   * @throws {TypeError | RangeError} if the model has no such rows, its tensors do not fit, or an argument is invalid
   * @throws {RemoteError} if a remote file cannot be read
   * @see transformers, models/gemma4/modeling_gemma4.py, project_per_layer_inputs
   */
  perLayer(ids, options) {
    return perLayer(this, this.#parts.phasor, ids, options);
  }

  /**
   * Reads how the model makes a sentence vector: modules.json of Sentence Transformers with the files that it names,
   * the configuration of Model2Vec, or `pooling_type` of a GGUF file. It is read once.
   *
   * @param {{signal?: AbortSignal}} [options]  `signal`: stops waiting with its reason, and aborts the read if no
   *   other caller waits for it
   * @returns {Promise<SentenceLayers | undefined>} undefined if the model says nothing about sentences
   * @throws {FileError} OPEN_MODULES: a file does not have the structure that it must have, or names a module that is
   *   not known here, or the GGUF file's pooling gives no vector
   * @throws {RemoteError} if the hub cannot be read
   * @see Sentence Transformers, https://sbert.net; llama.cpp, llama_pooling_type; Model2Vec, https://github.com/MinishLab/model2vec
   * @example
   * const st = "sentence_transformers.models.";
   * const modules = [
   *   { path: "", type: `${st}Transformer` },
   *   { path: "1_Pooling", type: `${st}Pooling` },
   *   { path: "2_Normalize", type: `${st}Normalize` },
   * ];
   * const files = {
   *   "model.safetensors": safetensors.write({ "embeddings.word_embeddings.weight": [[1, 2]] }),
   *   "modules.json": new Blob([JSON.stringify(modules)]),
   *   "1_Pooling/config.json": new Blob(['{"word_embedding_dimension": 2, "pooling_mode_cls_token": true}']),
   * };
   * const bert = await open(files);
   * (await bert.sentences())?.pooling?.mode // ["cls"]
   * const hidden = [[[3, 4], [5, 6]]]; // of your transformer, [B, T, D]
   * (await bert.pool(hidden)).at(0, 1) // 0.800000011920929
   */
  async sentences(options) {
    const reading = readSignal(options);
    return (await this.#sentences()).layers(reading);
  }

  /**
   * Computes sentence vectors of the hidden states that a transformer computed, by the layers that `sentences` returns:
   * pooling, linear layers, normalization. With `dim`, the first columns are kept and the vectors get length 1 after
   * that if the model's do.
   *
   * Shapes    hidden [B, T, D] -> [B, W], [T, D] -> [W]
   * Accuracy  each layer rounded once
   *
   * @param {TensorInput} hidden  the last hidden states
   * @param {PoolOptions} [options]
   * @returns {Promise<Tensor>} float32
   * @throws {TypeError | RangeError} if the model has no such layers, shapes do not agree, or an option is invalid
   * @throws {FileError} OPEN_MODULES, as `sentences`, or the weights of a linear layer are not those that it needs
   * @throws {RemoteError} if the hub cannot be read
   */
  async pool(hidden, options) {
    const [own, more] = [copied(hidden), copied(options)];
    return (await this.#sentences()).pool(own, more);
  }

  /**
   * Computes the vectors of texts with a static model: the mean of the rows of their tokens. No transformer is needed.
   *
   *     Model2Vec               the text is cut to 512 (`max_length`) times the median length of a token, its ids to
   *                             512; unknown tokens are left out; a row is embeddings[mapping[id]] * weights[id]
   *     Sentence Transformers   all tokens count, as many as tokenizer.json says
   *
   * A text without tokens has the vector 0. Over the network only the rows that the texts need are read; a local table
   * is read once.
   *
   * Shapes    N texts -> [N, W]; one string -> [W]
   * Accuracy  the mean in double, rounded once, and once more for the length
   *
   * @param {string | readonly (string | Ids)[]} texts  strings, or lists of the ids of their tokens, which
   *   are used as they are
   * @param {EncodeOptions} [options]
   * @returns {Promise<Tensor>} float32
   * @throws {TypeError | RangeError} if the model needs a transformer, an argument is invalid, or a token has no row
   * @throws {FileError} OPEN_MODULES, as `sentences`; OPEN_TOKENIZER: there is no valid tokenizer.json; OPEN_MAPPING:
   *   `mapping` names a row that does not exist
   * @throws {RemoteError} if the hub cannot be read
   * @see Model2Vec, https://github.com/MinishLab/model2vec; Sentence Transformers, class StaticEmbedding
   * @example
   * const config = new Blob(['{"normalize": true}']);
   * const table = safetensors.write({ embeddings: [[3, 0], [0, 4], [1, 1]] });
   * const small = await open({ "model.safetensors": table, "config.json": config });
   * (await small.encode([[0, 1]])).toArray() // [[0.6000000238418579, 0.800000011920929]]
   */
  async encode(texts, options) {
    const [own, more] = [copied(texts), copied(options, 1)]; // a tokenizer stays itself
    return (await this.#sentences()).encode(own, more);
  }
}
