import { describe } from "../../runtime/check.js";
import { FileError } from "../../runtime/errors.js";
import { Json } from "../json.js";

/**
 * @import {JsonValue} from "../json.js"
 * @import {Style} from "./spelling.js"
 * @import {Found} from "./vocabulary.js"
 */

/** The spelling that each part of a tokenizer implies. @type {ReadonlyMap<JsonValue | undefined, Style>} */
const STYLES = new Map([
  ["ByteLevel", "bytes"],
  ["Metaspace", "sentencepiece"],
  ["ByteFallback", "sentencepiece"],
]);

/**
 * Reads the vocabulary in a `tokenizer.json`. Keys may have any order; those that do not concern tokens are
 * skipped.
 *
 * @param {string} text
 * @param {number} most  tokens
 * @returns {Found}
 */
export function readTokenizerJson(text, most) {
  const json = new Json(text, "VOCABULARY", "JSON");
  /** @type {Map<string, JsonValue>} */
  let model = new Map();
  /** @type {Named | undefined} */
  let vocab;
  const file = json.object((key) => {
    if (key !== "model") return json.value();
    model = json.object((key) => {
      if (key !== "vocab" && key !== "merges") return json.value();
      if (key === "merges")
        json.value(); // such as merges
      else vocab = json.peek() === "[" ? readScored(json, most) : readIds(json);
      return null;
    });
    return null;
  });
  json.skip(); // a line break may follow
  json.end();
  if (vocab === undefined) refuse("MODEL", "tokenizer must have a model with a vocab", "none");
  const added = readAdded(file.get("added_tokens"));
  const suffix = model.get("end_of_word_suffix");
  return {
    tokens: listed(vocab.ids, added, most),
    spelling: { style: styleOf(file, model), suffix: typeof suffix === "string" ? suffix : "" },
    literal: new Set(added.map(({ id }) => id)),
    special: added.filter(({ isSpecial }) => isSpecial).map(({ id }) => id),
    scores: vocab.scores,
  };
}

/**
 * @typedef {{ids: ReadonlyMap<string, number>, scores?: Float32Array}} Named
 * @typedef {{id: number, content: string, isSpecial: boolean}} Added
 */

/**
 * {"token": id, ...}
 * @param {Json} json
 * @returns {Named}
 */
function readIds(json) {
  return { ids: json.object(() => json.integer()) };
}

/**
 * [["token", score], ...]
 * @param {Json} json @param {number} most
 * @returns {Named}
 */
function readScored(json, most) {
  /** @type {Map<string, number>} */
  const ids = new Map();
  const scores = json.array(() => {
    json.need("[");
    const begin = json.skip();
    const token = json.string();
    if (ids.has(token)) json.refuse("each token once", begin, "DUPLICATE");
    ids.set(token, ids.size);
    json.need(",");
    const score = json.number();
    json.need("]");
    return score;
  }, most);
  return { ids, scores: Float32Array.from(scores) };
}

/**
 * @param {JsonValue | undefined} value  a list, or none
 * @returns {Added[]}
 */
function readAdded(value) {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    return refuse("JSON", "added_tokens must be a list", describe(value));
  }
  return value.map((token) => {
    const [id, content, special] = ["id", "content", "special"].map((key) => token?.get?.(key));
    if (!Number.isSafeInteger(id) || typeof content !== "string" || content === "") {
      refuse("JSON", "added_tokens must each have an id and a content", describe(content));
    }
    return { id, content, isSpecial: special === true };
  });
}

/**
 * Lists tokens by id. Added tokens may repeat a token of the vocabulary with the same id.
 * @param {ReadonlyMap<string, number>} ids @param {readonly Added[]} added @param {number} most
 */
function listed(ids, added, most) {
  let size = 0;
  for (const id of ids.values()) size = Math.max(size, id + 1);
  for (const { id } of added) size = Math.max(size, id + 1);
  const known = ids.size + added.length;
  // Some models leave a few ids without a token; millions of them would be an error.
  if (size > most || size > 2 * known) {
    refuse("IDS", `ids must be below ${Math.min(most, 2 * known)} for ${known} tokens`, size - 1);
  }
  /** @type {string[]} */
  const tokens = Array(size).fill("");
  const put = (/** @type {string} */ token, /** @type {number} */ id) => {
    if (tokens[id] !== "" && tokens[id] !== token) {
      refuse(
        "IDS",
        `id ${id} must have one token`,
        `${describe(tokens[id])} and ${describe(token)}`,
      );
    }
    tokens[id] = token;
  };
  for (const [token, id] of ids) put(token, id);
  for (const { content, id } of added) put(content, id);
  return tokens;
}

/**
 * @param {ReadonlyMap<string, JsonValue>} file @param {ReadonlyMap<string, JsonValue>} model
 * @returns {Style}
 */
function styleOf(file, model) {
  if (model.get("type") === "WordPiece") return "wordpiece";
  for (const part of ["decoder", "pre_tokenizer", "normalizer"]) {
    const style = styleIn(file.get(part));
    if (style !== undefined) return style;
  }
  // Older files have no type; only WordPiece has a word length limit.
  if (model.has("max_input_chars_per_word")) return "wordpiece";
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
