import { describe, integer } from "../../runtime/check.js";
import { FileError } from "../../runtime/errors.js";
import { nameMethods, namespace } from "../../runtime/named.js";
import { bytesOf as readable } from "../bytes.js";
import { kindOf } from "../kind.js";
import { readSignal } from "../reading.js";
import { bytesOf, spellingsOf, textOf } from "./spelling.js";
import { readTokenizerJson } from "./tokenizer_json.js";

/**
 * @import {Source} from "../bytes.js"
 * @import {Spelling} from "./spelling.js"
 */

const MAX_BYTES = 2 ** 27; // a limit of this reader: the largest tokenizer.json have about 30 MB
const MAX_TOKENS = 2 ** 22;

/**
 * The contents of a vocabulary file.
 * @typedef {object} Found
 * @property {string[]} tokens  by id; "" where there is none
 * @property {Map<string, number>} [ids]  by token. Default: the last id of each, as in llama.cpp's map of them
 *   (src/llama-vocab.cpp, which then stops at a file where one repeats)
 * @property {Spelling} spelling
 * @property {ReadonlySet<number>} literal  ids of tokens that are spelled literally
 * @property {readonly number[]} special
 * @property {Float32Array} [scores]
 */

/** The kinds of tokens in GGUF's token_type. */
const UNKNOWN = 2;
const CONTROL = 3;
const USER_DEFINED = 4;

/** The spelling of each tokenizer model of GGUF. @type {ReadonlyMap<unknown, Spelling["style"]>} */
const GGUF_STYLES = new Map([
  ["gpt2", "bytes"],
  ["llama", "sentencepiece"],
  ["gemma4", "sentencepiece"],
  ["t5", "sentencepiece"],
  ["bert", "sentencepiece"], // writes "▁cat" for "cat", and "ing" for "##ing"
]);

/** BERT's names of tokens without text. */
const BERT_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];

/**
 * Reads vocabularies, which map tokens to ids, from the files of models. They do not split text into tokens; use
 * a tokenizer for that.
 */
