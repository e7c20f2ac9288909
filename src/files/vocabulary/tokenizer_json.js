import { describe } from "../../runtime/check.js";
import { FileError } from "../../runtime/errors.js";
import { Json } from "../json.js";

/**
 * @import {JsonValue} from "../json.js"
 * @import {Style} from "./spelling.js"
 * @import {Found} from "./vocabulary.js"
 */

/** The spelling that each part of a tokenizer implies. @type {ReadonlyMap<JsonValue | void, Style>} */
const STYLES = new Map([
  ["ByteLevel", "bytes"],
  ["Metaspace", "sentencepiece"],
  ["ByteFallback", "sentencepiece"],
]);

/** The keys of the file and of its model that say how tokens are spelled. */
const PARTS = new Set(["decoder", "pre_tokenizer", "normalizer"]);
const MODEL = new Set(
  "type continuing_subword_prefix end_of_word_suffix max_input_chars_per_word byte_fallback".split(
    " ",
  ),
);

/**
 * Reads the vocabulary in a `tokenizer.json`. Keys may have any order; those that do not concern tokens are
 * checked, and nothing of them is kept.
 *
 * @param {string} text
 * @param {number} most  tokens
 * @returns {Found}
 */
export function readTokenizerJson(text, most) {
  const json = new Json(text, "VOCABULARY", "JSON");
  /** @type {Map<string, JsonValue | void>} */
  let model = new Map();
  /** @type {Named | undefined} */
  let vocab;
  /** @type {readonly Added[]} */
  let added = [];
  const file = json.object((key) => {
    if (PARTS.has(key)) return json.value();
    if (key === "added_tokens") added = readAdded(json, most);
    else if (key !== "model") json.ignore();
    else {
      model = json.object((key) => {
        if (MODEL.has(key)) return json.value();
        if (key === "vocab")
          vocab = json.peek() === "[" ? readScored(json, most) : readIds(json, most);
        else json.ignore();
      });
    }
  });
  json.end();
  if (vocab === undefined) refuse("MODEL", "tokenizer must have a model with a vocab", "none");
  const [prefix, suffix] = ["continuing_subword_prefix", "end_of_word_suffix"].map((key) => {
    const value = model.get(key);
    return typeof value === "string" ? value : undefined;
  });
  // Older files have no type; only WordPiece has a word length limit.
  const isWordPiece =
    model.get("type") === "WordPiece" ||
    (!model.has("type") && model.has("max_input_chars_per_word"));
  const { tokens, ids } = vocab;
  complete(vocab, added, most);
  return {
    tokens,
    ids,
    spelling: {
      style: isWordPiece ? "plain" : styleOf(file, model),
      prefix: prefix ?? (isWordPiece ? "##" : ""),
      suffix: suffix ?? "",
    },
    literal: new Set(added.map(({ id }) => id)),
    special: added.filter(({ isSpecial }) => isSpecial).map(({ id }) => id),
    scores: vocab.scores,
  };
}

/**
 * `tokens` by id, with holes; `ids` by token: the last one of a token that repeats, as in tokenizers and Python's json.
 * @typedef {{tokens: string[], ids: Map<string, number>, scores?: Float32Array}} Named
 * @typedef {{id: number, content: string, isSpecial: boolean}} Added
 */

/**
 * {"token": id, ...}, each id for one token
 * @param {Json} json @param {number} most
 * @returns {Named}
 */
function readIds(json, most) {
  /** @type {Named} */
  const { tokens, ids } = { tokens: [], ids: new Map() };
  json.pairs((token) => {
    const id = json.integer();
    if (id >= most) refuse("IDS", `ids must be below ${most}`, id);
    if ((tokens[id] ?? token) !== token) {
      refuse("IDS", `id ${id} must have one token`, describe(token));
    }
    tokens[id] = token;
    ids.set(token, id);
  });
  return { tokens, ids };
}

/**
 * [["token", score], ...]
 * @param {Json} json @param {number} most
 * @returns {Named}
 */
function readScored(json, most) {
  /** @type {Named} */
  const { tokens, ids } = { tokens: [], ids: new Map() };
  const scores = json.array(() => {
    json.need("[");
    const token = json.string();
    ids.set(token, tokens.push(token) - 1);
    json.need(",");
    const score = json.number();
    json.need("]");
    return score;
  }, most);
  return { tokens, ids, scores: Float32Array.from(scores) };
}

/**
 * [{"id": id, "content": "token", "special": true, ...}, ...], or null
 * @param {Json} json @param {number} most
 * @returns {Added[]}
 */
function readAdded(json, most) {
  if (json.peek() !== "[") {
    if (json.value() === null) return [];
    json.refuse("a list of added_tokens");
  }
  return json.array(() => {
    /** @type {number | undefined} */
    let id;
    let content = "";
    let isSpecial = false;
    const begin = json.skip();
    json.object((key) => {
      if (key === "id") id = json.integer();
      else if (key === "content") content = json.string();
      else if (key === "special") isSpecial = json.value() === true;
      else json.ignore();
    });
    if (id !== undefined && content !== "") return { id, content, isSpecial };
    return json.refuse("an id and a content of each of added_tokens", begin);
  }, most);
}

/**
 * Adds the added tokens, which may repeat a token of the vocabulary: the look-up gives that, as tokenizers does.
 * @param {Named} vocab @param {readonly Added[]} added @param {number} most
 */
function complete({ tokens, ids }, added, most) {
  let known = added.length;
  for (const token of tokens) if (token !== undefined) ++known;
  const size = added.reduce((size, { id }) => Math.max(size, id + 1), tokens.length);
  // Some models leave a few ids without a token; millions of them would be an error.
  if (size > most || size > 2 * known) {
    refuse("IDS", `ids must be below ${Math.min(most, 2 * known)} for ${known} tokens`, size - 1);
  }
  for (const { id, content } of added) {
    if ((tokens[id] ?? content) !== content) {
      const both = `${describe(tokens[id])} and ${describe(content)}`;
      refuse("IDS", `id ${id} must have one token`, both);
    }
    tokens[id] = content;
    if (!ids.has(content)) ids.set(content, id);
  }
  for (let id = 0; id < size; ++id) tokens[id] ??= "";
}

/**
 * @param {ReadonlyMap<string, JsonValue | void>} file @param {ReadonlyMap<string, JsonValue | void>} model
 * @returns {Style}
 */
function styleOf(file, model) {
  for (const part of ["decoder", "pre_tokenizer", "normalizer"]) {
    const style = styleIn(file.get(part));
    if (style !== undefined) return style;
  }
  return model.get("byte_fallback") === true ? "sentencepiece" : "plain";
}

/**
 * @param {any} part  of the tokenizer, which may be a sequence of parts
 * @returns {Style | undefined}
 */
function styleIn(part) {
  if (!(part instanceof Map)) return undefined;
  const style = STYLES.get(part.get("type"));
  if (style !== undefined) return style;
  if (part.get("type") === "Replace" && part.get("pattern")?.get?.("String") === " ") {
    return part.get("content") === "\u2581" ? "sentencepiece" : undefined;
  }
  for (const list of ["decoders", "pretokenizers", "normalizers"]) {
    const parts = part.get(list);
    if (!Array.isArray(parts)) continue;
    const found = parts.map(styleIn).find((style) => style !== undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * @param {string} rule @param {string} message @param {unknown} got
 * @returns {never}
 */
function refuse(rule, message, got) {
  throw new FileError(`VOCABULARY_${rule}`, `${message}; got ${got}`);
}