export const vocabulary = /* @__PURE__ */ namespace("vocabulary", {
  /**
   * Reads a `tokenizer.json` of any model type: BPE, WordPiece, Unigram or WordLevel.
   *
   * @param {Source} source  as of `safetensors.read`
   * @param {{signal?: AbortSignal}} [options]  `signal`: aborts the read
   * @returns {Promise<Vocabulary>} the vocabulary
   * @throws {TypeError} if source is not a source
   * @throws {FileError} if the file is invalid; its `code` names the rule: VOCABULARY_LENGTH,
   *   _KIND (a Git LFS pointer, an HTML page, a gzip file), _UTF8, _JSON
   *   (syntax), _MODEL (an unknown type), _IDS (a gap or an overlap), _DUPLICATE (a repeated key);
   *   or FILE_READ: the source did not return its bytes
   * @see https://github.com/huggingface/tokenizers
   * @example
   * const model = { type: "BPE", vocab: { a: 0, "Ġa": 1 }, merges: [] };
   * const json = JSON.stringify({ model, decoder: { type: "ByteLevel" } });
   * const words = await vocabulary.tokenizerJson(new Blob([json]));
   * words.find(" a") // 1
   */
  async tokenizerJson(source, options) {
    const text = await readText(source, options);
    return new Vocabulary(readTokenizerJson(text, MAX_TOKENS));
  },

  /**
   * Reads BERT's `vocab.txt`: one token per line, the first has id 0; continuations of a word begin with ##.
   *
   * @param {Source} source  as of `safetensors.read`
   * @param {{signal?: AbortSignal}} [options]  `signal`: aborts the read
   * @returns {Promise<Vocabulary>} the vocabulary
   * @throws {TypeError} if source is not a source
   * @throws {FileError} VOCABULARY_LENGTH, _KIND, _UTF8; or FILE_READ: the source did not return its bytes
   * @see https://github.com/google-research/bert
   * @example
   * const words = await vocabulary.wordPiece(new Blob(["[PAD]\nplay\n##ing\n"]));
   * words.text(2) // "ing"
   */
  async wordPiece(source, options) {
    const tokens = linesOf(await readText(source, options));
    const special = tokens.flatMap((token, id) => (BERT_SPECIAL.includes(token) ? id : []));
    const spelling = /** @type {const} */ ({ style: "plain", prefix: "##", suffix: "" });
    return new Vocabulary({ tokens, spelling, special, literal: new Set(special) });
  },

  /**
   * Reads a list of words: one word per line, the first has id 0.
   *
   * @param {Source | readonly string[]} source  as of `safetensors.read`, or the words themselves
   * @param {{signal?: AbortSignal}} [options]  `signal`: aborts the read
   * @returns {Promise<Vocabulary>} the vocabulary
   * @throws {TypeError} if source is not a source, or a word is not a string
   * @throws {FileError} VOCABULARY_LENGTH, _KIND, _UTF8; or FILE_READ: the source did not return its bytes
   * @see https://nlp.stanford.edu/projects/glove/
   * @example
   * const words = await vocabulary.words(["the", "of"]);
   * words.find("of") // 1
   */
  async words(source, options) {
    const isList = Array.isArray(source);
    const tokens = isList
      ? Array.from(source, checkedWord)
      : linesOf(await readText(/** @type {Source} */ (source), options));
    const spelling = /** @type {const} */ ({ style: "plain", suffix: "" });
    return new Vocabulary({ tokens, spelling, special: [], literal: new Set() });
  },

  /**
   * Reads the vocabulary in the metadata of a GGUF file.
   *
   * @param {ReadonlyMap<string, unknown>} metadata  of `gguf.read`
   * @returns {Vocabulary} the vocabulary
   * @throws {TypeError} if metadata is not a Map
   * @throws {FileError} VOCABULARY_MODEL (unknown tokenizer.ggml.model), VOCABULARY_METADATA (a list is missing
   *   or has another type or length)
   * @see https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
   * @example
   * const pairs = { "tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": ["▁a", "<0x0A>"] };
   * const metadata = new Map(Object.entries(pairs));
   * vocabulary.gguf(metadata).find(" a") // 0
   */
  gguf(metadata) {
    if (Object.prototype.toString.call(metadata) !== "[object Map]") {
      throw new TypeError(`metadata must be a Map; got ${describe(metadata)}`);
    }
    const model = metadata.get("tokenizer.ggml.model");
    const style = GGUF_STYLES.get(model);
    if (style === undefined) {
      const known = [...GGUF_STYLES.keys()].join(", ");
      refuse("MODEL", `tokenizer.ggml.model must be one of ${known}`, describe(model));
    }
    const tokens = metadata.get("tokenizer.ggml.tokens");
    if (!Array.isArray(tokens) || tokens.some((token) => typeof token !== "string")) {
      refuse("METADATA", "tokenizer.ggml.tokens must be strings", describe(tokens));
    }
    const types = listOf(metadata, "tokenizer.ggml.token_type", tokens.length);
    const scores = listOf(metadata, "tokenizer.ggml.scores", tokens.length);
    /** @param {...number} kinds */
    const of = (...kinds) =>
      tokens.flatMap((_, id) => (types && kinds.includes(Number(types[id])) ? id : []));
    return new Vocabulary({
      tokens: [...tokens],
      spelling: { style, suffix: "" },
      special: of(UNKNOWN, CONTROL),
      literal: new Set(of(UNKNOWN, CONTROL, USER_DEFINED)),
      scores: scores && Float32Array.from(scores, Number),
    });
  },
});

/**
 * Maps ids to tokens and tokens to ids. A token is a sequence of bytes: often a word or part of one with the preceding
 * space, sometimes part of a character.
 */
export class Vocabulary {
  static name = "Vocabulary";

  #spelling;
  #literal;
  /** By spelling. */
  #ids;

  /** @param {Found} found */
  constructor({ tokens, ids, spelling, special, literal, scores }) {
    nameMethods(Vocabulary);
    this.#ids = ids ?? new Map();
    if (!ids) for (const [id, token] of tokens.entries()) this.#ids.set(token, id);
    this.#ids.delete(""); // an id without a token
    this.#spelling = spelling;
    this.#literal = literal;
    /** The tokens by id, in the spelling of the file ("Ġcat", "▁cat", "##ing"); "" for an id without one. @readonly @type {readonly string[]} */
    this.tokens = Object.freeze(tokens);
    /** The number of ids. @readonly */
    this.size = tokens.length;
    /** The ids of tokens without text, such as beginning, end and padding. @readonly @type {readonly number[]} */
    this.special = Object.freeze([...special].sort((a, b) => a - b));
    /** The score of each token, if the file has them: in SentencePiece, its log probability. @readonly */
    this.scores = scores;
    Object.freeze(this);
  }

  /**
   * Returns the bytes of a token. Those of a special token are its name.
   *
   * @param {number} id
   * @returns {Uint8Array<ArrayBuffer>} a copy
   * @throws {TypeError}  if id is not a number
   * @throws {RangeError} if there is no such id
   */
  bytes(id) {
    const token = this.tokens[integer(id, "id", 0, this.size - 1)];
    return this.#literal.has(id) ? new TextEncoder().encode(token) : bytesOf(token, this.#spelling);
  }

  /**
   * Returns the text of a token. Bytes that are not part of a complete UTF-8 character become <0xE2>.
   *
   * @param {number} id
   * @returns {string}
   * @throws {TypeError}  if id is not a number
   * @throws {RangeError} if there is no such id
   */
  text(id) {
    return textOf(this.bytes(id));
  }

  /**
   * Returns the id of the token that is exactly this text, including spaces, or has this spelling in the file.
   *
   * @param {string} text  " cat", "Ġcat" or "##ing"
   * @returns {number | undefined} the last id where a token repeats; undefined if there is none
   * @throws {TypeError} if text is not a string
   */
  find(text) {
    if (typeof text !== "string")
      throw new TypeError(`text must be a string; got ${describe(text)}`);
    for (const spelling of spellingsOf(text, this.#spelling)) {
      const id = this.#ids.get(spelling);
      if (id !== undefined) return id;
    }
    return undefined;
  }
}

/**
 * A metadata list with one number of any type for each token, if there is one: writers differ in the type.
 * @param {ReadonlyMap<string, unknown>} metadata @param {string} key @param {number} length
 * @returns {ArrayLike<number | bigint> | undefined}
 */
function listOf(metadata, key, length) {
  const list = /** @type {any} */ (metadata.get(key));
  if (list === undefined || (ArrayBuffer.isView(list) && Object(list).length === length)) {
    return /** @type {any} */ (list);
  }
  return refuse("METADATA", `${key} must be ${length} numbers in a typed array`, describe(list));
}

/** @param {unknown} word @param {number} at */
function checkedWord(word, at) {
  if (typeof word === "string") return word;
  throw new TypeError(`source must hold strings; got ${describe(word)} at ${at}`);
}

/** @param {string} text */
function linesOf(text) {
  let lines = 0;
  for (let at = -1; (at = text.indexOf("\n", at + 1)) >= 0;) ++lines;
  if (text !== "" && !text.endsWith("\n")) ++lines; // the last line may end with a line break
  if (lines > MAX_TOKENS) refuse("LENGTH", `file must have at most ${MAX_TOKENS} lines`, lines);
  let at = 0;
  return Array.from({ length: lines }, () => {
    const end = text.indexOf("\n", at);
    const line = text.slice(at, end < 0 ? text.length : end);
    at = end + 1;
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  });
}

/**
 * Reads a file as text.
 * @param {Source} source @param {{signal?: AbortSignal} | undefined} given
 */
async function readText(source, given) {
  const { signal } = readSignal(given);
  const { size, read } = readable(source);
  if (size > MAX_BYTES) refuse("LENGTH", `file must be at most ${MAX_BYTES} bytes long`, size);
  const bytes = await read(0, size, { signal });
  const kind = size > 0 ? kindOf(bytes) : undefined;
  if (kind !== undefined) refuse("KIND", "file must be a vocabulary", kind);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    return refuse("UTF8", "file must be UTF-8", "other bytes", cause);
  }
}

/**
 * @param {string} rule @param {string} message @param {unknown} got @param {unknown} [cause]
 * @returns {never}
 */
function refuse(rule, message, got, cause) {
  throw new FileError(`VOCABULARY_${rule}`, `${message}; got ${got}`, { cause });
}
